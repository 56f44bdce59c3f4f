//! The rules of strings are constraints of their tables: they hold whoever writes, and follow the configuration.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;

/// Contacts by the name, with these keys of each.
fn config(nick: &str, email: &str, kind: &str) -> String {
    format!(
        "[[collection]]\nname = \"contacts\"\n[collection.fields]\n\
         nick = {{ type = \"string\"{nick} }}\nemail = {{ type = \"string\"{email} }}\nkind = {{ type = \"string\"{kind} }}\n"
    )
}

/// A store without rules, in which some records meet none.
fn with_contacts() -> Arc<Home> {
    let home = Home::new(&config("", "", ""));
    home.serve().stop();
    home.execute(
        "INSERT INTO contacts (id, nick, email, kind) VALUES
         (1, 'ada', 'ada@example.org', 'home'), (4141, 'ééééé', 'a@b c', 'Home'), (5252, NULL, NULL, NULL),
         (6363, '', '', '')",
    );
    home
}

#[test]
fn a_rule_holds_whoever_writes() {
    let home = Home::new(&configs::contacts());
    home.serve().stop();
    home.execute("INSERT INTO contacts (nick, kind) VALUES ('a', 'it''s \"ours\"')");
    for (column, value) in [
        ("nick", "x".repeat(41)),
        ("email", "nobody".into()),
        ("phone", "11".into()),
        ("site", "javascript:".into()),
        ("kind", "Home".into()),
    ] {
        home.cannot_execute(&format!("UPDATE contacts SET {column} = '{value}'"));
    }
}

#[test]
fn a_tightened_rule_names_its_violators_and_changes_nothing() {
    let home = with_contacts();
    let before = home.stored_bytes();
    for (config, message) in [
        (
            config(", max_length = 4", "", ""),
            "the field nick of contacts now has at most 4 characters, and some values have more (records 4141). \
             Remedy: correct those records, or leave `max_length` out",
        ),
        (
            config("", ", format = \"email\"", ""),
            "the field email of contacts is now an address such as ada@example.org, and some values are not \
             (records 4141, 6363). Remedy: correct those records, or leave `format` out",
        ),
        (
            config("", "", ", choices = [\"home\", \"work\"]"),
            "the field kind of contacts is now one of home, work, and some values are not (records 4141, 6363). \
             Remedy: correct those records, or leave `choices` out",
        ),
    ] {
        home.configure(&config);
        home.refused_start().exits(2).says(&[message]);
        home.run(&["check"]).exits(2).says(&[message]);
        assert!(home.stored_bytes() == before, "the store was touched");
    }
}

#[test]
fn rules_follow_the_configuration_where_the_data_meets_them() {
    let home = with_contacts();
    let takes = |nick: &str, email: &str, kind: &str| {
        home.execute(&format!(
            "UPDATE contacts SET nick = '{nick}', email = '{email}', kind = '{kind}' WHERE id = 1"
        ));
    };
    home.execute("DELETE FROM contacts WHERE id IN (4141, 6363)");
    let first = config(", max_length = 4", ", format = \"email\"", ", choices = [\"home\"]");
    home.configure(&first);
    home.run(&["check"]).exits(0).says(&["change the rules of the field nick of contacts"]);
    let server = home.serve();
    server.create("/contacts/", r#"{"nick":"ünïq","email":"a@b","kind":"home"}"#);
    server.stop();
    home.cannot_execute("UPDATE contacts SET nick = 'abcde'");
    // Looser, and other ones: those of before are gone.
    home.configure(&config(", max_length = 5", "", ", choices = [\"home\", \"work\"]"));
    home.serve().stop();
    takes("abcde", "nobody", "work");
    home.cannot_execute("UPDATE contacts SET nick = 'abcdef'");
    home.cannot_execute("UPDATE contacts SET kind = 'other'");
    // None, and ids go on behind those that were given.
    home.configure(&config("", "", ""));
    let server = home.serve();
    takes("abcdef", "nobody", "other");
    assert_eq!(server.create("/contacts/", "{}"), 6365);
    server.stop();
    // Nothing is left to do.
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
}

#[test]
fn a_start_with_the_same_rules_changes_nothing() {
    let home = Home::new(&configs::contacts());
    home.serve().stop();
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
}

#[test]
fn a_rule_of_a_long_name_follows_the_configuration_too() {
    let (table, field) = ("c".repeat(40), "f".repeat(40));
    let config = |keys: &str| {
        format!(
            "[[collection]]\nname = \"{table}\"\n[collection.fields]\n{field} = {{ type = \"string\"{keys} }}\n\
             weight = {{ type = \"float\" }}\n"
        )
    };
    let home = Home::new(&config(", max_length = 4"));
    home.serve().stop();
    home.cannot_execute(&format!("INSERT INTO {table} ({field}) VALUES ('abcde')"));
    home.configure(&config(", max_length = 5"));
    home.serve().stop();
    home.execute(&format!("INSERT INTO {table} ({field}) VALUES ('abcde')"));
    home.cannot_execute(&format!("INSERT INTO {table} ({field}) VALUES ('abcdef')"));
    home.configure(&config(""));
    home.serve().stop();
    home.execute(&format!("INSERT INTO {table} ({field}, weight) VALUES ('abcdef', 1.5)"));
}
