//! Records in files: import and export. Never sees HTTP.

mod columns;
pub mod csv;
mod encoding;
pub mod entry;
pub mod export;
pub mod format;
pub mod import;
mod judge;
mod jsonl;
mod matching;
mod programs;
mod remedy;
mod rows;
mod source;
mod spool;
pub mod vcard;
