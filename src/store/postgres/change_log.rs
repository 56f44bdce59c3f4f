//! The log of changes: what triggers write down of every change to a record, and the version that each commit adds.
//!
//! A statement that changes records is logged under its transaction. The transaction gets its number when it commits:
//! a deferred trigger takes a lock that lasts until the commit is visible, and inserts the next number. So the order of
//! numbers is the order of commits; everybody locks records first and the number last; and nothing is ever updated, so
//! no isolation level fails on it and no open snapshot makes it slower. Numbers may be missing, where a transaction
//! failed in its last moment; once a higher one is seen, a missing one never comes.

use crate::catalog::collection::Collection;
use crate::store::ident::{literal, quote};

/// A statement that changed more rows is logged as one line: forget all that is known of this collection.
pub(super) const MOST_LOGGED: usize = 1000;
/// The triggers of every collection's table.
pub(super) const TRIGGERS: [&str; 4] =
    ["_carnet_inserted", "_carnet_updated", "_carnet_deleted", "_carnet_truncated"];

/// The first statement of whatever carnet writes: nodes write one after the other, and what a statement finds is still
/// so when the next one runs, unless another tool came in between.
pub(super) const TAKE_TURN: &str =
    "SELECT pg_advisory_xact_lock((x'6361726e'::bigint << 32) + '_carnet_version'::regclass::oid::bigint)";
/// As [`TAKE_TURN`], for the writer, whose connection waits for other locks for less long: the turn is waited for five
/// seconds, and every lock after it as long as $1 says. Answers the transaction as the log will know it in its last two
/// columns.
pub(super) const TAKE_TURN_THEN_HURRY: &str = "SELECT set_config('lock_timeout', '5s', true), \
     pg_advisory_xact_lock((x'6361726e'::bigint << 32) + '_carnet_version'::regclass::oid::bigint), \
     set_config('lock_timeout', $1, true), pg_current_xact_id()::text, transaction_timestamp()";
/// The newest version, in a statement that reads records of it.
pub(super) const NEWEST: &str = "(SELECT max(number) AS number FROM _carnet_commits)";

/// The lock under which numbers are given: "caro", beside "carn" of the turn. Whatever has the same name in another schema of the
/// database has other locks.
const NUMBERING: i64 = 0x6361_726f << 32;

/// How many versions of the log are kept: a node that is further behind starts anew.
const KEPT_VERSIONS: i64 = 1_000;

/// Takes what no node needs any more out of the log. The newest version always stays.
pub(super) fn tidy() -> String {
    format!(
        "WITH old AS (DELETE FROM _carnet_commits WHERE number < (SELECT max(number) FROM _carnet_commits) - {KEPT_VERSIONS} \
           RETURNING tx, at), \
         begun AS (DELETE FROM _carnet_transactions t USING old WHERE t.tx = old.tx AND t.at = old.at) \
         DELETE FROM _carnet_changes c USING old WHERE c.tx = old.tx AND c.at = old.at"
    )
}

