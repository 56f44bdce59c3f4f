//! A field or a collection that is now called otherwise: the statements that are offered are run as they are printed.

use std::sync::Arc;

use dev::configs;
use dev::process::Outcome;

use crate::support::home::Home;

/// The statements that a refusal offers for a field under its new name.
#[track_caller]
fn renaming(refused: &Outcome, old: &str, new: &str) -> String {
    let about = format!("the field {old} of ");
    let line =
        refused.stderr.lines().find(|line| line.contains(&about) && line.contains("no longer declared"));
    let offer = format!("if it is now called {new}, rename it with: ");
    let found =
        line.and_then(|line| line.split(&offer).nth(1)).and_then(|rest| rest.split(" otherwise ").next());
    found.unwrap_or_else(|| panic!("{old} is not offered the name {new}:\n{}", refused.stderr)).to_owned()
}

/// The statements that are offered for the table of a collection under its new name.
#[track_caller]
fn renaming_table(said: &str, new: &str) -> String {
    let offer = format!("while {new} has no records: ");
    let found = said.lines().find_map(|line| line.split(&offer).nth(1));
    found.unwrap_or_else(|| panic!("no table is offered the name {new}:\n{said}")).to_owned()
}

/// Indexes and constraints that are named after this.
fn named_after(home: &Home, name: &str) -> Vec<String> {
    home.query(&home.either(
        format!("SELECT name FROM sqlite_schema WHERE name LIKE '{name}.%'"),
        format!(
            "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname LIKE '{name}.%'
             UNION SELECT conname::text FROM pg_constraint
             WHERE connamespace = current_schema()::regnamespace AND conname LIKE '{name}.%'"
        ),
    ))
}

#[track_caller]
fn a_start_would_change_nothing(home: &Home) {
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
    home.is_sound();
}

