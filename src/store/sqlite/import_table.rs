//! Imports in the database file: the reports of those over HTTP (`_carnet_imports`), and which files were imported by
//! their ids (`_carnet_imported_files`).

use rusqlite::{Connection, OptionalExtension, params};

use super::key_table::{KeyTable, failed, uncommitted};
use crate::record::moment::Moment;
use crate::store::imports::{Begun, FileState, ImportRow, ImportedFile, KEPT, NewImport};
use crate::store::keys::KeyAdminError;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS _carnet_imports (
  number INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  maker BLOB,
  told INTEGER NOT NULL,
  is_over INTEGER NOT NULL CHECK (is_over IN (0, 1)),
  report TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS _carnet_imported_files (
  collection TEXT NOT NULL,
  hash BLOB NOT NULL,
  told INTEGER NOT NULL,
  is_over INTEGER NOT NULL CHECK (is_over IN (0, 1)),
  PRIMARY KEY (collection, hash)
) STRICT;
";

/// Makes the tables where they are missing; part of the caller's transaction.
pub(super) fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)
}

impl KeyTable {
    /// This process is the only one: it knows itself what is under way.
    pub(super) fn begin_import(&mut self, new: &NewImport) -> Result<Begun, KeyAdminError> {
        let now = Moment::now().seconds();
        let transaction = self.begin()?;
        // The newest stays, so that no number is given twice.
        let text = "DELETE FROM _carnet_imports WHERE told < ?1 AND number < (SELECT max(number) FROM _carnet_imports)";
        transaction.execute(text, [kept_since()]).map_err(failed)?;
        let text = "INSERT INTO _carnet_imports (number, collection, maker, told, is_over, report) \
             SELECT coalesce(max(number), 0) + 1, ?1, ?2, ?3, 0, ?4 FROM _carnet_imports RETURNING number";
        let row = params![new.collection, new.maker, now, new.report];
        let number = transaction.query_row(text, row, |row| row.get(0)).map_err(failed)?;
        transaction.commit().map_err(uncommitted)?;
        Ok(Begun::Begun(number))
    }

    pub(super) fn tell_import(
        &mut self,
        number: i64,
        is_over: bool,
        report: &str,
    ) -> Result<(), KeyAdminError> {
        let transaction = self.begin()?;
        let text = "UPDATE _carnet_imports SET told = ?2, is_over = ?3, report = ?4 WHERE number = ?1";
        let row = params![number, Moment::now().seconds(), is_over, report];
        transaction.execute(text, row).map_err(failed)?;
        transaction.commit().map_err(uncommitted)
    }

    pub(super) fn note_file(&mut self, file: &ImportedFile, is_over: bool) -> Result<(), KeyAdminError> {
        let now = Moment::now().seconds();
        let transaction = self.begin()?;
        let text = "DELETE FROM _carnet_imported_files WHERE told < ?1";
        transaction.execute(text, [kept_since()]).map_err(failed)?;
        let text = "INSERT INTO _carnet_imported_files (collection, hash, told, is_over) \
             VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET told = excluded.told, is_over = excluded.is_over";
        transaction.execute(text, params![file.collection, file.hash, now, is_over]).map_err(failed)?;
        transaction.commit().map_err(uncommitted)
    }

    pub(super) fn file_state(&self, file: &ImportedFile) -> Result<FileState, KeyAdminError> {
        let text = "SELECT is_over FROM _carnet_imported_files WHERE collection = ?1 AND hash = ?2 \
             AND told >= ?3";
        let wanted = params![file.collection, file.hash, kept_since()];
        let row = self.connection.query_row(text, wanted, |row| row.get(0));
        row.optional().map(FileState::of).map_err(failed)
    }

    pub(super) fn import(&self, number: i64) -> Result<Option<ImportRow>, KeyAdminError> {
        // Whoever runs it is not asked here.
        let text = "SELECT maker, report, NOT is_over FROM _carnet_imports WHERE number = ?1 AND told >= ?2";
        let row = self.connection.query_row(text, [number, kept_since()], |row| {
            Ok(ImportRow { maker: row.get(0)?, report: row.get(1)?, is_abandoned: row.get(2)? })
        });
        row.optional().map_err(failed)
    }
}

/// What was told before is forgotten, whether its row is still there or not.
fn kept_since() -> i64 {
    Moment::now().seconds() - KEPT.as_secs().cast_signed()
}
