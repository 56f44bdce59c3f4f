//! Batches and upserts on PostgreSQL: one commit for all nodes, races between nodes, and rules of other tools.

use dev::configs;
use dev::request::Request;

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

/// The newest version, and how many changes the log tells.
fn log(home: &Home) -> (i64, i64) {
    let number = |sql: &str| home.query(sql)[0].parse().unwrap();
    (number("SELECT max(number) FROM _carnet_commits"), number("SELECT count(*) FROM _carnet_changes"))
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_batch_is_one_version_and_a_refused_one_is_none() {
    let home = Home::new(&config());
    let nodes = [home.serve(), home.serve()];
    assert_eq!(nodes[0].send(&batch(&[address(7), user("Jane", "null")])).status, 200);
    let (version, changes) = log(&home);
    let items = [
        address(8),
        user("John", r#""$0""#),
        put_user("$1", r#"{"first_name":"Jim"}"#),
        put_user(1, r#"{"address":"$0"}"#),
        delete("/address/1/"),
    ];
    assert_eq!(nodes[0].send(&batch(&items)).status, 200);
    assert_eq!(log(&home), (version + 1, changes + 5));
    assert_eq!(nodes[1].total("/users/?address=2"), 2);
    for refused in [user("Jim", "null"), user("Ada", "99"), delete("/users/99/"), delete("/address/2/")] {
        for place in 0..=items.len() {
            let mut items = vec![address(9), user("Joan", r#"2"#), put_user(1, r#"{"address":null}"#)];
            items.insert(place.min(items.len()), refused.clone());
            assert!(nodes[0].send(&batch(&items)).status >= 400);
            assert_eq!(log(&home), (version + 1, changes + 5), "{refused} at {place}");
            assert_eq!(nodes[1].total("/users/?address=2"), 2);
        }
    }
    // The savepoint of the refused ones is gone: nothing but the last is in the next commit.
    assert_eq!(nodes[1].send(&batch(&[user("Last", "2")])).status, 200);
    assert_eq!(log(&home), (version + 2, changes + 6));
}

/// What is in memory of a node is what the log tells, as long as no statement changes more than it tells.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn nodes_are_told_every_record_of_the_largest_batches() {
    let home = Home::new(&config());
    let nodes = [home.serve(), home.serve()];
    let answers = race(3, |thread| {
        let items: Vec<String> =
            (0..1000).map(|number| user(&format!("t{thread}n{number}"), "null")).collect();
        nodes[0].client().send(&batch(&items))
    });
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert_eq!(home.query("SELECT count(*) FROM _carnet_changes WHERE id IS NULL"), ["0"]);
    assert_eq!(nodes[1].total("/users/"), 3_000);
    let items: Vec<String> = (1..=1000).map(|id| put_user(id, r#"{"last_name":"Roe"}"#)).collect();
    assert_eq!(nodes[1].send(&batch(&items)).status, 200);
    assert_eq!(home.query("SELECT count(*) FROM _carnet_changes WHERE id IS NULL"), ["0"]);
    assert_eq!(nodes[0].total("/users/?last_name=Roe"), 1_000);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn of_upserts_that_meet_one_creates_and_the_others_change() {
    let home = Home::new(&config());
    let nodes = [home.serve(), home.serve()];
    assert_eq!(nodes[0].create_address(), 1);
    let body = r#"{"first_name":"Jane","last_name":"{n}","address":1}"#;
    let answers = race(16, |thread| {
        let mut client = nodes[thread % 2].client();
        let statuses = (0..12).map(|number| {
            let body = body.replace("{n}", &number.to_string());
            let request = match thread % 4 {
                0 | 1 => Request::new("PUT /users/").json(body),
                _ => batch(&[format!(r#"{{"method":"PUT","path":"/users/","body":{body}}}"#)]),
            };
            let answer = client.send(&request);
            match answer.status {
                200 if answer.contains(b"results") => {
                    u16::try_from(answer.json()["results"][0]["status"].as_u64().unwrap()).unwrap()
                }
                status => status,
            }
        });
        statuses.collect::<Vec<_>>()
    });
    for number in 0..12 {
        let created = answers.iter().filter(|statuses| statuses[number] == 201).count();
        let changed = answers.iter().filter(|statuses| statuses[number] == 200).count();
        assert_eq!((created, changed), (1, 15), "{number}: {answers:?}");
    }
    assert_eq!((nodes[0].total("/users/"), nodes[1].total("/users/?address=1")), (12, 12));
    // An upsert that changes uses no id.
    assert_eq!(nodes[1].create_user("Last", "Doe"), 13);
}

/// They are met when the statement fails; those that share the transaction are done all the same.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_rule_of_another_tool_refuses_the_batch_and_names_its_item() {
    let server = Server::start(&config());
    server
        .home()
        .execute("ALTER TABLE users ADD CONSTRAINT tool CHECK (last_name <> 'Doe' OR first_name <> 'Eve')");
    let answers = race(12, |thread| {
        let mut client = server.client();
        let name = format!("t{thread}");
        match thread % 3 {
            0 => client.ask(&format!(r#"POST /users/ {{"first_name":"{name}","last_name":"Doe"}}"#)),
            1 => client.send(&batch(&[address(1), user(&name, r#""$0""#)])),
            _ => {
                let place = thread / 3;
                let own = if place == 0 { r#""$1""# } else { r#""$0""# };
                let mut items = vec![address(2), user(&name, own), user(&format!("{name} too"), "null")];
                items.insert(place, user("Eve", "null"));
                client.send(&batch(&items))
            }
        }
    });
    for (thread, answer) in answers.iter().enumerate() {
        match thread % 3 {
            0 => assert_eq!(answer.status, 201, "{answer:?}"),
            1 => assert_eq!(answer.status, 200, "{answer:?}"),
            _ => {
                assert_eq!(answer.status, 409, "{answer:?}");
                let item = format!("item {}: ", thread / 3);
                assert!(answer.error().starts_with(&item), "{item}: {answer:?}");
            }
        }
    }
    assert_eq!((server.total("/users/"), server.total("/address/")), (8, 4));
    // It is not tried again: every try takes an id.
    let before = server.create_user("Last", "One");
    assert_eq!(server.status(r#"POST /users/ {"first_name":"Eve","last_name":"Doe"}"#), 409);
    assert_eq!(server.create_user("Last", "Two"), before + 2);
}
