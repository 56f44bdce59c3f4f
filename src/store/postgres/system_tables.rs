//! The tables, functions and triggers that carnet keeps for itself: the version, the changes, the keys, the quotas, the
//! answers, the trail.
//!
//! The functions that triggers call run with the rights of their owner, since whoever writes need not have any on our
//! tables; so nothing in them may depend on the search path of the writer. They name the schema of everything, and
//! of every operator too: setting the path instead would take longer than all they do.

use super::ddl::literal;
use super::id_counter;
use crate::catalog::collection::Collection;
use crate::store::ident::quote;

/// The format of what is stored, in `_carnet_version`. A change to anything below raises it, but for a table that is
/// new: that it is missing shows by itself, and older versions need not know it. 2: access keys have scopes and an end,
/// of which earlier versions know nothing.
pub(super) const FORMAT: i32 = 2;

/// A statement that changed more rows is logged as one line: forget all that is known of this collection.
const MOST_LOGGED: usize = 1000;
/// How far the counter of ids is moved step by step. A jump could take it back where others count meanwhile; nobody
/// counts this far in the time of a jump.
const MOST_SINGLE_STEPS: usize = 1000;

/// The tables of ours.
pub(super) const TABLES: [&str; 8] = [
    "_carnet_version",
    "_carnet_changes",
    "_carnet_keys",
    "_carnet_key_uses",
    "_carnet_quota",
    "_carnet_answers",
    "_carnet_audit",
    "_carnet_audit_head",
];
/// The functions of ours.
pub(super) const FUNCTIONS: [&str; 10] = [
    "_carnet_raise",
    "_carnet_given",
    "_carnet_reread",
    "_carnet_writing",
    "_carnet_inserted",
    "_carnet_updated",
    "_carnet_deleted",
    "_carnet_truncated",
    "_carnet_keys_changed",
    "_carnet_audit_kept",
];
/// The triggers of every collection's table.
pub(super) const TRIGGERS: [&str; 5] =
    ["_carnet_writing", "_carnet_inserted", "_carnet_updated", "_carnet_deleted", "_carnet_truncated"];

/// Makes everything that is missing, in the schema of this name.
pub(super) fn create(schema: &str) -> String {
    let schema = quote(schema);
    [
        tables(),
        counting(&schema),
        id_counter::function(&schema),
        following(&schema),
        keys(&schema),
        trail(&schema),
    ]
    .concat()
}

