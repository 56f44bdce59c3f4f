//! Whether the keys by which writes were let in are still good, seen inside their transaction.

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::group_error::GroupError;
use super::key_follower::KeyFollower;
use super::session::Session;
use crate::record::moment::Moment;
use crate::store::write::handle::PendingWrite;

/// Fails, with all that is sent behind it, where the keys are others: nobody has to wait for its answer.
pub(super) const SAME_KEYS: &str = "SELECT 1 / (keys = $1)::int FROM _carnet_version";

#[derive(Clone, Copy)]
pub(super) enum KeyCheck<'a> {
    /// No write of the group needs a key.
    Needless,
    /// By [`SAME_KEYS`]: memory is right as long as the number of changes is this one.
    ByNumber(i64),
    /// Somebody changes keys just now: they are read while we have the turn, which whoever changes them waits for.
    InTurn(&'a Session, &'a KeyFollower),
}

/// Whether an error of [`SAME_KEYS`] is its answer.
pub(super) fn are_others(error: &Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

/// Reads the keys, and says whether they let all of these in.
pub(super) async fn look(
    session: &Session,
    keys: &KeyFollower,
    waiting: &[PendingWrite],
) -> Result<(), GroupError> {
    session.validator.look().await.map_err(|_| GroupError::Unreachable)?;
    let (keys, now) = (keys.current(), Moment::now());
    let is_good = |pending: &PendingWrite| pending.credential().is_none_or(|it| keys.confirms(it, now));
    if waiting.iter().all(is_good) { Ok(()) } else { Err(GroupError::KeysChanged) }
}
