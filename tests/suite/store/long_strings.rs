//! Strings of any length that a body can carry are stored, found and compared whole, also beyond what an entry of
//! an index can hold.

use dev::configs;
use serde_json::json;

use crate::support::home::Home;

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
