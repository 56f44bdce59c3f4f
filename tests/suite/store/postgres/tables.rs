//! What only PostgreSQL leaves open, and carnet does not: languages that sort, numbers that are none, ids out of order.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;
use crate::support::server::Server;

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

/// As carnet left them that counted versions in one row: another shape of two tables, functions and a trigger of that
/// time, and rights for a role that serves.
const FORMAT_2: &str = r#"
DROP TABLE _carnet_commits, _carnet_transactions;
DROP SEQUENCE _carnet_numbers;
ALTER TABLE _carnet_version ADD COLUMN number bigint NOT NULL DEFAULT 7, ADD COLUMN raised_by xid8,
  ADD COLUMN raised_at timestamptz;
UPDATE _carnet_version SET format = 2;
ALTER TABLE _carnet_changes DROP COLUMN tx, DROP COLUMN at, ADD COLUMN number bigint NOT NULL DEFAULT 7;
INSERT INTO _carnet_changes (collection) VALUES ('users');
DROP FUNCTION _carnet_raise(), _carnet_committing();
CREATE FUNCTION _carnet_raise() RETURNS bigint LANGUAGE sql AS $$
  UPDATE _carnet_version SET number = number + 1 RETURNING number $$;
CREATE FUNCTION _carnet_writing() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN PERFORM FROM _carnet_version FOR NO KEY UPDATE; RETURN NULL; END $$;
CREATE TRIGGER _carnet_writing BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION _carnet_writing();
"#;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn tables_of_the_version_before_are_taken_over_by_the_first_start() {
    let home = Server::start(&configs::built_in()).stop();
    // Where counters stand and what was dropped is another matter.
    let defined = || -> Vec<String> {
        let lines = home.stored().definitions().into_iter();
        lines.filter(|line| !line.starts_with("sequence ") && !line.contains("pg.dropped")).collect()
    };
    let fresh = defined();
    home.execute(FORMAT_2);
    home.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON _carnet_changes TO pg_database_owner");
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let id = nodes[0].create_user("Jane", "Doe");
    assert_eq!(nodes[1].ask(&format!("GET /users/{id}/")).json()["last_name"], "Doe");
    home.execute("UPDATE users SET last_name = 'Roe'");
    nodes.iter().for_each(|node| assert_eq!(node.total("/users/?last_name=Roe"), 1));
    let may = "SELECT has_table_privilege('pg_database_owner', '_carnet_commits', 'SELECT, DELETE')";
    assert_eq!(home.query(may), ["t"], "whoever may serve the old tables may serve the new ones");
    assert_eq!(defined(), fresh);
}