/// The order of changes is a sequence by itself, and logged: that of an unlogged column is unlogged too (from
/// PostgreSQL 15 on), and a standby that is promoted may have nothing but zeros of it, so that every write would fail.
fn tables() -> String {
    format!(
        r#"
CREATE TABLE IF NOT EXISTS _carnet_version (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  format integer NOT NULL,
  number bigint NOT NULL,
  raised_by xid8,
  raised_at timestamptz,
  keys bigint NOT NULL DEFAULT 0
);
INSERT INTO _carnet_version (format, number) VALUES ({FORMAT}, 0)
  ON CONFLICT ("only") DO UPDATE SET format = excluded.format;
CREATE SEQUENCE IF NOT EXISTS _carnet_places;
CREATE UNLOGGED TABLE IF NOT EXISTS _carnet_changes (
  number bigint NOT NULL,
  place bigint NOT NULL DEFAULT nextval('_carnet_places'),
  collection text NOT NULL,
  id bigint,
  before json,
  after json
);
CREATE INDEX IF NOT EXISTS _carnet_changes_number ON _carnet_changes (number, place);
CREATE TABLE IF NOT EXISTS _carnet_keys (
  name text COLLATE "C" PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  prefix text NOT NULL,
  created text NOT NULL
);
ALTER TABLE _carnet_keys
  ADD COLUMN IF NOT EXISTS admin boolean NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS scopes text NOT NULL DEFAULT '*',
  ADD COLUMN IF NOT EXISTS expires text,
  ADD COLUMN IF NOT EXISTS previous_hash bytea,
  ADD COLUMN IF NOT EXISTS previous_until text,
  ADD COLUMN IF NOT EXISTS first_hash bytea;
CREATE TABLE IF NOT EXISTS _carnet_key_uses (
  name text COLLATE "C" PRIMARY KEY REFERENCES _carnet_keys (name) ON DELETE CASCADE,
  last_used text COLLATE "C" NOT NULL
);
CREATE TABLE IF NOT EXISTS _carnet_audit (
  number bigint PRIMARY KEY,
  at text NOT NULL,
  event text NOT NULL,
  subject text NOT NULL,
  details text NOT NULL,
  actor text NOT NULL,
  address text NOT NULL,
  request_id text NOT NULL,
  hash bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS _carnet_audit_head (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  number bigint NOT NULL,
  hash bytea NOT NULL
);
INSERT INTO _carnet_audit_head (number, hash) VALUES (0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;
CREATE UNLOGGED TABLE IF NOT EXISTS _carnet_quota (
  collection text,
  key bytea,
  ends timestamptz NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (collection, key)
);
CREATE TABLE IF NOT EXISTS _carnet_answers (
  identity bytea PRIMARY KEY,
  fingerprint bytea NOT NULL,
  moment timestamptz NOT NULL,
  verdict text NOT NULL,
  id bigint,
  detail text
);
CREATE INDEX IF NOT EXISTS _carnet_answers_moment ON _carnet_answers (moment);
"#
    )
}

/// `_carnet_raise` raises the version once in a transaction, and returns it. `_carnet_given` moves the counter of
/// ids past one that a tool chose.
fn counting(schema: &str) -> String {
    format!(
        r#"
CREATE OR REPLACE FUNCTION {schema}._carnet_raise() RETURNS bigint LANGUAGE plpgsql AS $carnet$
BEGIN
  UPDATE {schema}._carnet_version
    SET number = pg_catalog.int8pl(number, 1), raised_by = pg_catalog.pg_current_xact_id(),
      raised_at = pg_catalog.transaction_timestamp()
    WHERE NOT coalesce(pg_catalog.xid8eq(raised_by, pg_catalog.pg_current_xact_id())
      AND pg_catalog.timestamptz_eq(raised_at, pg_catalog.transaction_timestamp()), false);
  RETURN (SELECT number FROM {schema}._carnet_version);
END $carnet$;
CREATE OR REPLACE FUNCTION {schema}._carnet_given(collection regclass, given bigint) RETURNS void
LANGUAGE plpgsql AS $carnet$
DECLARE
  ids pg_catalog.regclass := pg_catalog.pg_get_serial_sequence(collection::pg_catalog.text, 'id');
  ahead bigint := pg_catalog.int8mi(given, coalesce(pg_catalog.pg_sequence_last_value(ids), 0));
BEGIN
  IF pg_catalog.int8gt(ahead, {MOST_SINGLE_STEPS}) THEN
    PERFORM pg_catalog.setval(ids, given);
  ELSIF pg_catalog.int8gt(ahead, 0) THEN
    PERFORM pg_catalog.nextval(ids) FROM pg_catalog.generate_series(1, ahead);
  END IF;
END $carnet$;
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
    let logged = |count: &str, columns: &str, values: &str, rows: &str| {
        let few = MOST_LOGGED + 1;
        let declared = format!(
            "DECLARE\n  changed bigint := (SELECT pg_catalog.count(*) FROM (SELECT FROM {count} LIMIT {few}) AS few);\n"
        );
        let body = format!(
            r#"  IF pg_catalog.int8eq(changed, 0) THEN
    RETURN NULL;
  ELSIF pg_catalog.int8gt(changed, {MOST_LOGGED}) THEN
    INSERT INTO {schema}._carnet_changes (number, collection) VALUES ({schema}._carnet_raise(), TG_TABLE_NAME);
  ELSE
    INSERT INTO {schema}._carnet_changes (number, collection, id, {columns})
      SELECT version, TG_TABLE_NAME, {values} FROM {schema}._carnet_raise() AS version, {rows};
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

    // Before a statement locks any record, it waits for those who write: our own writers take the version first
    // and a record then, and the other way round would be a deadlock.
    let body = format!("  PERFORM FROM {schema}._carnet_version FOR NO KEY UPDATE;\n");
    let writing = function("_carnet_writing", "", "", &body);

    let body = format!(
        "  INSERT INTO {schema}._carnet_changes (number, collection)\n    \
         VALUES ({schema}._carnet_raise(), TG_TABLE_NAME);\n"
    );
    let truncated = function("_carnet_truncated", "", "", &body);
    [writing, inserted, updated, deleted, truncated].concat()
}

/// A number that every change of the access keys raises.
fn keys(schema: &str) -> String {
    format!(
        r#"
CREATE OR REPLACE FUNCTION {schema}._carnet_keys_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $carnet$
BEGIN
  UPDATE {schema}._carnet_version SET keys = pg_catalog.int8pl(keys, 1);
  RETURN NULL;
END $carnet$;
REVOKE ALL ON FUNCTION {schema}._carnet_keys_changed() FROM PUBLIC;
CREATE OR REPLACE TRIGGER _carnet_keys_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON _carnet_keys
  FOR EACH STATEMENT EXECUTE FUNCTION _carnet_keys_changed();
"#
    )
}

/// Keeps tools from changing by mistake what is only ever added to; the chain tells of those who mean to.
fn trail(schema: &str) -> String {
    format!(
        r#"
CREATE OR REPLACE FUNCTION {schema}._carnet_audit_kept() RETURNS trigger LANGUAGE plpgsql AS $carnet$
BEGIN
  RAISE EXCEPTION 'the audit trail is only added to';
END $carnet$;
CREATE OR REPLACE TRIGGER _carnet_audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON _carnet_audit
  FOR EACH STATEMENT EXECUTE FUNCTION _carnet_audit_kept();
"#
    )
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
    let [writing, inserted, updated, deleted, truncated] = TRIGGERS;
    vec![
        trigger(writing, "BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE", ""),
        trigger(inserted, "AFTER INSERT", " REFERENCING NEW TABLE AS _carnet_new"),
        trigger(updated, "AFTER UPDATE", " REFERENCING OLD TABLE AS _carnet_old NEW TABLE AS _carnet_new"),
        trigger(deleted, "AFTER DELETE", " REFERENCING OLD TABLE AS _carnet_old"),
        trigger(truncated, "AFTER TRUNCATE", ""),
    ]
}

/// Tells every node to forget what it knows of a collection.
pub(super) fn forget(collection: &Collection) -> String {
    let name = literal(collection.name());
    format!("INSERT INTO _carnet_changes (number, collection) SELECT _carnet_raise(), {name}")
}
