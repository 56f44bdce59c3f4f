//! What is derived from the data and kept in memory: sets of ids and blocks of records, of one version.
//!
//! The version is a number in the database that every commit raises. The writing thread applies each commit
//! here before it answers anybody; a reader that had to go to the database compares versions, so that all
//! of a list is of one moment, and so that what one client was told no later one finds undone.

pub(super) mod backend;
pub(super) mod blocks;
mod build_queue;
pub(super) mod builder;
mod chunk;
pub(super) mod ids;
mod learning;
pub(super) mod lookup;
#[cfg_attr(not(test), expect(dead_code, unused_imports, reason = "the read path does not sort yet"))]
mod order;
pub(super) mod read_path;
pub(super) mod sets;
pub(super) mod term;
pub(super) mod view;

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use bytes::Bytes;
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::catalog::Catalog;
use crate::record::RecordId;
use crate::record::listing::Window;
use crate::store::StoreError;
use crate::store::change::Change;
use blocks::{Block, BlockKey, Blocks};
use build_queue::BuildQueue;
use ids::Ids;
use sets::{Part, SetKey, Sets};
use view::{Read, Run, View};

/// Sets may take a quarter of the memory, blocks the rest.
const SHARE_OF_SETS: usize = 4;

pub(super) struct Cache {
    catalog: Arc<Catalog>,
    state: RwLock<State>,
    blocks: Blocks,
    pub(super) builds: BuildQueue,
    /// Raised before a commit changes blocks, and again afterwards: odd meanwhile.
    turns: AtomicU64,
    /// The version of `state`, to wait for without its lock.
    applied: AtomicU64,
    is_closed: AtomicBool,
    /// A panic left `state` or the blocks half changed.
    is_spoiled: AtomicBool,
}

struct State {
    version: u64,
    sets: Sets,
}

impl Cache {
    pub(super) fn new(catalog: Arc<Catalog>, version: u64, limit_bytes: usize) -> Self {
        let for_sets = limit_bytes / SHARE_OF_SETS;
        let sets = Sets::new(catalog.collections().len(), for_sets);
        Self {
            catalog,
            state: RwLock::new(State { version, sets }),
            blocks: Blocks::new(limit_bytes - for_sets),
            builds: BuildQueue::default(),
            turns: AtomicU64::new(0),
            applied: AtomicU64::new(version),
            is_closed: AtomicBool::new(false),
            is_spoiled: AtomicBool::new(false),
        }
    }

    /// The block of this id, where it is kept. Not while a commit is being applied, though a block is replaced
    /// whole: one commit may change many blocks, and who has seen one of them new must not find the next one old.
    pub(super) fn block(&self, key: BlockKey) -> Option<Arc<Block>> {
        // To see that no commit came in between is cheaper than to hold one up: even a lock that readers share
        // is written to by each of them.
        let turn = self.turns.load(Ordering::Acquire);
        if turn.is_multiple_of(2) {
            let block = self.blocks.get(key);
            fence(Ordering::Acquire);
            if self.turns.load(Ordering::Relaxed) == turn {
                return block;
            }
        }
        let _state = self.known()?;
        self.blocks.get(key)
    }

    pub(super) fn is_worth_reading(&self, key: BlockKey) -> bool {
        self.blocks.is_worth_reading(key)
    }

    /// Whether a record lives, where all ids of the collection are known.
    pub(super) fn lives(&self, collection: usize, id: RecordId) -> Option<bool> {
        self.known()?.sets.find(&SetKey::all_of(collection)).map(|ids| ids.contains(id))
    }

    /// The page of a set, `None` where the set is not known.
    pub(super) fn view(&self, key: &SetKey, window: Window) -> Option<View> {
        let state = self.known()?;
        Some(self.view_of(key.collection, state.version, state.sets.find(key)?, window))
    }

    /// As [`Cache::view`], with the state held still while `read` gets what is missing.
    pub(super) fn view_held<T>(
        &self,
        key: &SetKey,
        window: Window,
        read: impl FnOnce(View) -> T,
    ) -> Option<T> {
        let state = self.known()?;
        Some(read(self.view_of(key.collection, state.version, state.sets.find(key)?, window)))
    }

    fn view_of(&self, collection: usize, version: u64, set: &Ids, window: Window) -> View {
        let count = usize::try_from(window.count).unwrap_or(usize::MAX);
        let mut ids = Vec::with_capacity(count.min(64));
        set.page(window.offset.unsigned_abs(), count, &mut ids);
        let mut runs: Vec<Run> = Vec::with_capacity(4);
        for (place, id) in ids.iter().enumerate() {
            let key = BlockKey::of(collection, *id);
            match runs.last_mut() {
                Some(run) if run.key == key => run.ids.end += 1,
                _ => {
                    runs.push(Run { key, ids: place..place + 1, block: self.blocks.get(key), is_read: false })
                }
            }
        }
        View { version, total: set.len(), ids, runs }
    }

