//! Memory is bounded: thousands of different filters and records leave no more behind than was allowed.

use dev::dice::Dice;
use dev::request::Request;
use serde_json::json;

use super::history::notes;
use crate::support::home::Home;
use crate::support::server::Server;

const RECORDS: usize = 6_000;
const LIMIT: u64 = 1 << 20;

#[track_caller]
fn is_within_bounds(server: &Server, after: usize) -> (u64, u64) {
    let (sets, blocks) =
        (server.metric("carnet_store_sets_bytes"), server.metric("carnet_store_blocks_bytes"));
    assert!(sets + blocks <= LIMIT, "after {after} requests: {sets} bytes of sets, {blocks} of blocks");
    (sets, blocks)
}

#[test]
fn thousands_of_filters_and_records_stay_within_the_memory() {
    let home = Home::new(&notes("1MiB"));
    home.serve().stop();
    // Every record has an owner and a number of its own; 60 share a kind, 2,000 a zone.
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {RECORDS})
         INSERT INTO notes (id, owner, kind, zone, seq, pad)
         SELECT i + 1, 'o' || i, 'k' || (i % 100), 'z' || (i % 3), i, '{}' FROM n",
        "x".repeat(300)
    ));
    let server = home.serve();
    let mut dice = Dice::new(7);
    let (mut most_sets, mut most_blocks) = (0, 0);
    let mut owners: Vec<String> = (0..RECORDS).map(|number| format!("o{number}")).collect();
    for number in 0..3_500 {
        let i = (number * 7) % RECORDS;
        let (asked, total) = match number % 8 {
            0 => (format!("owner={}", owners[i]), 1),
            1 => (format!("seq={i}"), 1),
            2 => (format!("seq={i}&owner={}", owners[i]), 1),
            3 => (format!("seq={i}&zone=z{}", i % 3), 1),
            4 => (format!("owner=nobody{number}{}", "y".repeat(200)), 0),
            5 => (format!("kind=k{}&zone=z{}", i % 100, number % 3), 20),
            6 => (format!("zone=z{}&offset={}", i % 3, dice.below(1_900)), RECORDS / 3),
            _ => (format!("offset={}", dice.below(RECORDS)), RECORDS),
        };
        let page = server.ask(&format!("GET /notes/?count=10&{asked}")).json();
        assert_eq!(page["meta"]["total_count"], total, "{asked}");
        if total == 1 {
            assert_eq!(page["object_list"][0]["seq"], i, "{asked}");
        }
        let fetched = server.ask(&format!("GET /notes/{}/", i + 1)).json();
        assert_eq!((&fetched["seq"], &fetched["owner"]), (&json!(i), &json!(owners[i])));
        if number % 10 == 0 {
            // Sets that are kept change, and so do blocks.
            owners[i] = format!("new{number}");
            let body = json!({"owner": owners[i], "pad": "z".repeat(dice.below(900))}).to_string();
            let answer = server.send(&Request::new(&format!("PUT /notes/{}/", i + 1)).json(body));
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        if number % 100 == 0 {
            let (sets, blocks) = is_within_bounds(&server, number);
            (most_sets, most_blocks) = (most_sets.max(sets), most_blocks.max(blocks));
        }
    }
    is_within_bounds(&server, 3_500);
    // Otherwise this test was about nothing.
    assert!(most_sets > LIMIT / 8 && most_blocks > LIMIT / 4, "{most_sets} and {most_blocks} at the most");
}
