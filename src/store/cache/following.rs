//! How memory follows a commit. What takes long is done beside the readers, and may be done while the commit is under way.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::Cache;
use super::blocks::BlockKey;
use super::changed::Changed;
use super::orders::{self, Copies};
use crate::record::RecordId;
use crate::store::change::Change;

/// Records by the block that they are in, in the order of their changes; `None` for one that is gone.
type ByBlock<'a> = HashMap<BlockKey, Vec<(RecordId, Option<&'a Bytes>)>>;

/// The changes of a commit, as far as they can be followed before anybody may see them. Dropped, nothing has happened.
pub(in crate::store) struct Following<'a> {
    cache: &'a Cache,
    changes: &'a [Change],
    records: Vec<Changed<'a>>,
    by_block: ByBlock<'a>,
    moved: Option<Copies>,
}

impl Cache {
    /// Prepares to follow what a commit changes. Until that is followed, or dropped, no other commit may be.
    pub(in crate::store) fn prepare<'a>(&'a self, changes: &'a [Change]) -> Following<'a> {
        let mut by_block = ByBlock::new();
        for change in changes {
            let after = change.after.as_ref().map(|after| &after.representation);
            by_block.entry(BlockKey::of(change.collection, change.id)).or_default().push((change.id, after));
        }
        let records = Changed::all(&self.catalog, changes);
        // Without the lock: somebody who waits for it alone would keep the readers out as well.
        let copies = self.state.read_anyway().orders.copies(changes);
        let moved = copies.map(|mut copies| {
            orders::follow(&mut copies, &records);
            copies
        });
        Following { cache: self, changes, records, by_block, moved }
    }

    /// Follows a commit, or several up to `version`, before anybody hears of it. All about the `forgotten` collections
    /// is dropped: more has changed in them than was told.
    pub(in crate::store) fn apply(&self, version: u64, changes: &[Change], forgotten: &[usize]) {
        self.prepare(changes).apply(version, forgotten);
    }

    /// The same, but calls `answer` as soon as nobody can read what was before: who wrote need not wait for the rest.
    pub(in crate::store) fn answer_and_apply(
        &self,
        version: u64,
        changes: &[Change],
        forgotten: &[usize],
        answer: impl FnOnce(),
    ) {
        self.prepare(changes).follow(version, forgotten, Some(answer));
    }
}

impl Following<'_> {
    /// The commit is on disk.
    pub(in crate::store) fn apply(self, version: u64, forgotten: &[usize]) {
        self.follow(version, forgotten, None::<fn()>);
    }

    fn follow(self, version: u64, forgotten: &[usize], answer: Option<impl FnOnce()>) {
        let cache = self.cache;
        let mut state = cache.change();
        // Under the lock: a reader must not keep a block that it read before, once this one is in place.
        cache.turns.fetch_add(1, Ordering::AcqRel);
        if let Some(answer) = answer {
            cache.announced.store(version, Ordering::Release);
            answer();
        }
        for &collection in forgotten {
            state.sets.forget(collection);
            state.orders.forget(collection);
            state.recent.forget(version);
            cache.blocks.forget(collection);
        }
        for (key, changes) in self.by_block {
            if let Some(old) = cache.blocks.get(key) {
                cache.blocks.keep(key, Arc::new(old.patched(&changes)));
            }
        }
        state.sets.apply(&self.records);
        let replaced = state.orders.apply(&self.records, self.moved);
        state.recent.note(version, self.changes);
        cache.blocks.leave_room(state.orders.evictable_bytes());
        state.version = version;
        // Before `applied`: who has read from the database what is of this version waits for that alone.
        cache.announced.store(version, Ordering::Release);
        cache.applied.store(version, Ordering::Release);
        cache.wake();
        cache.turns.fetch_add(1, Ordering::Release);
        drop(state);
        drop(replaced);
    }
}
