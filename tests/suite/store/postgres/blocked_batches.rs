//! Batches and upserts that need what another tool has locked: they wait wholly, the others of the node go on.

use dev::cluster::Cluster;
use dev::configs;
use dev::request::Request;
use dev::schema;

use super::blocked_writes::{until_busy, until_one_waits};
use crate::support::batch::{address, batch, delete, put_user, user};
use crate::support::home::Home;
use crate::support::server::Server;

const ADDRESS: &str = r#"{"country":"France","city":"Paris","street":"quai de Valmy","number":42}"#;
const LOCKED_USER: &str = "SELECT FROM users WHERE id = 1 FOR UPDATE";

/// Two nodes with an address and two users.
fn start(cluster: &Cluster) -> [Server; 2] {
    let rules = "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\", \"last_name\"]]";
    let home = Home::at(&cluster.url(), &configs::users(rules, "[collection.pagination]\npage_size = 20"));
    let nodes = [home.serve(), home.serve()];
    let items = [address(1), user("Jane", "null"), user("John", "null")];
    assert_eq!(nodes[0].send(&batch(&items)).status, 200);
    nodes
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_batch_or_an_upsert_that_waits_for_a_lock_holds_up_no_other() {
    let cluster = Cluster::passing();
    let nodes = start(&cluster);
    let upsert = |body: &str| Request::new("PUT /users/").json(body.to_owned());
    let upserts = r#"{"method":"PUT","path":"/users/","body":{"first_name":"Jane","last_name":"Doe"}}"#;
    for (lock, blocked, status) in [
        (LOCKED_USER, batch(&[address(2), put_user(1, r#"{"address":1}"#), user("Jim", r#""$0""#)]), 200),
        (LOCKED_USER, batch(&[user("Joan", "1"), upserts.to_owned(), put_user(2, r#"{"address":1}"#)]), 200),
        (LOCKED_USER, upsert(r#"{"first_name":"Jane","last_name":"Doe","address":1}"#), 200),
        // Whether there is one to change is not known yet.
        (
            "INSERT INTO users (first_name, last_name) VALUES ('Jill', 'Doe')",
            upsert(r#"{"first_name":"Jill","last_name":"Doe"}"#),
            201,
        ),
        (LOCKED_USER, batch(&[user("Jack", "1"), delete("/users/1/")]), 200),
    ] {
        let mut client = nodes[0].client();
        let asked = blocked.clone();
        let answer = std::thread::scope(|scope| {
            let waiting = schema::hold(&cluster.url(), lock, || {
                let waiting = scope.spawn(move || client.send(&asked));
                until_one_waits(&cluster);
                for (number, node) in nodes.iter().cycle().take(6).enumerate() {
                    let other =
                        format!(r#"{{"method":"PUT","path":"/address/1/","body":{{"number":{number}}}}}"#);
                    let answer = node.send(&batch(&[other]));
                    assert!(answer.status == 200 && !waiting.is_finished(), "beside {blocked:?}: {answer:?}");
                }
                waiting
            });
            waiting.join().unwrap()
        });
        assert_eq!(answer.status, status, "{blocked:?}: {answer:?}");
    }
    for node in &nodes {
        assert_eq!((node.total("/users/"), node.total("/users/?address=1")), (5, 3));
    }
}

/// The ids of neighbouring batches are drawn together, for which a lock may stand in the way, too.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn batches_that_can_draw_no_ids_hold_up_no_other_of_their_group() {
    const TURN: &str = "SELECT pg_advisory_xact_lock((x'6361726e'::bigint << 32) + '_carnet_version'::regclass::oid::bigint)";
    let cluster = Cluster::passing();
    let [server, _] = start(&cluster);
    let send = |request: Request| server.client().send(&request);
    std::thread::scope(|scope| {
        let batches = schema::hold(&cluster.url(), r#"ALTER SEQUENCE "users.id next" INCREMENT 1"#, || {
            // The first waits for the turn alone, and the others behind it are a group.
            let (batches, other) = schema::hold(&cluster.url(), TURN, || {
                let batches = ["Jim", "Joan", "Jill"].map(|name| {
                    let waiting = scope.spawn(move || send(batch(&[user(name, "1")])));
                    server.wait_for_requests(1);
                    waiting
                });
                let other =
                    scope.spawn(move || send(Request::new("POST /address/").json(ADDRESS.to_owned())));
                server.wait_for_requests(4);
                (batches, other)
            });
            assert_eq!(other.join().unwrap().status, 201);
            assert!(batches.iter().all(|waiting| !waiting.is_finished()));
            batches
        });
        for waiting in batches {
            assert_eq!(waiting.join().unwrap().status, 200);
        }
    });
    assert_eq!((server.total("/users/"), server.total("/address/")), (5, 2));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_batch_that_waits_for_too_long_is_refused_and_nothing_of_it_done() {
    let cluster = Cluster::passing();
    let nodes = start(&cluster);
    let mut client = nodes[0].client();
    let changes = [user("Jim", "1"), put_user(1, r#"{"address":1}"#), put_user(2, r#"{"address":1}"#)];
    let blocked = batch(&changes).key("blocked");
    schema::hold(&cluster.url(), LOCKED_USER, || {
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| client.send(&blocked));
            until_busy(&nodes[0], 1);
            // It stands behind the batch, although nobody has locked its record.
            let mut other = nodes[0].client();
            let behind = scope.spawn(move || other.ask(r#"PUT /users/2/ {"first_name":"Johnny"}"#));
            until_busy(&nodes[0], 2);
            assert_eq!(nodes[0].ask("GET /users/2/").json()["first_name"], "John");
            let answer = waiting.join().unwrap();
            assert_eq!((answer.status, answer.header("Retry-After")), (503, Some("1")), "{answer:?}");
            assert_eq!(behind.join().unwrap().status, 200);
        });
    });
    assert_eq!((nodes[1].total("/users/"), nodes[1].total("/users/?address=1")), (2, 0));
    assert_eq!(nodes[1].send(&blocked).status, 200);
    assert_eq!((nodes[1].total("/users/"), nodes[1].total("/users/?address=1")), (3, 3));
}
