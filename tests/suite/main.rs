//! The suite: the real binary, over a real socket, judged by its specification alone.
//!
//! Nothing here knows a function of the program. A test starts a server in a folder of its own, says a
//! request and states the answer; `support/exchange.rs` explains how the two are written down. Folders
//! are questions, files are sections of the specification, test names are its sentences.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where, and that is enough")]

mod support {
    pub(crate) mod answer;
    pub(crate) mod client;
    pub(crate) mod configs;
    pub(crate) mod dice;
    pub(crate) mod engine;
    pub(crate) mod exchange;
    pub(crate) mod home;
    pub(crate) mod metrics;
    pub(crate) mod process;
    pub(crate) mod race;
    pub(crate) mod request;
    pub(crate) mod server;
    pub(crate) mod stored;
}

/// What each endpoint answers, section by section.
mod api {
    mod access;
    mod access_settings;
    mod body;
    mod conditional;
    mod create;
    mod delete;
    mod errors;
    mod fetch;
    mod field_types;
    mod filter;
    mod json_exactness;
    mod judgement;
    mod limits;
    mod link;
    mod list;
    mod location;
    mod methods;
    mod openapi;
    mod pages;
    mod rate_limit;
    mod root;
    mod schema;
    mod unique;
    mod update;
}

/// What bad input and bad clients can do: nothing.
mod robustness {
    mod bad_bodies;
    mod bad_queries;
    mod connections;
    mod malformed;
}

/// What is kept, through races, crashes, other tools and changed configurations.
mod store {
    mod bounds;
    mod changes;
    mod concurrency;
    mod congestion;
    mod counts;
    mod crash;
    mod edges;
    mod depth;
    mod history;
    mod ids;
    mod refused_changes;
    mod reopening;
    mod start;
    mod tables;
}

/// The whole of it against a model that is small enough to be right.
mod model {
    mod book;
    mod requests;
}

/// The program as a person at a terminal, or a supervisor, meets it.
mod cli {
    mod check;
    mod init;
    mod keys;
    mod precedence;
    mod problems;
    mod secrecy;
    mod serve;
    mod signals;
    mod usage;
}

/// Rules of the house, and documents that say what is.
mod house {
    mod dependencies;
    mod directions;
    mod opening_lines;
    mod pages;
    mod paths;
    mod reference;
    mod repository;
}

mod properties;
