//! The rows of a long answer, taken as they come: nobody keeps all of them, and between two of them others get their
//! turn.

use std::pin::Pin;

use futures_util::{FutureExt, TryStreamExt};
use tokio::time::Instant;
use tokio_postgres::{Row, RowStream};

use super::group_error::of_reading;
use super::lifetime::Lifetime;
use crate::store::StoreError;

pub(super) struct Rows<'a> {
    lifetime: &'a Lifetime,
    rows: Pin<Box<RowStream>>,
    deadline: Instant,
}

impl<'a> Rows<'a> {
    pub(super) fn new(lifetime: &'a Lifetime, rows: RowStream, deadline: Instant) -> Self {
        Self { lifetime, rows: Box::pin(rows), deadline }
    }

    pub(super) async fn next(&mut self) -> Result<Option<Row>, StoreError> {
        // A thread that makes a long list is wanted by those who ask for something quick.
        tokio::task::consume_budget().await;
        match self.rows.try_next().now_or_never() {
            Some(next) => next.map_err(|error| of_reading(&error)),
            None => self.lifetime.while_it_lasts(self.deadline, self.rows.try_next()).await,
        }
    }
}
