//! What comes after a commit: memory follows it, and everybody is answered, a few who wrote little as soon as nobody
//! can read what was before. To follow many changes takes a third as long as to write them, and is done beside the
//! next group.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};

use crate::catalog::Catalog;
use crate::observe::Observer;
use crate::store::cache::Cache;
use crate::store::change::Changes;
use crate::store::fatal::FatalLatch;
use crate::store::patient_thread::be_patient;
use crate::store::write::WriteReply;
use crate::store::write::handle::PendingWrite;

/// From so many changes on it is worth to wake another thread.
const MANY: usize = 256;

/// So many are answered before memory has followed: who is alone gains by it.
const FEW: usize = 8;

/// The writes of a commit, and what each is told.
type Settled = Vec<(PendingWrite, WriteReply)>;

/// What a group has done, before its commit.
pub(super) struct Deeds {
    /// The version of the data that it makes, where it changes any.
    pub(super) version: Option<u64>,
    pub(super) changes: Changes,
}

/// A commit that is under way; dropped, it is none.
pub(super) enum Prospect {
    /// To be followed by the writer itself.
    Here(Deeds),
    /// The other thread is told of it already, and prepares to follow it.
    Beside(SyncSender<Settled>),
}

/// What the other thread is told of a commit that is under way, and where it hears that it is done.
struct Announced {
    deeds: Deeds,
    done: Receiver<Settled>,
}

/// Who is told of a commit besides those who wrote.
#[derive(Clone)]
pub(super) struct Followed {
    pub(super) catalog: Arc<Catalog>,
    pub(super) cache: Arc<Cache>,
    pub(super) observer: Arc<Observer>,
}

/// The thread beside the writer, as the writer sees it. It has one commit at the most that is done, and one that is under
/// way. Commits are followed in their order.
pub(super) struct Follower {
    followed: Followed,
    work: Sender<Announced>,
    over: Receiver<()>,
    /// How many were announced that are not over.
    under_way: usize,
}

impl Follower {
    pub(super) fn start(followed: Followed, fatal: FatalLatch) -> std::io::Result<Self> {
        let (work, commits) = mpsc::channel::<Announced>();
        let (told, over) = mpsc::channel();
        let beside = followed.clone();
        std::thread::Builder::new().name("follower".into()).spawn(move || {
            be_patient();
            let follow_all = || {
                for announced in commits {
                    beside.prepare_and_follow(announced);
                    // The writer may have ended.
                    let _ = told.send(());
                }
            };
            if fatal.guard("the thread that follows commits", follow_all).is_none() {
                // Memory is half changed.
                beside.cache.close();
            }
        })?;
        Ok(Self { followed, work, over, under_way: 0 })
    }

    /// Tells of a commit before it is done: to follow many changes is mostly to prepare it, which is done meanwhile.
    pub(super) fn announce(&mut self, deeds: Deeds) -> Result<Prospect, String> {
        if deeds.changes.kept().len() < MANY || self.followed.cache.is_in_lockstep() {
            return Ok(Prospect::Here(deeds));
        }
        // One that has failed may yet be prepared: without a wait, any number of them.
        self.wait_until(1)?;
        let (told, done) = mpsc::sync_channel(1);
        self.work.send(Announced { deeds, done }).map_err(|_| ended())?;
        self.under_way += 1;
        Ok(Prospect::Beside(told))
    }

    /// Has a commit followed that is on disk, now or beside what the writer does next.
    pub(super) fn follow(&mut self, prospect: Prospect, settled: Settled) -> Result<(), String> {
        match prospect {
            Prospect::Here(deeds) => {
                self.wait()?;
                self.followed.follow(deeds, settled);
                Ok(())
            }
            Prospect::Beside(told) => {
                told.send(settled).map_err(|_| ended())?;
                let is_in_lockstep = self.followed.cache.is_in_lockstep();
                self.wait_until(if is_in_lockstep { 0 } else { 1 })
            }
        }
    }

    /// Waits until all commits are followed.
    pub(super) fn wait(&mut self) -> Result<(), String> {
        self.wait_until(0)
    }

