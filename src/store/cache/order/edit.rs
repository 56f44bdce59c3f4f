//! A look into a leaf, and a leaf with one entry more or less.
//!
//! A change writes one or two groups anew and copies the rest.

use std::cmp::Ordering;

use super::leaf::{Group, Leaf, common_prefix, joined, number, pass_sharing_more, write_key, write_number};

/// How many entries of a leaf stand before an entry.
pub(super) fn rank(leaf: &[u8], key: &[u8], id: u64) -> usize {
    let place = find(leaf, key);
    match place.group {
        Some(group) if place.is_equal => place.before + find_id(leaf, &group, id).before,
        _ => place.before,
    }
}

/// The leaf with an entry more, and whether that is its last one; nothing where it is there already.
pub(super) fn insert(leaf: &[u8], key: &[u8], id: u64) -> Option<(Leaf, bool)> {
    let place = find(leaf, key);
    let start = place.group.as_ref().map_or(leaf.len(), |group| group.start);
    let mut bytes = Vec::with_capacity(key.len() + 32);
    let mut rest = leaf.len();
    let mut is_last = place.group.is_none();
    if let Some(group) = place.group.as_ref().filter(|_| place.is_equal) {
        let at = find_id(leaf, group, id);
        if at.next == Some(id) {
            return None;
        }
        write_key(&mut bytes, group.shared, [group.suffix, &[]], group.len + 1);
        bytes.extend_from_slice(&leaf[group.ids_start..at.start]);
        write_number(&mut bytes, id - at.last);
        at.next.inspect(|next| write_number(&mut bytes, next - id));
        rest = at.end;
        is_last = rest == leaf.len() && at.next.is_none();
    } else {
        write_key(&mut bytes, place.shared, [&key[place.shared..], &[]], 1);
        write_number(&mut bytes, id);
        if let Some(group) = place.group {
            // It shares more with the new key than with the one before that.
            let suffix = &group.suffix[place.shared_with_group - group.shared..];
            write_key(&mut bytes, place.shared_with_group, [suffix, &[]], group.len);
            rest = group.ids_start;
        }
    }
    Some((joined([&leaf[..start], &bytes, &leaf[rest..]]), is_last))
}

/// The leaf without an entry, or nothing where it is not there.
pub(super) fn remove(leaf: &[u8], key: &[u8], id: u64) -> Option<Leaf> {
    let place = find(leaf, key);
    let group = place.group.filter(|_| place.is_equal)?;
    let at = find_id(leaf, &group, id);
    if at.next != Some(id) {
        return None;
    }
    let mut bytes = Vec::with_capacity(key.len() + 32);
    let mut rest = at.end;
    if group.len > 1 {
        write_key(&mut bytes, group.shared, [group.suffix, &[]], group.len - 1);
        bytes.extend_from_slice(&leaf[group.ids_start..at.start]);
        if rest < group.end {
            let next = id + number(leaf, &mut rest);
            write_number(&mut bytes, next - at.last);
        }
    } else if let Some(next) = Group::read(leaf, group.end).filter(|next| next.shared > group.shared) {
        // It shares less with the key before the one that goes, from which it gets the difference.
        let difference = &group.suffix[..next.shared - group.shared];
        write_key(&mut bytes, group.shared, [difference, next.suffix], next.len);
        rest = next.ids_start;
    }
    Some(joined([&leaf[..group.start], &bytes, &leaf[rest..]]))
}

/// Where a key belongs in a leaf.
struct Place<'a> {
    /// How many entries have smaller keys.
    before: usize,
    /// How many bytes the key shares with the greatest of these.
    shared: usize,
    /// The first group whose key is not smaller.
    group: Option<Group<'a>>,
    /// How many bytes the key shares with that.
    shared_with_group: usize,
    is_equal: bool,
}

/// Compares only where a group shares with the one before as many bytes as the key does. A group that shares more
/// is smaller than the key like the one before, and one that shares less is greater.
fn find<'a>(leaf: &'a [u8], key: &[u8]) -> Place<'a> {
    let (mut at, mut before, mut shared) = (0, 0, 0);
    loop {
        before += pass_sharing_more(leaf, &mut at, shared);
        let Some(group) = Group::read(leaf, at) else { break };
        if group.shared < shared {
            let shared_with_group = group.shared;
            return Place { before, shared, group: Some(group), shared_with_group, is_equal: false };
        }
        if group.shared == shared {
            let rest = &key[shared..];
            let common = common_prefix(group.suffix, rest);
            let ordering = group.suffix.get(common).cmp(&rest.get(common));
            if ordering != Ordering::Less {
                let (shared_with_group, is_equal) = (shared + common, ordering == Ordering::Equal);
                return Place { before, shared, group: Some(group), shared_with_group, is_equal };
            }
            shared += common;
        }
        before += group.len;
        at = group.end;
    }
    Place { before, shared, group: None, shared_with_group: 0, is_equal: false }
}

/// Where an id belongs in a group.
struct IdPlace {
    /// How many ids are smaller.
    before: usize,
    /// The greatest of these, or 0.
    last: u64,
    /// The first id that is not smaller, and where its number stands.
    next: Option<u64>,
    start: usize,
    end: usize,
}

fn find_id(leaf: &[u8], group: &Group<'_>, id: u64) -> IdPlace {
    let (mut before, mut last, mut end) = (0, 0, group.ids_start);
    while end < group.end {
        let start = end;
        let other = last + number(leaf, &mut end);
        if other >= id {
            return IdPlace { before, last, next: Some(other), start, end };
        }
        (before, last) = (before + 1, other);
    }
    IdPlace { before, last, next: None, start: end, end }
}
