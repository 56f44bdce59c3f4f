//! Reads while nodes follow commits of a thousand changes: what was acknowledged is in the next answer all the same,
//! also of the records and keys that those commits do not touch.

use std::sync::atomic::{AtomicBool, Ordering};

use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::batch::{batch, put_user, user};
use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

const ROUNDS: usize = 15;
/// Of the users 1 to 1000 all are changed at once; beyond them each by itself.
const LARGE: i64 = 1000;
const ALONE: i64 = 1010;
const KEY: &str = "the-key-of-the-tests";

fn with_key(request: &str) -> Request {
    Request::new(request).header("X-API-Key", KEY)
}

/// The round in which this user was changed last, as a node says.
fn round_of(client: &mut Client, id: i64) -> usize {
    let user = client.send(&with_key(&format!("GET /users/{id}/"))).json();
    user["first_name"].as_str().unwrap().trim_start_matches('r').parse().unwrap()
}

fn nodes_with_users() -> Vec<Server> {
    let home = Home::new(&configs::patient(&configs::guarded()));
    home.add_admin("admin", KEY);
    let nodes = vec![home.serve(), home.serve()];
    for number in [LARGE, ALONE - LARGE] {
        let users: Vec<String> = (0..number).map(|_| user("r0", "null")).collect();
        assert_eq!(nodes[0].send(&batch(&users).header("X-API-Key", KEY)).status, 200);
    }
    for node in &nodes {
        let mut client = node.client();
        // More than once: what is asked for once is not kept.
        (0..3).flat_map(|_| 1..=ALONE).for_each(|id| assert_eq!(round_of(&mut client, id), 0));
    }
    nodes
}

