//! The database server dies, hangs or throws its clients out under load: nobody is told anything wrong, and the
//! nodes go on by themselves when it is back.

use std::time::{Duration, Instant};

use dev::cluster::Cluster;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use super::ledger::Ledger;
use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn kills_of_the_database_server_under_load_lose_and_double_nothing_and_the_nodes_go_on() {
    let cluster = Cluster::start();
    let home = Home::at(&cluster.url(), &configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let ledger = Ledger::default();
    let mut back = Vec::new();
    for round in 0..4 {
        ledger.load(&nodes, 6, || {
            ledger.wait_for(120 + 17 * round);
            cluster.kill();
            for node in &nodes {
                ledger.until(node, "GET /users/", 503);
                ledger.until(
                    node,
                    r#"POST /address/ {"country":"a","city":"b","street":"c","number":1}"#,
                    503,
                );
                ledger.until(node, "GET /users/1/", 503);
            }
            cluster.start_again();
            let began = Instant::now();
            for node in &nodes {
                ledger.until(node, "GET /users/", 200);
                ledger.until(
                    node,
                    r#"POST /address/ {"country":"a","city":"b","street":"c","number":1}"#,
                    201,
                );
            }
            back.push(began.elapsed());
            ledger.wait_for(20);
        });
        ledger.holds(&nodes);
    }
    println!("{}; back after {back:?}", ledger.figures());
    nodes.into_iter().for_each(|node| node.stop().is_sound());
}

/// What `pg_terminate_backend` does, over and over, to every connection of every node.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn connections_that_are_thrown_out_again_and_again_lose_nothing() {
    let cluster = Cluster::start();
    let home = Home::at(&cluster.url(), &configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let ledger = Ledger::default();
    let mut thrown = 0;
    ledger.load(&nodes, 6, || {
        for round in 0..24 {
            // Some rounds catch them when they have just come back.
            if round % 3 == 0 {
                ledger.wait_for(10);
            }
            thrown += cluster
                .query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
                )
                .len();
        }
        ledger.wait_for(50);
    });
    ledger.holds(&nodes);
    println!("{} connections thrown out: {}", thrown, ledger.figures());
    nodes.into_iter().for_each(|node| node.stop().is_sound());
}

/// `pg_cancel_backend` in place of it: what was cancelled was not done, and no line is given up for it.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn statements_that_are_cancelled_again_and_again_lose_nothing() {
    let cluster = Cluster::start();
    let home = Home::at(&cluster.url(), &configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let ledger = Ledger::default();
    ledger.load(&nodes, 6, || {
        for _ in 0..300 {
            cluster.query(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
                 WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'",
            );
        }
        ledger.wait_for(50);
    });
    ledger.holds(&nodes);
    println!("{}", ledger.figures());
    nodes.into_iter().for_each(|node| node.stop().is_sound());
}

/// More clients than the server has connections for.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn who_manages_keys_takes_turns_on_one_connection() {
    let cluster = Cluster::start();
    let home = Home::at(&cluster.url(), &configs::patient(&configs::guarded()));
    home.add_admin("root", "the-key-of-the-administrator");
    let server = home.serve();
    let listed = race(150, |_| {
        let asked = Request::text("GET /_/keys/").header("X-API-Key", "the-key-of-the-administrator");
        server.send(&asked).status
    });
    assert!(listed.iter().all(|status| *status == 200), "{listed:?}");
    let open = "SELECT pid FROM pg_stat_activity WHERE application_name = 'carnet'";
    assert_eq!(cluster.query(open).len(), 10, "nine, and that of the keys");
    server.stop().is_sound();
}

/// A server that neither answers nor hangs up, as one whose disk is stuck.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_database_server_that_hangs_lets_nobody_wait_for_ever() {
    let cluster = Cluster::start();
    let home = Home::at(
        &cluster.url(),
        &configs::rate_limited(1_000_000, 3600).replace("page_size = 20", "page_size = 1000"),
    );
    home.add_key("first", "first-key-of-the-tests");
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let ledger = Ledger::default();
    let mut back = Duration::ZERO;
    ledger.load(&nodes, 4, || {
        ledger.wait_for(50);
        cluster.signal("STOP");
        std::thread::scope(|scope| {
            for node in &nodes {
                for request in [
                    "GET /users/",
                    "GET /users/1/",
                    // Not known yet, so that the database itself is asked.
                    "GET /users/?first_name=nobody",
                    "GET /users/?id=7",
                    "GET /users/?accesskey=first-key-of-the-tests",
                    r#"POST /address/ {"country":"a","city":"b","street":"c","number":1}"#,
                ] {
                    scope.spawn(|| ledger.until(node, request, 503));
                }
            }
        });
        cluster.signal("CONT");
        let began = Instant::now();
        for node in &nodes {
            ledger.until(node, "GET /users/", 200);
        }
        back = began.elapsed();
        ledger.wait_for(50);
    });
    ledger.holds(&nodes);
    println!("{}; back after {back:?}", ledger.figures());
}

