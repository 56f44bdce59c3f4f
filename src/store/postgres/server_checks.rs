//! Whether a PostgreSQL server and its database are such that carnet can keep records there.

use tokio_postgres::{Error, Transaction};

use super::system_tables;
use crate::store::OpenError;
use crate::store::keys::KEY_COLUMNS;

/// The oldest server that has all we use, as it numbers itself.
const OLDEST: i32 = 140_000;

/// What must be known of a server before anything else.
pub(super) struct ServerFacts {
    number: i32,
    version: String,
    encoding: String,
    pub(super) role: String,
    schema: Option<String>,
    is_standby: bool,
    is_read_only: bool,
    /// The format of our tables, where they are there.
    pub(super) format: Option<i32>,
    /// Whether all that is ours is there, and of the format that we know.
    pub(super) is_ours: bool,
}

impl ServerFacts {
    pub(super) async fn read(transaction: &Transaction<'_>) -> Result<Self, Error> {
        let text = "
SELECT current_setting('server_version_num')::int, current_setting('server_version'),
  current_setting('server_encoding'), current_user::text, current_schema()::text,
  pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'";
        let row = transaction.query_one(text, &[]).await?;
        let mut facts = Self {
            number: row.get(0),
            version: row.get(1),
            encoding: row.get(2),
            role: row.get(3),
            schema: row.get(4),
            is_standby: row.get(5),
            is_read_only: row.get(6),
            format: None,
            is_ours: false,
        };
        let text = "
WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
SELECT
  ARRAY(SELECT relname::text FROM pg_class, ours WHERE relnamespace = ours.oid AND relkind = 'r' AND relname = ANY ($1)),
  ARRAY(SELECT proname::text FROM pg_proc, ours WHERE pronamespace = ours.oid AND proname = ANY ($2)),
  (SELECT count(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid, ours
    WHERE relnamespace = ours.oid AND tgenabled IN ('O', 'A') AND (relname, tgname) IN
      (('_carnet_keys', '_carnet_keys_changed'), ('_carnet_transactions', '_carnet_committing'))) = 2
  AND (SELECT count(*) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid, ours
    WHERE relnamespace = ours.oid AND relname = '_carnet_keys' AND attname = ANY ($3) AND NOT attisdropped) = cardinality($3)";
        let names = (system_tables::TABLES.as_slice(), system_tables::FUNCTIONS.as_slice());
        let columns: Vec<&str> = KEY_COLUMNS.split(", ").collect();
        let row = transaction.query_one(text, &[&names.0, &names.1, &columns]).await?;
        let (tables, functions): (Vec<String>, Vec<String>) = (row.get(0), row.get(1));
        if tables.iter().any(|table| table == "_carnet_version") {
            let row = transaction.query_opt("SELECT format FROM _carnet_version", &[]).await?;
            facts.format = row.map(|row| row.get(0));
        }
        let has_version = !tables.iter().any(|table| table == "_carnet_commits")
            || transaction.query_one("SELECT EXISTS (SELECT FROM _carnet_commits)", &[]).await?.get(0);
        facts.is_ours = tables.len() == system_tables::TABLES.len()
            && functions.len() == system_tables::FUNCTIONS.len()
            && row.get(2)
            && has_version
            && facts.format == Some(system_tables::FORMAT);
        Ok(facts)
    }

    /// The schema to use, or why there is none.
    pub(super) fn check(&self, place: &str) -> Result<&str, OpenError> {
        let place = place.to_owned();
        if self.number < OLDEST {
            return Err(OpenError::OldPostgres { place, found: self.version.clone() });
        }
        if self.encoding != "UTF8" {
            return Err(OpenError::Encoding { place, found: self.encoding.clone() });
        }
        match self.format {
            Some(found) if found > system_tables::FORMAT => {
                return Err(OpenError::Newer {
                    place,
                    found: found.into(),
                    known: system_tables::FORMAT.into(),
                });
            }
            _ => {}
        }
        self.schema.as_deref().ok_or_else(|| OpenError::Unusable {
            place,
            cause: format!(
                "its search_path names no schema that exists and that the role {} may use; \
                 create one (CREATE SCHEMA carnet), or choose another in the URL \
                 (?options=-c%20search_path%3Dcarnet)",
                self.role
            ),
        })
    }

    /// Whether a node could serve here at all.
    pub(super) fn check_writable(&self, place: &str) -> Result<(), OpenError> {
        let cause = match (self.is_standby, self.is_read_only) {
            (true, _) => "it is a standby, which takes no writes; name the primary",
            (_, true) => {
                "its transactions are read-only; switch default_transaction_read_only off for this role"
            }
            _ => return Ok(()),
        };
        Err(OpenError::Unusable { place: place.to_owned(), cause: cause.into() })
    }
}
