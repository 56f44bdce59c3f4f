//! One of the two levels above the entries of an order: nodes in a row, and beside them what is asked of each before
//! a look inside.

use std::ops::Range;
use std::sync::Arc;

/// Nodes in their order. A node is a leaf or a level of leaves.
#[derive(Debug, Clone)]
pub(super) struct Level<T> {
    /// The first bytes of each node's first key.
    firsts: Vec<u128>,
    /// How many entries each node has.
    lens: Vec<u32>,
    nodes: Vec<T>,
}

/// A node on its way into a level.
pub(super) struct Slot<T> {
    pub(super) first: u128,
    pub(super) len: usize,
    pub(super) node: T,
}

/// The first bytes of a key as a number. Where the numbers of two keys differ, the keys differ in the same way.
pub(super) fn first_bytes(key: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let len = key.len().min(16);
    bytes[..len].copy_from_slice(&key[..len]);
    u128::from_be_bytes(bytes)
}

impl<T> Default for Level<T> {
    fn default() -> Self {
        Self { firsts: Vec::new(), lens: Vec::new(), nodes: Vec::new() }
    }
}

impl<T> Level<T> {
    pub(super) fn nodes(&self) -> &[T] {
        &self.nodes
    }

    pub(super) fn node_mut(&mut self, place: usize) -> &mut T {
        &mut self.nodes[place]
    }

    /// The first bytes of a node's first key.
    pub(super) fn first_of(&self, place: usize) -> u128 {
        self.firsts.get(place).copied().unwrap_or_default()
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.before(self.nodes.len()) as usize
    }

    pub(super) fn node_len(&self, place: usize) -> usize {
        self.lens[place] as usize
    }

    /// How many entries the nodes before a place have.
    pub(super) fn before(&self, place: usize) -> u64 {
        self.lens[..place].iter().map(|len| u64::from(*len)).sum()
    }

    /// The last node that does not begin after an entry, or the first one. A frequent key begins many nodes, so
    /// its first bytes only narrow the range, and `begins_after` compares the whole entry.
    pub(super) fn find(&self, first: u128, begins_after: impl Fn(&T) -> bool) -> usize {
        let from = self.firsts.partition_point(|other| *other < first);
        let to = from + self.firsts[from..].partition_point(|other| *other == first);
        let among_equal = self.nodes[from..to].partition_point(|node| !begins_after(node));
        (from + among_equal).saturating_sub(1)
    }

    /// The node that has the entry at an offset, and the offset in there.
    pub(super) fn at(&self, mut offset: u64) -> (usize, u64) {
        for (place, len) in self.lens.iter().enumerate() {
            match offset.checked_sub(u64::from(*len)) {
                Some(rest) => offset = rest,
                None => return (place, offset),
            }
        }
        (self.nodes.len(), 0)
    }

    /// Puts nodes in the place of others.
    pub(super) fn replace(&mut self, places: Range<usize>, slots: impl IntoIterator<Item = Slot<T>>) {
        let mut place = places.start;
        for Slot { first, len, node } in slots {
            if place < places.end {
                (self.firsts[place], self.lens[place], self.nodes[place]) = (first, len as u32, node);
            } else {
                self.firsts.insert(place, first);
                self.lens.insert(place, len as u32);
                self.nodes.insert(place, node);
            }
            place += 1;
        }
        if place < places.end {
            self.firsts.drain(place..places.end);
            self.lens.drain(place..places.end);
            self.nodes.drain(place..places.end);
        }
    }

    /// Notes what has changed in a node.
    pub(super) fn note(&mut self, place: usize, first: u128, len: usize) {
        (self.firsts[place], self.lens[place]) = (first, len as u32);
    }

    pub(super) fn split_off(&mut self, place: usize) -> Self {
        let (firsts, lens) = (self.firsts.split_off(place), self.lens.split_off(place));
        Self { firsts, lens, nodes: self.nodes.split_off(place) }
    }

    /// As a node of the level above.
    pub(super) fn into_slot(self) -> Slot<Arc<Self>> {
        Slot { first: self.first_of(0), len: self.len(), node: Arc::new(self) }
    }
}
