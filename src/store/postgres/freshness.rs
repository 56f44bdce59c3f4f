//! The cache validator: asks the database, for every request, whether memory is still right, and brings it up to date.
//!
//! Who asks while a question is under way waits for the next one, so that its answer was given after they
//! asked; all who wait share one question. So a node answers from its memory, and never anything that the
//! database did not confirm within that same request.
//!
//! Many changes are followed beside the next questions: who fetches a record that is not among them need not wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::{JoinError, JoinHandle};

use super::change_feed::{ChangeFeed, Looked, in_time};
use super::stale_records::StaleRecords;
use crate::record::RecordId;
use crate::store::StoreError;

/// Without requests the database is asked so often: access keys are followed, and the log is read while it
/// is short.
const LOOK: Duration = Duration::from_millis(250);

#[derive(Default)]
pub(super) struct CacheValidator {
    /// The number of the question that is asked next: who comes now waits for its answer.
    next: AtomicU64,
    question: Notify,
    /// Which questions are answered: what has changed is known.
    looked: Answers,
    /// For which of them memory has followed it, too.
    fresh: Answers,
    stale: StaleRecords,
    is_over: AtomicBool,
}

/// What is said to those who wait for a question.
#[derive(Default)]
struct Answers {
    /// All questions before this one are answered.
    before: AtomicU64,
    /// Who waits for the question under way, and who for the one after it: apart, so that an answer wakes nobody
    /// who is not meant.
    told: [Notify; 2],
}

impl Answers {
    fn give(&self, number: u64) {
        let before = self.before.swap(number + 1, Ordering::AcqRel);
        if before < number { self.wake_all() } else { self.of(number).notify_waiters() }
    }

    /// The question that was answered last.
    fn last(&self) -> u64 {
        self.before.load(Ordering::Acquire).saturating_sub(1)
    }

    fn wake_all(&self) {
        self.told.iter().for_each(Notify::notify_waiters);
    }

    fn of(&self, number: u64) -> &Notify {
        let [even, odd] = &self.told;
        if number.is_multiple_of(2) { even } else { odd }
    }
}

/// Changes that are followed beside the next questions, and the question that they answer.
struct Following {
    number: u64,
    task: JoinHandle<Result<(), String>>,
}

impl CacheValidator {
    /// Waits until the database was asked after this call: the access keys are as new.
    pub(super) async fn look(&self) -> Result<(), StoreError> {
        self.wait(self.coming(), &self.looked).await
    }

    /// Waits until memory is as new as the database was after this call.
    pub(super) async fn refresh(&self) -> Result<(), StoreError> {
        self.wait(self.coming(), &self.fresh).await
    }

    /// The same for what memory knows of one record.
    pub(super) async fn refresh_record(&self, collection: usize, id: RecordId) -> Result<(), StoreError> {
        let number = self.coming();
        self.wait(number, &self.looked).await?;
        if self.stale.has(collection, id) { self.wait(number, &self.fresh).await } else { Ok(()) }
    }

    /// The number of the next question.
    fn coming(&self) -> u64 {
        // A change that changes nothing sees the latest number; a mere look might see one whose question is
        // under way already.
        self.next.fetch_add(0, Ordering::AcqRel)
    }

    async fn wait(&self, number: u64, answers: &Answers) -> Result<(), StoreError> {
        let mut is_told = false;
        loop {
            let mut answered = std::pin::pin!(answers.of(number).notified());
            answered.as_mut().enable();
            if answers.before.load(Ordering::Acquire) > number {
                return Ok(());
            }
            if !std::mem::replace(&mut is_told, true) {
                self.question.notify_one();
            }
            if self.is_over.load(Ordering::Acquire) {
                return Err(StoreError::Unavailable);
            }
            answered.await;
        }
    }

    /// Answers until the database no longer does.
    pub(super) async fn work(&self, feed: &Arc<ChangeFeed>) -> String {
        let mut following = None;
        let cause = loop {
            // A look that nobody asked for is one all the same.
            let asked = tokio::time::timeout(LOOK, self.question.notified());
            match &mut following {
                None => drop(asked.await),
                Some(Following { number, task }) => tokio::select! {
                    biased;
                    followed = task => {
                        if let Err(cause) = followed.unwrap_or_else(of_its_end) {
                            break cause;
                        }
                        let is_all = self.stale.follow(feed.cache.version());
                        self.fresh.give(if is_all { self.looked.last() } else { *number });
                        following = None;
                        if is_all {
                            continue;
                        }
                        // Others wait whose questions showed more: the next one comes at once.
                    }
                    _ = asked => {}
                },
            }
            let number = self.next.fetch_add(1, Ordering::AcqRel);
            if following.is_some() {
                match in_time(feed.look_on(&self.stale)).await {
                    Ok(()) => self.looked.give(number),
                    Err(cause) => break cause,
                }
                continue;
            }
            match in_time(feed.look(&self.stale)).await {
                Ok(Looked::Met) => {
                    self.looked.give(number);
                    self.fresh.give(number);
                }
                Ok(Looked::Behind(news)) => {
                    self.looked.give(number);
                    let feed = feed.clone();
                    let task = tokio::spawn(async move { feed.follow(news).await });
                    following = Some(Following { number, task });
                }
                Err(cause) => break cause,
            }
        };
        self.close();
        cause
    }

    /// Lets nobody wait any more.
    pub(super) fn close(&self) {
        self.is_over.store(true, Ordering::Release);
        self.looked.wake_all();
        self.fresh.wake_all();
    }
}

/// A panic is the same as one of ours.
fn of_its_end(end: JoinError) -> Result<(), String> {
    let end = end.try_into_panic().map(|panic| std::panic::resume_unwind(panic));
    end.map_err(|cancelled| cancelled.to_string())
}
