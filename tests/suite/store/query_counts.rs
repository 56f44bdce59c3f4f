//! Operators, sorts and searches in use while many write: afterwards every total and every page is what a fresh start answers.

use std::collections::BTreeSet;

use dev::answer::Answer;
use dev::client::Client;
use dev::configs;
use dev::dice::Dice;
use dev::request::Request;
use dev::waiting::wait_for;
use serde_json::json;

use super::history::{ALL_STILL, notes, still_life};
use crate::support::exchange::id_of;
use crate::support::home::Home;
use crate::support::server::Server;

const THREADS: usize = 8;
const WRITES: usize = 100;
/// Values of three fields, some of which fold alike, and none where it is empty.
const OWNERS: [&str; 8] = ["Ólafur", "olafur", "Ola", "O’Neill", "oneill", "ß", "Zoë", "zz"];
const PADS: [Option<&str>; 6] = [None, Some(""), Some("a"), Some("Á"), Some("ab"), Some("z")];

/// What is asked of the list: each operator, sorts of one to three names, searches, and all of them together.
const QUERIES: [&str; 42] = [
    "",
    "sort=-id&",
    "sort=owner&",
    "sort=-owner&",
    "sort=seq&",
    "sort=-seq,owner&",
    "sort=pad,-kind,zone&",
    "sort=-pad&",
    "owner.ne=still&",
    "owner.in=Ola&owner.in=zz&",
    "pad.null=true&",
    "pad.null=false&",
    "pad.ne=&",
    "pad.in=&pad.in=z&",
    "seq.lt=20&",
    "seq.lte=20&",
    "seq.gt=4000&",
    "seq.gte=10&seq.lt=30&",
    "owner.lt=p&",
    "owner.gte=ola&owner.lte=one&",
    "owner.gt=still&",
    "owner.folded=OLAFUR&",
    "owner.prefix=o&",
    "owner.prefix=STI&",
    "owner.contains=l&",
    "pad.contains=a&",
    "id.lt=1000&",
    "id.gte=252000&sort=owner&",
    "kind=k1&sort=-owner&",
    "kind.in=k1&kind.in=k2&sort=seq&",
    "seq.lt=2000&sort=-seq&",
    "owner.prefix=o&sort=owner&",
    "owner.gte=o&sort=-owner&",
    "pad.null=false&owner.ne=zz&sort=pad,seq&",
    "search=ol&",
    "search=olafur&",
    "search=o+a&",
    "search=still&",
    // Nothing begins so, but for a typo.
    "search=stull&",
    "search=z&kind=k1&",
    "search=a&sort=-owner&",
    "search=o&id.gte=252000&",
];

