//! What a sorted list costs, counted and not timed: the same at any depth, nothing once it is known, once for many.

use std::sync::Arc;

use dev::configs;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

/// More than what is sorted at once. No two records of the pages that are compared stand in one block.
const USERS: usize = 12_000;

fn filled() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {USERS})
         INSERT INTO users (id, first_name, last_name)
         SELECT i + 1, CASE WHEN i % 2 = 0 THEN 'Ada' ELSE 'Bob' END, 'n' || (100000 + (i * 1009) % {USERS}) FROM n"
    ));
    home
}

/// All words are known, which are read from the start on.
fn served() -> Server {
    let server = filled().serve();
    wait_until_known(&server, "/users/?search=x");
    server
}

/// What a request cost.
#[derive(Debug, PartialEq)]
struct Cost {
    /// Steps of the database; only SQLite tells them.
    steps: u64,
    /// Blocks of records read.
    blocks: u64,
    /// Reads of a field of all records, or of some.
    scans: u64,
}

const NOTHING: Cost = Cost { steps: 0, blocks: 0, scans: 0 };

fn counted(server: &Server) -> Cost {
    let total = |name: &str| server.metric(&format!("carnet_store_{name}_total"));
    Cost { steps: total("read_steps"), blocks: total("blocks_read"), scans: total("scans") }
}

#[track_caller]
fn cost(server: &Server, list: &str) -> Cost {
    let before = counted(server);
    assert_eq!(server.status(&format!("GET {list}")), 200);
    let after = counted(server);
    Cost {
        steps: after.steps - before.steps,
        blocks: after.blocks - before.blocks,
        scans: after.scans - before.scans,
    }
}

/// Waits until a list is known: until a page costs nothing any more.
#[track_caller]
fn wait_until_known(server: &Server, list: &str) {
    wait_for(|| match cost(server, list) {
        NOTHING => Ok(()),
        cost => Err(format!("{list} still costs {cost:?}")),
    });
}

/// `query` sorts so many records.
fn costs_the_same_at_any_depth(query: &str, matches: usize) {
    let server = served();
    let list = |offset: usize| format!("/users/?{query}&offset={offset}");
    // One record of the middle, so that no block of those compared has been read before.
    let middle = format!("{}&count=1", list(matches / 2));
    assert_eq!(server.total(&middle), matches as i64);
    wait_until_known(&server, &middle);
    let (first, last) = (cost(&server, &list(0)), cost(&server, &list(matches - 20)));
    assert!(first.blocks > 0, "{query}: the first page was read before: {first:?}");
    assert_eq!((first.scans, last.scans), (0, 0), "{query}");
    assert!(
        last.steps * 10 <= first.steps * 11 && last.blocks * 10 <= first.blocks * 11,
        "{query}: {last:?} at the end, {first:?} at the start"
    );
    // Records that stand alone are kept from the second time on.
    for offset in [0, matches - 20] {
        cost(&server, &list(offset));
        cost(&server, &list(offset));
        assert_eq!(cost(&server, &list(offset)), NOTHING, "{query} warm, offset {offset}");
    }
}

#[test]
fn a_sorted_page_costs_at_the_end_what_it_costs_at_the_start() {
    costs_the_same_at_any_depth("sort=last_name", USERS);
}

#[test]
fn a_page_sorted_backwards_costs_at_the_end_what_it_costs_at_the_start() {
    costs_the_same_at_any_depth("sort=-last_name", USERS);
}

#[test]
fn a_sorted_page_of_a_filter_costs_at_the_end_what_it_costs_at_the_start() {
    costs_the_same_at_any_depth("first_name=Ada&sort=last_name", USERS / 2);
}

#[test]
fn a_sorted_page_of_a_range_costs_at_the_end_what_it_costs_at_the_start() {
    costs_the_same_at_any_depth("last_name.lt=n106000&sort=last_name", 6_000);
}

/// Few records are sorted once, and then again only what has changed.
#[test]
fn a_filter_with_few_matches_is_sorted_without_the_database() {
    let server = served();
    let list =
        "/users/?last_name.in=n100001&last_name.in=n100003&last_name.in=n100007&sort=-first_name,last_name";
    wait_until_known(&server, list);
    let names = |server: &Server| -> Vec<String> {
        let page = server.ask(&format!("GET {list}")).json();
        let names = page["object_list"].as_array().unwrap().iter().map(|user| user["last_name"].to_string());
        names.collect()
    };
    let before = names(&server);
    assert_eq!(before.len(), 3);
    let id = server.create_user("Zoe", "n100003");
    assert_eq!(names(&server)[0], "\"n100003\"", "the new one comes first");
    assert_eq!(names(&server).len(), 4);
    wait_until_known(&server, list);
    assert_eq!(server.status(&format!("DELETE /users/{id}/")), 200);
    assert_eq!(names(&server), before);
    wait_until_known(&server, list);
    server.create_user("Zoe", "n1");
    assert_eq!(names(&server), before);
    wait_until_known(&server, list);
}

/// Records that are in memory need no statement, whatever is asked of them, and in whatever order.
#[test]
fn what_is_known_is_answered_without_the_database() {
    let server = served();
    for query in [
        "sort=last_name",
        "sort=-last_name,first_name",
        "first_name=Ada&sort=-last_name",
        "last_name.prefix=N10",
        "search=n10",
        "search=ada+n100",
        "search=ada&sort=-last_name",
        "search=n1000000",
        "last_name.contains=99",
        "last_name.lt=n105",
        "first_name.ne=Ada",
        "address.null=true",
        "id.gt=500&id.lt=9000",
        "id.in=5&id.in=900&id.in=11000",
        "sort=-id",
    ] {
        let list = format!("/users/?{query}&count=5");
        wait_until_known(&server, &list);
        // A write is followed, and costs no list anything.
        for (first, last) in [("Ada", "n105x"), ("Cid", "n107y"), ("Bob", "n105z")] {
            let body = format!(r#"{{"first_name":"{first}","last_name":"{last}"}}"#);
            assert_eq!(server.status(&format!("PUT /users/7000/ {body}")), 200);
            assert_eq!(cost(&server, &list), NOTHING, "{query}");
        }
    }
}

#[test]
fn one_order_is_made_for_all_who_ask_at_once() {
    let server = served();
    // All ids are known, so that it is the order alone that is counted.
    wait_until_known(&server, "/users/?count=1");
    let before = counted(&server).scans;
    let bodies = race(100, |_| server.client().ask("GET /users/?sort=last_name&count=1").body);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert_eq!(counted(&server).scans - before, 1);
    // The same for a part of them, which needs no scan where the whole is known.
    let before = counted(&server).scans;
    let bodies = race(100, |_| server.client().ask("GET /users/?first_name=Ada&sort=last_name&count=1").body);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert_eq!(counted(&server).scans - before, 0);
}
