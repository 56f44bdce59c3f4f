//! The one writing thread: takes all that waits into one transaction, commits, then answers everybody.
//!
//! Nobody hears yes before the commit is on disk. When the disk itself fails, or this thread panics, nobody can
//! say what is on it: all who wait are told so, no further write is taken, and the process must end.

mod failure;
mod idle;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode};

use super::file::DatabaseFile;
use super::follower::{Deeds, Followed, Follower};
use super::foreign::Foreign;
use super::group::{Group, WriteError};
use super::ids;
use super::stored_answers;
use super::undeclared_refs::UndeclaredRef;
use super::version;
use super::wal::Log;
use crate::catalog::Catalog;
use crate::observe::{Event, Observer};
use crate::store::cache::Cache;
use crate::store::change::Changes;
use crate::store::fatal::FatalLatch;
use crate::store::sqlite::sql::Statements;
use crate::store::write::WriteReply;
use crate::store::write::answer_budget::AnswerBudget;
use crate::store::write::handle::{PendingWrite, WriterHandle};
use crate::store::write::queue::Waited;
use crate::store::{OpenSettings, StoreError};

/// How many writes share a commit at the most, so that the first of them does not wait for ever.
const LARGEST_GROUP: usize = 1_024;
/// So many groups after one that had to be done again are done with more care: who sends one batch that is refused may
/// send more.
const CAREFUL_GROUPS: usize = 16;
/// After so long without a write the log is copied into the database.
const IDLE: Duration = Duration::from_secs(1);
/// After so much longer it is emptied, so that a restart finds nothing to recover.
const LONG_IDLE: Duration = Duration::from_secs(10);
/// So many are taken away for each that is stored, so that a server that is never idle keeps no more than it must.
const CLEARED_EACH: usize = 2;

/// The writing thread, as others see it.
pub(super) struct Writer {
    pub(super) handle: Arc<WriterHandle>,
    thread: Mutex<Option<JoinHandle<()>>>,
    fatal: FatalLatch,
}

impl Writer {
    pub(super) fn start(state: WriterState, fatal: FatalLatch) -> std::io::Result<Self> {
        let handle = Arc::new(WriterHandle::default());
        let (cache, broken, writes) = (state.cache.clone(), fatal.clone(), handle.clone());
        let followed = Followed {
            catalog: state.catalog.clone(),
            cache: cache.clone(),
            observer: state.observer.clone(),
        };
        let mut follower = Follower::start(followed, fatal.clone())?;
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            // After a panic the group in hand is gone, and whoever waits for it told that the outcome is unknown.
            let end = broken.guard("the writing thread", || state.work(&writes, &mut follower));
            cache.close();
            writes.queue.abandon(StoreError::OutcomeUnknown);
            if let Some(Err(cause)) = end {
                broken.trip(&cause);
            }
        })?;
        Ok(Self { handle, thread: Mutex::new(Some(thread)), fatal })
    }

    /// Whether writes are still taken.
    pub(super) fn is_well(&self) -> bool {
        self.fatal.is_whole() && self.handle.queue.is_open()
    }

    /// Lets the thread finish what waits and close the database.
    pub(super) fn close(&self) {
        self.handle.queue.close(StoreError::Broken("the store is closed".into()));
        if let Some(thread) = self.thread.lock().take() {
            // A panic has tripped the latch already.
            let _ = thread.join();
        }
    }
}

/// What the writing thread works with.
pub(super) struct WriterState {
    connection: Connection,
    catalog: Arc<Catalog>,
    statements: Arc<[Statements]>,
    undeclared_refs: Vec<UndeclaredRef>,
    /// Which collections have no id left.
    used_up: Vec<bool>,
    foreign: Foreign,
    cache: Arc<Cache>,
    observer: Arc<Observer>,
    /// The version of the last commit.
    version: u64,
    file: Arc<DatabaseFile>,
    log: Log,
    budget: AnswerBudget,
    /// Whether the last group found the disk full.
    is_full: bool,
    /// How many groups are yet to be done so that each batch can be taken back alone.
    careful_groups: usize,
    /// When memory was last looked after.
    memory_checked: Instant,
}