    /// The number of records in a set.
    pub(super) fn count(&self, key: &SetKey) -> Option<u64> {
        self.known()?.sets.find(key).map(Ids::len)
    }

    /// Keeps the blocks that were read whole at `version`, unless something has changed since.
    pub(super) fn keep(&self, version: u64, read: Vec<Read>) {
        // Held until all are in: a change cannot come between the look and the keeping.
        let state = self.state.read();
        if state.version == version {
            let whole = read.into_iter().filter(|(.., is_whole)| *is_whole);
            whole.for_each(|(key, block, _)| self.blocks.keep(key, block));
        }
    }

    /// Keeps a set that was read at `version`, unless something has changed since.
    pub(super) fn keep_set(&self, version: u64, key: SetKey, ids: Ids) {
        let mut state = self.change();
        if state.version == version {
            state.sets.publish(key, ids);
        }
    }

    /// Makes the set of those that are in all of these sets, if all are known.
    pub(super) fn intersect(&self, key: &SetKey, singles: &[SetKey]) -> bool {
        let mut state = self.change();
        let mut known: Vec<&Ids> = Vec::with_capacity(singles.len());
        for single in singles {
            match state.sets.find(single) {
                Some(ids) => known.push(ids),
                None => return false,
            }
        }
        known.sort_by_key(|ids| ids.len());
        let Some((smallest, others)) = known.split_first() else { return false };
        let mut both = (*smallest).clone();
        for other in others {
            both = both.intersection(other);
        }
        state.sets.publish(key.clone(), both);
        true
    }

    /// The version that everything kept here is of.
    pub(super) fn version(&self) -> u64 {
        self.applied.load(Ordering::Acquire)
    }

    pub(super) fn begin_build(&self, key: SetKey) -> Option<u64> {
        self.change().sets.begin_build(key)
    }

    pub(super) fn finish_build(&self, number: u64, parts: Vec<Part>) {
        self.change().sets.finish_build(number, parts);
    }

    pub(super) fn abandon_build(&self, number: u64) {
        self.change().sets.abandon_build(number);
    }

    /// Follows a commit, or several up to `version`, before anybody is answered from here. All about the
    /// `forgotten` collections is dropped: more has changed in them than was told.
    pub(super) fn apply(&self, version: u64, changes: &[Change], forgotten: &[usize]) {
        let mut by_block: HashMap<BlockKey, Vec<(RecordId, Option<Bytes>)>> = HashMap::new();
        for change in changes {
            let after = change.after.as_ref().map(|after| after.representation.clone());
            by_block.entry(BlockKey::of(change.collection, change.id)).or_default().push((change.id, after));
        }
        let mut state = self.change();
        // Under the lock: a reader must not keep a block that it read before, once this one is in place.
        self.turns.fetch_add(1, Ordering::AcqRel);
        for &collection in forgotten {
            state.sets.forget(collection);
            self.blocks.forget(collection);
        }
        for (key, changes) in by_block {
            if let Some(old) = self.blocks.get(key) {
                self.blocks.keep(key, Arc::new(old.patched(&changes)));
            }
        }
        state.sets.apply(&self.catalog, version, changes);
        state.version = version;
        self.applied.store(version, Ordering::Release);
        self.turns.fetch_add(1, Ordering::Release);
    }

    /// Waits until a commit that a reader has seen in the database is applied here as well: a few
    /// microseconds, as the writing thread does nothing between the two. Not waiting would let this reader
    /// tell of a record that the next one does not find. So it is refused where nothing is applied any more.
    pub(super) fn wait_for(&self, version: u64) -> Result<(), StoreError> {
        loop {
            // First: what was applied before the end counts.
            let is_closed = self.is_closed();
            if self.applied.load(Ordering::Acquire) >= version {
                return Ok(());
            }
            if is_closed {
                return Err(StoreError::Unavailable);
            }
            std::thread::yield_now();
        }
    }

    /// Says that no further commit will be applied: nobody need wait for one, and no set be built.
    pub(super) fn close(&self) {
        self.builds.stop();
        self.is_closed.store(true, Ordering::Release);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// The state to answer from; none once a panic has left it half changed.
    fn known(&self) -> Option<RwLockReadGuard<'_, State>> {
        let state = self.state.read();
        (!self.is_spoiled.load(Ordering::Relaxed)).then_some(state)
    }

    fn change(&self) -> Changing<'_> {
        Changing { state: self.state.write(), is_spoiled: &self.is_spoiled }
    }

    /// How many bytes the sets and the blocks take.
    pub(super) fn bytes(&self) -> (u64, u64) {
        (self.state.read().sets.bytes() as u64, self.blocks.bytes())
    }
}

/// The state while it is changed. A panic meanwhile spoils it before anybody else can look.
struct Changing<'a> {
    state: RwLockWriteGuard<'a, State>,
    is_spoiled: &'a AtomicBool,
}

impl Deref for Changing<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Changing<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.is_spoiled.store(true, Ordering::Relaxed);
        }
    }
}
