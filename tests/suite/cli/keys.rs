//! The life of an access key: create, list, revoke.

use dev::configs;
use serde_json::Value;

use crate::support::home::Home;

fn listed(home: &Home) -> Vec<Value> {
    let outcome = home.run(&["keys", "list", "--json"]).exits(0);
    let list: Value =
        serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
    list.as_array().unwrap_or_else(|| panic!("not an array: {list}")).clone()
}

#[test]
fn a_new_key_stands_alone_on_standard_output_and_opens_the_door() {
    let home = Home::new(&configs::guarded());
    let outcome = home.run(&["keys", "create", "alice"]).exits(0);
    let key = outcome.stdout.trim_end_matches('\n');
    assert!(key.len() >= 16 && key.chars().all(|character| character.is_ascii_graphic()), "{outcome:?}");
    assert!(!outcome.stderr.contains(key), "printed once");
    let server = home.serve();
    assert_eq!(server.status(&format!("GET /users/?accesskey={key}")), 200);
}

#[test]
fn each_new_key_is_another() {
    let home = Home::new(&configs::guarded());
    let keys = ["one", "two"].map(|name| home.run(&["keys", "create", name]).exits(0).stdout);
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn a_given_key_is_stored() {
    let home = Home::new(&configs::guarded());
    let outcome = home.run(&["keys", "create", "bob", "--key", "this-is-the-key-of-bob"]).exits(0);
    assert!(["", "this-is-the-key-of-bob"].contains(&outcome.stdout.trim_end()), "{outcome:?}");
    let server = home.serve();
    assert_eq!(server.status("GET /users/?accesskey=this-is-the-key-of-bob"), 200);
}

#[test]
fn a_key_that_is_short_enough_to_guess_is_stored_with_a_warning() {
    let home = Home::new(&configs::guarded());
    let outcome = home.run(&["keys", "create", "carol", "--key", "abc"]).exits(0);
    assert!(outcome.stderr.contains("guessed"), "no warning: {outcome:?}");
    assert_eq!(home.serve().status("GET /users/?accesskey=abc"), 200);
}

#[test]
fn a_key_with_a_space_or_a_control_character_or_nothing_in_it_is_refused() {
    let home = Home::new(&configs::guarded());
    for key in ["with a space in it", "with\ta-tab-in-it", "with\na-line-end", ""] {
        let outcome = home.run(&["keys", "create", "dave", "--key", key]);
        assert!(matches!(outcome.code, Some(1 | 2)), "{key:?}: {outcome:?}");
    }
    assert_eq!(listed(&home), Vec::<Value>::new());
}

#[test]
fn a_name_in_use_fails_and_changes_nothing() {
    let home = Home::new(&configs::guarded());
    home.add_key("alice", "this-is-the-key-of-alice");
    let again = home.run(&["keys", "create", "alice", "--key", "this-is-another-key"]).exits(1);
    assert!(again.stdout.is_empty() && again.stderr.contains("alice"), "{again:?}");
    home.run(&["keys", "create", "alice"]).exits(1);
    assert_eq!(listed(&home).len(), 1);
    let server = home.serve();
    assert_eq!(server.status("GET /users/?accesskey=this-is-the-key-of-alice"), 200);
    assert_eq!(server.status("GET /users/?accesskey=this-is-another-key"), 401);
}

#[test]
fn a_key_needs_no_name() {
    let home = Home::new(&configs::guarded());
    let key = home.run(&["keys", "create"]).exits(0).stdout;
    home.run(&["keys", "create"]).exits(0);
    assert_eq!(listed(&home).len(), 2);
    assert_eq!(home.serve().status(&format!("GET /users/?accesskey={}", key.trim_end())), 200);
}

#[test]
fn the_list_shows_name_prefix_and_date_and_never_the_key() {
    let home = Home::new(&configs::guarded());
    home.add_key("alice", "WXYZ-key-of-alice-that-is-long");
    home.add_key("bob", "short-one");
    let table = home.run(&["keys", "list"]).exits(0);
    for part in ["alice", "bob", "WXYZ"] {
        assert!(table.stdout.contains(part), "{table:?}");
    }
    for secret in ["WXYZ-", "shor"] {
        assert!(!table.output().contains(secret), "{table:?}");
    }
    let list = listed(&home);
    assert_eq!(list.len(), 2);
    let alice = list.iter().find(|key| key["name"] == "alice").unwrap();
    assert_eq!(alice["prefix"], "WXYZ");
    assert!(alice["created"].as_str().is_some_and(|created| created.starts_with("20")), "{alice}");
    let bob = list.iter().find(|key| key["name"] == "bob").unwrap();
    assert!(bob["prefix"].is_null() || bob["prefix"] == "", "{bob}");
}

#[test]
fn the_prefix_is_shown_from_sixteen_characters_on() {
    let home = Home::new(&configs::guarded());
    home.add_key("sixteen", "ABCDEFGHIJKLMNOP");
    home.add_key("fifteen", "QRSTUVWXYZabcde");
    let list = listed(&home);
    let prefix = |name: &str| list.iter().find(|key| key["name"] == name).unwrap()["prefix"].clone();
    assert_eq!(prefix("sixteen"), "ABCD");
    assert!(prefix("fifteen").is_null() || prefix("fifteen") == "");
}

#[test]
fn a_revoked_key_is_gone_and_its_name_is_free_again() {
    let home = Home::new(&configs::guarded());
    home.add_key("alice", "this-is-the-key-of-alice");
    home.run(&["keys", "revoke", "alice"]).exits(0);
    assert_eq!(home.serve().status("GET /users/?accesskey=this-is-the-key-of-alice"), 401);
    home.add_key("alice", "this-is-a-new-key-of-alice");
    assert_eq!(home.serve().status("GET /users/?accesskey=this-is-a-new-key-of-alice"), 200);
}

#[test]
fn revoking_what_is_not_there_fails() {
    let home = Home::new(&configs::guarded());
    home.run(&["keys", "revoke", "nobody"]).exits(1).says(&["nobody"]);
}

#[test]
fn only_a_new_key_makes_the_store_where_there_is_none() {
    let home = Home::new(&configs::guarded());
    for (arguments, code) in [
        (&["keys", "list"][..], 0),
        (&["keys", "list", "--json"], 0),
        (&["keys", "revoke", "alice"], 1),
        (&["keys", "rotate", "alice"], 1),
        (&["audit"], 1),
        (&["audit", "--verify"], 1),
        (&["check"], 0),
        (&["openapi"], 0),
    ] {
        let outcome = home.run(arguments).exits(code);
        let is_about_keys = ["keys", "audit"].contains(&arguments[0]);
        assert!(!is_about_keys || outcome.stderr.contains("there is no store"), "{arguments:?}: {outcome:?}");
        assert!(!home.has_store(), "{arguments:?} made a store");
    }
    assert_eq!(listed(&home), Vec::<Value>::new());
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 1, "only the configuration");
    home.run(&["keys", "create", "alice"]).exits(0).says(&["(new;"]);
    assert!(home.has_store());
    assert_eq!(listed(&home).len(), 1);
}

