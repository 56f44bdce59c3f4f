//! Several nodes of one database are one server: what one of them has said, all know.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

fn nodes(config: &str, number: usize) -> Vec<Server> {
    let home = Home::new(config);
    (0..number).map(|_| home.serve()).collect()
}

/// Writes by one node in turn; the very next request to every other one shows it, whichever way it asks.
fn next_read(number: usize, rounds: usize) {
    let nodes = nodes(&configs::long_pages(), number);
    let mut clients: Vec<_> = nodes.iter().map(Server::client).collect();
    let mut living = 0;
    for round in 0..rounds {
        let (writer, others) = (round % number, (1..number).map(|step| (round + step) % number));
        let others: Vec<usize> = others.collect();
        let name = format!("n{round}");
        // A family that is asked for again and again, so that its set is in the memory of every node.
        let family = format!("f{}", round % 5);
        let body = format!(r#"{{"first_name":"{name}","last_name":"{family}"}}"#);
        let id = clients[writer].ask(&format!("POST /users/ {body}")).created_id();
        living += 1;
        for &other in &others {
            let client = &mut clients[other];
            let last = client.ask(&format!("GET /users/?offset={}", living - 1)).json();
            assert_eq!(last["meta"]["total_count"], living, "round {round}");
            assert_eq!(last["object_list"][0]["id"], id, "round {round}");
            assert_eq!(client.ask(&format!("GET /users/{id}/")).json()["first_name"], name.as_str());
            let found = client.ask(&format!("GET /users/?last_name={family}&count=1000")).json();
            let listed = found["object_list"].as_array().unwrap();
            assert_eq!(listed.last().unwrap()["id"], id, "round {round}");
            assert_eq!(found["meta"]["total_count"], listed.len(), "round {round}");
        }
        let renamed = format!(r#"PUT /users/{id}/ {{"first_name":"{name} again"}}"#);
        assert_eq!(clients[writer].ask(&renamed).status, 200);
        for &other in &others {
            let record = clients[other].ask(&format!("GET /users/{id}/")).json();
            assert_eq!(record["first_name"], format!("{name} again"), "round {round}");
            let asked = format!("GET /users/?first_name={name}%20again");
            assert_eq!(clients[other].ask(&asked).json()["meta"]["total_count"], 1, "round {round}");
            let asked = format!("GET /users/?first_name={name}");
            assert_eq!(clients[other].ask(&asked).json()["meta"]["total_count"], 0, "round {round}");
        }
        if round % 3 == 0 {
            assert_eq!(clients[writer].ask(&format!("DELETE /users/{id}/")).status, 200);
            living -= 1;
            for &other in &others {
                assert_eq!(clients[other].ask(&format!("GET /users/{id}/")).status, 404, "round {round}");
                let total = clients[other].ask("GET /users/").json()["meta"]["total_count"].clone();
                assert_eq!(total, living, "round {round}");
            }
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_one_node_acknowledged_is_in_the_next_answer_of_the_other() {
    next_read(2, 300);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_one_node_acknowledged_is_in_the_next_answer_of_all_others() {
    next_read(3, 120);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn of_racing_updates_of_what_was_seen_exactly_one_wins_whichever_node_it_came_through() {
    let nodes = nodes(&configs::built_in(), 2);
    let id = nodes[0].create_user("John", "Doe");
    for round in 0..30 {
        let seen = nodes[round % 2].ask(&format!("GET /users/{id}/"));
        let seen = seen.header("ETag").unwrap();
        let statuses = race(8, |thread| {
            let body = format!(r#"{{"first_name":"r{round}t{thread}"}}"#);
            let update = Request::new(&format!("PUT /users/{id}/")).header("If-Match", seen).json(body);
            nodes[thread % 2].client().send(&update).status
        });
        let winners: Vec<usize> = (0..8).filter(|thread| statuses[*thread] == 200).collect();
        assert_eq!(winners.len(), 1, "round {round}: {statuses:?}");
        assert_eq!(
            statuses.iter().filter(|status| **status == 412).count(),
            7,
            "round {round}: {statuses:?}"
        );
        for node in &nodes {
            let name = node.ask(&format!("GET /users/{id}/")).json()["first_name"].clone();
            assert_eq!(name, format!("r{round}t{}", winners[0]), "round {round}");
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn of_racing_writers_exactly_one_keeps_a_unique_rule_whichever_node_it_came_through() {
    let nodes = nodes(&configs::unique(), 3);
    for round in 0..15 {
        let statuses = race(24, |thread| {
            let body = format!(r#"{{"first_name":"John","last_name":"Doe{round}"}}"#);
            nodes[thread % 3].client().ask(&format!("POST /users/ {body}")).status
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 23, "{statuses:?}");
    }
    assert_eq!(nodes[1].total("/users/"), 15);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn an_address_deleted_by_one_node_while_another_puts_users_there_leaves_no_dangling_reference() {
    let nodes = nodes(&configs::built_in(), 2);
    for _ in 0..15 {
        let address = nodes[0].create_address();
        let outcomes = race(5, |thread| {
            if thread == 0 {
                return nodes[0].client().ask(&format!("DELETE /address/{address}/")).status;
            }
            let body = format!(r#"{{"first_name":"n","last_name":"Doe","address":{address}}}"#);
            nodes[1].client().ask(&format!("POST /users/ {body}")).status
        });
        let users = nodes[0].total(&format!("/users/?address={address}"));
        let there = nodes[1].status(&format!("GET /address/{address}/"));
        let created = outcomes[1..].iter().filter(|status| **status == 201).count();
        match outcomes[0] {
            200 => assert_eq!((there, users), (404, 0), "{outcomes:?}"),
            409 => assert_eq!((there, users), (200, created as i64), "{outcomes:?}"),
            status => panic!("DELETE was answered {status}"),
        }
    }
    nodes[0].home().is_sound();
}

/// An id that a client was told is smaller than every id that anybody is given afterwards.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn ids_ascend_across_nodes() {
    let nodes = nodes(&configs::built_in(), 3);
    let newest = AtomicI64::new(0);
    let ids = race(9, |thread| {
        let mut client = nodes[thread % 3].client();
        let mut given = Vec::new();
        for number in 0..40 {
            let known = newest.load(Ordering::SeqCst);
            let body = format!(r#"{{"first_name":"t{thread}n{number}","last_name":"Doe"}}"#);
            let id = client.ask(&format!("POST /users/ {body}")).created_id();
            assert!(id > known, "{id} was given after {known}");
            newest.fetch_max(id, Ordering::SeqCst);
            given.push(id);
        }
        given
    });
    let all: BTreeSet<i64> = ids.concat().into_iter().collect();
    assert_eq!(all.len(), 360, "an id was given twice");
    assert!(nodes.iter().all(|node| node.total("/users/") == 360));
}

/// Asks all nodes until each answers so; how long the slowest took.
fn until_all(nodes: &[Server], request: &str, status: u16) -> Duration {
    let began = Instant::now();
    for node in nodes {
        let mut client = node.client();
        wait_until(&format!("{request} is still not {status}"), || client.ask(request).status == status);
    }
    began.elapsed()
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_key_is_known_and_forgotten_by_every_node_soon_after_the_command() {
    let nodes = nodes(&configs::patient(&configs::guarded()), 2);
    let home = nodes[0].home();
    let (mut known, mut forgotten) = (Duration::ZERO, Duration::ZERO);
    for round in 0..5 {
        let request = format!("GET /users/?accesskey=key-number-{round}-of-the-tests");
        assert!(nodes.iter().all(|node| node.status(&request) == 401));
        home.add_key(&format!("k{round}"), &format!("key-number-{round}-of-the-tests"));
        known = known.max(until_all(&nodes, &request, 200));
        home.run(&["keys", "revoke", &format!("k{round}")]).exits(0);
        forgotten = forgotten.max(until_all(&nodes, &request, 401));
        // Once forgotten, it stays so.
        assert!(nodes.iter().all(|node| (0..20).all(|_| node.status(&request) == 401)));
    }
    println!("a key is known after {known:?} at the most, forgotten after {forgotten:?}");
    // A second is promised; a busy machine may take longer.
    assert!(known.max(forgotten) < Duration::from_secs(10), "{known:?}, {forgotten:?}");
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn exactly_quota_requests_pass_over_all_nodes_together() {
    let home = Home::new(&configs::rate_limited(200, 3600));
    home.add_key("first", "first-key-of-the-tests");
    home.add_key("second", "second-key-of-the-tests");
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    for key in ["first", "second"] {
        let statuses = race(8, |thread| {
            let mut client = nodes[thread % 2].client();
            let asked = format!("GET /users/?accesskey={key}-key-of-the-tests");
            (0..35).map(|_| client.ask(&asked).status).collect::<Vec<_>>()
        })
        .concat();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 200, "{key}");
        assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 80, "{key}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_unique_rule_that_only_another_node_knows_is_refused_in_the_same_words() {
    let home = Home::new(&configs::built_in());
    let older = home.serve();
    home.configure(&configs::unique());
    let newer = home.serve();
    assert_eq!(older.create_user("Jane", "Doe"), 1);
    let again = r#"POST /users/ {"first_name":"Jane","last_name":"Doe"}"#;
    let (one, other) = (older.ask(again), newer.ask(again));
    assert_eq!((one.status, one.error()), (400, "first_name,last_name must be unique together".into()));
    assert_eq!((other.status, other.error()), (one.status, one.error()));
    let john = older.create_user("John", "Doe");
    let renamed = older.ask(&format!(r#"PUT /users/{john}/ {{"first_name":"Jane"}}"#));
    assert_eq!((renamed.status, renamed.error()), (one.status, one.error()));
    assert_eq!(older.ids("/users/"), [1, john]);
}
