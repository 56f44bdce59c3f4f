//! The write path of both engines: what a client wants written, and how it reaches the one writer of its store.
//!
//! The engines have the writers: each takes what waits in the queue into one transaction, and answers after its commit.

pub(super) mod answer_budget;
pub(super) mod batch;
pub(super) mod handle;
pub(super) mod idempotency;
mod outcome;
pub(super) mod queue;
pub(super) mod stored_answer;
mod work;

use std::fmt;
use std::sync::Arc;

use super::keys::{Credential, Holder};
pub use idempotency::IdempotencyToken;
pub(super) use outcome::WriteOutcome;
pub use outcome::{WriteReply, Written};
pub use work::{Batch, Item, Work, Write};

/// What is handed in to be done wholly or not at all, and answered once.
#[derive(Debug)]
pub struct WriteRequest {
    pub work: Work,
    /// Whoever was told something within the last day is told it again, and nothing is done twice.
    pub token: Option<IdempotencyToken>,
    pub origin: Origin,
}

/// Who makes a write, and in which request.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The holder of the access key; `None` for the anonymous.
    pub author: Option<Arc<Holder>>,
    /// What the author was let in by, where nobody else is: with PostgreSQL it is looked at again inside the write.
    pub credential: Option<Credential>,
    /// The `X-Request-Id`.
    pub request_id: Box<str>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {}", self.request_id)?;
        match &self.author {
            Some(holder) => write!(f, " by key {}", holder.name),
            None => Ok(()),
        }
    }
}