#[test]
fn every_command_names_the_store_that_it_used() {
    let home = Home::new(&configs::guarded());
    home.serve().stop();
    let place = home.either(
        format!("store: sqlite:{}\n", home.path("book.db").display()),
        "store: postgres://".to_owned(),
    );
    for arguments in [
        &["keys", "create", "alice"][..],
        &["keys", "list"],
        &["keys", "list", "--json"],
        &["keys", "rotate", "alice"],
        &["keys", "revoke", "alice"],
        &["keys", "revoke", "alice"],
        &["audit"],
        &["audit", "--verify"],
        &["check"],
    ] {
        let outcome = home.run(arguments);
        assert!(outcome.stderr.starts_with(&place), "{arguments:?}: {outcome:?}");
        assert!(!outcome.stdout.contains("store: "), "{arguments:?}: {outcome:?}");
    }
}

#[test]
fn a_key_that_nobody_asks_for_is_made_with_a_warning() {
    for (config, warns) in
        [(configs::built_in(), true), (configs::guarded(), false), (configs::identified(), false)]
    {
        let outcome = Home::new(&config).run(&["keys", "create", "alice"]).exits(0);
        assert_eq!(outcome.stderr.contains("asks for a key"), warns, "{outcome:?}");
        assert_eq!(outcome.stdout.lines().count(), 1, "{outcome:?}");
    }
}

