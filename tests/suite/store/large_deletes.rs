//! Deletes that bring many records along: they cost by the number of records, and nobody else waits for them for ever.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dev::request::Request;
use serde_json::json;

use crate::support::batch::{batch, delete};
use crate::support::home::Home;
use crate::support::server::Server;

const FEW: usize = 10_000;
const MANY: usize = 50_000;
/// How long a text of each of them is: what a delete has to be able to take back grows with it.
const TEXT: usize = 300;
/// How much longer many may take than few, of which there are five times less: room for a busy machine, but not for a
/// square of five.
const MOST: u32 = 12;
/// How often it is measured, at most, until that holds. The quickest of each counts: whatever else the machine does
/// makes none of them quicker, and a square stays one.
const ROUNDS: usize = 4;
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
    quickest(|| {
        let home = towns(3);
        for (town, number) in [(1, FEW), (2, FEW), (3, MANY)] {
            home.execute(&fill(town, number));
        }
        let server = home.serve();
        let few = time_to_delete(&server, 1).min(time_to_delete(&server, 2));
        let many = time_to_delete(&server, 3);
        assert_eq!(server.total("/towns/"), 0);
        server.stop().is_sound();
        (few, many)
    })
}

/// Measures few and many until many take no longer than they may. Says how long they took.
#[track_caller]
fn quickest(measure: impl Fn() -> (Duration, Duration)) -> Duration {
    let (mut few, mut many) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let (these, those) = measure();
        (few, many) = (few.min(these), many.min(those));
        if many < few * MOST {
            return many;
        }
    }
    panic!("few take {few:?}, five times as many {many:?}");
}