/// Creates, updates and deletes at random, on records of its own and on those of the others.
fn write(server: &Server, mut dice: Dice) {
    let mut client = server.client();
    let mut own: Vec<i64> = Vec::new();
    for _ in 0..WRITES {
        let body = json!({"owner": dice.pick(&OWNERS), "kind": format!("k{}", dice.below(4)), "zone": "z", "seq": dice.below(40), "pad": dice.pick(&PADS)});
        let request = match dice.below(5) {
            0 | 1 => Request::new("POST /notes/").json(body.to_string()),
            2 if !own.is_empty() => {
                let id = own.swap_remove(dice.below(own.len()));
                Request::new(&format!("DELETE /notes/{id}/"))
            }
            // Anybody's: also those that were there before, and those that are gone. The first are steady.
            _ => {
                let id = if dice.once_in(2) { 101 + dice.below(900) } else { 254_200 + dice.below(500) };
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

/// Asks as clients should: who is told to try again in a moment does so. Without memory every page is read from the
/// store, and on a busy machine some wait for longer than the server has them wait.
fn patiently(client: &mut Client, request: &str) -> Answer {
    wait_for(|| match client.ask(request) {
        answer if answer.status == 503 => Err(format!("{request}: {answer:?}")),
        answer => Ok(answer),
    })
}

/// Asks for pages meanwhile, so that there are sets and orders to follow the writes.
fn read(server: &Server, mut dice: Dice, reads: usize) {
    let mut client = server.client();
    for _ in 0..reads {
        let query = dice.pick(&QUERIES);
        let offset = dice.below(ALL_STILL);
        let answer = patiently(&mut client, &format!("GET /notes/?{query}offset={offset}&count=5"));
        assert_eq!(answer.status, 200, "{query}: {answer:?}");
    }
}

/// Walks by cursor meanwhile: records that nobody changes are shown exactly once.
fn walk(server: &Server, sort: &str) {
    let mut client = server.client();
    let mut seen: Vec<i64> = Vec::new();
    let mut path = format!("/notes/?sort={sort}&count=400&after=");
    loop {
        let answer = patiently(&mut client, &format!("GET {path}"));
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let page = answer.json();
        let ids = page["object_list"].as_array().unwrap().iter().map(id_of);
        seen.extend(ids.filter(|id| *id <= 100));
        assert!(seen.len() <= 100, "{path}: a record is shown again");
        let Some(link) = answer.header("Link") else { break };
        let url = link.strip_suffix(r#">; rel="next""#).unwrap_or_else(|| panic!("{link}"));
        path = url.trim_start_matches('<').replace(&server.base_url(), "");
    }
    let once: BTreeSet<i64> = seen.iter().copied().collect();
    assert!(once.len() == 100 && seen.len() == 100, "{sort}: {} records, {} times", once.len(), seen.len());
}

/// The body of every page of a query.
fn pages(server: &Server, query: &str) -> Vec<String> {
    let mut pages = Vec::new();
    loop {
        let answer = server.ask(&format!("GET /notes/?{query}offset={}", pages.len() * 997));
        pages.push(answer.body_text().to_owned());
        if answer.json()["meta"]["next"] == "null" {
            return pages;
        }
    }
}

fn do_not_drift(memory: &str, seeds: std::ops::Range<u64>) {
    let home = still_life(memory);
    // Pages of a length that does not divide anything.
    let config = notes(memory).replace("page_size = 6000", "page_size = 997");
    let searchable = |name: &str, config: String| {
        let (before, behind) = config.split_once(&format!("{name} = {{ type = \"string\"")).unwrap();
        format!("{before}{name} = {{ type = \"string\", searchable = true{behind}")
    };
    home.configure(&searchable("owner", searchable("pad  ", config)));
    let mut server = home.serve();
    for seed in seeds {
        std::thread::scope(|scope| {
            let server = &server;
            for thread in 0..THREADS as u64 {
                scope.spawn(move || write(server, Dice::new(seed << 8 | thread)));
            }
            for thread in 0..2 {
                scope.spawn(move || read(server, Dice::new(seed << 16 | thread), 60));
            }
            for sort in ["owner", "-owner,seq", "-pad"] {
                scope.spawn(move || walk(server, sort));
            }
        });
        let told: Vec<Vec<String>> = QUERIES.iter().map(|query| pages(&server, query)).collect();
        server = server.stop().serve();
        for (query, told) in QUERIES.iter().zip(told) {
            let fresh = pages(&server, query);
            let differ = told.iter().zip(&fresh).position(|(told, fresh)| told != fresh);
            assert!(
                told == fresh,
                "seed {seed}, memory {memory}: {query}: page {differ:?} of {}\ntold: {:.300}\nfresh: {:.300}",
                fresh.len(),
                told[differ.unwrap_or(0)],
                fresh[differ.unwrap_or(0)]
            );
        }
    }
    server.stop().is_sound();
}

#[test]
fn lists_by_operators_and_sorts_do_not_drift() {
    do_not_drift("256MiB", 10..11);
}

#[test]
fn lists_by_operators_and_sorts_do_not_drift_with_hardly_any_memory() {
    do_not_drift("64KiB", 20..21);
}

/// Thousands of records go by one request, from every order and set in use.
#[test]
fn lists_by_operators_and_sorts_follow_a_large_delete() {
    let home = Home::new(&configs::on_delete("cascade"));
    home.serve().stop();
    home.execute(
        "INSERT INTO address (id, country, city, street, number) VALUES (1, 'a', 'b', 'c', 1), (2, 'a', 'b', 'c', 2);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2400)
         INSERT INTO users (id, first_name, last_name, address)
         SELECT i, 'n' || (i * 37 % 300), CASE WHEN i % 3 = 0 THEN 'Óla' ELSE 'ola' || (i % 50) END,
                CASE WHEN i % 5 = 4 THEN NULL ELSE 1 + i % 2 END FROM n",
    );
    let queries = [
        "sort=first_name",
        "sort=-last_name,first_name",
        "sort=address,-last_name",
        "sort=-address",
        "sort=last_name,-id",
        "last_name.prefix=OLA1&sort=-first_name",
        "last_name.folded=ola",
        "first_name.gt=n2",
        "address.ne=2",
        "address.null=true&sort=last_name",
    ];
    let server = home.serve();
    let ends = |server: &Server| -> Vec<String> {
        let lists = queries.iter().flat_map(|query| [0, 600, 1_100].map(|at| format!("{query}&offset={at}")));
        lists.map(|list| server.ask(&format!("GET /users/?{list}")).body_text().to_owned()).collect()
    };
    ends(&server);
    assert_eq!(server.status("DELETE /address/1/"), 200);
    let told = ends(&server);
    assert!(told[0].contains(r#""total_count":1440,"#), "{:.300}", told[0]);
    let fresh = ends(&server.stop().serve());
    for (place, (told, fresh)) in told.iter().zip(&fresh).enumerate() {
        assert!(told == fresh, "{}:\ntold: {told:.300}\nfresh: {fresh:.300}", queries[place / 3]);
    }
}