impl WriterState {
    /// Everything about the database that the thread needs to know is asked here, before it starts.
    pub(super) fn new(
        file: Arc<DatabaseFile>,
        mut connection: Connection,
        catalog: Arc<Catalog>,
        statements: Arc<[Statements]>,
        observer: Arc<Observer>,
        settings: OpenSettings,
    ) -> rusqlite::Result<Self> {
        let before = version::read(&connection)?;
        // A write that shows whether there is room for one. Reading is possible without, and better than no service.
        let (version, is_full) = match version::raise(&connection, before + 1) {
            Ok(()) => (before + 1, false),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => (before, true),
            Err(error) => return Err(error),
        };
        let undeclared_refs = UndeclaredRef::find_all(&connection, &catalog)?;
        let used_up = ids::used_up(&connection, &catalog)?;
        let cache = Arc::new(Cache::new(catalog.clone(), version, &settings));
        let log = Log::new(file.clone(), observer.clone(), &mut connection)?;
        let budget = AnswerBudget::new(settings.stored_answers, observer.clone());
        stored_answers::count(&connection, &budget)?;
        let mut state = Self {
            connection,
            catalog,
            statements,
            undeclared_refs,
            used_up,
            foreign: Foreign::default(),
            cache,
            observer,
            version,
            file,
            log,
            budget,
            is_full: false,
            careful_groups: 0,
            memory_checked: Instant::now(),
        };
        state.look_for_foreign()?;
        if is_full {
            state.note_full_disk();
        }
        Ok(state)
    }

    /// What the thread keeps in line with the data.
    pub(super) fn cache(&self) -> Arc<Cache> {
        self.cache.clone()
    }

    /// Takes groups until nobody can hand in any more. An error is one after which no write may be taken.
    fn work(mut self, writes: &WriterHandle, follower: &mut Follower) -> Result<(), String> {
        loop {
            match writes.queue.wait(IDLE) {
                Waited::ForWrites => {
                    self.commit_group(writes, follower)?;
                    if self.memory_checked.elapsed() >= LONG_IDLE {
                        self.request_forgotten();
                    }
                }
                Waited::InVain if self.rest(writes)? => {}
                Waited::InVain | Waited::ForTheEnd => break,
            }
        }
        follower.wait()?;
        self.log.empty(&self.connection)
    }