/// Makes everything that is missing, in the schema of this name.
///
/// The sequences are logged: that of an unlogged column is unlogged too (from PostgreSQL 15 on), and a standby that is
/// promoted may have nothing but zeros of it, so that every write would fail. A transaction is known by its number
/// and its time: in a dump that was restored elsewhere the number alone is that of another one. Whoever may serve the
/// tables of the format before may serve these.
pub(super) fn create(schema: &str) -> String {
    let tables = r#"
CREATE SEQUENCE IF NOT EXISTS _carnet_numbers;
CREATE SEQUENCE IF NOT EXISTS _carnet_places;
CREATE TABLE IF NOT EXISTS _carnet_commits (
  number bigint PRIMARY KEY,
  tx xid8 NOT NULL,
  at timestamptz NOT NULL
);
CREATE UNLOGGED TABLE IF NOT EXISTS _carnet_transactions (
  tx xid8,
  at timestamptz,
  PRIMARY KEY (tx, at)
);
CREATE UNLOGGED TABLE IF NOT EXISTS _carnet_changes (
  place bigint NOT NULL DEFAULT nextval('_carnet_places'),
  collection text NOT NULL,
  id bigint,
  before json,
  after json
);
TRUNCATE _carnet_changes;
ALTER TABLE _carnet_changes
  DROP COLUMN IF EXISTS number,
  ADD COLUMN IF NOT EXISTS tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ADD COLUMN IF NOT EXISTS at timestamptz NOT NULL DEFAULT transaction_timestamp();
DO $carnet$
DECLARE
  role text;
BEGIN
  FOR role IN SELECT DISTINCT grantee::regrole::text FROM pg_class, aclexplode(relacl)
    WHERE pg_class.oid = '_carnet_changes'::regclass AND grantee <> 0 AND privilege_type = 'DELETE'
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON _carnet_commits, _carnet_transactions TO %s', role);
  END LOOP;
END $carnet$;
CREATE INDEX IF NOT EXISTS _carnet_changes_tx ON _carnet_changes (tx, place);
SELECT setval('_carnet_numbers', number) FROM (SELECT max(number) AS number FROM _carnet_commits) AS newest
  WHERE number > (SELECT last_value FROM _carnet_numbers);
INSERT INTO _carnet_commits (number, tx, at)
  SELECT nextval('_carnet_numbers'), pg_current_xact_id(), transaction_timestamp()
  WHERE NOT EXISTS (SELECT FROM _carnet_commits);
"#;
    [tables, &counting(schema), &following(schema)].concat()
}

/// Gives the transaction a number when it commits.
fn announce(schema: &str) -> String {
    format!(
        "INSERT INTO {schema}._carnet_transactions (tx, at) \
         VALUES (pg_catalog.pg_current_xact_id(), pg_catalog.transaction_timestamp()) ON CONFLICT (tx, at) DO NOTHING;"
    )
}

/// `_carnet_raise` is for whoever changed records without triggers: a number without anything in the log makes all nodes
/// forget all they know.
fn counting(schema: &str) -> String {
    let announced = announce(schema);
    let [version, numbers] =
        ["_carnet_version", "_carnet_numbers"].map(|name| literal(&format!("{schema}.{name}")));
    format!(
        r#"
DROP FUNCTION IF EXISTS {schema}._carnet_writing() CASCADE;
DROP FUNCTION IF EXISTS {schema}._carnet_raise();
CREATE FUNCTION {schema}._carnet_raise() RETURNS void LANGUAGE sql AS $carnet$ {announced} $carnet$;
CREATE OR REPLACE FUNCTION {schema}._carnet_committing() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $carnet$
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.int8pl({NUMBERING},
    {version}::pg_catalog.regclass::pg_catalog.oid::pg_catalog.int8));
  INSERT INTO {schema}._carnet_commits (number, tx, at) VALUES (pg_catalog.nextval({numbers}), NEW.tx, NEW.at);
  RETURN NULL;
END $carnet$;
REVOKE ALL ON FUNCTION {schema}._carnet_committing() FROM PUBLIC;
DROP TRIGGER IF EXISTS _carnet_committing ON _carnet_transactions;
CREATE CONSTRAINT TRIGGER _carnet_committing AFTER INSERT ON _carnet_transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {schema}._carnet_committing();
"#
    )
}

