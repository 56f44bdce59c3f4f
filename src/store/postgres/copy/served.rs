//! The database of a running server, as it is at one moment.

use super::Source;
use crate::store::StoreError;
use crate::store::postgres::engine::Postgres;
use crate::store::postgres::group_error::of_reading;
use crate::store::postgres::prepared_conn::PreparedConn;

impl Postgres {
    /// A connection of its own, for what takes long.
    pub(in crate::store) async fn moment_conn(&self) -> Result<PreparedConn, StoreError> {
        self.in_session()?.server.conn().await.map_err(|_| StoreError::Unavailable)
    }

    /// The database as it is now, for as long as it is held.
    pub(in crate::store) async fn moment<'a>(
        &self,
        conn: &'a mut PreparedConn,
    ) -> Result<Source<'a>, StoreError> {
        let source = Source::beside(&mut conn.client, &self.context.catalog).await;
        source.map_err(|error| of_reading(&error))
    }
}