    /// Takes what waits into one transaction, and what comes meanwhile; each is begun when its turn comes.
    fn commit_group(&mut self, writes: &WriterHandle, follower: &mut Follower) -> Result<(), String> {
        let mut failure = self.begin()?.err();
        // Who shares a transaction that may be taken back goes with it.
        let most = if self.foreign.may_roll_back { 1 } else { LARGEST_GROUP };
        let mut group = Group {
            connection: &self.connection,
            catalog: &self.catalog,
            statements: &self.statements,
            undeclared_refs: &self.undeclared_refs,
            changes: Changes::default(),
            used_up: self.used_up.clone(),
            is_shared: false,
            is_begun_again: false,
            can_be_repeated: self.careful_groups == 0 && !self.foreign.is_there(),
            is_in_batch: false,
            reached: 0,
            foreign: &self.foreign,
            budget: &self.budget,
            insert_at_hand: None,
        };
        let (mut settled, mut writes_done, mut kept) = (Vec::new(), 0, 0);
        // A batch is never parted: one alone is taken whatever its size.
        while writes_done < most
            && let Some(pending) =
                writes.take(if settled.is_empty() { usize::MAX } else { most - writes_done })
        {
            writes_done += pending.work.len();
            let mut reply = WriteReply::first(Err(StoreError::OutcomeUnknown));
            // Once the transaction is lost, those behind are answered like those before: none was done.
            if failure.is_none() {
                group.is_shared = !settled.is_empty();
                match group.settle(&pending) {
                    Ok(done) => {
                        kept += usize::from(done.is_kept);
                        reply = done.reply;
                    }
                    Err(WriteError::Refused(error)) => reply = WriteReply::first(Err(error)),
                    Err(WriteError::Large) => {
                        writes.put_back(pending);
                        break;
                    }
                    Err(WriteError::Repeat) => {
                        settled.into_iter().for_each(|(pending, _)| writes.put_back(pending));
                        writes.put_back(pending);
                        drop(group);
                        return self.take_back();
                    }
                    Err(WriteError::Engine(error)) => failure = Some(error),
                }
            }
            settled.push((pending, reply));
        }
        let (changes, used_up, is_begun_again) = group.end();
        self.careful_groups = self.careful_groups.saturating_sub(1);
        if failure.is_none() && settled.len() == 1 && self.connection.is_autocommit() {
            // The one write of this group was taken back by the database, and was told so. What it was refused for may
            // be of the last commit.
            follower.wait()?;
            self.log.note_commit(&self.connection, false);
            settled.into_iter().for_each(|(pending, reply)| pending.answer(reply));
            return Ok(());
        }
        let version = self.version + u64::from(!changes.is_empty());
        if failure.is_none() && version != self.version {
            failure = version::raise(&self.connection, version).err();
        }
        if failure.is_none() && kept > 0 {
            let cleared = stored_answers::clear(&self.connection, kept * CLEARED_EACH);
            failure = cleared.and_then(|_| stored_answers::count(&self.connection, &self.budget)).err();
        }
        let deeds = Deeds { version: (version != self.version).then_some(version), changes };
        let prospect = failure.is_none().then(|| follower.announce(deeds)).transpose()?;
        if failure.is_none() {
            let mut commit = self.connection.prepare_cached("COMMIT").map_err(|error| error.to_string())?;
            failure = commit.execute([]).err();
        }
        self.log.note_commit(&self.connection, failure.is_none() && !is_begun_again);
        if failure.is_none() {
            // A commit to a file that is no longer at its path is none. Nobody is told of it, nor reads it.
            self.file.check().inspect_err(|_| self.report_unknown(&settled))?;
        }
        match failure {
            None => {
                self.used_up = used_up;
                self.version = version;
                if let Some(prospect) = prospect {
                    follower.follow(prospect, settled)?;
                }
                if std::mem::take(&mut self.is_full) {
                    self.observer.report(Event::WritesResumed);
                }
                self.log.watch(&self.connection)
            }
            Some(error) => {
                let (befell, end) = self.judge(&error);
                if end.is_err() {
                    self.report_unknown(&settled);
                }
                settled.into_iter().for_each(|(pending, _)| pending.refuse(befell.clone()));
                end?;
                if self.is_full { self.log.make_room(&self.connection) } else { Ok(()) }
            }
        }
    }

    /// Takes back a group whose writes wait again, and lets them, and those of the next groups, be refused one by one.
    fn take_back(&mut self) -> Result<(), String> {
        self.careful_groups = CAREFUL_GROUPS;
        let taken_back = self.connection.execute_batch("ROLLBACK");
        // The answers that were stored went with it.
        let counted = taken_back.and_then(|()| stored_answers::count(&self.connection, &self.budget));
        counted.or_else(|error| self.judge(&error).1)
    }

    /// Begins a transaction, and looks at what others may have done to the file since the last one.
    fn begin(&mut self) -> Result<rusqlite::Result<()>, String> {
        self.file.check()?;
        let begin = |connection: &Connection| {
            connection.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.execute([]))
        };
        if let Err(error) = begin(&self.connection) {
            return Ok(Err(error));
        }
        if self.log.is_as_left(&self.connection) {
            return Ok(Ok(()));
        }
        // SQLite does not tell how long the log is inside a transaction.
        let ended = self.connection.execute_batch("ROLLBACK");
        self.file.check_log(&self.connection)?;
        Ok(ended.and_then(|()| begin(&self.connection)).and_then(|_| self.look_for_foreign()))
    }

    fn report_unknown(&self, settled: &[(PendingWrite, WriteReply)]) {
        settled.iter().for_each(|(pending, _)| pending.report_unknown(&self.observer));
    }

    /// Sees whether another tool has put anything into the database that acts when we write.
    fn look_for_foreign(&mut self) -> rusqlite::Result<()> {
        if self.foreign.look(&self.connection, &self.catalog)? && self.foreign.is_there() {
            let found = self.foreign.found.join(", ");
            self.observer.report(Event::Notice(&format!("another tool acts on what is written: {found}")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
