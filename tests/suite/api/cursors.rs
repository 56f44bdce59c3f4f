//! The texts of cursors: which are taken, and that every other one is refused.

use dev::configs;

use crate::support::server::Server;

/// Every letter that a cursor can have.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Sorts by ids, texts, an optional field and several of them, and a search.
const LISTS: [&str; 8] = [
    "count=2",
    "sort=-id&count=2",
    "sort=last_name&count=2",
    "sort=-last_name&count=2",
    "sort=address&count=2",
    "sort=address&count=4",
    "sort=-address,last_name,first_name&count=3",
    "search=ba&count=2",
];

#[test]
fn a_cursor_that_is_cut_lengthened_or_changed_does_not_validate() {
    let server = book();
    let refused = |list: &str, cursor: &str| {
        server.faults(&format!("GET /users/?{list}&after={cursor}"), "after does not validate");
    };
    for list in LISTS {
        let cursor = cursor(&server, list);
        assert_eq!(server.status(&format!("GET /users/?{list}&after={cursor}")), 200, "{list}");
        for end in 1..cursor.len() {
            refused(list, &cursor[..end]);
            refused(list, &cursor[end..]);
        }
        for more in ["A", "AA", "AAA", "AAAA", "AAAAAAAAAAAA", "_", "____", "=", "%00"] {
            refused(list, &format!("{cursor}{more}"));
            refused(list, &format!("{more}{cursor}"));
        }
        refused(list, &format!("{cursor}{cursor}"));
        for (at, old) in cursor.char_indices() {
            let letter = LETTERS.find(old).unwrap();
            // The last one has bits that stand for nothing, so all of them are tried there.
            let steps = if at + 1 == cursor.len() { 1..LETTERS.len() } else { 1..3 };
            for step in steps {
                let new = LETTERS.as_bytes()[(letter + step) % LETTERS.len()];
                refused(list, &format!("{}{}{}", &cursor[..at], char::from(new), &cursor[at + 1..]));
            }
        }
    }
}

/// Whoever walks goes on after a restart, on another node, and in a copy on the other engine.
#[test]
fn the_same_place_has_the_same_text_everywhere() {
    let server = book();
    for (list, text) in [
        ("count=2", "AWcg2SIbAJswAAAAAAAAAAI"),
        ("sort=last_name&count=2", "AXeprXit2gQuYmFrZXIAAAAAAAAAAg"),
        ("sort=address&count=4", "AdWK5fo8VvpQAgAAAAAAAAAE"),
        ("search=ba&count=2", "Ad5OoTQIrTBRAQAAAAAAAAAD"),
    ] {
        assert_eq!(cursor(&server, list), text, "{list}");
    }
}

/// Two users have an address.
fn book() -> Server {
    let server = Server::start(&configs::built_in());
    server.create_address();
    for (name, address) in
        [("Able", "1"), ("Baker", "null"), ("Baker", "1"), ("Bauer", "null"), ("Cook", "null")]
    {
        let body = format!(r#"{{"first_name":"Ada","last_name":"{name}","address":{address}}}"#);
        server.create("/users/", &body);
    }
    server
}

/// The cursor of the second page.
#[track_caller]
fn cursor(server: &Server, list: &str) -> String {
    let answer = server.ask(&format!("GET /users/?{list}&after="));
    let link = answer.header("Link").unwrap_or_else(|| panic!("{list}: {answer:?}"));
    let (_, cursor) = link.strip_suffix(">; rel=\"next\"").unwrap().rsplit_once("after=").unwrap();
    cursor.to_owned()
}
