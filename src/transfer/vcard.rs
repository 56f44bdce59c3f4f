//! vCard: cards of 2.1, 3.0 and 4.0 read from a file, records written as cards of 3.0 and 4.0.
//!
//! `docs/decisions/0018-own-readers-of-files.md` says why this is code of ours.

mod address;
mod day;
mod lines;
mod mapping;
mod property;
mod reader;
mod street;
mod taking;
mod text;
mod unfolding;
mod writer;

pub use mapping::VcardMapping;
pub use property::{Property, Unreadable};
pub use reader::{Card, Cards};
pub use street::split_street;
pub use taking::Taken;
pub use writer::{VcardWriter, Version};
