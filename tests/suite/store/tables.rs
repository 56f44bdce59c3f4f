//! Stored data is plain: real tables, real columns, everything declared, for every other tool to read.

use sha2::{Digest, Sha256};

use crate::support::configs;
use crate::support::home::Home;

/// A stopped store of this configuration.
fn stored(config: &str) -> std::sync::Arc<Home> {
    let home = Home::new(config);
    home.serve().stop();
    home
}

fn columns(home: &Home, table: &str) -> Vec<String> {
    home.query(&format!(
        "SELECT name || ' ' || type || iif(\"notnull\", ' NOT NULL', '') FROM pragma_table_info('{table}')"
    ))
}

#[test]
fn a_collection_is_a_table_and_a_field_is_a_column() {
    let home = stored(&configs::built_in());
    let users = columns(&home, "users");
    for column in ["first_name TEXT NOT NULL", "last_name TEXT NOT NULL", "address INTEGER"] {
        assert!(users.iter().any(|found| found == column), "{column} is not among {users:?}");
    }
    let address = columns(&home, "address");
    for column in
        ["country TEXT NOT NULL", "city TEXT NOT NULL", "street TEXT NOT NULL", "number INTEGER NOT NULL"]
    {
        assert!(address.iter().any(|found| found == column), "{column} is not among {address:?}");
    }
    for table in ["users", "address"] {
        assert_eq!(
            home.query(&format!("SELECT pk FROM pragma_table_info('{table}') WHERE name = 'id'")),
            ["1"]
        );
    }
}

#[test]
fn any_further_column_has_a_default_so_that_a_plain_insert_works() {
    let home = stored(&configs::kinds());
    home.execute("INSERT INTO things (name, size, weight, fragile) VALUES ('a', 1, 0.5, 1)");
    let server = home.serve();
    server.check(
        "GET /things/1/",
        r#"200 OK {"name":"a","size":1,"weight":0.5,"fragile":true,"note":null,"code":null,"height":null,"sold":null,"id":1,"ressource_uri":"/things/1/"}"#,
    );
}

#[test]
fn tables_are_strict_and_ids_are_autoincrement() {
    let home = stored(&configs::built_in());
    assert_eq!(
        home.query(
            "SELECT name FROM pragma_table_list WHERE name IN ('users', 'address') AND strict ORDER BY name"
        ),
        ["address", "users"]
    );
    let sql =
        home.query("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name IN ('users', 'address')");
    assert!(sql.iter().all(|sql| sql.to_uppercase().contains("AUTOINCREMENT")), "{sql:?}");
    let error = home
        .stored()
        .execute("INSERT INTO address (country, city, street, number) VALUES ('a', 'b', 'c', 'five')", []);
    assert!(error.is_err());
}

#[test]
fn references_are_declared_foreign_keys_with_their_rule() {
    for (rule, declared) in [("restrict", "RESTRICT"), ("set_null", "SET NULL"), ("cascade", "CASCADE")] {
        let home = stored(&configs::on_delete(rule));
        let keys = "SELECT \"table\" || '.' || \"to\" || ' ' || \"from\" || ' ' || on_delete FROM pragma_foreign_key_list('users')";
        let found = home.query(keys);
        let accepted = [format!("address.id address {declared}"), "address.id address NO ACTION".to_owned()];
        assert_eq!(found.len(), 1);
        assert!(found[0] == accepted[0] || (rule == "restrict" && found[0] == accepted[1]), "{found:?}");
    }
}

#[test]
fn there_is_an_index_for_each_field() {
    let home = stored(&configs::built_in());
    let indexed = home.query(
        "SELECT DISTINCT tables.name || '.' || columns.name
         FROM sqlite_schema AS tables, pragma_index_list(tables.name) AS list, pragma_index_info(list.name) AS columns
         WHERE tables.type = 'table' AND columns.seqno = 0",
    );
    for field in [
        "users.first_name",
        "users.last_name",
        "users.address",
        "address.country",
        "address.city",
        "address.street",
        "address.number",
    ] {
        assert!(indexed.iter().any(|found| found == field), "{field} is not among {indexed:?}");
    }
}

#[test]
fn a_unique_rule_is_a_unique_index() {
    let home = stored(&configs::unique());
    home.execute("INSERT INTO users (first_name, last_name) VALUES ('John', 'Doe')");
    let again = home.stored().execute("INSERT INTO users (first_name, last_name) VALUES ('John', 'Doe')", []);
    assert!(again.is_err());
    assert_eq!(home.query("SELECT count(*) FROM pragma_index_list('users') WHERE \"unique\""), ["1"]);
}

#[test]
fn values_are_stored_as_themselves() {
    let home = Home::new(&configs::kinds());
    let server = home.serve();
    server.create("/things/", r#"{"name":"é'","size":-5,"weight":2,"fragile":true,"sold":false}"#);
    server.stop();
    let row = "SELECT name || '|' || size || '|' || weight || '|' || fragile || '|' || sold || '|' || (note IS NULL) FROM things";
    assert_eq!(home.query(row), ["é'|-5|2.0|1|0|1"]);
}

#[test]
fn the_file_is_in_wal_mode_and_a_clean_stop_leaves_nothing_beside_it() {
    let home = stored(&configs::built_in());
    assert_eq!(home.query("PRAGMA journal_mode"), ["wal"]);
    let home = stored(&configs::built_in());
    let wal = home.path("book.db-wal");
    assert!(!wal.exists() || wal.metadata().unwrap().len() == 0);
    home.is_sound();
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
