//! Safe retries across nodes: whichever of them a request is sent to again, it was done once.

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

fn nodes(number: usize) -> Vec<Server> {
    let home = Home::new(&configs::with_server("base_url = \"http://book.example.org\""));
    (0..number).map(|_| home.serve()).collect()
}

fn user(key: &str) -> Request {
    let body = format!(r#"{{"first_name":"{key}","last_name":"Doe"}}"#);
    Request::new("POST /users/").key(key).header("Prefer", "return=representation").json(body)
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_one_node_has_answered_the_others_repeat() {
    let nodes = nodes(3);
    for round in 0..30 {
        let create = user(&format!("k{round}"));
        let first = nodes[round % 3].send(&create);
        let id = first.created_id();
        let delete = Request::new(&format!("DELETE /users/{id}/")).key(&format!("d{round}"));
        let deleted = nodes[(round + 1) % 3].send(&delete);
        assert_eq!(deleted.status, 200);
        for node in &nodes {
            node.send(&create).repeats(&first);
            node.send(&delete).repeats(&deleted);
            assert_eq!(node.send(&Request::new("DELETE /users/1/").key(&format!("k{round}"))).status, 422);
        }
    }
    assert_eq!(nodes[0].total("/users/"), 0);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn of_many_that_send_the_same_request_to_all_nodes_at_once_one_does_it() {
    let nodes = nodes(3);
    for round in 0..20 {
        let request = user(&format!("k{round}"));
        let answers = race(12, |thread| {
            let mut client = nodes[thread % 3].client();
            loop {
                let answer = client.send(&request);
                if answer.status != 409 {
                    return answer;
                }
            }
        });
        let first: Vec<_> =
            answers.iter().filter(|answer| answer.header("Idempotency-Replayed").is_none()).collect();
        assert_eq!(first.len(), 1, "round {round}: {answers:?}");
        for answer in &answers {
            assert_eq!(answer.lasting(), first[0].lasting());
        }
    }
    assert_eq!(nodes[1].total("/users/"), 20);
}

/// A group of refusals leaves answers behind, and memory as it was.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_group_that_only_refuses_stores_its_answers_and_raises_no_version() {
    let nodes = nodes(1);
    let home = nodes[0].home();
    let version = || home.query("SELECT max(number) FROM _carnet_commits");
    let (before, request) = (version(), Request::new("PUT /users/9/").key("n").json("{}"));
    let first = nodes[0].send(&request);
    assert_eq!(first.status, 404);
    nodes[0].send(&request).repeats(&first);
    assert_eq!(version(), before);
    assert_eq!(home.query("SELECT verdict FROM _carnet_answers"), ["no record"]);
    assert_eq!(nodes[0].send(&user("a")).status, 201);
    assert_ne!(version(), before);
}

/// More statements than a node keeps at hand: dropping the old ones must not drop a part of what is being done.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn an_answer_is_stored_also_when_a_node_has_too_many_statements_to_keep_them_all() {
    const FIELDS: usize = 11;
    let fields: String = (0..FIELDS).map(|field| format!("f{field} = {{ type = \"integer\" }}\n")).collect();
    let home = Home::new(&format!("[[collection]]\nname = \"things\"\n\n[collection.fields]\n{fields}"));
    let node = home.serve();
    assert_eq!(node.create("/things/", "{}"), 1);
    race(4, |thread| {
        let mut client = node.client();
        // One statement for each choice of fields; a few more than are kept.
        for choice in (1..1_100).filter(|choice| choice % 4 == thread) {
            let chosen = (0..FIELDS).filter(|field| choice >> field & 1 == 1);
            let members: Vec<String> = chosen.map(|field| format!("\"f{field}\":{choice}")).collect();
            let request = Request::new("PUT /things/1/").key(&format!("k{choice}"));
            let request = request.json(format!("{{{}}}", members.join(",")));
            let first = client.send(&request);
            assert_eq!(first.status, 200, "{first:?}");
            client.send(&request).repeats(&first);
        }
    });
}

/// What stored answers may take is for all nodes together; each learns within seconds what the others have stored.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn stored_answers_of_one_node_count_for_the_others() {
    let home = Home::new(&configs::with_server("max_stored_answers = \"8KiB\""));
    let nodes = [home.serve(), home.serve()];
    let mut stored = 0;
    while nodes[0].send(&user(&format!("k{stored}"))).status == 201 {
        stored += 1;
    }
    // Refused for what is not stored: this asks without storing anything of its own.
    wait_until("the other node does not learn of it", || {
        nodes[1].metric("carnet_store_answers_bytes") >= 8_192
    });
    let refused = nodes[1].send(&user("other"));
    assert_eq!((refused.status, refused.header("Retry-After")), (503, Some("60")), "{refused:?}");
    assert_eq!(nodes[1].total("/users/"), stored);
}
