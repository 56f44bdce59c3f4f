//! Totals after thousands of concurrent writes: what the lists count is what another tool counts.

use std::collections::BTreeMap;

use dev::dice::Dice;
use dev::request::Request;
use serde_json::json;

use super::history::{KINDS, notes, still_life};
use crate::support::exchange::id_of;
use crate::support::server::Server;

const THREADS: usize = 8;

/// Creates, updates and deletes at random, on records of its own and on those of the others.
fn write(server: &Server, mut dice: Dice, writes: usize) {
    let mut client = server.client();
    let mut own: Vec<i64> = Vec::new();
    for number in 0..writes {
        let kind = match dice.below(KINDS.len() + 2) {
            0 => None,
            1 => Some(""),
            place => Some(KINDS[place - 2]),
        };
        let body = json!({"owner": format!("o{}", dice.below(12)), "kind": kind, "zone": format!("z{}", dice.below(3)), "seq": number % 40});
        let request = match dice.below(5) {
            0 | 1 => Request::new("POST /notes/").json(body.to_string()),
            2 if !own.is_empty() => {
                let id = own.swap_remove(dice.below(own.len()));
                Request::new(&format!("DELETE /notes/{id}/"))
            }
            // Anybody's: also those that were there before, and those that are gone.
            _ => {
                let id = if dice.once_in(2) { 1 + dice.below(1_000) } else { 254_200 + dice.below(1_500) };
                Request::new(&format!("PUT /notes/{id}/")).json(body.to_string())
            }
        };
        let answer = client.send(&request);
        match answer.status {
            201 => own.push(answer.created_id()),
            200 | 404 => {}
            _ => panic!("{request:?}: {answer:?}"),
        }
    }
}

/// Asks for lists meanwhile, so that there are sets to follow the writes.
fn read(server: &Server, filters: &[String], mut dice: Dice, reads: usize) {
    let mut client = server.client();
    for _ in 0..reads {
        let filter = dice.pick(filters);
        let answer = client.ask(&format!("GET /notes/?{filter}offset={}&count=5", dice.below(1_500)));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// The filters in use, each with what it means to another tool.
fn filters() -> BTreeMap<String, String> {
    let mut filters = BTreeMap::from([(String::new(), "TRUE".to_owned())]);
    let empty = "(kind IS NULL OR kind = '')";
    filters.insert("kind=&".into(), empty.into());
    filters.insert("pad=&".into(), "(pad IS NULL OR pad = '')".into());
    for kind in KINDS {
        filters.insert(format!("kind={kind}&"), format!("kind = '{kind}'"));
        for zone in ["z", "z0", "z2"] {
            filters
                .insert(format!("zone={zone}&kind={kind}&"), format!("kind = '{kind}' AND zone = '{zone}'"));
        }
    }
    for owner in 0..12 {
        filters.insert(format!("owner=o{owner}&"), format!("owner = 'o{owner}'"));
        filters.insert(format!("kind=&owner=o{owner}&"), format!("owner = 'o{owner}' AND {empty}"));
    }
    for zone in ["z", "z0", "z1", "z2", "nowhere"] {
        filters.insert(format!("zone={zone}&"), format!("zone = '{zone}'"));
    }
    for seq in 0..40 {
        filters.insert(format!("seq={seq}&"), format!("seq = {seq}"));
    }
    filters
}

/// Each round starts anew, so that each time all sets are read while others write.
fn do_not_drift(memory: &str, seeds: std::ops::Range<u64>) {
    // Pages of a length that does not divide anything.
    let home = still_life(memory);
    home.configure(&notes(memory).replace("page_size = 6000", "page_size = 997"));
    seeds.for_each(|seed| round(home.serve(), memory, seed));
}

fn round(server: Server, memory: &str, seed: u64) {
    let filters = filters();
    let asked: Vec<String> = filters.keys().cloned().collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS as u64 {
            let (server, asked) = (&server, &asked);
            scope.spawn(move || write(server, Dice::new(seed << 8 | thread), 120));
            if thread % 3 == 0 {
                scope.spawn(move || read(server, asked, Dice::new(seed << 16 | thread), 250));
            }
        }
    });
    let mut counted = Vec::new();
    for (filter, condition) in &filters {
        let mut walked: Vec<i64> = Vec::new();
        let mut total = None;
        loop {
            let page = server.ask(&format!("GET /notes/?{filter}offset={}", walked.len())).json();
            let now = page["meta"]["total_count"].as_u64().unwrap();
            assert_eq!(*total.get_or_insert(now), now, "seed {seed}: {filter}");
            walked.extend(page["object_list"].as_array().unwrap().iter().map(id_of));
            if page["meta"]["next"] == "null" {
                break;
            }
        }
        counted.push((filter, condition, total.unwrap(), walked));
    }
    let home = server.stop();
    for (filter, condition, total, walked) in counted {
        let stored = home.query(&format!("SELECT id FROM notes WHERE {condition} ORDER BY id"));
        let walked: Vec<String> = walked.iter().map(i64::to_string).collect();
        assert_eq!(total, stored.len() as u64, "seed {seed}, memory {memory}: the total of {filter:?}");
        assert!(walked == stored, "seed {seed}, memory {memory}: the pages of {filter:?}");
    }
    home.is_sound();
}

#[test]
fn counts_do_not_drift() {
    do_not_drift("256MiB", 10..14);
}

#[test]
fn counts_do_not_drift_with_hardly_any_memory() {
    do_not_drift("64KiB", 20..22);
}
