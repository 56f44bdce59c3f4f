//! Access keys that are revoked elsewhere: whoever revoked one knows that no node takes it any more, however long the
//! node was away.

use dev::cluster::Cluster;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

const BODY: &str = r#"{"first_name":"Jane","last_name":"Doe"}"#;

fn guarded() -> Server {
    Server::start(&configs::patient(&configs::guarded()))
}

/// What may be done with a key, or may not.
fn requests(key: &str) -> [(&'static str, Request, u16); 4] {
    let admin = r#"{"name":"made-by-a-revoked-key"}"#;
    [
        ("GET", Request::new("GET /users/"), 200),
        ("GET", Request::new("GET /users/?first_name=Nobody"), 200),
        ("POST", Request::new("POST /users/").json(BODY), 201),
        ("POST", Request::new("POST /_/keys/").json(admin), 201),
    ]
    .map(|(method, request, status)| (method, request.header("X-API-Key", key), status))
}

/// Asks until a key is known.
fn until_known(server: &Server, key: &str) {
    let request = Request::new("GET /users/").header("X-API-Key", key);
    wait_until(&format!("{key} is still unknown"), || server.send(&request).status == 200);
}

/// Waits until so many wait for a lock.
fn wait_for_waiting(cluster: &Cluster, number: usize) {
    let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    wait_until(&format!("fewer than {number} wait"), || cluster.query(waiting).len() >= number);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_key_that_was_revoked_while_a_node_was_paused_is_refused_by_its_first_answers() {
    let server = guarded();
    let home = server.home();
    for round in 0..8 {
        let key = format!("key-number-{round}-of-the-tests");
        home.add_admin(&format!("k{round}"), &key);
        until_known(&server, &key);
        let requests = requests(&key);
        // Connections that are there already: their requests are the first thing that the node finds.
        let mut clients = requests.each_ref().map(|_| server.client());
        clients.iter_mut().for_each(|client| assert_eq!(client.ask("GET /livez").status, 200));
        server.signal("STOP");
        home.run(&["keys", "revoke", &format!("k{round}")]).exits(0);
        for (client, (_, request, _)) in clients.iter_mut().zip(&requests) {
            client.write(&request.bytes("localhost")).unwrap();
        }
        server.signal("CONT");
        for (client, (method, request, _)) in clients.iter_mut().zip(&requests) {
            let answer = client.read_one(method).unwrap();
            assert_eq!(answer.status, 401, "round {round}, {request:?}: {answer:?}");
        }
    }
    assert_eq!(home.query("SELECT count(*) FROM users"), ["0"]);
    assert_eq!(home.query("SELECT count(*) FROM _carnet_keys"), ["0"]);
}

/// A write that waits for its turn behind the one that revokes its key; and one behind a change of another key.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_write_is_judged_by_the_keys_of_the_moment_in_which_it_is_done() {
    let cluster = Cluster::passing();
    let home = Home::at(&cluster.url(), &configs::patient(&configs::guarded()));
    let server = home.serve();
    for name in ["first", "second", "third"] {
        home.add_key(name, &format!("{name}-key-of-the-tests"));
        until_known(&server, &format!("{name}-key-of-the-tests"));
    }
    let create = |key: &str| {
        Request::new("POST /users/").json(BODY).header("X-API-Key", &format!("{key}-key-of-the-tests"))
    };
    // So that the writer is there and has its statements.
    assert_eq!(server.send(&create("first")).status, 201);
    for (revoked, writing, status) in
        [("second", "first", 201), ("first", "first", 401), ("none", "third", 201)]
    {
        let answer = std::thread::scope(|scope| {
            let (revoking, written) = home.hold_writers(|| {
                let mut waiting = 0;
                let revoking = (revoked != "none").then(|| {
                    waiting += 1;
                    scope.spawn(|| home.run(&["keys", "revoke", revoked]).exits(0))
                });
                wait_for_waiting(&cluster, waiting);
                let written = scope.spawn(|| server.client().send(&create(writing)));
                wait_for_waiting(&cluster, waiting + 1);
                (revoking, written)
            });
            revoking.map(|revoking| revoking.join().unwrap());
            written.join().unwrap()
        });
        assert_eq!(answer.status, status, "{revoked} is revoked, {writing} writes: {answer:?}");
    }
    assert_eq!(home.query("SELECT count(*) FROM users"), ["3"]);
}

/// Where callers are only identified, one whose key is gone is one without a key.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn where_nobody_is_refused_a_revoked_key_is_none() {
    let server = Server::start(&configs::patient(&configs::identified()));
    let home = server.home();
    home.add_key("first", "first-key-of-the-tests");
    let mut clients = [server.client(), server.client()];
    clients.iter_mut().for_each(|client| assert_eq!(client.ask("GET /livez").status, 200));
    server.signal("STOP");
    home.run(&["keys", "revoke", "first"]).exits(0);
    let requests =
        [("GET", Request::new("GET /users/"), 200), ("POST", Request::new("POST /users/").json(BODY), 201)]
            .map(|(method, request, status)| {
                (method, request.header("X-API-Key", "first-key-of-the-tests"), status)
            });
    for (client, (_, request, _)) in clients.iter_mut().zip(&requests) {
        client.write(&request.bytes("localhost")).unwrap();
    }
    server.signal("CONT");
    for (client, (method, request, status)) in clients.iter_mut().zip(&requests) {
        assert_eq!(client.read_one(method).unwrap().status, *status, "{request:?}");
    }
}
