//! The file of a running server, as it is at one moment.

use super::Source;
use crate::store::StoreError;
use crate::store::sqlite::connection::{self, Role};
use crate::store::sqlite::{Sqlite, version};

impl Sqlite {
    /// The file as it is now, for as long as it is held, on a connection of its own.
    pub(in crate::store) async fn moment(&self) -> Result<Source, StoreError> {
        let (file, cache) = (self.file.clone(), self.cache.clone());
        let catalog = self.builder.reader.catalog.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let broken = |error: rusqlite::Error| StoreError::Broken(error.to_string());
            let connection = connection::connect(&file, Role::Reader)
                .map_err(|error| StoreError::Broken(error.to_string()))?;
            connection.execute_batch("BEGIN").map_err(broken)?;
            // What is told here no later list may lack.
            cache.wait_for(version::read(&connection).map_err(broken)?)?;
            Ok(Source::beside(file, connection, catalog))
        });
        opened.await.unwrap_or_else(|error| Err(StoreError::Broken(error.to_string())))
    }
}
