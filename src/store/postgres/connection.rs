//! One connection to PostgreSQL: made within its time, driven in the background, its warnings counted.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::{AsyncMessage, Client, Config, Connection};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::refusal::{Cause, ConnectError};

/// A connection that was made.
pub(super) struct Connected {
    pub(super) client: Client,
    pub(super) alive: Alive,
}

/// What is known about a connection without asking the server.
#[derive(Clone)]
pub(super) struct Alive {
    /// Closed by the driving task when it ends.
    ended: watch::Receiver<()>,
    warnings: Arc<AtomicU64>,
}

impl Alive {
    pub(super) fn is_alive(&self) -> bool {
        self.ended.has_changed().is_ok()
    }

    /// Ends when the connection is gone.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // Nothing is ever sent: this ends when the sender is dropped.
        while ended.changed().await.is_ok() {}
    }

    /// How many warnings the server has sent. One that came before an answer is counted before the answer
    /// can be seen: a COMMIT that was not replicated says so in no other way.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Acquire)
    }
}

/// Connects to the one host of a [`Config`], within its `connect_timeout` from the first packet to a session
/// that can write: the driver itself looks at the clock only while the socket connects.
pub(super) async fn connect(config: &Config, tls: &MakeRustlsConnect) -> Result<Connected, ConnectError> {
    let refused = |cause| ConnectError::new(config, cause);
    let deadline = config.get_connect_timeout().copied().unwrap_or(Duration::MAX);
    let made = tokio::time::timeout(deadline, config.connect(tls.clone())).await;
    let (client, connection) = match made {
        Ok(made) => made.map_err(|error| refused(Cause::of(&error)))?,
        Err(_) => return Err(refused(Cause::TimedOut(deadline))),
    };
    let (life, ended) = watch::channel(());
    let warnings = Arc::new(AtomicU64::new(0));
    tokio::spawn(drive(connection, life, warnings.clone()));
    Ok(Connected { client, alive: Alive { ended, warnings } })
}

/// Moves what is asked and answered until the connection ends; `_life` ends with it.
async fn drive<S, T>(mut connection: Connection<S, T>, _life: watch::Sender<()>, warnings: Arc<AtomicU64>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    // Why it ended is told to whoever waits for an answer.
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notice(notice) = message
            && is_warning(&notice)
        {
            warnings.fetch_add(1, Ordering::Release);
        }
    }
}

/// A server that stops while a COMMIT waits for its replicas warns with a code that is no warning's. A warning
/// that comes from somewhere was raised by somebody's function, and says nothing about the COMMIT.
fn is_warning(notice: &DbError) -> bool {
    let is_warning =
        notice.parsed_severity() == Some(Severity::Warning) || notice.code().code().starts_with("01");
    is_warning && notice.where_().is_none()
}
