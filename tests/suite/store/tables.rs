//! Stored data is plain: real tables, real columns, everything declared, for every other tool to read.

use dev::configs;
use sha2::{Digest, Sha256};

use crate::support::home::Home;

/// A stopped store of this configuration.
fn stored(config: &str) -> std::sync::Arc<Home> {
    let home = Home::new(config);
    home.serve().stop();
    home
}

#[test]
fn a_collection_is_a_table_and_a_field_is_a_column() {
    let home = stored(&configs::built_in());
    let users = home.stored().columns("users");
    for column in ["first_name text NOT NULL", "last_name text NOT NULL", "address integer"] {
        assert!(users.iter().any(|found| found == column), "{column} is not among {users:?}");
    }
    let address = home.stored().columns("address");
    for column in
        ["country text NOT NULL", "city text NOT NULL", "street text NOT NULL", "number integer NOT NULL"]
    {
        assert!(address.iter().any(|found| found == column), "{column} is not among {address:?}");
    }
    for table in ["users", "address"] {
        assert_eq!(home.stored().primary_key(table), ["id"]);
    }
}

#[test]
fn any_further_column_has_a_default_so_that_a_plain_insert_works() {
    let home = stored(&configs::kinds());
    home.execute("INSERT INTO things (name, size, weight, fragile) VALUES ('a', 1, 0.5, TRUE)");
    let server = home.serve();
    server.check(
        "GET /things/1/",
        r#"200 OK {"name":"a","size":1,"weight":0.5,"fragile":true,"note":null,"code":null,"height":null,"sold":null,"id":1,"ressource_uri":"/things/1/"}"#,
    );
}

#[test]
fn references_are_declared_foreign_keys_with_their_rule() {
    for (rule, declared) in [("restrict", "RESTRICT"), ("set_null", "SET NULL"), ("cascade", "CASCADE")] {
        let home = stored(&configs::on_delete(rule));
        let found = home.stored().references("users");
        let accepted = [declared, if rule == "restrict" { "NO ACTION" } else { declared }];
        let accepted = accepted.map(|declared| vec![format!("address -> address.id ON DELETE {declared}")]);
        assert!(accepted.contains(&found), "{found:?}");
    }
}

#[test]
fn there_is_an_index_for_each_field() {
    let home = stored(&configs::built_in());
    for (table, fields) in [
        ("users", &["first_name", "last_name", "address"][..]),
        ("address", &["country", "city", "street", "number"]),
    ] {
        let indexed = home.stored().indexed(table);
        for field in fields {
            assert!(indexed.iter().any(|found| found == field), "{table}.{field} is not among {indexed:?}");
        }
    }
}

#[test]
fn a_unique_rule_is_a_unique_index() {
    let home = stored(&configs::unique());
    assert_eq!(home.stored().unique("users"), ["first_name,last_name"]);
    home.execute("INSERT INTO users (first_name, last_name) VALUES ('John', 'Doe')");
    home.cannot_execute("INSERT INTO users (first_name, last_name) VALUES ('John', 'Doe')");
}

#[test]
fn a_value_of_another_type_a_missing_one_and_a_reference_to_nothing_are_refused_whoever_writes() {
    let home = stored(&configs::built_in());
    home.cannot_execute("INSERT INTO address (country, city, street, number) VALUES ('a', 'b', 'c', 'five')");
    home.cannot_execute("INSERT INTO users (first_name, last_name) VALUES ('John', NULL)");
    home.cannot_execute("INSERT INTO users (first_name, last_name, address) VALUES ('John', 'Doe', 1)");
}

#[test]
fn values_are_stored_as_themselves() {
    let home = Home::new(&configs::kinds());
    let server = home.serve();
    server.create("/things/", r#"{"name":"é'","size":-5,"weight":2,"fragile":true,"sold":false}"#);
    server.stop();
    let row = "SELECT name || '|' || size || '|' || weight || '|' || fragile || '|' || sold || '|' || (note IS NULL) FROM things";
    assert_eq!(home.query(row), [home.either("é'|-5|2.0|1|0|1", "é'|-5|2|true|false|true")]);
}

#[test]
fn of_a_key_only_its_sha_256_hash_is_stored() {
    let home = Home::new(&configs::guarded());
    home.add_key("tests", "a-key-that-is-nowhere");
    home.serve().stop();
    let bytes = home.stored_bytes();
    let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    assert!(!holds(b"a-key-that-is-nowhere"));
    let hash = Sha256::digest(b"a-key-that-is-nowhere");
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let raw = bytes.windows(hash.len()).any(|window| window == hash.as_slice());
    assert!(raw || holds(hex.as_bytes()));
}
