//! How long a session lasts: until something ends it. Whoever waits for its server waits no longer.

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_postgres::Error;

use super::group_error::of_reading;
use crate::store::StoreError;

pub(super) struct Lifetime {
    /// Why it is over.
    cause: watch::Sender<Option<String>>,
}

impl Default for Lifetime {
    fn default() -> Self {
        Self { cause: watch::Sender::new(None) }
    }
}

impl Lifetime {
    /// Ends the session: whoever waits is told, and a server is looked for anew.
    pub(super) fn end(&self, cause: &str) {
        self.cause.send_if_modified(|known| {
            let is_first = known.is_none();
            if is_first {
                *known = Some(cause.to_owned());
            }
            is_first
        });
    }

    /// Waits for the end, and says why.
    pub(super) async fn ended(&self) -> String {
        let mut end = self.cause.subscribe();
        match end.wait_for(Option::is_some).await {
            Ok(cause) => cause.clone().unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Waits for an answer, but not beyond the end of the session: a server that hangs does not hang up.
    pub(super) async fn while_it_lasts<T>(
        &self,
        deadline: Instant,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        tokio::select! {
            biased;
            answer = tokio::time::timeout_at(deadline, answer) => match answer {
                Ok(answer) => answer.map_err(|error| of_reading(&error)),
                Err(_) => Err(StoreError::Unavailable),
            },
            _ = self.ended() => Err(StoreError::Unavailable),
        }
    }
}