    /// Waits until no more than so many are left.
    fn wait_until(&mut self, left: usize) -> Result<(), String> {
        while self.under_way > left {
            self.over.recv().map_err(|_| ended())?;
            self.under_way -= 1;
        }
        Ok(())
    }
}

fn ended() -> String {
    "the thread that follows commits has ended".into()
}

impl Followed {
    /// Follows many changes, once their commit is done.
    fn prepare_and_follow(&self, Announced { deeds: Deeds { version, changes }, done }: Announced) {
        let prepared = self.cache.prepare(changes.kept());
        // Otherwise it was taken back, or failed.
        let Ok(settled) = done.recv() else { return };
        self.count(&changes, &settled);
        if let Some(version) = version {
            prepared.apply(version, &changes.forgotten());
        }
        settled.into_iter().for_each(|(pending, reply)| pending.answer(reply));
    }

    fn follow(&self, Deeds { version, changes }: Deeds, settled: Settled) {
        self.count(&changes, &settled);
        let (kept, forgotten) = (changes.kept(), changes.forgotten());
        let are_few = settled.len() <= FEW && forgotten.is_empty();
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

    fn count(&self, changes: &Changes, settled: &Settled) {
        let metrics = self.observer.store();
        if !settled.is_empty() {
            metrics.committed(settled.len());
        }
        for (collection, deed, number) in changes.counts() {
            metrics.changed(self.catalog.at(collection).name(), deed, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::declaration::{Declaration, FieldDeclaration};
    use crate::observe::LogSettings;
    use crate::record::{RecordId, Value};
    use crate::store::OpenSettings;
    use crate::store::cache::ids::Ids;
    use crate::store::cache::set_key::SetKey;
    use crate::store::change::{After, Change};

    /// A follower of a memory that knows no record, of version 7.
    fn follower() -> Follower {
        let field = FieldDeclaration { name: "text".into(), kind: "string".into(), ..Default::default() };
        let notes = Declaration { name: "notes".into(), fields: vec![field], ..Default::default() };
        let catalog = Arc::new(Catalog::declare(&[notes], &[]).unwrap());
        let settings = OpenSettings {
            any_filesystem: true,
            memory: 1 << 20,
            stored_answers: 1 << 20,
            keeps_orders: true,
        };
        let cache = Arc::new(Cache::new(catalog.clone(), 7, &settings));
        cache.keep_set(7, SetKey::all_of(0), Ids::default());
        let quiet = Observer::writing_to(LogSettings::default(), false, Box::new(std::io::sink())).unwrap();
        Follower::start(Followed { catalog, cache, observer: Arc::new(quiet) }, FatalLatch::new()).unwrap()
    }

    fn creates(version: u64, ids: std::ops::RangeInclusive<i64>) -> Deeds {
        let mut changes = Changes::default();
        for id in ids.filter_map(RecordId::new) {
            let after = After { values: [Value::Null].into(), representation: Default::default() };
            changes.note(Change { collection: 0, id, before: None, after: Some(after) });
        }
        Deeds { version: Some(version), changes }
    }

    #[test]
    fn a_commit_that_is_announced_is_followed_once_it_is_done_and_never_where_it_fails() {
        let mut follower = follower();
        let cache = follower.followed.cache.clone();
        let known = || (cache.version(), cache.count(&SetKey::all_of(0)));
        let many = i64::try_from(MANY).unwrap();
        for last in [1, many, many, many, many] {
            drop(follower.announce(creates(8, 1..=last)).unwrap());
            assert!(follower.under_way <= 2, "any number of failures may wait");
        }
        follower.wait().unwrap();
        assert_eq!(known(), (7, Some(0)));
        let reader = cache.lockstep();
        assert!(matches!(follower.announce(creates(8, 1..=many)).unwrap(), Prospect::Here(_)));
        drop(reader);
        let mut last = 0;
        for (version, number) in [(8, many), (9, 1), (10, many), (11, many)] {
            let prospect = follower.announce(creates(version, last + 1..=last + number)).unwrap();
            assert_eq!(matches!(prospect, Prospect::Beside(_)), number == many);
            last += number;
            follower.follow(prospect, Vec::new()).unwrap();
            assert!(follower.under_way <= 1);
        }
        follower.wait().unwrap();
        assert_eq!(known(), (11, Some(last.unsigned_abs())));
    }
}
