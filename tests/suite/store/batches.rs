//! Batches are done wholly or not at all, through refusals, races and kills.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;
use serde_json::{Value, json};

use crate::support::batch::{address, batch, delete, put_user, user};
use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

fn config() -> String {
    configs::users(
        "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\", \"last_name\"]]",
        "[collection.pagination]\npage_size = 20",
    )
}

/// An item that finds a user by name, or creates one.
fn upsert(first_name: &str, rest: &str) -> String {
    let body = format!(r#"{{"first_name":"{first_name}","last_name":"Doe"}}"#);
    format!(r#"{{"method":"PUT","path":"/users/","body":{body}{rest}}}"#)
}

/// Everything that somebody may be told of the address book.
fn told(server: &Server) -> Vec<Value> {
    let mut told: Vec<Value> =
        ["/address/?number=7", "/users/?last_name=Doe", "/users/?sort=-first_name", "/users/?address=1"]
            .map(|path| server.ask(&format!("GET {path}")).json())
            .into();
    let (addresses, users) = server.contents();
    told.extend([json!(addresses), json!(users)]);
    told
}

#[test]
fn a_refusal_of_any_item_leaves_nothing_but_used_ids() {
    let home = Home::new(&config());
    let server = home.serve();
    server.send(&batch(&[address(7), address(8), user("John", r#""$0""#), user("Jane", "null")]));
    let before = told(&server);
    let seen = r#","if_match":"\"216a52a43bb1237e958fc44863314ee9\"""#;
    let refusals = [
        (user("Ada", "99"), 400, 1),
        (user("John", "null"), 400, 1),
        (put_user(1, r#"{"first_name":"Jane"}"#), 400, 0),
        (put_user(1, r#"{"address":99}"#), 400, 0),
        (put_user(99, "{}"), 404, 0),
        (delete("/users/99/"), 404, 0),
        (delete("/address/1/"), 409, 0),
        (put_user(1, "{}").replacen("}}", &format!("}}{seen}}}"), 1), 412, 0),
        (upsert("Nobody", r#","if_match":"*""#), 412, 0),
        (upsert("John", r#","if_none_match":"*""#), 412, 0),
    ];
    let (mut addresses, mut users) = (2, 2);
    for (refused, status, uses) in refusals {
        for place in [0, 3, 6] {
            let mut items = vec![
                address(7),
                user("Eve", r#""$0""#),
                put_user(2, r#"{"address":1}"#),
                upsert("Mia", ""),
                put_user("$1", r#"{"first_name":"Eva"}"#),
                delete("/address/2/"),
            ];
            if place == 0 {
                // What the others refer to has moved by one.
                items = items.iter().map(|item| item.replace("$1", "$2").replace("$0", "$1")).collect();
            }
            items.insert(place, refused.clone());
            let answer = server.send(&batch(&items));
            let about = format!("{refused} at {place}: {answer:?}");
            assert_eq!(answer.status, status, "{about}");
            assert!(answer.error().starts_with(&format!("item {place}: ")), "{about}");
            assert_eq!(told(&server), before, "{about}");
            // Each create uses an id, done or not; an upsert where it had created.
            addresses += 1;
            users += 1 + uses + i64::from(place > 3);
        }
    }
    assert_eq!((server.create_address(), server.create_user("a", "b")), (addresses + 1, users + 1));
    let home = server.stop();
    home.is_sound();
    let again = home.serve();
    assert_eq!((again.create_address(), again.create_user("c", "d")), (addresses + 2, users + 2));
}

#[test]
fn others_are_not_touched_by_batches_that_are_refused_beside_them() {
    let home = Home::new(&config());
    let server = home.serve();
    race(16, |thread| {
        let mut client = server.client();
        for number in 0..20 {
            let name = format!("t{thread}n{number}");
            if thread % 2 == 0 {
                let refused = batch(&[address(7), user(&name, r#""$0""#), user("Ada", "999999")]);
                assert_eq!(client.send(&refused).status, 400);
            } else {
                let body = format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#);
                client.ask(&format!("POST /users/ {body}")).created_id();
            }
        }
    });
    assert_eq!((server.total("/users/"), server.total("/address/")), (160, 0));
    assert_eq!(server.walk("/users/").len(), 160);
    server.stop().is_sound();
}

/// A group of batches alone is done again where one of them is refused: what the others stored, and what they are told,
/// is the same.
#[test]
fn batches_are_not_touched_by_others_that_are_refused_among_them() {
    let home = Home::new(&config());
    let server = home.serve();
    let names = |thread: usize, number: usize| format!("t{thread}n{number}");
    let kept = |name: &str| batch(&[address(7), user(name, r#""$0""#)]).key(name);
    let told = race(16, |thread| {
        let mut client = server.client();
        let send = |number| {
            let name = names(thread, number);
            if thread % 4 == 0 {
                let refused = batch(&[address(7), user(&name, r#""$0""#), user("Ada", "999999")]);
                assert_eq!(client.send(&refused).status, 400);
                return None;
            }
            let answer = client.send(&kept(&name));
            assert_eq!(answer.status, 200, "{answer:?}");
            Some((name, answer.json()))
        };
        (0..60).filter_map(send).collect::<Vec<_>>()
    });
    assert_eq!((server.total("/users/"), server.total("/address/")), (720, 720));
    for (name, results) in told.into_iter().flatten() {
        let again = server.send(&kept(&name));
        assert_eq!((again.json(), again.header("Idempotency-Replayed")), (results.clone(), Some("true")));
        let uri = results["results"][1]["ressource_uri"].as_str().unwrap();
        assert_eq!(server.ask(&format!("GET {uri}")).json()["first_name"], json!(name));
    }
    assert_eq!((server.total("/users/"), server.total("/address/")), (720, 720));
    // Done again or not: each create has used one id.
    assert_eq!((server.create_address(), server.create_user("a", "b")), (961, 1201));
    server.stop().is_sound();
}

#[test]
fn no_list_shows_a_part_of_a_transfer() {
    let home = Home::new(&configs::long_pages());
    let server = home.serve();
    for number in [0, 100] {
        server.send(&batch(&[address(number)]));
    }
    let is_over = AtomicBool::new(false);
    let transfers: usize = race(8, |thread| {
        let mut client = server.client();
        let mut done = 0;
        while thread >= 4 && !is_over.load(Relaxed) {
            let list = client.ask("GET /address/?sort=-number").json();
            let records = list["object_list"].as_array().unwrap();
            let sum: i64 = records.iter().map(|record| record["number"].as_i64().unwrap()).sum();
            assert_eq!((records.len(), sum), (2, 100), "{list}");
        }
        while thread < 4 && done < 25 {
            let items = [1, 2].map(|id| {
                let answer = client.ask(&format!("GET /address/{id}/"));
                let tag = serde_json::to_string(answer.header("ETag").unwrap()).unwrap();
                let number = answer.json()["number"].as_i64().unwrap() + if id == 1 { 1 } else { -1 };
                format!(r#"{{"method":"PUT","path":"/address/{id}/","body":{{"number":{number}}},"if_match":{tag}}}"#)
            });
            let answer = client.send(&batch(&items));
            assert!(matches!(answer.status, 200 | 412), "{answer:?}");
            done += usize::from(answer.status == 200);
        }
        if thread == 0 {
            is_over.store(true, Relaxed);
        }
        done
    })
    .into_iter()
    .sum();
    assert_eq!(transfers, 100);
    let numbers: Vec<Value> =
        server.walk("/address/").iter().map(|record| record["number"].clone()).collect();
    assert_eq!(numbers, [json!(100), json!(0)]);
}

#[test]
fn after_a_kill_a_batch_is_there_or_not_and_can_be_sent_again() {
    let home = Home::new(&configs::long_pages());
    let (mut cut_off, mut number) = (Vec::<Request>::new(), 0);
    for round in 0..5 {
        let server = home.serve();
        let mut client = server.client();
        for request in cut_off.drain(..) {
            assert_eq!(client.send(&request).status, 200);
        }
        let address = server.address();
        let lost = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|thread| {
                    scope.spawn(move || {
                        let mut client = dev::client::Client::new(address);
                        for turn in 0.. {
                            let name = format!("r{round}t{thread}n{turn}");
                            let items: Vec<String> = (0..2 + turn % 20)
                                .flat_map(|_| [self::address(7), user(&name, r#""$0""#)])
                                .collect();
                            let request = batch(&items).key(&name);
                            if client.try_send(&request).is_err() {
                                return (turn, request);
                            }
                        }
                        unreachable!("the server is killed")
                    })
                })
                .collect();
            wait_until("nothing is written", || server.metric("carnet_batch_items_count") >= 30);
            server.kill();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
        });
        for (turns, request) in lost {
            number += turns + 1;
            cut_off.push(request);
        }
    }
    let server = home.serve();
    for request in cut_off {
        assert_eq!(server.send(&request).status, 200);
    }
    let (addresses, users) = server.contents();
    assert_eq!(addresses.len(), users.len());
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for user in &users {
        *counts.entry(user["first_name"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(counts.len(), number);
    for (name, count) in counts {
        let turn: usize = name.rsplit('n').next().unwrap().parse().unwrap();
        assert_eq!(count, 2 + turn % 20, "{name}");
    }
    server.stop().is_sound();
}