/// What one may do is no question of whether it can be done now.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn who_asks_what_they_may_do_is_told_while_the_database_is_away() {
    let cluster = Cluster::start();
    let home = Home::at(&cluster.url(), &configs::patient(&configs::guarded()));
    home.add_key("first", "first-key-of-the-tests");
    let server = home.serve();
    let with = |line: &str, key: &str| server.send(&Request::new(line).header("X-API-Key", key));
    let before = with("GET /_/me/", "first-key-of-the-tests").json();
    assert_eq!(before["name"], "first");
    cluster.kill();
    let is_away = || with("GET /users/", "first-key-of-the-tests").status == 503;
    wait_until("the database is still there", is_away);
    let answer = with("GET /_/me/", "first-key-of-the-tests");
    assert_eq!((answer.status, answer.json()), (200, before));
    assert_eq!(with("GET /_/me/", "wrong").status, 401);
    assert_eq!(server.ask("GET /_/me/").status, 200);
}

/// Writes that stand behind one to which the server gives no answer.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn who_waits_too_long_for_the_writer_is_told_so_and_not_done() {
    let cluster = Cluster::start();
    let home = Home::at(&cluster.url(), &configs::built_in());
    let server = home.serve();
    server.create_user("before", "Doe");
    let mut clients: Vec<_> = (0..6).map(|_| server.client()).collect();
    cluster.signal("STOP");
    for (place, client) in clients.iter_mut().enumerate() {
        let body = format!(r#"{{"first_name":"{place}","last_name":"Doe"}}"#);
        client.write(&Request::new("POST /users/").json(body).bytes("localhost")).unwrap();
        // The next comes after it.
        server.wait_for_requests(place + 1);
    }
    let answers: Vec<_> = std::thread::scope(|scope| {
        let readers: Vec<_> = clients
            .iter_mut()
            .map(|client| scope.spawn(move || (client.read_one("POST").unwrap(), Instant::now())))
            .collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    cluster.signal("CONT");
    let unknown = |place: usize| answers[place].0.body_text().contains("unknown");
    assert!(answers.iter().all(|(answer, _)| answer.status == 503), "{answers:?}");
    let refused: Vec<usize> = (0..6).filter(|place| !unknown(*place)).collect();
    // Which of them comes to the writer first, a busy machine decides.
    let begun: Vec<usize> = (0..6).filter(|place| unknown(*place)).collect();
    assert!(!begun.is_empty() && !refused.is_empty(), "{answers:?}");
    let told = |place: &usize| answers[*place].1;
    assert!(
        refused.iter().map(told).max() < begun.iter().map(told).min(),
        "told only afterwards: {answers:?}"
    );
    wait_until("the server is not found again", || server.status("GET /users/") == 200);
    for place in refused {
        assert_eq!(server.total(&format!("/users/?first_name={place}")), 0, "{place}");
    }
}

/// A stop while the server of the database gives no answer to a write.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_database_server_that_hangs_holds_up_no_end() {
    let cluster = Cluster::start();
    for (drain, signals, status) in [(1, &["TERM"][..], 0), (600, &["TERM", "INT"], 1)] {
        let home = Home::at(&cluster.url(), &configs::with_server(&format!("drain = {drain}")));
        let mut server = home.serve();
        let id = server.create_user("early", "Doe");
        cluster.signal("STOP");
        let mut client = server.client();
        let body = r#"{"first_name":"late","last_name":"Doe"}"#.to_owned();
        client.write(&Request::new("POST /users/").json(body).bytes("localhost")).unwrap();
        server.wait_for_requests(1);
        for signal in signals {
            server.signal(signal);
            server.wait_for_error("\"event\":\"stopping\"");
        }
        assert_eq!(server.wait().code(), Some(status), "{}", server.stderr());
        cluster.signal("CONT");
        let server = home.serve();
        assert_eq!(server.status(&format!("GET /users/{id}/")), 200);
        server.stop().is_sound();
    }
}
