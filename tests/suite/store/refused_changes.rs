//! The configuration has changed: what would lose or break data stops the start and touches nothing.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;

const PAGES: &str = "[collection.pagination]\npage_size = 20\n";

/// A store with three users of telling ids, two of the same name.
fn with_users() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(
        "INSERT INTO users (id, first_name, last_name) VALUES
         (4141, 'John', 'Doe'), (5252, 'Jane', 'Doe'), (6363, 'John', 'Doe')",
    );
    home
}

fn fields(lines: &str) -> String {
    configs::users_with_fields("", &format!("[collection.fields]\n{lines}"), PAGES)
}

/// The start and `check` are refused with these words, and the old configuration serves as before.
#[track_caller]
fn refused(config: &str, words: &[&str]) {
    let home = with_users();
    let before = home.stored_bytes();
    home.configure(config);
    let start = home.refused_start().exits(2).says(words);
    assert!(start.stdout.is_empty(), "{start:?}");
    home.run(&["check"]).exits(2).says(words);
    assert!(home.stored_bytes() == before, "the store was touched");
    home.configure(&configs::built_in());
    assert_eq!(home.serve().ids("/users/"), [4141, 5252, 6363]);
}

#[test]
fn a_field_that_is_gone_is_refused() {
    refused(
        &fields(
            "first_name = { type = \"string\", required = true }
             address = { type = \"integer\", references = \"address\" }",
        ),
        &["users", "last_name"],
    );
}

#[test]
fn a_field_of_another_type_is_refused() {
    refused(
        &fields(
            "first_name = { type = \"string\", required = true }
             last_name = { type = \"integer\", required = true }
             address = { type = \"integer\", references = \"address\" }",
        ),
        &["users", "last_name"],
    );
}

#[test]
fn a_new_required_field_is_refused_with_the_ids_of_the_records_in_the_way() {
    refused(
        &fields(
            "first_name = { type = \"string\", required = true }
             last_name = { type = \"string\", required = true }
             nick = { type = \"string\", required = true }
             address = { type = \"integer\", references = \"address\" }",
        ),
        &["users", "nick", "4141", "5252", "6363"],
    );
}

#[test]
fn an_optional_field_made_required_is_refused_with_the_ids_of_the_records_without_a_value() {
    refused(
        &fields(
            "first_name = { type = \"string\", required = true }
             last_name = { type = \"string\", required = true }
             address = { type = \"integer\", required = true, references = \"address\" }",
        ),
        &["users", "address", "4141", "5252", "6363"],
    );
}

#[test]
fn a_unique_rule_that_records_violate_is_refused_with_their_ids() {
    refused(&configs::unique(), &["first_name", "last_name", "4141", "6363"]);
}

#[test]
fn a_refused_change_applies_nothing_of_what_could_have_been_applied() {
    let home = with_users();
    home.configure(&format!("{}{}", configs::unique(), configs::kinds()));
    home.refused_start().exits(2);
    let tables = home.stored().tables();
    assert!(
        tables.iter().any(|table| table == "users") && !tables.iter().any(|table| table == "things"),
        "{tables:?}"
    );
}
