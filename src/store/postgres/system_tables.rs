//! The tables, functions and triggers that carnet keeps for itself: the id of the store, the version, the
//! changes, the keys, the quotas, the answers, the trail, the imports.
//!
//! The functions that triggers call run with the rights of their owner, since whoever writes need not have any on our
//! tables; so nothing in them may depend on the search path of the writer. They name the schema of everything, and
//! of every operator too: setting the path instead would take longer than all they do.

use super::{change_log, id_counter};
use crate::store::ident::quote;

/// The format of what is stored, in `_carnet_version`. A change to anything below raises it, but for a table that is
/// new: that it is missing shows by itself, and older versions need not know it. 2: access keys have scopes and an end,
/// of which earlier versions know nothing. 3: versions are rows of `_carnet_commits`, inserted at COMMIT.
pub(super) const FORMAT: i32 = 3;

/// How far the counter of ids is moved step by step. A jump could take it back where others count meanwhile; nobody
/// counts this far in the time of a jump.
const MOST_SINGLE_STEPS: usize = 1000;

/// The tables of ours.
pub(super) const TABLES: [&str; 13] = [
    "_carnet_store",
    "_carnet_version",
    "_carnet_commits",
    "_carnet_transactions",
    "_carnet_changes",
    "_carnet_keys",
    "_carnet_key_uses",
    "_carnet_quota",
    "_carnet_answers",
    "_carnet_audit",
    "_carnet_audit_head",
    "_carnet_imports",
    "_carnet_imported_files",
];
/// The functions of ours.
pub(super) const FUNCTIONS: [&str; 10] = [
    "_carnet_raise",
    "_carnet_given",
    "_carnet_reread",
    "_carnet_committing",
    "_carnet_inserted",
    "_carnet_updated",
    "_carnet_deleted",
    "_carnet_truncated",
    "_carnet_keys_changed",
    "_carnet_audit_kept",
];
/// Makes everything that is missing, in the schema of this name.
pub(super) fn create(schema: &str) -> String {
    let schema = quote(schema);
    [
        tables(),
        counting(&schema),
        change_log::create(&schema),
        id_counter::function(&schema),
        keys(&schema),
        trail(&schema),
    ]
    .concat()
}

fn tables() -> String {
    format!(
        r#"
CREATE TABLE IF NOT EXISTS _carnet_version (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  format integer NOT NULL,
  keys bigint NOT NULL DEFAULT 0
);
ALTER TABLE _carnet_version
  DROP COLUMN IF EXISTS number, DROP COLUMN IF EXISTS raised_by, DROP COLUMN IF EXISTS raised_at;
INSERT INTO _carnet_version (format) VALUES ({FORMAT}) ON CONFLICT ("only") DO UPDATE SET format = excluded.format;
CREATE TABLE IF NOT EXISTS _carnet_store (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  id bytea NOT NULL CHECK (octet_length(id) = 16)
);
INSERT INTO _carnet_store (id)
  VALUES (substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16)) ON CONFLICT DO NOTHING;
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
CREATE TABLE IF NOT EXISTS _carnet_imports (
  number bigint PRIMARY KEY,
  collection text NOT NULL,
  maker bytea,
  told timestamptz NOT NULL DEFAULT now(),
  is_over boolean NOT NULL,
  report text NOT NULL
);
CREATE TABLE IF NOT EXISTS _carnet_imported_files (
  collection text NOT NULL,
  hash bytea NOT NULL,
  told timestamptz NOT NULL DEFAULT now(),
  is_over boolean NOT NULL,
  PRIMARY KEY (collection, hash)
);
CREATE INDEX IF NOT EXISTS _carnet_answers_moment ON _carnet_answers (moment);
"#
    )
}

/// `_carnet_given` moves the counter of ids past one that a tool chose.
fn counting(schema: &str) -> String {
    format!(
        r#"
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
