//! CSV as RFC 4180 has it: a header, then a line for each record. An empty cell and `""` are two things.

mod read;
pub mod write;

pub(super) use read::{LARGEST_ENTRY, not_utf8};
pub use read::{Row, Rows};