#[test]
fn a_renamed_field_of_any_kind_keeps_its_values() {
    const THING: &str = r#""name":"Vase","size":3,"weight":1.5,"fragile":true,"note":"old","code":7,"height":0.5,"sold":false"#;
    let fields = ["name", "size", "weight", "fragile", "note", "code", "height", "sold"];
    let home = Home::new(&configs::kinds());
    let server = home.serve();
    assert_eq!(server.status(&format!("POST /things/ {{{THING}}}")), 201);
    server.stop();
    let renamed = |text: &str| {
        let quoted =
            |text: String, field: &&str| text.replace(&format!("\"{field}\""), &format!("\"new_{field}\""));
        fields.iter().fold(text.to_owned(), quoted)
    };
    let config = {
        let kinds = renamed(&configs::kinds());
        let (head, declared) = kinds.split_once("[collection.fields]").unwrap();
        let declared = fields.iter().fold(declared.to_owned(), |text, field| {
            text.replace(&format!("\n{field} "), &format!("\nnew_{field} "))
        });
        format!("{head}[collection.fields]{declared}")
    };
    home.configure(&config);
    let refused = home.refused_start().exits(2);
    assert!(!refused.stderr.contains(r#"RENAME COLUMN "name" TO "new_size""#), "another kind is offered");
    for field in fields {
        home.execute(&renaming(&refused, field, &format!("new_{field}")));
    }
    let server = home.serve();
    let expected = format!(r#"{{{},"id":1,"ressource_uri":"/things/1/"}}"#, renamed(THING));
    assert_eq!(server.ask("GET /things/1/").body_text(), expected);
    assert_eq!(server.ids("/things/?new_name=Vase&new_sold=false"), [1]);
    let again = server.ask(&format!("POST /things/ {{{}}}", renamed(THING)));
    assert_eq!(again.body_text(), r#"{"error":"new_code must be unique"}"#);
    server.stop();
    a_start_would_change_nothing(&home);
    let mut indexed = home.stored().indexed("things");
    indexed.sort();
    assert!(indexed.iter().all(|column| column.starts_with("new_") || column == "id"), "{indexed:?}");
    // The old names are free again.
    let old = "height = { type = \"float\" }\ncode = { type = \"integer\" }\n\n[collection.pagination]";
    home.configure(&config.replace("[collection.pagination]", old));
    assert_eq!(home.serve().ids("/things/"), [1]);
}

/// Contacts with these fields: a day, a moment, and a string with rules and a default.
fn contacts(names: [&str; 3], others: &str) -> String {
    let [day, moment, text] = names;
    format!(
        "[[collection]]\nname = \"contacts\"\n[collection.fields]\n{day} = {{ type = \"date\" }}\n\
         {moment} = {{ type = \"datetime\", default = \"2027-01-31T12:00:00Z\" }}\n\
         {text} = {{ type = \"string\", max_length = 4, choices = [\"ada\", \"it's\"], default = \"it's\" }}\n{others}"
    )
}

#[test]
fn a_renamed_field_keeps_its_checks_and_its_default() {
    let (old, new) = (["born", "met", "nick"], ["day", "at", "alias"]);
    let home = Home::new(&contacts(old, ""));
    let server = home.serve();
    server.create("/contacts/", r#"{"born":"1815-12-10","nick":"ada"}"#);
    server.stop();
    home.configure(&contacts(new, ""));
    let refused = home.refused_start().exits(2);
    for (old, new) in old.into_iter().zip(new) {
        home.execute(&renaming(&refused, old, new));
    }
    let server = home.serve();
    server.check(
        "GET /contacts/1/",
        r#"200 OK {"day":"1815-12-10","at":"2027-01-31T12:00:00Z","alias":"ada","id":1,"ressource_uri":"/contacts/1/"}"#,
    );
    server.stop();
    a_start_would_change_nothing(&home);
    for wrong in ["day = '10000-01-01'", "at = 'infinity'", "alias = 'other'", "alias = 'adaad'"] {
        home.cannot_execute(&format!("UPDATE contacts SET {wrong}"));
    }
    // The old names are free again.
    let others = contacts(old, "").split_once("[collection.fields]\n").unwrap().1.to_owned();
    home.configure(&contacts(new, &others));
    assert_eq!(home.serve().ask("GET /contacts/1/").json()["nick"], "it's");
}

#[test]
fn a_renamed_reference_still_refers() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_address();
    assert_eq!(server.status(r#"POST /users/ {"first_name":"John","last_name":"Doe","address":1}"#), 201);
    server.stop();
    home.configure(&configs::built_in().replace("\naddress ", "\nplace "));
    let refused = home.refused_start().exits(2);
    home.execute(&renaming(&refused, "address", "place"));
    let server = home.serve();
    assert_eq!(server.ids("/users/?place=1"), [1]);
    assert_eq!(server.status("DELETE /address/1/"), 409);
    server.stop();
    a_start_would_change_nothing(&home);
}

/// Three users, the last of whom is gone, and a configuration that calls the collection otherwise.
fn with_people() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    for name in ["Ann", "Bob", "Cyd"] {
        server.create_user(name, "Doe");
    }
    assert_eq!(server.status("DELETE /users/3/"), 200);
    server.stop();
    home.configure(&people());
    home
}

fn people() -> String {
    configs::built_in().replace("name = \"users\"", "name = \"people\"")
}

#[track_caller]
fn people_are_the_users(home: &Arc<Home>) {
    let server = home.serve();
    assert_eq!(server.ids("/people/"), [1, 2]);
    assert_eq!(server.ids("/people/?first_name=Bob"), [2]);
    let made = server.ask(r#"POST /people/ {"first_name":"Dan","last_name":"Doe"}"#);
    assert_eq!(made.header("Location").unwrap().rsplit('/').nth(1), Some("4"), "an id was given twice");
    server.stop();
    a_start_would_change_nothing(home);
    assert_eq!(named_after(home, "users"), Vec::<String>::new());
    // The old name is free again.
    home.configure(&format!(
        "{}{}",
        people(),
        configs::built_in()
            .split("[[collection]]")
            .last()
            .map(|users| format!("[[collection]]{users}"))
            .unwrap()
    ));
    let server = home.serve();
    assert_eq!((server.ids("/people/"), server.ids("/users/")), (vec![1, 2, 4], vec![]));
}

#[test]
fn a_renamed_collection_keeps_its_records_and_no_index_of_the_old_name() {
    let home = with_people();
    let said = home.run(&["check"]).exits(0).stdout;
    home.execute(&renaming_table(&said, "people"));
    people_are_the_users(&home);
}

#[test]
fn a_renamed_collection_is_offered_its_table_after_an_empty_start_too() {
    let home = with_people();
    let server = home.serve();
    assert_eq!(server.ids("/people/"), Vec::<i64>::new());
    server.wait_for_error("if it is now called people");
    server.stop();
    let said = home.run(&["check"]).exits(0).stdout;
    home.execute(&renaming_table(&said, "people"));
    people_are_the_users(&home);
}

#[test]
fn a_table_that_was_renamed_by_hand_loses_the_indexes_of_its_old_name() {
    let home = with_people();
    home.execute("CREATE INDEX \"my.own\" ON users (last_name); ALTER TABLE users RENAME TO people");
    let server = home.serve();
    assert_eq!(server.ids("/people/?first_name=Bob"), [2]);
    server.stop();
    a_start_would_change_nothing(&home);
    let left = named_after(&home, "users");
    assert!(
        left.iter().all(|name| name.starts_with("users.id ") || name.ends_with(" reference")),
        "{left:?}"
    );
    assert_eq!(named_after(&home, "my"), ["my.own"], "what another tool made is its own");
}

#[test]
fn a_collection_with_records_is_never_offered_to_be_replaced() {
    let home = with_people();
    let server = home.serve();
    assert_eq!(server.status(r#"POST /people/ {"first_name":"Eve","last_name":"Doe"}"#), 201);
    server.stop();
    let said = home.run(&["check"]).exits(0).stdout;
    assert!(said.contains("the table users is not declared") && !said.contains("DROP TABLE"), "{said}");
}

#[test]
fn a_renamed_collection_that_others_refer_to_is_offered_its_table_in_the_refusal() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_address();
    assert_eq!(server.status(r#"POST /users/ {"first_name":"John","last_name":"Doe","address":1}"#), 201);
    server.stop();
    home.configure(
        &configs::built_in()
            .replace("name = \"address\"", "name = \"places\"")
            .replace("references = \"address\"", "references = \"places\""),
    );
    let refused = home.refused_start().exits(2);
    home.execute(&renaming_table(&refused.stderr, "places"));
    let server = home.serve();
    assert_eq!((server.ids("/users/?address=1").len(), server.status("GET /places/1/")), (1, 200));
    assert_eq!(server.status("DELETE /places/1/"), 409);
    server.stop();
    a_start_would_change_nothing(&home);
}
