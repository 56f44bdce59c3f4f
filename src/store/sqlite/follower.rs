//! What comes after a commit: memory follows it, and everybody is answered, a few who wrote little as soon as nobody
//! can read what was before. To follow many changes takes a third as long as to write them, and is done beside the
//! next group.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use crate::catalog::Catalog;
use crate::observe::Observer;
use crate::store::cache::Cache;
use crate::store::change::Changes;
use crate::store::fatal::FatalLatch;
use crate::store::write::WriteReply;
use crate::store::write::handle::PendingWrite;

/// From so many changes on it is worth to wake another thread.
const MANY: usize = 256;

/// So many are answered before memory has followed: who is alone gains by it.
const FEW: usize = 8;

/// How much less than others the thread asks for a core, as `nice` counts it: who sends many writes at once waits rather
/// than all who read. A little less only, since some wait for it.
const PATIENCE: i32 = 2;

/// What a commit has done that is on disk.
pub(super) struct Committed {
    /// The version of the data that it made, where it changed any.
    pub(super) version: Option<u64>,
    pub(super) changes: Changes,
    /// Its writes, and what each is told.
    pub(super) settled: Vec<(PendingWrite, WriteReply)>,
}

/// Who is told of a commit besides those who wrote.
#[derive(Clone)]
pub(super) struct Followed {
    pub(super) catalog: Arc<Catalog>,
    pub(super) cache: Arc<Cache>,
    pub(super) observer: Arc<Observer>,
}

/// The thread beside the writer, as the writer sees it. It has one commit at the most, and commits are followed in their
/// order.
pub(super) struct Follower {
    followed: Followed,
    work: Sender<Committed>,
    done: Receiver<()>,
    is_busy: bool,
}

impl Follower {
    pub(super) fn start(followed: Followed, fatal: FatalLatch) -> std::io::Result<Self> {
        let (work, commits) = mpsc::channel::<Committed>();
        let (told, done) = mpsc::channel();
        let beside = followed.clone();
        std::thread::Builder::new().name("follower".into()).spawn(move || {
            // Where it is not allowed, it is a thread like the others.
            let _ = rustix::process::nice(PATIENCE);
            let follow_all = || {
                for committed in commits {
                    beside.follow(committed);
                    // The writer may have ended.
                    let _ = told.send(());
                }
            };
            if fatal.guard("the thread that follows commits", follow_all).is_none() {
                // Memory is half changed.
                beside.cache.close();
            }
        })?;
        Ok(Self { followed, work, done, is_busy: false })
    }

    /// Has a commit followed, now or beside what the writer does next.
    pub(super) fn follow(&mut self, committed: Committed) -> Result<(), String> {
        self.wait()?;
        if committed.changes.kept().len() < MANY || self.followed.cache.is_in_lockstep() {
            self.followed.follow(committed);
            return Ok(());
        }
        self.is_busy = true;
        self.work.send(committed).map_err(|_| ended())
    }

    /// Waits until all commits are followed.
    pub(super) fn wait(&mut self) -> Result<(), String> {
        if std::mem::take(&mut self.is_busy) { self.done.recv().map_err(|_| ended()) } else { Ok(()) }
    }
}

fn ended() -> String {
    "the thread that follows commits has ended".into()
}

impl Followed {
    fn follow(&self, Committed { version, changes, settled }: Committed) {
        let metrics = self.observer.store();
        if !settled.is_empty() {
            metrics.committed(settled.len());
        }
        for (collection, deed, number) in changes.counts() {
            metrics.changed(self.catalog.at(collection).name(), deed, number);
        }
        let (kept, forgotten) = (changes.kept(), changes.forgotten());
        let are_few = settled.len() <= FEW && kept.len() < MANY && forgotten.is_empty();
        let answer_all = || settled.into_iter().for_each(|(pending, reply)| pending.answer(reply));
        match version {
            Some(version) if are_few => self.cache.answer_and_apply(version, kept, &forgotten, answer_all),
            // Readers would wait while many are woken, and those who are may read at once: they would hold threads up
            // for longer than they have gained.
            Some(version) => {
                self.cache.apply(version, kept, &forgotten);
                answer_all();
            }
            None => answer_all(),
        }
    }
}
