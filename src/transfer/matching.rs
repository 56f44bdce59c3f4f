//! Which record each entry of a file means.

mod join;
mod keys;

pub(super) use join::{Found, Join, Outcomes, Slot, Slots};
pub(super) use keys::Match;
pub(super) use keys::{given, of_id, tag_of, values, whole};