/// Changes all users below the last ones at once.
fn change_all(node: &Server, round: usize) {
    let name = format!(r#"{{"first_name":"r{round}"}}"#);
    let items: Vec<String> = (1..=LARGE).map(|id| put_user(id, &name)).collect();
    let answer = node.send(&batch(&items).header("X-API-Key", KEY));
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Changes all users at once, again and again; every node shows each change in its next answers.
fn change_many(nodes: &[Server], mut clients: [Client; 2]) {
    for round in 1..=ROUNDS {
        change_all(&nodes[round % 2], round);
        for client in &mut clients {
            for id in [1, LARGE / 2, LARGE] {
                assert_eq!(round_of(client, id), round, "user {id}");
            }
            let list =
                client.send(&with_key(&format!("GET /users/?first_name=r{round}&last_name=Doe"))).json();
            assert_eq!(list["meta"]["total_count"], LARGE, "round {round}");
        }
    }
}

/// Changes one user again and again, of which the others say nothing.
fn change_one(mut clients: [Client; 2], id: i64, is_over: &AtomicBool) {
    for round in (1..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
        let change = with_key(&format!("PUT /users/{id}/")).json(format!(r#"{{"first_name":"r{round}"}}"#));
        assert_eq!(clients[round % 2].send(&change).status, 200);
        assert_eq!(clients.each_mut().map(|client| round_of(client, id)), [round; 2], "user {id}");
    }
}

/// Makes keys and revokes them: no node takes one afterwards.
fn change_keys(mut clients: [Client; 2], is_over: &AtomicBool) {
    for round in (1..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
        let made =
            clients[round % 2].send(&with_key("POST /_/keys/").json(format!(r#"{{"name":"k{round}"}}"#)));
        let key = made.json()["key"].as_str().unwrap().to_owned();
        let request = Request::new(&format!("GET /users/{ALONE}/")).header("X-API-Key", &key);
        for client in &mut clients {
            wait_until("a key is still unknown", || client.send(&request).status == 200);
        }
        assert_eq!(clients[0].send(&with_key(&format!("DELETE /_/keys/k{round}/"))).status, 200);
        assert_eq!(clients.each_mut().map(|client| client.send(&request).status), [401; 2]);
    }
}

/// Nobody sees a record go back, whichever node is asked.
fn look(mut clients: [Client; 2], thread: usize, is_over: &AtomicBool) {
    let mut seen = vec![0; 1 + usize::try_from(ALONE).unwrap()];
    for step in (thread..).step_by(37).take_while(|_| !is_over.load(Ordering::Relaxed)) {
        let place = 1 + step % (seen.len() - 1);
        for client in &mut clients {
            let round = round_of(client, i64::try_from(place).unwrap());
            assert!(round >= seen[place], "user {place} was of round {} and is of {round}", seen[place]);
            seen[place] = round;
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_was_acknowledged_is_seen_at_once_beside_commits_of_a_thousand_changes() {
    let nodes = nodes_with_users();
    let is_over = AtomicBool::new(false);
    race(6, |thread| {
        let clients = [nodes[0].client(), nodes[1].client()];
        match thread {
            0 => {
                let changed =
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| change_many(&nodes, clients)));
                is_over.store(true, Ordering::Relaxed);
                changed.unwrap();
            }
            1 => change_one(clients, ALONE - 1, &is_over),
            2 => change_keys(clients, &is_over),
            _ => look(clients, thread, &is_over),
        }
    });
    for node in &nodes {
        let mut client = node.client();
        (1..=LARGE).for_each(|id| assert_eq!(round_of(&mut client, id), ROUNDS, "user {id}"));
    }
}

/// Three batches are followed; after twenty-five a node starts anew.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_node_that_was_away_misses_nothing_however_much_has_changed() {
    let nodes = nodes_with_users();
    let mut round = 0;
    for last in [3, 28] {
        // Connections that are there already: their requests are the first thing that the node finds.
        let mut clients = [1, LARGE / 2, LARGE].map(|id| (id, nodes[1].client()));
        clients.iter_mut().for_each(|(_, client)| assert_eq!(client.ask("GET /livez").status, 200));
        nodes[1].signal("STOP");
        while round < last {
            round += 1;
            change_all(&nodes[0], round);
        }
        for (id, client) in &mut clients {
            client.write(&with_key(&format!("GET /users/{id}/")).bytes("localhost")).unwrap();
        }
        nodes[1].signal("CONT");
        for (id, client) in &mut clients {
            let user = client.read_one("GET").unwrap().json();
            assert_eq!(user["first_name"], format!("r{round}"), "user {id}");
        }
    }
}

/// Creates a thousand users at once, of which both nodes show all in their next answers.
fn create_many(nodes: &[Server], mut clients: [Client; 2]) {
    for round in 1..=ROUNDS {
        let users: Vec<String> = (0..LARGE).map(|_| user(&format!("m{round}"), "null")).collect();
        let request = batch(&users).header("X-API-Key", KEY);
        let request = if round % 3 == 0 { request.key(&format!("k{round}")) } else { request };
        let created = nodes[round % 2].send(&request).json();
        let results = created["results"].as_array().unwrap();
        let [first, .., last] = results.as_slice() else { panic!("{created}") };
        for client in &mut clients {
            // The first may share a block with the last before it, which is in memory: it was asked for more than once.
            for place in [first, last, last, last] {
                let uri = place["ressource_uri"].as_str().unwrap();
                let fetched = client.send(&with_key(&format!("GET {uri}"))).json();
                assert_eq!(fetched["first_name"], format!("m{round}"), "{uri}");
            }
            for listed in [format!("first_name=m{round}"), format!("first_name.folded=M{round}")] {
                let list = client.send(&with_key(&format!("GET /users/?{listed}"))).json();
                assert_eq!(list["meta"]["total_count"], LARGE, "{listed}");
            }
            let all = client.send(&with_key("GET /users/?first_name.prefix=m&count=1")).json();
            assert_eq!(all["meta"]["total_count"], LARGE * i64::try_from(round).unwrap());
        }
    }
}

/// Creates users one by one, of which both nodes show each in their next answers.
fn create_one(mut clients: [Client; 2], name: &str, is_over: &AtomicBool) {
    for round in (1..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
        let body = format!(r#"{{"first_name":"{name}","last_name":"Doe","address":null}}"#);
        let created = clients[round % 2].send(&with_key("POST /users/").json(body));
        let id = created.created_id();
        for client in &mut clients {
            assert_eq!(client.send(&with_key(&format!("GET /users/{id}/"))).status, 200, "user {id}");
            let list = client.send(&with_key(&format!("GET /users/?first_name={name}"))).json();
            assert_eq!(list["meta"]["total_count"], round, "{name}");
        }
    }
}

/// What a node has created it knows by itself, as long as nobody else writes in between.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_a_node_has_created_itself_is_in_the_next_answer_of_every_node() {
    for is_alone in [true, false] {
        let nodes = nodes_with_users();
        let is_over = AtomicBool::new(false);
        race(if is_alone { 1 } else { 3 }, |thread| {
            let clients = [nodes[0].client(), nodes[1].client()];
            match thread {
                0 => {
                    let create = std::panic::AssertUnwindSafe(|| create_many(&nodes, clients));
                    let created = std::panic::catch_unwind(create);
                    is_over.store(true, Ordering::Relaxed);
                    created.unwrap();
                }
                _ => create_one(clients, &format!("other{thread}"), &is_over),
            }
        });
    }
}
