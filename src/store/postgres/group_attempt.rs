//! One attempt to commit a group: on which connection, with which keys, and what its writers are told.
//!
//! Nobody hears yes before the commit has returned. A write is never cancelled: a server that waits for its
//! standbys would then say yes to what they do not have. Who waits too long is told that the outcome is
//! unknown, and the connection is given up.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio_postgres::error::SqlState;

use super::engine::Postgres;
use super::group::{Group, LockWait};
use super::group_creates::GroupCreates;
use super::group_error::GroupError;
use super::key_check::KeyCheck;
use super::session::Session;
use crate::observe::Event;
use crate::record::moment::Moment;
use crate::store::StoreError;
use crate::store::write::handle::PendingWrite;
use crate::store::write::{Work, WriteReply};

/// A commit that takes longer is one whose outcome is unknown. Longer than a lock is waited for, which ends
/// in an answer.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(12);

impl Postgres {
    /// Runs a group and answers it; gives it back where nothing of it was done, or nobody can say.
    pub(super) async fn attempt(
        &self,
        writes: Vec<PendingWrite>,
        lock_wait: LockWait,
    ) -> Result<(), (Vec<PendingWrite>, GroupError)> {
        let Some(session) = self.session() else { return Err((writes, GroupError::Unreachable)) };
        let (writes, outcome) = self.run_admitted(&session, writes, lock_wait).await;
        let observer = &self.context.observer;
        match outcome {
            // All were refused.
            Ok(_) if writes.is_empty() => Ok(()),
            Ok(replies) => {
                self.refusals.clear(&writes, observer);
                self.answer(writes, replies);
                Ok(())
            }
            Err(error) => {
                match &error {
                    GroupError::RolledBack { code, cause, .. } => {
                        if *code == SqlState::DISK_FULL {
                            self.refusals.note(&writes, cause, observer);
                        }
                    }
                    GroupError::Locked(_) | GroupError::OneIsLarge(_) | GroupError::KeysChanged => {}
                    GroupError::NoConnection(cause) => self.refusals.note(&writes, cause, observer),
                    GroupError::Unreachable => session.lifetime.end("the server takes no writes any more"),
                    GroupError::Unknown(cause) => {
                        observer.report(Event::OutcomeUnknown { writes: writes.len(), cause });
                        writes.iter().for_each(|pending| pending.report_unknown(observer));
                    }
                }
                Err((writes, error))
            }
        }
    }

    /// Runs those of a group whose keys are good inside their transaction, and refuses the others.
    async fn run_admitted(
        &self,
        session: &Session,
        mut writes: Vec<PendingWrite>,
        lock_wait: LockWait,
    ) -> (Vec<PendingWrite>, Result<Vec<WriteReply>, GroupError>) {
        let mut has_changed_keys = false;
        loop {
            let judged_by;
            (writes, judged_by) = self.refuse_revoked(writes);
            if writes.is_empty() {
                return (writes, Ok(Vec::new()));
            }
            let key_check = match judged_by {
                None => KeyCheck::Needless,
                Some(number) if !has_changed_keys => KeyCheck::ByNumber(number),
                Some(_) => KeyCheck::InTurn(session, &self.context.keys),
            };
            match self.run(session, &writes, key_check, lock_wait).await {
                Err(GroupError::KeysChanged) => has_changed_keys = true,
                outcome => return (writes, outcome),
            }
        }
    }

    /// Refuses those whose key is gone, and says by which number of changes the others were judged, if any has a key.
    fn refuse_revoked(&self, writes: Vec<PendingWrite>) -> (Vec<PendingWrite>, Option<i64>) {
        if writes.iter().all(|pending| pending.credential().is_none()) {
            return (writes, None);
        }
        let (number, keys) = self.context.keys.numbered();
        let now = Moment::now();
        let (good, revoked) = writes.into_iter().partition(|pending| {
            pending.credential().is_none_or(|credential| keys.confirms(credential, now))
        });
        refuse(revoked, &StoreError::KeyRevoked);
        (good, Some(number))
    }

    async fn run(
        &self,
        session: &Session,
        writes: &[PendingWrite],
        key_check: KeyCheck<'_>,
        lock_wait: LockWait,
    ) -> Result<Vec<WriteReply>, GroupError> {
        let mut place = session.writing.lock().await;
        let conn = match place.take().filter(|conn| conn.alive.is_alive()) {
            Some(conn) => conn,
            None => {
                Arc::new(session.server.writing_conn().await.map_err(|refused| match refused.is_full {
                    true => GroupError::NoConnection(refused.words),
                    false => GroupError::Unreachable,
                })?)
            }
        };
        let group = Group {
            catalog: &self.context.catalog,
            statements: &self.context.statements,
            conn: &conn,
            budget: &self.context.budget,
            key_check,
            lock_wait,
            is_shared: writes.len() > 1,
            is_careful: self.is_careful(writes),
            careful_groups: &self.careful_groups,
            reached: Default::default(),
            creates: GroupCreates::of(writes.iter().flat_map(|pending| pending.work.writes())),
            own: &session.own,
            at_hand: Default::default(),
            is_open: Default::default(),
        };
        let outcome = match tokio::time::timeout(COMMIT_TIMEOUT, group.run(writes)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(GroupError::Unknown("no answer came in time".into())),
        };
        // A connection whose last answer was not read is never used again: whatever it still does, it does without us.
        let is_fit = match outcome {
            Ok(_) => true,
            Err(
                GroupError::RolledBack { .. }
                | GroupError::Locked(_)
                | GroupError::OneIsLarge(_)
                | GroupError::KeysChanged,
            ) => matches!(tokio::time::timeout(COMMIT_TIMEOUT, group.close()).await, Ok(true)),
            Err(GroupError::NoConnection(_) | GroupError::Unreachable | GroupError::Unknown(_)) => false,
        };
        if outcome.as_ref().is_err_and(GroupError::is_of_an_outdated_plan) {
            conn.forget_prepared();
        }
        *place = is_fit.then_some(conn);
        outcome
    }

    /// Whether a group is to do its batches one after the other. Each that has several, and does, is one less.
    fn is_careful(&self, writes: &[PendingWrite]) -> bool {
        let batches = writes.iter().filter(|pending| matches!(pending.work, Work::Batch(_))).count();
        let left = self.careful_groups.load(Relaxed);
        if batches > 1 && left > 0 {
            self.careful_groups.store(left - 1, Relaxed);
        }
        left > 0
    }

    fn answer(&self, writes: Vec<PendingWrite>, replies: Vec<WriteReply>) {
        let metrics = self.context.observer.store();
        metrics.committed(writes.len());
        for (pending, reply) in writes.into_iter().zip(replies) {
            if let Ok(written) = &reply.outcome
                && !reply.is_replayed
            {
                for (write, written) in pending.work.writes().zip(written.each()) {
                    if let Some(deed) = written.deed() {
                        metrics.changed(self.context.catalog.at(write.collection()).name(), deed, 1);
                    }
                }
            }
            pending.answer(reply);
        }
    }
}

pub(super) fn refuse(writes: Vec<PendingWrite>, error: &StoreError) {
    writes.into_iter().for_each(|pending| pending.refuse(error.clone()));
}
