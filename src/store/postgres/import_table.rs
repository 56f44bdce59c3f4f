//! Imports in the database: the reports of those over HTTP (`_carnet_imports`), and which files were imported by their
//! ids (`_carnet_imported_files`). `system_tables.rs` makes the tables. Times are those of the database, so that all
//! nodes have the same.

use tokio_postgres::types::ToSql;

use super::key_table::{KeyTable, undone, unread, unwritten};
use crate::store::imports::{Begun, FileState, ImportRow, ImportedFile, KEPT, NewImport, SILENCE};
use crate::store::keys::KeyAdminError;

impl KeyTable {
    pub(super) async fn begin_import(&mut self, new: &NewImport) -> Result<Begun, KeyAdminError> {
        let transaction = self.conn.client.transaction().await.map_err(undone)?;
        // Two nodes may be asked at the same moment.
        let lock = "LOCK TABLE _carnet_imports IN SHARE ROW EXCLUSIVE MODE";
        transaction.batch_execute(lock).await.map_err(undone)?;
        let text = "SELECT number FROM _carnet_imports WHERE collection = $1 AND NOT is_over \
             AND told > now() - make_interval(secs => $2)";
        let other = transaction.query_opt(text, &[&new.collection, &SILENCE.as_secs_f64()]).await;
        if let Some(row) = other.map_err(undone)? {
            return Ok(Begun::UnderWay(row.try_get(0).map_err(undone)?));
        }
        // The newest stays, so that no number is given twice.
        let text = "DELETE FROM _carnet_imports WHERE told < now() - make_interval(secs => $1) \
             AND number < (SELECT max(number) FROM _carnet_imports)";
        transaction.execute(text, &[&KEPT.as_secs_f64()]).await.map_err(undone)?;
        let text = "INSERT INTO _carnet_imports (number, collection, maker, is_over, report) \
             SELECT coalesce(max(number), 0) + 1, $1, $2, false, $3 FROM _carnet_imports RETURNING number";
        let row = transaction.query_one(text, &[&new.collection, &new.maker, &new.report]).await;
        let number = row.and_then(|row| row.try_get(0)).map_err(undone)?;
        transaction.commit().await.map_err(unwritten)?;
        Ok(Begun::Begun(number))
    }

    pub(super) async fn tell_import(
        &mut self,
        number: i64,
        is_over: bool,
        report: &str,
    ) -> Result<(), KeyAdminError> {
        let text = "UPDATE _carnet_imports SET told = now(), is_over = $2, report = $3 WHERE number = $1";
        let told = self.conn.client.execute(text, &[&number, &is_over, &report]).await;
        told.map(|_| ()).map_err(unwritten)
    }

    pub(super) async fn note_file(
        &mut self,
        file: &ImportedFile,
        is_over: bool,
    ) -> Result<(), KeyAdminError> {
        let text = "DELETE FROM _carnet_imported_files WHERE told < now() - make_interval(secs => $1)";
        self.conn.client.execute(text, &[&KEPT.as_secs_f64()]).await.map_err(unwritten)?;
        let text = "INSERT INTO _carnet_imported_files (collection, hash, is_over) VALUES ($1, $2, $3) \
             ON CONFLICT (collection, hash) DO UPDATE SET told = now(), is_over = excluded.is_over";
        let noted = self.conn.client.execute(text, &[&file.collection, &&file.hash[..], &is_over]).await;
        noted.map(|_| ()).map_err(unwritten)
    }

    pub(super) async fn file_state(&mut self, file: &ImportedFile) -> Result<FileState, KeyAdminError> {
        let text = "SELECT is_over FROM _carnet_imported_files WHERE collection = $1 AND hash = $2 \
             AND told >= now() - make_interval(secs => $3)";
        let wanted: [&(dyn ToSql + Sync); 3] = [&file.collection, &&file.hash[..], &KEPT.as_secs_f64()];
        let row = self.conn.client.query_opt(text, &wanted).await;
        let is_over = row.and_then(|row| row.map(|row| row.try_get(0)).transpose()).map_err(unread)?;
        Ok(FileState::of(is_over))
    }

    pub(super) async fn import(&mut self, number: i64) -> Result<Option<ImportRow>, KeyAdminError> {
        let text = "SELECT maker, report, NOT is_over AND told <= now() - make_interval(secs => $2) \
             FROM _carnet_imports WHERE number = $1 AND told >= now() - make_interval(secs => $3)";
        let wanted: [&(dyn ToSql + Sync); 3] = [&number, &SILENCE.as_secs_f64(), &KEPT.as_secs_f64()];
        let row = self.conn.client.query_opt(text, &wanted).await.map_err(unread)?;
        let Some(row) = row else { return Ok(None) };
        let read = || {
            Ok(ImportRow { maker: row.try_get(0)?, report: row.try_get(1)?, is_abandoned: row.try_get(2)? })
        };
        read().map(Some).map_err(unread)
    }
}