#[test]
fn a_delete_takes_as_long_as_there_are_records_to_change() {
    let of = |collection: &str| {
        grows_with_the_number(|town, number| {
            let text = "x".repeat(TEXT);
            format!("INSERT INTO {collection} (town, text) {}", each(number, &format!("{town}, '{text}'")))
        })
    };
    let (mut cleared, mut deleted) = (of("guests"), of("houses"));
    for _ in 1..ROUNDS {
        if cleared < deleted * MOST_OVER_CASCADE {
            return;
        }
        (cleared, deleted) = (cleared.min(of("guests")), deleted.min(of("houses")));
    }
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

/// Clients whose writes stand before and behind a large one, all of them handed in before the first is begun. It
/// deletes so many towns, who have guests.
fn is_done_alone(towns_gone: usize, large: &Request, answered: u16) {
    const GUESTS: usize = 3_000;
    const OTHERS: usize = 12;
    let home = towns(towns_gone);
    home.execute(&format!("INSERT INTO guests (town) {}", each(GUESTS, &format!("1 + i % {towns_gone}"))));
    let server = home.serve();
    let commits = server.metric("carnet_store_commits_total");
    let mut clients: Vec<_> = (0..=OTHERS).map(|_| server.client()).collect();
    home.hold_writers(|| {
        for (place, client) in clients.iter_mut().enumerate() {
            let guest = json!({"text": place.to_string()}).to_string();
            let request = match place {
                6 => large.clone(),
                place if place % 3 == 0 => {
                    Request::new("POST /guests/").header("Idempotency-Key", &place.to_string()).json(guest)
                }
                _ => Request::new("POST /guests/").json(guest),
            };
            client.write(&request.bytes("localhost")).unwrap();
            // The next comes after it.
            server.wait_for_requests(place + 1);
        }
    });
    for (place, client) in clients.iter_mut().enumerate() {
        let (method, status) = if place == 6 { (large.method.as_str(), answered) } else { ("POST", 201) };
        let answer = client.read_one(method).unwrap();
        assert_eq!(answer.status, status, "{place}: {answer:?}");
    }
    assert_eq!(server.total("/guests/?count=1"), (GUESTS + OTHERS) as i64);
    assert_eq!((server.total("/guests/?town=1"), server.total("/towns/")), (0, 0));
    let commits = server.metric("carnet_store_commits_total") - commits;
    assert!(commits >= 2, "what is large shared its commit with those before it: {commits} commits");
    server.stop().is_sound();
}

#[test]
fn writes_that_wait_with_a_large_delete_are_done_once_and_in_order() {
    is_done_alone(1, &Request::new("DELETE /towns/1/"), 200);
}

/// None of its deletes is large by itself.
#[test]
fn writes_that_wait_with_a_batch_of_deletes_that_is_large_are_done_once_and_in_order() {
    let deletes: Vec<String> = (1..=10).map(|town| delete(&format!("/towns/{town}/"))).collect();
    is_done_alone(10, &batch(&deletes), 200);
}

/// What one batch of many kinds of writes does to many records behind them, each of which names what was seen.
#[test]
fn a_batch_with_large_deletes_among_others_is_done_wholly() {
    let home = towns(3);
    home.execute(&format!(
        "INSERT INTO guests (town) {}; INSERT INTO houses (town) {}; INSERT INTO guests (town) {}",
        each(FEW, "1"),
        each(FEW, "2"),
        each(FEW, "3")
    ));
    let server = home.serve();
    let tag = server.ask("GET /towns/3/").header("ETag").unwrap().to_owned();
    let mut items = vec![delete("/towns/1/"), delete("/towns/2/")];
    let put = json!({"method": "PUT", "path": "/towns/3/", "body": {"name": "town"}, "if_match": tag});
    items.extend((0..400).map(|_| put.to_string()));
    let post = |text: &str| json!({"method": "POST", "path": "/guests/", "body": {"text": text}}).to_string();
    items.extend((0..400).map(|number| post(&number.to_string())));
    let answer = server.client().send(&batch(&items));
    assert_eq!(answer.status, 200, "{}", answer.excerpt());
    assert_eq!(server.total("/guests/?count=1"), 2 * FEW as i64 + 400);
    assert_eq!((server.total("/guests/?town=1"), server.total("/houses/")), (0, 0));
    // And not at all where the last of it is refused.
    let refused = [delete("/towns/3/"), put.to_string()];
    assert_eq!(server.client().send(&batch(&refused)).status, 404);
    assert_eq!(server.total("/guests/?town=3"), FEW as i64);
    server.stop().is_sound();
}

/// Each has referrers of its own, more than a thousand together, and what it takes along has some, too.
#[test]
fn deletes_of_a_batch_take_along_what_each_of_them_would() {
    let home = towns(40);
    home.execute(&format!(
        "INSERT INTO guests (town) {}; INSERT INTO houses (town) {}; INSERT INTO rooms (attic, house) {}",
        each(2000, "1 + i % 40"),
        each(80, "1 + i % 40"),
        each(80, "i, 81 - i")
    ));
    let server = home.serve();
    let count =
        || ["towns", "guests", "houses", "rooms"].map(|name| server.total(&format!("/{name}/?count=1")));
    let deletes: Vec<String> = (1..=30).map(|town| delete(&format!("/towns/{town}/"))).collect();
    // One that is gone by then, and one that never was.
    for town in [3, 99] {
        let mut items = deletes.clone();
        items.insert(15, delete(&format!("/towns/{town}/")));
        let answer = server.client().send(&batch(&items));
        assert_eq!(answer.status, 404, "{answer:?}");
        assert!(answer.error().starts_with("item 15: "), "{answer:?}");
        assert_eq!(count(), [40, 2000, 80, 80]);
    }
    assert_eq!(server.client().send(&batch(&deletes)).status, 200);
    assert_eq!(count(), [10, 2000, 20, 20]);
    assert_eq!((server.total("/guests/?town=30"), server.total("/guests/?town=31")), (0, 50));
    for room in server.walk("/rooms/") {
        assert_eq!(room["house"], json!(null), "{room}");
    }
    server.stop().is_sound();
}

/// What a savepoint makes dear.
mod sqlite {
    use super::*;

    /// How long it takes to delete these towns in one batch.
    fn time_to_delete_all(server: &Server, gone: std::ops::Range<usize>) -> Duration {
        let deletes: Vec<String> = gone.map(|town| delete(&format!("/towns/{town}/"))).collect();
        let begun = Instant::now();
        assert_eq!(server.client().send(&batch(&deletes)).status, 200);
        begun.elapsed()
    }

    /// Each delete of a batch reaches records all over the table.
    #[test]
    fn a_batch_of_deletes_takes_as_long_as_there_are_records_to_change() {
        const TOWNS: usize = 500;
        let text = "x".repeat(TEXT);
        quickest(|| {
            let home = towns(TOWNS);
            home.execute(&format!(
                "INSERT INTO houses (town, text) {}",
                each(MANY, &format!("1 + i % {TOWNS}, '{text}'"))
            ));
            let server = home.serve();
            let seventh = TOWNS / 7;
            let few = time_to_delete_all(&server, 1..seventh)
                .min(time_to_delete_all(&server, seventh..2 * seventh));
            let many = time_to_delete_all(&server, 2 * seventh..TOWNS + 1);
            assert_eq!((server.total("/towns/"), server.total("/houses/")), (0, 0));
            server.stop().is_sound();
            (few, many)
        });
    }
}
