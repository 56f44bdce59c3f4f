//! carnet keeps records in named collections and serves them as JSON over HTTP.
//!
//! The modules, from the ground up; `ARCHITECTURE.md` is the map.

// What is declared: collections, fields, names.
pub mod catalog;
// One record: judged from a body, listed by a query, written as JSON.
pub mod record;
// Where records are kept.
pub mod store;
// Records in files: import and export.
pub mod transfer;
// Sockets, limits, requests and responses.
pub mod http;
// The face for browsers, as files.
pub mod console;
// Every endpoint, every error.
pub mod api;
// Settings that are already known to be right.
pub mod config;
// The command line.
pub mod cli;
// What the server reports: events, log lines, metrics.
pub mod observe;
