//! Strings of any length that a body can carry are stored, found and compared whole, also beyond what an entry of
//! an index can hold.

use std::time::{Duration, Instant};

use dev::configs;
use serde_json::json;

use crate::support::home::Home;
use crate::support::server::Server;

/// On either side of where one index ends and another begins, and as much as a body carries.
const LENGTHS: [usize; 8] = [1_999, 2_000, 2_001, 2_704, 5_000, 70_000, 500_000, 1_040_000];
/// As much as a URL carries.
const LONGEST_IN_URL: usize = 7_500;

fn user(first_name: &str, last_name: &str) -> String {
    json!({"first_name": first_name, "last_name": last_name}).to_string()
}

#[test]
fn a_string_is_stored_filtered_and_compared_whatever_its_length() {
    let home = Home::new(&configs::unique());
    let server = home.serve();
    for length in LENGTHS {
        // Alike up to the last character.
        let (one, other) = (format!("{}a", "x".repeat(length - 1)), format!("{}b", "x".repeat(length - 1)));
        let first = server.create("/users/", &user(&one, "Doe"));
        let second = server.create("/users/", &user(&other, "Doe"));
        server.faults(
            &format!("POST /users/ {}", user(&one, "Doe")),
            "first_name,last_name must be unique together",
        );
        server.faults(
            &format!("PUT /users/{second}/ {}", json!({"first_name": one})),
            "first_name,last_name must be unique together",
        );
        assert_eq!(server.ask(&format!("GET /users/{first}/")).json()["first_name"], one.as_str());
        if length <= LONGEST_IN_URL {
            assert_eq!(server.ids(&format!("/users/?first_name={one}")), [first]);
            assert_eq!(server.ids(&format!("/users/?first_name={other}&last_name=Doe")), [second]);
            assert_eq!(server.total(&format!("/users/?first_name={}", &one[1..])), 0);
        }
        // Once the other one has gone, its place is free.
        assert_eq!(server.status(&format!("DELETE /users/{first}/")), 200);
        let third = server.create("/users/", &user(&one, "Doe"));
        assert_eq!(server.status(&format!("DELETE /users/{third}/")), 200);
        assert_eq!(server.status(&format!("DELETE /users/{second}/")), 200);
    }
}

#[test]
fn what_two_fields_hold_together_may_be_long() {
    let home = Home::new(&configs::unique());
    let server = home.serve();
    let (long, name) = ("y".repeat(1_500), "z".repeat(1_500));
    server.create("/users/", &user(&long, &name));
    let message = "first_name,last_name must be unique together";
    server.faults(&format!("POST /users/ {}", user(&long, &name)), message);
    // The border between the two counts.
    server.create("/users/", &user(&format!("{long}z"), &name[1..]));
    assert_eq!(server.total("/users/"), 2);
}

/// To compare each word with all others would take 64 times as long for eight times as many.
#[test]
fn to_change_a_text_that_is_searched_takes_time_by_its_words_and_not_by_their_square() {
    const FEW: usize = 4_000;
    const MANY: usize = 8 * FEW;
    let server = Server::start(
        "[[collection]]\nname = \"notes\"\n[collection.fields]\n\
         text = { type = \"string\", searchable = true }\n[collection.pagination]\npage_size = 20\n",
    );
    let text = |number: usize, first: char| {
        let words = (0..number).map(|word| format!("{first}{word:x}")).collect::<Vec<_>>();
        json!({"text": words.join(" ")}).to_string()
    };
    let time = |number: usize| -> Duration {
        let id = server.create("/notes/", &text(number, 'a'));
        assert_eq!(server.ids("/notes/?search=a0"), [id]);
        let begun = Instant::now();
        assert_eq!(server.status(&format!("PUT /notes/{id}/ {}", text(number, 'b'))), 200);
        // Whoever reads sees it moved.
        assert_eq!(server.ids("/notes/?search=b0"), [id]);
        let taken = begun.elapsed();
        assert_eq!(server.status(&format!("DELETE /notes/{id}/")), 200);
        taken
    };
    time(FEW);
    let (few, many) = ((0..3).map(|_| time(FEW)).max(), time(MANY));
    assert!(few.is_some_and(|few| many < few * 24), "{few:?}, {many:?}");
}
