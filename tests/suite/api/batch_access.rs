//! Who may write what in a batch: every item by the rules of its own collection, and how it is counted.

use std::fmt::Write as _;

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;

use crate::support::batch::{address, batch, user};
use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

const KEY: &str = "first-key-of-the-tests";
const ADMISSIONS: [(&str, &str); 3] = [
    ("open", "authentication = false"),
    ("met", "authentication = true"),
    ("closed", "authentication = true\nauthorization = true"),
];

/// A collection of each of these admissions.
fn config(names: &[&str]) -> String {
    let mut config = String::new();
    for (name, access) in ADMISSIONS.iter().filter(|(name, _)| names.contains(name)) {
        let fields = "[collection.fields]\ntitle = { type = \"string\" }";
        writeln!(config, "[[collection]]\nname = \"{name}\"\n{fields}\n[collection.access]\n{access}")
            .unwrap();
    }
    configs::patient(&config)
}

fn create(collection: &str) -> String {
    format!(r#"{{"method":"POST","path":"/{collection}/","body":{{"title":"x"}}}}"#)
}

#[test]
fn each_item_is_judged_by_the_rules_and_scopes_of_its_own_collection() {
    let home = Home::new(&config(&["open", "met", "closed"]));
    let mut keys = vec![("", None), ("nobody-has-this-key-at-all", None)];
    let scopes = [vec![], vec!["met"], vec!["closed"], vec!["met", "closed"]];
    let made: Vec<String> = scopes
        .iter()
        .map(|names| {
            let scopes: Vec<String> = match names.is_empty() {
                true => vec!["open:read".into()],
                false => names.iter().map(|name| format!("{name}:write")).collect(),
            };
            let name = scopes.join(" ");
            let scopes: Vec<&str> = scopes.iter().flat_map(|scope| ["--scope", scope]).collect();
            home.run(&[&["keys", "create", &name], &scopes[..]].concat())
                .exits(0)
                .stdout
                .trim_end()
                .to_owned()
        })
        .collect();
    keys.extend(made.iter().zip(&scopes).map(|(secret, names)| (secret.as_str(), Some(names))));
    let server = home.serve();
    for (key, rights) in keys {
        for (first, _) in ADMISSIONS {
            for (second, _) in ADMISSIONS {
                let mut expected = (200, String::new());
                for (place, name) in [first, second].into_iter().enumerate().rev() {
                    match (name, rights) {
                        ("open", _) | ("met", None) => {}
                        (_, None) => expected = (401, format!("item {place}: A known access key is needed.")),
                        (name, Some(rights)) if rights.contains(&name) => {}
                        _ => {
                            let said = format!(
                                "item {place}: This access key may not write {name}: it needs the scope {name}:write"
                            );
                            expected = (403, said);
                        }
                    }
                }
                let mut request = batch(&[create(first), create(second)]);
                if !key.is_empty() {
                    request = request.header("X-API-Key", key);
                }
                let answer = server.send(&request);
                let about = format!("{first} and {second} with {rights:?}: {answer:?}");
                assert_eq!(answer.status, expected.0, "{about}");
                if answer.status != 200 {
                    assert!(answer.error().starts_with(&expected.1), "{about}");
                }
                assert_eq!(answer.header("WWW-Authenticate").is_some(), answer.status == 401, "{about}");
                assert!(answer.header("Vary").unwrap().contains("Authorization"), "{about}");
            }
        }
    }
}

#[test]
fn access_says_nothing_of_records_and_comes_before_bodies() {
    let home = Home::new(&config(&["open", "closed"]));
    home.add_key("all", KEY);
    let server = home.serve();
    assert_eq!(server.send(&batch(&[create("closed")]).header("X-API-Key", KEY)).status, 200);
    for (id, body) in [(1, "{}"), (99, "{}"), (1, "7")] {
        let put = format!(r#"{{"method":"PUT","path":"/closed/{id}/","body":{body}}}"#);
        let bad = r#"{"method":"POST","path":"/open/","body":{"title":7}}"#.to_owned();
        let refused = server.refuses_request(&batch(&[bad, put]), 401);
        assert!(refused.starts_with("item 1: "), "{refused}");
    }
}

#[test]
fn where_no_collection_is_open_access_comes_before_the_body() {
    let home = Home::new(&config(&["closed"]));
    home.add_key("all", KEY);
    let server = home.serve();
    for body in ["", "[]"] {
        let refused = server.refuses_request(&Request::new("POST /_/batch/").json(body), 401);
        assert!(refused.starts_with("A known access key is needed."), "{refused}");
    }
    assert_eq!(
        server.refuses_request(&Request::new("POST /_/batch/").header("X-API-Key", KEY).json("[]"), 400),
        "The body is not a JSON object"
    );
    // Where nobody asks for keys none is read.
    let open = Server::start(&config(&["open"]));
    let answer = open.send(&batch(&[create("open")]).header("X-API-Key", "nobody-has-this-key"));
    assert_eq!((answer.status, answer.header("Vary")), (200, None));
}

/// How many requests an answer says are left.
fn left(server: &Server, items: &[String]) -> (u16, Option<String>, String) {
    let answer = server.send(&batch(items).header("X-API-Key", KEY));
    let limit = answer.header("RateLimit").map(|limit| limit.split(';').nth(1).unwrap().to_owned());
    let error = answer.json()["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(answer.header("Retry-After").is_some(), answer.status == 429);
    (answer.status, limit, error)
}

#[test]
fn a_batch_counts_for_its_items_of_each_collection_or_for_none() {
    let home = Home::new(&configs::rate_limited(5, 3600));
    home.add_key("first", KEY);
    let server = home.serve();
    let users =
        |number: usize| -> Vec<String> { (0..number).map(|at| user(&format!("n{at}"), "null")).collect() };
    assert_eq!(left(&server, &[address(1)]), (200, None, String::new()));
    assert_eq!(
        left(&server, &[vec![address(1)], users(3)].concat()),
        (200, Some("r=2".into()), String::new())
    );
    for _ in 0..2 {
        let (status, limit, error) = left(&server, &[vec![address(1)], users(3)].concat());
        assert_eq!((status, limit.as_deref()), (429, Some("r=2")));
        assert!(
            error.starts_with("item 1: The rate limit of 5 requests in 3600 seconds is used up."),
            "{error}"
        );
    }
    assert_eq!((server.total("/users/"), server.total("/address/")), (3, 2));
    // What the bodies are is judged afterwards, and counts.
    let bad = user("Ada", "true");
    assert_eq!(left(&server, &[bad]), (400, Some("r=1".into()), "item 0: address does not validate".into()));
    assert_eq!(left(&server, &users(1)), (200, Some("r=0".into()), String::new()));
    assert_eq!(left(&server, &users(1)).0, 429);
}

#[test]
fn of_batches_at_once_each_counts_whole_or_not_at_all() {
    const QUOTA: usize = 100;
    const OF_EACH: usize = 30;
    // Whether they meet is up to the system.
    const TIMES: usize = 8;
    let config = limited([("first", QUOTA), ("second", QUOTA)]);
    let home = Home::new(&configs::patient(&config));
    let cases = (0..TIMES).flat_map(|time| [2, OF_EACH].map(|of_first| (time, of_first)));
    let cases: Vec<_> =
        cases.map(|(time, of_first)| (format!("key-{time}-of-{of_first}"), of_first)).collect();
    cases.iter().for_each(|(key, _)| home.add_key(key, key));
    let server = home.serve();
    for (key, of_first) in &cases {
        let send = |first: usize, second: usize, is_turned: bool| {
            let mut items = [vec![create("first"); first], vec![create("second"); second]];
            if is_turned {
                items.reverse();
            }
            server.client().send(&batch(&items.concat()).header("X-API-Key", key))
        };
        let statuses = race(12, |client| send(*of_first, OF_EACH, client % 2 == 1).status);
        let passed = QUOTA / OF_EACH;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), passed, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
        for (first, second, left) in [(1, 0, QUOTA - passed * of_first - 1), (0, QUOTA % OF_EACH, 0)] {
            let answer = send(first, second, false);
            assert_eq!(answer.status, 200);
            assert!(
                answer.header("RateLimit").unwrap().contains(&format!(";r={left};")),
                "{left}: {answer:?}"
            );
        }
    }
}

/// Collections with a rate limit.
fn limited(quotas: [(&str, usize); 2]) -> String {
    let mut config = String::new();
    for (name, quota) in quotas {
        let fields = "[collection.fields]\ntitle = { type = \"string\" }";
        let limit = format!("[collection.rate_limit]\nquota = {quota}\ninterval = 3600");
        let access = format!("[collection.access]\nauthentication = true\n{limit}");
        writeln!(config, "[[collection]]\nname = \"{name}\"\n{fields}\n{access}").unwrap();
    }
    config
}

#[test]
fn a_batch_that_is_refused_for_one_limit_takes_nothing_of_another() {
    const BATCHES: usize = 12;
    // Whether they meet is up to the system.
    const TIMES: usize = 8;
    let home = Home::new(&configs::patient(&limited([("first", 10), ("second", 5)])));
    // Singles take what two batches leave of the first.
    let cases = (0..TIMES).flat_map(|time| [0, 4].map(|singles| (format!("key-{time}-{singles}"), singles)));
    let cases: Vec<_> = cases.collect();
    cases.iter().for_each(|(key, _)| home.add_key(key, key));
    let server = home.serve();
    for (key, singles) in &cases {
        let items = [vec![create("first"); 3], vec![create("second"); 2]].concat();
        let answers = race(BATCHES + singles, |client| {
            let request = if client < BATCHES { batch(&items) } else { Request::new("GET /first/") };
            server.client().send(&request.header("X-API-Key", key))
        });
        let (batches, single) = answers.split_at(BATCHES);
        assert!(single.iter().all(|answer| answer.status == 200), "{single:?}");
        let (done, refused): (Vec<_>, Vec<_>) = batches.iter().partition(|answer| answer.status == 200);
        assert_eq!(done.len(), 2, "{batches:?}");
        let is_told = |answer: &&Answer| {
            let item = if answer.error().starts_with("item 0: ") { 0 } else { 3 };
            let limit = format!("item {item}: The rate limit of {} requests", if item == 0 { 10 } else { 5 });
            // The first has enough for one more, but for the singles.
            answer.status == 429 && answer.error().starts_with(&limit) && (item == 3 || *singles > 0)
        };
        assert!(refused.iter().all(is_told), "{refused:?}");
    }
}
