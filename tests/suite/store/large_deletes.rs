//! Deletes that bring many records along: they cost by the number of records, and nobody else waits for them for ever.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dev::request::Request;
use serde_json::json;

use crate::support::home::Home;
use crate::support::server::Server;

const FEW: usize = 10_000;
const MANY: usize = 50_000;
/// How long a text of each of them is: what a delete has to be able to take back grows with it.
const TEXT: usize = 300;
/// How much longer many may take than few, of which there are five times less: room for a busy machine, but not for a
/// square of five.
const MOST: u32 = 12;
/// How much longer it may take to clear references than to delete their records.
const MOST_OVER_CASCADE: u32 = 6;

const CONFIG: &str = r#"
[[collection]]
name = "towns"

[collection.fields]
name = { type = "string", required = true }

[collection.pagination]
page_size = 20

[[collection]]
name = "guests"

[collection.fields]
town = { type = "integer", references = "towns", on_delete = "set_null" }
text = { type = "string" }

[collection.pagination]
page_size = 20

[[collection]]
name = "houses"

[collection.fields]
town = { type = "integer", references = "towns", on_delete = "cascade" }
text = { type = "string" }

[collection.pagination]
page_size = 20

[[collection]]
name = "rooms"

[collection.fields]
house = { type = "integer", references = "houses", on_delete = "set_null" }
attic = { type = "integer", references = "houses", on_delete = "cascade" }
text  = { type = "string" }

[collection.pagination]
page_size = 20
"#;

/// A store with so many towns.
fn towns(number: usize) -> Arc<Home> {
    let home = Home::new(CONFIG);
    home.serve().stop();
    home.execute(&format!("INSERT INTO towns (name) {}", each(number, "'town'")));
    home
}

/// The numbers from 1 on, as a statement that selects something for each number `i`.
fn each(number: usize, selected: &str) -> String {
    format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {number}) SELECT {selected} FROM n"
    )
}

/// How long it takes to delete a town.
fn time_to_delete(server: &Server, town: usize) -> Duration {
    let begun = Instant::now();
    assert_eq!(server.status(&format!("DELETE /towns/{town}/")), 200, "{town}");
    begun.elapsed()
}

/// `fill` makes so many records refer to a town. Says how long the deletion of many of them took.
fn grows_with_the_number(fill: impl Fn(usize, usize) -> String) -> Duration {
    let home = towns(3);
    for (town, number) in [(1, FEW), (2, FEW), (3, MANY)] {
        home.execute(&fill(town, number));
    }
    let server = home.serve();
    // The quicker of two: whatever else the machine does makes none of them quicker.
    let few = time_to_delete(&server, 1).min(time_to_delete(&server, 2));
    let many = time_to_delete(&server, 3);
    assert!(many < few * MOST, "{FEW} take {few:?}, {MANY} take {many:?}");
    assert_eq!(server.total("/towns/"), 0);
    server.stop().is_sound();
    many
}

#[test]
fn a_delete_takes_as_long_as_there_are_records_to_change() {
    let of = |collection: &str| {
        grows_with_the_number(|town, number| {
            let text = "x".repeat(TEXT);
            format!("INSERT INTO {collection} (town, text) {}", each(number, &format!("{town}, '{text}'")))
        })
    };
    let (cleared, deleted) = (of("guests"), of("houses"));
    assert!(cleared < deleted * MOST_OVER_CASCADE, "{cleared:?} to clear, {deleted:?} to delete");
}

/// What is deleted along has referrers of its own, each of them others.
#[test]
fn a_delete_of_several_levels_takes_as_long_as_there_are_records_to_change() {
    grows_with_the_number(|town, number| {
        let text = "x".repeat(2 * TEXT);
        format!(
            "INSERT INTO houses (town, text) {};
             INSERT INTO rooms (house, text) SELECT id, text FROM houses WHERE town = {town};
             INSERT INTO rooms (attic, text) SELECT id, text FROM houses WHERE town = {town}",
            each(number / 2, &format!("{town}, '{text}'"))
        )
    });
}

/// The referrers of one large delete, and what lists say of them before and after.
#[test]
fn records_that_are_too_many_to_keep_are_followed_all_the_same() {
    const GUESTS: usize = 100;
    let home = towns(2);
    let text = "x".repeat(200_000);
    home.execute(&format!("INSERT INTO guests (town, text) {}", each(GUESTS, &format!("1, '{text}'"))));
    home.execute("INSERT INTO guests (town) VALUES (2)");
    let server = home.serve();
    let all = GUESTS as i64 + 1;
    for (list, total) in [("", all), ("&town=1", all - 1), ("&town=2", 1), ("&town=", 0)] {
        assert_eq!(server.total(&format!("/guests/?count=1{list}")), total, "{list}");
    }
    assert_eq!(server.status("GET /guests/7/"), 200);
    time_to_delete(&server, 1);
    for _ in 0..3 {
        for (list, total) in [("", all), ("&town=1", 0), ("&town=2", 1), ("&town=", all - 1)] {
            assert_eq!(server.total(&format!("/guests/?count=1{list}")), total, "{list}");
        }
        assert_eq!(server.ask("GET /guests/7/").json()["town"], json!(null));
        assert_eq!(server.ask("GET /guests/101/").json()["town"], json!(2));
    }
}

/// Clients whose writes stand before and behind a large delete, all of them handed in before the first is begun.
#[test]
fn writes_that_wait_with_a_large_delete_are_done_once_and_in_order() {
    const GUESTS: usize = 3_000;
    const OTHERS: usize = 12;
    let home = towns(1);
    home.execute(&format!("INSERT INTO guests (town) {}", each(GUESTS, "1")));
    let server = home.serve();
    let commits = server.metric("carnet_store_commits_total");
    let mut clients: Vec<_> = (0..=OTHERS).map(|_| server.client()).collect();
    home.hold_writers(|| {
        for (place, client) in clients.iter_mut().enumerate() {
            let request = match place {
                6 => Request::new("DELETE /towns/1/"),
                place if place % 3 == 0 => Request::new("POST /guests/")
                    .header("Idempotency-Key", &place.to_string())
                    .json(json!({"text": place.to_string()}).to_string()),
                place => Request::new("POST /guests/").json(json!({"text": place.to_string()}).to_string()),
            };
            client.write(&request.bytes("localhost")).unwrap();
            // The next comes after it: the server has taken so many requests, and the one that asks.
            while server.metric("http_server_active_requests") < place as u64 + 2 {
                std::thread::yield_now();
            }
        }
    });
    for (place, client) in clients.iter_mut().enumerate() {
        let (method, status) = if place == 6 { ("DELETE", 200) } else { ("POST", 201) };
        let answer = client.read_one(method).unwrap();
        assert_eq!(answer.status, status, "{place}: {answer:?}");
    }
    assert_eq!(server.total("/guests/?count=1"), (GUESTS + OTHERS) as i64);
    assert_eq!(server.total("/guests/?town=1"), 0);
    let commits = server.metric("carnet_store_commits_total") - commits;
    assert!(commits >= 2, "the large delete shared its commit with those before it: {commits} commits");
    server.stop().is_sound();
}
