//! Writes that need what another tool has locked: they wait, the others of the node go on, and nothing is lost.

use dev::answer::Answer;
use dev::cluster::Cluster;
use dev::configs;
use dev::request::Request;
use dev::schema;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

const LOCKED_USER: &str = "SELECT FROM users WHERE id = 1 FOR UPDATE";

/// Two nodes with an address and two users.
fn start(cluster: &Cluster) -> [Server; 2] {
    let home = Home::at(&cluster.url(), &configs::unique());
    let nodes = [home.serve(), home.serve()];
    assert_eq!((nodes[0].create_address(), nodes[0].create_user("Jane", "Doe")), (1, 1));
    nodes
}

/// Waits until a node waits for a lock.
#[track_caller]
pub(super) fn until_one_waits(cluster: &Cluster) {
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    wait_until("nobody waits for a lock", || cluster.query(waiting) != ["0"]);
}

/// Waits until a node has found so many writes kept waiting by a lock.
#[track_caller]
pub(super) fn until_busy(node: &Server, number: usize) {
    let is_so = || node.metric("carnet_store_busy_total") >= number as u64;
    wait_until(&format!("fewer than {number} are kept waiting"), is_so);
}

/// Asks for something that needs what a tool has locked, and sees that nodes go on to do this one meanwhile. What is
/// answered once the tool has let go.
fn asked_beside(cluster: &Cluster, nodes: &[Server; 2], lock: &str, blocked: &str, other: &str) -> Answer {
    let mut client = nodes[0].client();
    std::thread::scope(|scope| {
        let blocked = schema::hold(&cluster.url(), lock, || {
            let blocked = scope.spawn(move || client.ask(blocked));
            until_one_waits(cluster);
            for (number, node) in nodes.iter().cycle().take(6).enumerate() {
                let answer = node.ask(&other.replace("{n}", &number.to_string()));
                assert!(answer.status < 300 && !blocked.is_finished(), "{other} beside {lock}: {answer:?}");
            }
            blocked
        });
        blocked.join().unwrap()
    })
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_write_that_waits_for_a_lock_holds_up_no_other() {
    let cluster = Cluster::passing();
    let nodes = start(&cluster);
    let create = r#"POST /users/ {"first_name":"John","last_name":"{n}"}"#;
    let lock = "INSERT INTO users (first_name, last_name) VALUES ('Jim', 'Doe')";
    for (lock, blocked, other, status) in [
        (LOCKED_USER, r#"PUT /users/1/ {"last_name":"Roe"}"#, create, 200),
        // Its reference is checked by a lock.
        (
            "SELECT FROM address WHERE id = 1 FOR UPDATE",
            r#"POST /users/ {"first_name":"Joan","last_name":"Doe","address":1}"#,
            r#"PUT /users/1/ {"last_name":"{n}"}"#,
            201,
        ),
        // Whether its name is taken is not known yet.
        (
            lock,
            r#"POST /users/ {"first_name":"Jim","last_name":"Doe"}"#,
            r#"PUT /users/1/ {"last_name":"{n}"}"#,
            201,
        ),
        ("LOCK TABLE users", "DELETE /users/1/", r#"PUT /address/1/ {"number":{n}}"#, 200),
    ] {
        let answer = asked_beside(&cluster, &nodes, lock, blocked, other);
        assert_eq!(answer.status, status, "{blocked} beside {lock}: {answer:?}");
    }
    for node in &nodes {
        assert_eq!((node.total("/users/?first_name=John"), node.total("/users/")), (6, 8));
        assert_eq!(node.ask("GET /address/1/").json()["number"], 5);
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_write_that_waits_for_too_long_is_refused_and_not_done() {
    let cluster = Cluster::passing();
    let nodes = start(&cluster);
    let mut client = nodes[0].client();
    let created = schema::hold(&cluster.url(), LOCKED_USER, || {
        std::thread::scope(|scope| {
            let blocked = scope.spawn(move || client.ask(r#"PUT /users/1/ {"last_name":"Roe"}"#));
            until_one_waits(&cluster);
            let mut created = 0;
            while !blocked.is_finished() {
                created += 1;
                nodes[0].create_user("John", &created.to_string());
            }
            let answer = blocked.join().unwrap();
            assert_eq!((answer.status, answer.header("Retry-After")), (503, Some("1")), "{answer:?}");
            assert_eq!(
                answer.error(),
                "Too many requests are waiting. Nothing was changed; try again in a moment"
            );
            created
        })
    });
    assert!(created > 10, "{created} creates went on meanwhile");
    assert_eq!(nodes[1].total("/users/"), created + 1);
    assert_eq!(nodes[1].ask("GET /users/1/").json()["last_name"], "Doe");
    assert_eq!(nodes[0].status(r#"PUT /users/1/ {"last_name":"Roe"}"#), 200);
}

/// Many to one record, some to others, and creates, all of which stand behind each other in one group or another.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_waited_for_a_lock_is_done_once() {
    let cluster = Cluster::passing();
    let nodes = start(&cluster);
    let seen = nodes[0].ask("GET /users/1/").header("ETag").unwrap().to_owned();
    let updates: Vec<Request> = (0..8)
        .map(|number| {
            let body = format!(r#"{{"last_name":"{number}"}}"#);
            let update = Request::new("PUT /users/1/").json(body).key(&format!("update {number}"));
            update.header("If-Match", &seen)
        })
        .collect();
    let create = |number: usize| {
        let body = format!(r#"{{"first_name":"John","last_name":"{number}"}}"#);
        Request::new("POST /users/").json(body).key(&format!("create {number}"))
    };
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let waiting: Vec<_> = schema::hold(&cluster.url(), LOCKED_USER, || {
            let send = |request: &Request| {
                let (mut client, request) = (nodes[0].client(), request.clone());
                scope.spawn(move || client.send(&request))
            };
            let waiting = updates.iter().map(send).collect();
            // One is tried now and then, and the others stand behind it.
            until_busy(&nodes[0], updates.len());
            for creates in (0..24).map(create).collect::<Vec<_>>().chunks(8) {
                for answer in creates.iter().map(send).collect::<Vec<_>>() {
                    assert_eq!(answer.join().unwrap().status, 201);
                }
            }
            waiting
        });
        waiting.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412]);
    let done = answers.iter().position(|answer| answer.status == 200).unwrap();
    for node in &nodes {
        assert_eq!(node.ask("GET /users/1/").json()["last_name"], done.to_string());
        assert_eq!(node.total("/users/"), 25);
        for (update, answer) in updates.iter().zip(&answers) {
            node.send(update).repeats(answer);
        }
    }
}
