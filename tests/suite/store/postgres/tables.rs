//! What only PostgreSQL leaves open, and carnet does not: languages that sort, numbers that are none, ids out of order.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;

fn stored() -> Arc<Home> {
    let home = Home::new(&configs::kinds());
    home.serve().stop();
    home
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn strings_are_compared_byte_for_byte_whatever_the_language_of_the_database() {
    let home = stored();
    let collations = home.query(
        "SELECT attname || ' ' || collname FROM pg_attribute JOIN pg_collation ON pg_collation.oid = attcollation
         WHERE attrelid = 'things'::regclass AND attnum > 0 ORDER BY attnum",
    );
    assert_eq!(collations, ["name C", "note C"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn ids_are_given_by_the_database_to_whoever_names_none() {
    let home = stored();
    let identity =
        "SELECT attidentity FROM pg_attribute WHERE attrelid = 'things'::regclass AND attname = 'id'";
    assert_eq!(home.query(identity), ["d"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_json_cannot_say_and_an_id_that_no_path_has_are_refused_whoever_writes() {
    let home = stored();
    let insert = |id: &str, weight: &str| {
        format!("INSERT INTO things (id, name, size, weight, fragile) VALUES ({id}, 'a', 1, {weight}, TRUE)")
    };
    for weight in ["'NaN'", "'Infinity'", "'-Infinity'"] {
        home.cannot_execute(&insert("5", weight));
    }
    for id in ["0", "-1"] {
        home.cannot_execute(&insert(id, "1.5"));
    }
    home.execute(&insert("5", "1.7976931348623157e308"));
}
