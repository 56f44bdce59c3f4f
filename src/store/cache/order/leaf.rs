//! A leaf of an order: up to 256 entries as bytes, each key without what it shares with the one before.
//!
//! Entries of one key are a group: how many bytes the key shares with that of the group before, how many follow,
//! these bytes, how many ids, the first id, and then the difference of each id to the one before. A group of one
//! id has no number of ids, as the lowest bit of the second number says. Numbers are LEB128.

use std::sync::Arc;

/// The bytes are never changed, but replaced, so that copies of an order may share them.
pub(super) type Leaf = Arc<[u8]>;

/// Appends entries, which come in their order.
#[derive(Default)]
pub(super) struct LeafWriter {
    bytes: Vec<u8>,
    /// The group that is not yet among the bytes.
    key: Vec<u8>,
    shared: usize,
    ids: Vec<u64>,
    len: usize,
}

impl LeafWriter {
    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whether an entry is the last one.
    pub(super) fn ends_with(&self, key: &[u8], id: u64) -> bool {
        self.ids.last() == Some(&id) && self.key == key
    }

    pub(super) fn push(&mut self, key: &[u8], id: u64) {
        if self.len == 0 || self.key != key {
            self.end_group();
            self.shared = if self.len == 0 { 0 } else { common_prefix(&self.key, key) };
            self.key.truncate(self.shared);
            self.key.extend_from_slice(&key[self.shared..]);
        }
        self.ids.push(id);
        self.len += 1;
    }

    /// The leaf and how many entries it has; afterwards the next one may be written.
    pub(super) fn take(&mut self) -> (Leaf, usize) {
        self.end_group();
        let leaf = Leaf::from(self.bytes.as_slice());
        self.bytes.clear();
        (leaf, std::mem::take(&mut self.len))
    }

    fn end_group(&mut self) {
        if !self.ids.is_empty() {
            write_key(&mut self.bytes, self.shared, [&self.key[self.shared..], &[]], self.ids.len());
            let mut last = 0;
            for id in self.ids.drain(..) {
                write_number(&mut self.bytes, id - last);
                last = id;
            }
        }
    }
}

/// The entries of one key.
pub(super) struct Group<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many bytes its key shares with that of the group before.
    pub(super) shared: usize,
    /// The rest of its key.
    pub(super) suffix: &'a [u8],
    /// How many ids there are.
    pub(super) len: usize,
    pub(super) ids_start: usize,
    leaf: &'a [u8],
}

impl<'a> Group<'a> {
    /// The group that starts at a place, or nothing at the end.
    #[inline]
    pub(super) fn read(leaf: &'a [u8], start: usize) -> Option<Self> {
        let mut at = start;
        if at == leaf.len() {
            return None;
        }
        // Nearly all of them: a short key and one id. To look for a key reads half a leaf of these.
        if let [shared, size, rest @ ..] = &leaf[at..]
            && (shared | size) & 0x80 == 0
            && size & 1 == 0
        {
            let (suffix, ids) = rest.split_at(usize::from(size >> 1));
            let ids_start = at + 2 + suffix.len();
            let end = ids_start + number_len(ids);
            return Some(Self { start, end, shared: usize::from(*shared), suffix, len: 1, ids_start, leaf });
        }
        let shared = number(leaf, &mut at) as usize;
        let size = number(leaf, &mut at);
        let suffix = &leaf[at..at + (size >> 1) as usize];
        at += suffix.len();
        let len = if size & 1 == 1 { number(leaf, &mut at) as usize } else { 1 };
        Some(Self { start, end: skip_numbers(leaf, at, len), shared, suffix, len, ids_start: at, leaf })
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u64> + use<'a> {
        let (leaf, mut at, end, mut id) = (self.leaf, self.ids_start, self.end, 0);
        std::iter::from_fn(move || {
            (at < end).then(|| {
                id += number(leaf, &mut at);
                id
            })
        })
    }

    /// Turns the key of the group before into that of this one.
    pub(super) fn advance(&self, key: &mut Vec<u8>) {
        key.truncate(self.shared);
        key.extend_from_slice(self.suffix);
    }
}

/// Goes past the groups that share more than `shared` bytes with the one before and have a short key and one id. Says how
/// many there were. Most of what is read to find a key is read here.
#[inline]
pub(super) fn pass_sharing_more(leaf: &[u8], at: &mut usize, shared: usize) -> usize {
    let mut passed = 0;
    while let Some([group_shared, size, rest @ ..]) = leaf.get(*at..)
        && (group_shared | size) & 0x80 == 0
        && size & 1 == 0
        && usize::from(*group_shared) > shared
    {
        let suffix = usize::from(size >> 1);
        *at += 2 + suffix + number_len(&rest[suffix..]);
        passed += 1;
    }
    passed
}

/// A leaf of these parts. Made in one go: a leaf is too large for what an allocator keeps at hand.
pub(super) fn joined(parts: [&[u8]; 3]) -> Leaf {
    let mut leaf: Leaf = std::iter::repeat_n(0, parts.iter().map(|part| part.len()).sum()).collect();
    let mut rest = Arc::get_mut(&mut leaf).unwrap_or_default();
    for part in parts {
        let (place, behind) = rest.split_at_mut(part.len());
        place.copy_from_slice(part);
        rest = behind;
    }
    leaf
}

/// The first entry of a leaf.
pub(super) fn first(leaf: &[u8]) -> (&[u8], u64) {
    let mut at = 0;
    number(leaf, &mut at);
    let size = number(leaf, &mut at);
    let (start, end) = (at, at + (size >> 1) as usize);
    at = end;
    if size & 1 == 1 {
        number(leaf, &mut at);
    }
    (&leaf[start..end], number(leaf, &mut at))
}

/// Writes a group up to its ids. The suffix comes in two parts.
pub(super) fn write_key(bytes: &mut Vec<u8>, shared: usize, suffix: [&[u8]; 2], len: usize) {
    write_number(bytes, shared as u64);
    write_number(bytes, ((suffix[0].len() + suffix[1].len()) as u64) << 1 | u64::from(len > 1));
    bytes.extend_from_slice(suffix[0]);
    bytes.extend_from_slice(suffix[1]);
    if len > 1 {
        write_number(bytes, len as u64);
    }
}

pub(super) fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
pub(super) fn number(bytes: &[u8], at: &mut usize) -> u64 {
    let byte = bytes[*at];
    *at += 1;
    let mut number = u64::from(byte & 0x7f);
    let (mut byte, mut shift) = (byte, 7);
    while byte >= 0x80 {
        byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
    }
    number
}

/// How many bytes the first number takes.
#[inline]
fn number_len(bytes: &[u8]) -> usize {
    if let Some(eight) = bytes.first_chunk()
        && let ends @ 1.. = !u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080
    {
        return ends.trailing_zeros() as usize / 8 + 1;
    }
    bytes.iter().take_while(|byte| **byte >= 0x80).count() + 1
}

/// Where some numbers end. The last byte of each has no highest bit.
#[inline]
fn skip_numbers(bytes: &[u8], mut at: usize, mut count: usize) -> usize {
    while count >= 8
        && let Some(eight) = bytes[at..].first_chunk()
    {
        count -= (!u64::from_ne_bytes(*eight) & 0x8080_8080_8080_8080).count_ones() as usize;
        at += 8;
    }
    while count > 0 {
        count -= usize::from(bytes[at] < 0x80);
        at += 1;
    }
    at
}

pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