/// What the triggers of every collection's table call. The rows are logged as JSON, with all digits of a float
/// whatever the session of the writer has set.
fn following(schema: &str) -> String {
    let function = |name: &str, setting: &str, declared: &str, body: &str| {
        format!(
            r#"
CREATE OR REPLACE FUNCTION {schema}.{name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER{setting} AS $carnet$
{declared}BEGIN
{body}  RETURN NULL;
END $carnet$;
REVOKE ALL ON FUNCTION {schema}.{name}() FROM PUBLIC;
"#
        )
    };
    let digits = " SET extra_float_digits = 1";
    let announced = announce(schema);
    let forgotten = format!(
        "  {announced}\n  \
         INSERT INTO {schema}._carnet_changes (collection) VALUES (TG_TABLE_NAME);\n"
    );
    let logged = |count: &str, columns: &str, values: &str, rows: &str| {
        let few = MOST_LOGGED + 1;
        let declared = format!(
            "DECLARE\n  changed bigint := (SELECT pg_catalog.count(*) FROM (SELECT FROM {count} LIMIT {few}) AS few);\n"
        );
        let body = format!(
            r#"  IF pg_catalog.int8eq(changed, 0) THEN
    RETURN NULL;
  ELSIF pg_catalog.int8gt(changed, {MOST_LOGGED}) THEN
{forgotten}  ELSE
    {announced}
    INSERT INTO {schema}._carnet_changes (collection, id, {columns})
      SELECT TG_TABLE_NAME, {values} FROM {rows};
  END IF;
"#
        );
        (declared, body)
    };
    let (declared, mut body) =
        logged("_carnet_new", "after", "_carnet_new.id, pg_catalog.row_to_json(_carnet_new)", "_carnet_new");
    body.push_str(&format!(
        "  PERFORM {schema}._carnet_given(TG_RELID, (SELECT pg_catalog.max(_carnet_new.id) FROM _carnet_new));\n"
    ));
    let inserted = function("_carnet_inserted", digits, &declared, &body);

    // A record whose id was changed is one that went and one that came.
    let (declared, mut body) = logged(
        "_carnet_new",
        "before, after",
        "coalesce(_carnet_new.id, _carnet_old.id), pg_catalog.row_to_json(_carnet_old), pg_catalog.row_to_json(_carnet_new)",
        "(_carnet_old FULL JOIN _carnet_new ON _carnet_old.id OPERATOR(pg_catalog.=) _carnet_new.id)",
    );
    body.push_str(&format!(
        r#"  PERFORM {schema}._carnet_given(TG_RELID, pg_catalog.max(_carnet_new.id)) FROM _carnet_new
    WHERE NOT EXISTS (SELECT FROM _carnet_old WHERE _carnet_old.id OPERATOR(pg_catalog.=) _carnet_new.id);
"#
    ));
    let updated = function("_carnet_updated", digits, &declared, &body);

    let (declared, body) =
        logged("_carnet_old", "before", "_carnet_old.id, pg_catalog.row_to_json(_carnet_old)", "_carnet_old");
    let deleted = function("_carnet_deleted", digits, &declared, &body);
    let truncated = function("_carnet_truncated", "", "", &forgotten);
    [inserted, updated, deleted, truncated].concat()
}

/// The triggers that see every change to a collection, whoever makes it.
pub(super) fn triggers(collection: &Collection) -> Vec<String> {
    let table = quote(collection.name());
    let trigger = |name: &str, event: &str, referencing: &str| {
        format!(
            "CREATE OR REPLACE TRIGGER {name} {event} ON {table}{referencing} \
             FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
        )
    };
    let [inserted, updated, deleted, truncated] = TRIGGERS;
    vec![
        trigger(inserted, "AFTER INSERT", " REFERENCING NEW TABLE AS _carnet_new"),
        trigger(updated, "AFTER UPDATE", " REFERENCING OLD TABLE AS _carnet_old NEW TABLE AS _carnet_new"),
        trigger(deleted, "AFTER DELETE", " REFERENCING OLD TABLE AS _carnet_old"),
        trigger(truncated, "AFTER TRUNCATE", ""),
    ]
}

/// Tells every node to forget what it knows of a collection.
pub(super) fn forget(collection: &Collection) -> String {
    let name = literal(collection.name());
    format!("SELECT _carnet_raise(); INSERT INTO _carnet_changes (collection) VALUES ({name})")
}
