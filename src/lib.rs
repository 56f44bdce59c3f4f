//! carnet keeps records in named collections and serves them as JSON over HTTP.
//!
//! The rooms, in reading order:

/// What is declared: collections, fields, names.
pub mod catalog;
/// Where records are kept.
pub mod store;
