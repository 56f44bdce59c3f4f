//! Which record each entry means: a join of a file with a collection. Keys of entries are sorted, and
//! the key of each record is looked for among them; in as many parts as fit into memory.

use std::io;
use std::path::Path;

use super::keys::{Match, has_given, tag};
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::value::Cell;
use crate::transfer::entry::{Fault, Faults};
use crate::transfer::spool::Spool;

/// How many entries are in memory at the most. Each takes 80 bytes there, so all of them 48 MB.
const MOST_SLOTS: u64 = 600_000;

/// What is remembered of an entry until its record is known.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::transfer) struct Slot {
    pub(in crate::transfer) key: u128,
    pub(in crate::transfer) given: u64,
    pub(in crate::transfer) mask: u64,
    /// None where the entry looks for nothing.
    pub(in crate::transfer) line: u32,
    pub(in crate::transfer) is_whole: bool,
}

/// The slots of a file, one for each entry in order.
pub(in crate::transfer) struct Slots(Spool<48>);

impl Slots {
    pub(in crate::transfer) fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self(Spool::new(folder)?))
    }

    pub(in crate::transfer) fn push(&mut self, slot: Slot) -> io::Result<()> {
        let mut row = [0; 48];
        row[..16].copy_from_slice(&slot.key.to_le_bytes());
        row[16..24].copy_from_slice(&slot.given.to_le_bytes());
        row[24..32].copy_from_slice(&slot.mask.to_le_bytes());
        row[32..36].copy_from_slice(&slot.line.to_le_bytes());
        row[36] = u8::from(slot.is_whole);
        self.0.push(row)
    }

    fn load(&mut self, parts: u64, part: u64) -> io::Result<Vec<Open>> {
        let mut open = Vec::new();
        self.0.each(|entry, row| {
            let slot = Slot {
                key: u128::from_le_bytes(bytes(&row, 0)),
                given: u64::from_le_bytes(bytes(&row, 16)),
                mask: u64::from_le_bytes(bytes(&row, 24)),
                line: u32::from_le_bytes(bytes(&row, 32)),
                is_whole: row[36] != 0,
            };
            if slot.line != 0 && slot.key % u128::from(parts) == u128::from(part) {
                open.push(Open { slot, entry, found: Found::default(), taken: 0 });
            }
        })?;
        open.sort_unstable_by_key(|open| (open.slot.key, open.entry));
        Ok(open)
    }
}

struct Open {
    slot: Slot,
    entry: u64,
    found: Found,
    /// In the first of equal ones: how many have a record.
    taken: u32,
}

/// The record that an entry means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::transfer) struct Found {
    /// 0 is none; below it is none yet: the record that the entry of this number makes, counted from -1.
    pub(in crate::transfer) id: i64,
    /// The hash of its representation; 0 where it has what the entry gives already.
    pub(in crate::transfer) tag: u64,
}

/// The records of all entries, in order.
pub(in crate::transfer) struct Outcomes(Spool<16>);

impl Outcomes {
    pub(in crate::transfer) fn get(&mut self, entry: u64) -> io::Result<Found> {
        let row = self.0.get(entry)?;
        let (id, tag) = (i64::from_le_bytes(bytes(&row, 0)), u64::from_le_bytes(bytes(&row, 8)));
        Ok(Found { id, tag })
    }

    pub(in crate::transfer) fn set(&mut self, entry: u64, found: Found) -> io::Result<()> {
        let mut row = [0; 16];
        row[..8].copy_from_slice(&found.id.to_le_bytes());
        row[8..].copy_from_slice(&found.tag.to_le_bytes());
        self.0.set(entry, row)
    }
}

/// Finds the record of each entry. It is done in parts; of each the caller shows all records.
pub(in crate::transfer) struct Join {
    slots: Slots,
    outcomes: Outcomes,
    by: Match,
    /// Whether all equal entries mean the first such record, and the first of them makes it where there is none.
    is_shared: bool,
    parts: u64,
    open: Vec<Open>,
    /// Of entries that mean several records, or records that several entries mean.
    faults: Faults,
}

