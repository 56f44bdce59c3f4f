//! What is derived from the data and kept in memory: sets of ids and blocks of records, of one version.
//!
//! The version is a number in the database that every commit raises. Who wrote is answered once nobody can read here
//! what was before, and each commit is applied here before anybody reads again; a reader that had to go to the database
//! compares versions, so that all of a list is of one moment, and so that what one client was told no later one finds
//! undone.

pub(super) mod backend;
pub(super) mod blocks;
mod build_queue;
pub(super) mod builder;
mod building;
mod changed;
mod chunk;
mod completion;
pub(super) mod embedded;
mod embedding;
pub(super) mod following;
mod id_filter;
pub(super) mod ids;
mod kept_orders;
mod learning;
pub(super) mod list_request;
pub(super) mod lockstep;
mod order;
pub(super) mod order_key;
mod order_making;
pub(super) mod orders;
mod poison_lock;
pub(super) mod query;
pub(super) mod read_path;
mod recent;
pub(super) mod scan;
mod scanning;
mod searching;
mod sequence;
pub(super) mod set_key;
mod sets;
mod slice;
mod small_orders;
mod sort_key;
mod sorting;
pub(super) mod term;
mod too_large;
pub(super) mod view;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};

use parking_lot::{Condvar, Mutex, RwLockReadGuard};
use tokio::sync::{Notify, Semaphore};

use crate::catalog::Catalog;
use crate::record::RecordId;
use crate::store::{OpenSettings, StoreError};
use blocks::{Block, BlockKey, Blocks};
use build_queue::BuildQueue;
use ids::Ids;
use orders::Orders;
use poison_lock::{PoisonLock, Writing};
use query::Query;
use recent::Recent;
use sequence::{Found, Sequence};
use set_key::SetKey;
use sets::Sets;
use small_orders::SmallOrders;
use view::{Read, View};

/// Sets may take a quarter of the memory, blocks the rest, of which orders may take a quarter of the whole.
const SHARE_OF_SETS: usize = 4;
const SHARE_OF_ORDERS: usize = 4;
/// A filter that matches at most so many records is read at once; a larger set is read in the background.
const SMALL: usize = 1_000;
/// How many scans run at a time.
const SCANS: usize = 2;
/// How often a thread looks whether a commit is applied before it sleeps until it is.
const QUICK_TRIES: u32 = 16;

pub(super) struct Cache {
    catalog: Arc<Catalog>,
    state: PoisonLock<State>,
    blocks: Blocks,
    small_orders: SmallOrders,
    pub(super) builds: BuildQueue,
    /// Raised before a commit changes blocks, and again afterwards: odd meanwhile.
    turns: AtomicU64,
    /// The version that somebody may have been told of: `state` is of it, or about to be while it is locked.
    announced: AtomicU64,
    /// The version of `state`, to wait for without its lock.
    applied: AtomicU64,
    /// Held to sleep until `applied` is raised, and told then.
    waiting: Mutex<()>,
    followed: Condvar,
    /// How many readers are in lockstep with the writer.
    in_lockstep: AtomicUsize,
    /// Told when a set or an order is made, or given up.
    made: Notify,
    /// Scans for one request, of which few may run at a time.
    scans: Semaphore,
    is_closed: AtomicBool,
}

struct State {
    version: u64,
    sets: Sets,
    orders: Orders,
    recent: Recent,
}

impl State {
    /// The records that a list asks for, where they are known.
    fn sequence<'a>(&'a self, query: &'a Query<'_>) -> Option<Sequence<'a>> {
        if let Some(search) = &query.search {
            // Typos are forgiven where nothing else is found: both are told by the same moment.
            let finds_nothing = self.sets.find(&search.alone)?.len() == 0;
            if finds_nothing != search.forgives_typos {
                return None;
            }
            if let Some([whole, others]) = &search.parts {
                return Some(Sequence::Twice([self.sets.find(whole)?, self.sets.find(others)?], &query.ids));
            }
        }
        let Some(key) = &query.order else {
            return Some(Sequence::ById(self.sets.find(&query.set)?, &query.ids));
        };
        if let Some(order) = self.orders.find(key) {
            return Some(Sequence::ByKey(order, 0..order.len()));
        }
        let part = query.slice.as_ref()?;
        let order = self.orders.find(&part.order)?;
        let conditions = part.conditions.iter().copied();
        Some(Sequence::ByKey(order, slice::ranks(order, &key.sort, query.collection, conditions)))
    }
}

