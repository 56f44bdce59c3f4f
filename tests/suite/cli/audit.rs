//! The trail: what was done with keys and tables, by whom, and that nobody changes it unseen.

use dev::configs;
use dev::request::Request;
use serde_json::{Value, json};

use crate::support::home::Home;

const ADMIN: &str = "the-key-of-the-administrator";

fn trail(home: &Home) -> Vec<Value> {
    let said = home.run(&["audit", "--json"]).exits(0).stdout;
    let trail: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    trail.as_array().unwrap().clone()
}

/// Some keys and a start.
fn filled() -> std::sync::Arc<Home> {
    let home = Home::new(&configs::guarded());
    home.add_admin("root", ADMIN);
    home.run(&["keys", "create", "till", "--scope", "users:read", "--expires", "2999-01-01"]).exits(0);
    home.run(&["keys", "rotate", "till", "--grace", "0s"]).exits(0);
    home.serve().stop();
    home
}

/// Lets whoever means to change what is only added to.
fn unlocked(home: &Home) {
    home.execute(home.either(
        "DROP TRIGGER _carnet_audit_updated; DROP TRIGGER _carnet_audit_deleted",
        "DROP TRIGGER _carnet_audit_kept ON _carnet_audit",
    ));
}

#[test]
fn an_import_over_http_is_told_with_its_counts_and_no_values() {
    let home = filled();
    let before = trail(&home).len();
    let server = home.serve();
    let file = "first_name,last_name,address.country,address.city,address.street,address.number\n\
                Ada,Lovelace,United Kingdom,London,St James Square,12\n";
    let import = |path: &str, file: &str| {
        let request = Request::new(path).header("Content-Type", "text/csv").header("X-API-Key", ADMIN);
        server.send(&request.header("X-Request-Id", "it-was-me").body(file)).status
    };
    let path = "POST /_/import/users/";
    assert_eq!(import(path, file), 200);
    // Again, which changes nothing; with a fault; and one that only asks what would be done.
    assert_eq!(import(path, file), 200);
    assert_eq!(import(path, "first_name,last_name\nAda,\n"), 400);
    assert_eq!(import("POST /_/import/users/?dry_run=true", file), 200);
    let rows = trail(&home).split_off(before);
    let told = |number: i64, state: &str, created: i64, related: &Value| {
        let (format, updated) = ("csv", 0);
        json!({
            "format": format, "import": number, "state": state,
            "created": created, "updated": updated, "related": related,
        })
    };
    let details: Vec<&Value> = rows.iter().map(|row| &row["details"]).collect();
    let nothing = json!({});
    let wanted = [
        told(1, "done", 1, &json!({"address": 1})),
        told(2, "done", 0, &nothing),
        told(3, "refused", 0, &nothing),
        told(4, "done", 0, &nothing),
    ];
    assert_eq!(details, wanted.iter().collect::<Vec<_>>());
    for row in &rows {
        let words = ["event", "subject", "by", "address", "request_id"].map(|member| &row[member]);
        assert_eq!(words, ["imported", "users", "key root", "127.0.0.1", "it-was-me"], "{row}");
    }
    let all = json!(rows).to_string();
    assert!(!["Ada", "Lovelace", "London"].iter().any(|value| all.contains(value)), "{all}");
}