#[test]
fn keys_commands_work_beside_a_running_server() {
    let home = Home::new(&configs::guarded());
    let server = home.serve();
    home.add_key("alice", "this-is-the-key-of-alice");
    assert_eq!(listed(&home).len(), 1);
    home.run(&["keys", "revoke", "alice"]).exits(0);
    assert_eq!(server.status("GET /address/"), 200);
}

#[test]
fn a_key_that_may_manage_keys_is_made_and_listed_as_such() {
    let home = Home::new(&configs::guarded());
    home.run(&["keys", "create", "--admin", "root"]).exits(0);
    home.run(&["keys", "create", "reader"]).exits(0);
    let flags: Vec<String> =
        listed(&home).iter().map(|key| format!("{} {}", key["name"], key["admin"])).collect();
    assert_eq!(flags, [r#""reader" false"#, r#""root" true"#]);
    let table = home.run(&["keys", "list"]).exits(0).stdout;
    let column = |line: &str| line.split_whitespace().last().map(str::to_owned);
    let last: Vec<Option<String>> = table.lines().map(column).collect();
    assert_eq!(last, ["ADMIN", "no", "yes"].map(|word| Some(word.to_owned())), "{table}");
    assert!(table.starts_with("NAME"), "{table}");
}

#[test]
fn a_name_that_no_path_could_hold_is_refused() {
    let home = Home::new(&configs::guarded());
    let long = "a".repeat(201);
    for name in ["", ".", "..", "a\nb", &long] {
        home.run(&["keys", "create", name]).exits(2).says(&["1 to 200 characters"]);
    }
    home.run(&["keys", "create", &"a".repeat(200)]).exits(0);
    assert_eq!(listed(&home).len(), 1);
}

#[test]
fn a_key_may_be_made_for_some_collections_and_for_some_time() {
    let home = Home::new(&configs::guarded());
    for (name, options) in [
        ("a", ["--scope", "users:read", "--scope", "address:write"].as_slice()),
        ("b", &["--scope", "users:write,users:read", "--scope=users:read"]),
        ("c", &["--scope", "*:read, users:read", "--expires", "2999-12-31"]),
        (
            "d",
            &[
                "--key",
                "brought-along-from-elsewhere",
                "--scope",
                "*",
                "--expires",
                "2999-12-31T12:00:00+02:00",
            ],
        ),
        ("e", &[]),
    ] {
        home.run(&[&["keys", "create", name], options].concat()).exits(0);
    }
    let told: Vec<String> = listed(&home)
        .iter()
        .map(|key| format!("{} {} {}", key["name"], key["scopes"], key["expires"]))
        .collect();
    assert_eq!(
        told,
        [
            r#""a" ["address:write","users:read"] null"#,
            r#""b" ["users:read","users:write"] null"#,
            r#""c" ["*:read"] "2999-12-31T00:00:00Z""#,
            r#""d" ["*"] "2999-12-31T10:00:00Z""#,
            r#""e" ["*"] null"#,
        ]
    );
    let table = home.run(&["keys", "list"]).exits(0).stdout;
    let line = table.lines().find(|line| line.starts_with('a')).unwrap();
    assert!(line.contains("address:write,users:read") && line.contains("never"), "{table}");
}

#[test]
fn a_scope_or_an_end_that_makes_no_sense_is_refused_and_nothing_is_made() {
    let home = Home::new(&configs::guarded());
    for (options, said) in [
        (["--scope", "user:read"], "there is no collection `user`; did you mean `users`?"),
        (["--scope", "nothing:read"], "there is no collection `nothing`"),
        (["--scope", "users"], "`users` is no scope"),
        (["--scope", "users:admin"], "`users:admin` is no scope"),
        (["--scope", ""], "`` is no scope"),
        (["--scope", "users:read,"], "`` is no scope"),
        (["--expires", "yesterday"], "--expires cannot be `yesterday`"),
        (["--expires", "2020-01-01"], "it is over already"),
        (["--expires", "0s"], "it is over already"),
        (["--expires", ""], "--expires cannot be"),
    ] {
        let refused = home.run(&["keys", "create", "a", options[0], options[1]]).exits(2);
        assert!(refused.stdout.is_empty() && refused.stderr.contains(said), "{options:?}: {refused:?}");
    }
    assert_eq!(listed(&home), Vec::<Value>::new());
}