impl Cache {
    pub(super) fn new(catalog: Arc<Catalog>, version: u64, settings: &OpenSettings) -> Self {
        let limit_bytes = settings.memory;
        let for_sets = limit_bytes / SHARE_OF_SETS;
        let sets = Sets::new(catalog.collections().len(), for_sets);
        let orders = Orders::new(&catalog, limit_bytes / SHARE_OF_ORDERS, settings.keeps_orders);
        Self {
            catalog,
            state: PoisonLock::new(State { version, sets, orders, recent: Recent::new(version) }),
            blocks: Blocks::new(limit_bytes - for_sets),
            small_orders: SmallOrders::new(limit_bytes / SHARE_OF_ORDERS),
            builds: BuildQueue::default(),
            turns: AtomicU64::new(0),
            announced: AtomicU64::new(version),
            applied: AtomicU64::new(version),
            waiting: Mutex::default(),
            followed: Condvar::default(),
            in_lockstep: AtomicUsize::new(0),
            made: Notify::new(),
            scans: Semaphore::new(SCANS),
            is_closed: AtomicBool::new(false),
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

    /// The page that a list asks for, `None` where memory does not know it.
    pub(super) fn view(&self, query: &Query<'_>) -> Option<View> {
        self.view_held(query, |view| view)
    }

    /// As [`Cache::view`], with the state held still while `read` gets what is missing.
    pub(super) fn view_held<T>(&self, query: &Query<'_>, read: impl FnOnce(View) -> T) -> Option<T> {
        let state = self.known()?;
        let found = state.sequence(query)?.page(query.start, query.count, query.is_backwards);
        Some(read(View::new(query.set.collection, state.version, found, |key| self.blocks.get(key))))
    }

    /// A page that was found in the database, as of `version`, with the blocks that are at hand; `None` where one of
    /// its records has changed since.
    fn view_of(&self, collection: usize, version: u64, found: Found) -> Option<View> {
        let state = self.known()?;
        if state.version != version {
            let changed = state.recent.since(collection, version)?;
            if found.ids.iter().any(|id| changed.contains(id)) {
                return None;
            }
        }
        Some(View::new(collection, version, found, |key| self.blocks.get(key)))
    }

    /// The records of a collection that have changed after a version; `None` where that is not known.
    fn changed_since(&self, collection: usize, version: u64) -> Option<HashSet<RecordId>> {
        self.known()?.recent.since(collection, version)
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The number of records in a set.
    pub(super) fn count(&self, key: &SetKey) -> Option<u64> {
        self.known()?.sets.find(key).map(Ids::len)
    }

    /// The records of a set and the version they are of, where it is known and they are few.
    fn few(&self, key: &SetKey) -> Option<(u64, Vec<RecordId>)> {
        let state = self.known()?;
        let set = state.sets.find(key).filter(|set| set.len() <= SMALL as u64)?;
        let mut ids = Vec::new();
        set.page(0, SMALL, &mut ids);
        Some((state.version, ids))
    }

    /// Keeps the blocks that were read whole at `version`, unless something has changed since.
    pub(super) fn keep(&self, version: u64, read: Vec<Read>) {
        // Held until all are in: a change cannot come between the look and the keeping.
        let Some(state) = self.known() else { return };
        if state.version == version {
            let whole = read.into_iter().filter(|(.., is_whole)| *is_whole);
            whole.for_each(|(key, block, _)| self.blocks.keep(key, block));
        }
    }

    /// The version that everything kept here is of. A client may have been told of the next one already.
    pub(super) fn version(&self) -> u64 {
        self.applied.load(Ordering::Acquire)
    }

    /// The version that a client may have been told of; whoever reads from here next sees it or a later one.
    pub(super) fn announced(&self) -> u64 {
        self.announced.load(Ordering::Acquire)
    }

    /// Waits until a commit that a reader has seen in the database is applied here as well, which is what comes next: a
    /// few microseconds after a lone write, some milliseconds after a thousand. Not waiting would let this reader
    /// tell of a record that the next one does not find. So it is refused where nothing is applied any more.
    pub(super) fn wait_for(&self, version: u64) -> Result<(), StoreError> {
        for tries in 1.. {
            // First: what was applied before the end counts.
            let is_closed = self.is_closed();
            if self.applied.load(Ordering::Acquire) >= version {
                return Ok(());
            }
            if is_closed {
                return Err(StoreError::Unavailable);
            }
            if tries <= QUICK_TRIES {
                std::thread::yield_now();
                continue;
            }
            // Many changes are followed by a thread that lets others go first.
            let mut waiting = self.waiting.lock();
            if self.applied.load(Ordering::Acquire) < version && !self.is_closed() {
                self.followed.wait(&mut waiting);
            }
        }
        Ok(())
    }

    /// Wakes whoever sleeps until a commit is applied.
    fn wake(&self) {
        // Who has looked before, and is about to sleep, does by the time this is had.
        drop(self.waiting.lock());
        self.followed.notify_all();
    }

    /// Says that no further commit will be applied: nobody need wait for one, and no set be built.
    pub(super) fn close(&self) {
        self.builds.stop();
        self.is_closed.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// The state to answer from; none once a panic has left it half changed.
    fn known(&self) -> Option<RwLockReadGuard<'_, State>> {
        self.state.read()
    }

    fn change(&self) -> Writing<'_, State> {
        self.state.write()
    }

    /// How many bytes the sets, the orders and the blocks take.
    pub(super) fn bytes(&self) -> MemoryUse {
        let state = self.state.read_anyway();
        MemoryUse {
            sets: state.sets.bytes() as u64,
            orders: state.orders.bytes() as u64,
            blocks: self.blocks.bytes(),
        }
    }
}

/// How many bytes of memory are in use, by what is kept in them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MemoryUse {
    pub(super) sets: u64,
    pub(super) orders: u64,
    pub(super) blocks: u64,
}

#[cfg(test)]
mod tests;