#[test]
fn every_change_of_keys_and_tables_is_told_with_who_did_it() {
    let home = filled();
    let server = home.serve();
    let request =
        |line: &str| Request::text(line).header("X-API-Key", ADMIN).header("X-Request-Id", "it-was-me");
    let made = server.send(&request(r#"POST /_/keys/ {"name":"phone"}"#)).json();
    assert_eq!(server.send(&request(r#"POST /_/keys/phone/rotate/ {"grace":"1h"}"#)).status, 200);
    assert_eq!(server.send(&request("DELETE /_/keys/phone/")).status, 200);
    // What did not happen is not told.
    assert_eq!(server.send(&request("DELETE /_/keys/phone/")).status, 404);
    assert_eq!(server.send(&request(r#"POST /_/keys/ {"name":"root"}"#)).status, 409);
    let rows = trail(&home);
    let told: Vec<String> = rows
        .iter()
        .map(|row| {
            let word = |member: &str| row[member].as_str().unwrap_or("-").to_owned();
            let members = ["number", "event", "subject", "by", "address", "request_id"];
            members
                .map(|member| if member == "number" { row["number"].to_string() } else { word(member) })
                .join("|")
        })
        .collect();
    assert_eq!(
        told,
        [
            "1|key_created|root|command line|-|-",
            "2|key_created|till|command line|-|-",
            "3|key_rotated|till|command line|-|-",
            "4|configured|create the collection address|start|-|-",
            "5|configured|create the collection users|start|-|-",
            "6|key_created|phone|key root|127.0.0.1|it-was-me",
            "7|key_rotated|phone|key root|127.0.0.1|it-was-me",
            "8|key_revoked|phone|key root|127.0.0.1|it-was-me",
        ]
    );
    assert_eq!(
        rows[1]["details"],
        json!({"scopes": ["users:read"], "expires": "2999-01-01T00:00:00Z", "admin": false})
    );
    assert_eq!(rows[0]["details"], json!({"scopes": ["*"], "expires": null, "admin": true}));
    assert!(rows[6]["details"]["previous_until"].is_string());
    let all = json!(rows).to_string();
    for secret in [ADMIN, made["key"].as_str().unwrap()] {
        assert!(!all.contains(secret), "{all}");
    }
    let table = home.run(&["audit"]).exits(0).stdout;
    assert!(table.starts_with("NUMBER") && table.lines().count() == 9, "{table}");
    let whole = home.run(&["audit", "--verify"]).exits(0).stdout;
    assert_eq!(whole.trim_end(), format!("8 {}", rows[7]["hash"].as_str().unwrap()));
}

#[test]
fn a_start_that_changes_nothing_is_not_told_and_one_that_adds_a_field_is() {
    let home = filled();
    let before = trail(&home).len();
    home.serve().stop();
    assert_eq!(trail(&home).len(), before);
    home.configure(&configs::guarded().replace("last_name  =", "nick = { type = \"string\" }\nlast_name  ="));
    home.serve().stop();
    let rows = trail(&home);
    assert_eq!(rows[before]["subject"], "add the field nick to users");
    home.run(&["audit", "--verify"]).exits(0);
}

#[test]
fn the_trail_is_only_added_to() {
    let home = filled();
    for change in [
        "UPDATE _carnet_audit SET actor = 'somebody else'",
        "DELETE FROM _carnet_audit",
        "DELETE FROM _carnet_audit WHERE number = 2",
    ] {
        home.cannot_execute(change);
    }
    home.run(&["audit", "--verify"]).exits(0);
}

#[test]
fn whoever_changes_it_all_the_same_is_found_out() {
    for (change, fault) in [
        (
            "UPDATE _carnet_audit SET actor = 'somebody else' WHERE number = 2",
            "row 2 is not as it was written",
        ),
        ("UPDATE _carnet_audit SET details = '{}' WHERE number = 1", "row 1 is not as it was written"),
        (
            "UPDATE _carnet_audit SET at = '2020-01-01T00:00:00Z' WHERE number = 5",
            "row 5 is not as it was written",
        ),
        ("DELETE FROM _carnet_audit WHERE number = 3", "row 3 is missing"),
        ("DELETE FROM _carnet_audit WHERE number = 1", "row 1 is missing"),
        ("DELETE FROM _carnet_audit WHERE number = 5", "row 5 is missing at the end: there were 5"),
        ("DELETE FROM _carnet_audit", "row 1 is missing at the end: there were 5"),
        (
            "INSERT INTO _carnet_audit SELECT 6, at, event, subject, details, actor, address, request_id, hash \
             FROM _carnet_audit WHERE number = 5",
            "row 6 is one too many",
        ),
    ] {
        let home = filled();
        unlocked(&home);
        home.execute(change);
        let found = home.run(&["audit", "--verify"]).exits(1);
        assert!(found.stdout.is_empty() && found.stderr.contains(fault), "{change}: {found:?}");
    }
}

/// The row and the change are one transaction: without the one there is not the other.
#[test]
fn a_change_that_cannot_be_told_is_not_made() {
    let home = filled();
    let before = home.query("SELECT name FROM _carnet_keys ORDER BY name");
    let hash = "SELECT length(hash) FROM _carnet_keys WHERE first_hash IS NULL";
    let unrotated = home.query(hash);
    home.execute(home.either(
        "CREATE TRIGGER full_up BEFORE INSERT ON _carnet_audit BEGIN SELECT RAISE(ABORT, 'no more rows'); END",
        "CREATE FUNCTION full_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no more rows'; END $$;
         CREATE TRIGGER full_up BEFORE INSERT ON _carnet_audit FOR EACH ROW EXECUTE FUNCTION full_up()",
    ));
    for change in [["create", "another"], ["rotate", "root"], ["revoke", "till"]] {
        let failed = home.run(&["keys", change[0], change[1]]).exits(1);
        assert!(failed.stdout.is_empty() && failed.stderr.contains("no more rows"), "{failed:?}");
    }
    let server = home.serve();
    for line in ["POST /_/keys/ {}", "POST /_/keys/till/rotate/ {}", "DELETE /_/keys/till/"] {
        // Of a rule that somebody gave PostgreSQL, the client hears.
        let status = home.either(500, 409);
        server.refuses_request(&Request::text(line).header("X-API-Key", ADMIN), status);
    }
    assert_eq!(home.query("SELECT name FROM _carnet_keys ORDER BY name"), before);
    assert_eq!(home.query(hash), unrotated);
    server.stop();
    home.configure(&configs::guarded().replace("last_name  =", "nick = { type = \"string\" }\nlast_name  ="));
    home.refused_start();
    assert!(!home.stored().columns("users").iter().any(|column| column.starts_with("nick")));
}

#[test]
fn a_copy_takes_scopes_ends_and_secrets_along_and_says_where_it_came_from() {
    let home = Home::new(&configs::guarded());
    home.add_key("till", "the-first-secret-of-the-till");
    let second = home.run(&["keys", "rotate", "till"]).exits(0).stdout;
    home.run(&[
        "keys",
        "create",
        "reader",
        "--key",
        "may-only-read-things",
        "--scope",
        "users:read",
        "--expires",
        "90d",
    ])
    .exits(0);
    home.serve().stop();
    let ends_with = home.run(&["audit", "--verify"]).exits(0).stdout;
    let other = Home::new(&configs::guarded());
    home.copy_into(&other).exits(0);
    let all = "SELECT name || scopes || coalesce(expires, '-') || coalesce(previous_until, '-') FROM _carnet_keys ORDER BY name";
    assert_eq!(other.query(all), home.query(all));
    other.run(&["audit", "--verify"]).exits(0);
    let told = trail(&other).pop().unwrap();
    assert_eq!((told["event"].as_str(), told["by"].as_str()), (Some("copied"), Some("command line")));
    let details = &told["details"];
    assert_eq!(format!("{} {}\n", details["events"], details["ends_with"].as_str().unwrap()), ends_with);
    let server = other.serve();
    for (secret, line, status) in [
        ("the-first-secret-of-the-till", "GET /users/", 200),
        (second.trim_end(), "GET /users/", 200),
        ("may-only-read-things", "GET /users/", 200),
        ("may-only-read-things", "DELETE /users/1/", 403),
    ] {
        assert_eq!(server.send(&Request::new(line).header("X-API-Key", secret)).status, status, "{secret}");
    }
}
