//! The suite: the real binary, over a real socket, judged by its specification alone.
//!
//! Nothing here knows a function of the program. A test starts a server in a folder of its own, says a
//! request and states the answer; `support/exchange.rs` explains how the two are written down. Folders
//! are questions, files are sections of the specification, test names are its sentences.
//!
//! All of it holds on every engine (`support/engine.rs`), but for modules that are called like one: `sqlite`
//! and `postgres`. Tests in the latter are ignored unless there is a server, which `./test` starts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where, and that is enough")]

mod support {
    pub(crate) mod batch;
    pub(crate) mod clock;
    pub(crate) mod copying;
    pub(crate) mod ends;
    pub(crate) mod engine;
    pub(crate) mod exchange;
    pub(crate) mod home;
    pub(crate) mod imports;
    pub(crate) mod metrics;
    pub(crate) mod race;
    pub(crate) mod server;
    pub(crate) mod stored;
    pub(crate) mod tls;
    pub(crate) mod under;
}

/// What each endpoint answers, section by section.
mod api {
    mod access;
    mod access_settings;
    mod batch;
    mod batch_access;
    mod batch_faults;
    mod batch_problems;
    mod body;
    mod browsers;
    mod compression;
    mod conditional;
    mod console;
    mod cors;
    mod create;
    mod cursors;
    mod dates;
    mod defaults;
    mod delete;
    mod errors;
    mod expand;
    mod expand_access;
    mod exports;
    mod fetch;
    mod field_types;
    mod fields;
    mod filter;
    mod headers;
    mod import_jobs;
    mod import_requests;
    mod imports;
    mod json_exactness;
    mod judgement;
    mod keys;
    mod limits;
    mod link;
    mod list;
    mod location;
    mod me;
    mod methods;
    mod openapi;
    mod pages;
    mod problems;
    mod query_faults;
    mod rate_limit;
    mod response_cache;
    mod retries;
    mod rights;
    mod root;
    mod rotation;
    mod schema;
    mod search;
    mod string_rules;
    mod unknown_keys;
    mod unique;
    mod update;
    mod upsert;
}

/// What bad input and bad clients can do: nothing.
mod robustness {
    mod answers;
    mod bad_bodies;
    mod bad_queries;
    mod clocks;
    mod connections;
    mod exhaustion;
    mod frames;
    mod http2;
    mod malformed;
    mod overload;
    mod smuggling;
    mod torture;
}

/// What is kept, through races, crashes, other tools and changed configurations.
mod store {
    mod backup;
    mod batches;
    mod bounds;
    mod changes;
    mod concurrency;
    mod congestion;
    mod copy;
    mod counts;
    mod crash;
    mod dates;
    mod defaults;
    mod edges;
    mod exports;
    mod history;
    mod ids;
    mod import;
    mod import_meanings;
    mod import_refusals;
    mod kept_orders;
    mod large_deletes;
    mod long_strings;
    mod query_counts;
    mod refused_changes;
    mod renames;
    mod reopening;
    mod retries;
    mod round_trips;
    mod sorted;
    mod start;
    mod string_rules;
    mod store_id;
    mod stored_answers;
    mod tables;

    /// What only a file can show.
    mod sqlite {
        mod answers;
        mod copy;
        mod depth;
        mod disk;
        mod files;
        mod log;
        mod replaced;
        mod reserve;
        mod restore;
        mod schedule;
        mod space;
        mod tables;
        mod triggers;
        mod waiting;
    }

    /// What only a server shows.
    mod postgres {
        mod alterations;
        mod batches;
        mod blocked_batches;
        mod blocked_writes;
        mod columns;
        mod copy;
        mod dates;
        mod following;
        mod foreign_triggers;
        mod full;
        mod imports;
        mod index_builds;
        mod keys;
        mod ledger;
        mod locking;
        mod nodes;
        mod outage;
        mod pooler;
        mod replication;
        mod retries;
        mod settings;
        mod sorted;
        mod sql_fuzz;
        mod tables;
        mod tools;
        mod triggers_off;
        mod upgrade;
    }
}

/// The whole of it against a model that is small enough to be right.
mod model {
    mod asked;
    mod asking;
    mod batch;
    mod book;
    mod fold;
    mod operators;
    mod postgres;
    mod requests;
    mod search;
    mod sequences;
    mod texts;
}

/// The program as a person at a terminal, or a supervisor, meets it.
mod cli {
    mod audit;
    mod canaries;
    mod check;
    mod copy;
    mod export;
    mod import_server;
    mod init;
    mod keys;
    mod log;
    mod problems;
    mod secrecy;
    mod serve;
    mod signals;
    mod tls;
    mod usage;

    /// What is said with names of files.
    mod sqlite {
        mod busy;
        mod in_use;
        mod precedence;
    }

    /// What is said about servers.
    mod postgres {
        mod refusals;
    }
}

/// Rules of the house, and documents that say what is.
mod house {
    mod change_lists;
    mod circles;
    mod console;
    mod dependencies;
    mod deploy;
    mod directions;
    mod image;
    mod packages;
    mod pages;
    mod paths;
    mod prose;
    mod reference;
    mod repository;
    mod sbom;
    mod scripts;
    mod security;
    mod source_files;
}

mod properties;