impl Join {
    pub(in crate::transfer) fn new(
        slots: Slots,
        by: Match,
        is_shared: bool,
        folder: &Path,
    ) -> io::Result<Self> {
        let mut outcomes = Spool::new(folder)?;
        for _ in 0..slots.0.len() {
            outcomes.push([0; 16])?;
        }
        let parts = slots.0.len().div_ceil(MOST_SLOTS).max(1);
        let (open, faults) = (Vec::new(), Faults::default());
        Ok(Self { slots, outcomes: Outcomes(outcomes), by, is_shared, parts, open, faults })
    }

    pub(in crate::transfer) fn parts(&self) -> u64 {
        self.parts
    }

    /// Takes the entries of a part into memory, and says of each whether another one means the same record.
    pub(in crate::transfer) fn begin(&mut self, part: u64, collection: &Collection) -> io::Result<()> {
        self.open = self.slots.load(self.parts, part)?;
        if self.is_shared {
            return Ok(());
        }
        let names = self.by.names(collection);
        let mut first = 0;
        for at in 1..self.open.len() {
            let (one, other) = (&self.open[first].slot, &self.open[at].slot);
            if one.key != other.key {
                first = at;
            } else if !one.is_whole {
                let (line, earlier) = (u64::from(other.line), one.line);
                let words = format!("line {line} has the same {names} as line {earlier}");
                self.faults.push(Fault::new(line, words));
            }
        }
        Ok(())
    }

    /// A record of the collection.
    pub(in crate::transfer) fn show(&mut self, collection: &Collection, id: RecordId, cells: &[Cell<'_>]) {
        for key in self.by.keys_of(id, cells).into_iter().flatten() {
            let first = self.open.partition_point(|open| open.slot.key < key);
            let Some(head) = self.open.get_mut(first).filter(|open| open.slot.key == key) else { continue };
            if self.is_shared {
                if head.found.id == 0 {
                    head.found.id = id.get();
                }
                continue;
            }
            if !head.slot.is_whole {
                if head.found.id != 0 {
                    let (line, other) = (u64::from(head.slot.line), head.found.id);
                    let words =
                        format!("line {line} matches 2 records ({other}, {id}). Match by more fields");
                    // Each entry is named once, with the first two.
                    if head.taken == 0 {
                        self.faults.push(Fault::new(line, words));
                    }
                    head.taken += 1;
                    continue;
                }
            } else {
                let next = first + head.taken as usize;
                if self.open.get(next).is_none_or(|open| open.slot.key != key) {
                    continue;
                }
                self.open[first].taken += 1;
                self.open[next].found = Found { id: id.get(), tag: 0 };
                return;
            }
            let is_equal = has_given(cells, head.slot.mask, head.slot.given);
            let tag = if is_equal { 0 } else { tag(collection, id, cells) };
            head.found = Found { id: id.get(), tag };
            return;
        }
    }

    /// Writes down what was found.
    pub(in crate::transfer) fn end(&mut self) -> io::Result<()> {
        let mut first: Option<(u128, Found)> = None;
        for open in std::mem::take(&mut self.open) {
            let mut found = open.found;
            if self.is_shared {
                first = first.filter(|(key, _)| *key == open.slot.key);
                let made_here = Found { id: -1 - open.entry.cast_signed(), tag: 0 };
                let default = if found.id == 0 { made_here } else { found };
                found = first.get_or_insert((open.slot.key, default)).1;
            }
            if found.id != 0 {
                self.outcomes.set(open.entry, found)?;
            }
        }
        Ok(())
    }

    pub(in crate::transfer) fn finish(self) -> (Outcomes, Faults) {
        (self.outcomes, self.faults)
    }
}

/// So many bytes of a row, from here.
fn bytes<const N: usize>(row: &[u8], from: usize) -> [u8; N] {
    std::array::from_fn(|at| row[from + at])
}
