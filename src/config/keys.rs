//! Every key that the file may have, table by table.
//!
//! The walk, the suggestions and the tests of the documentation all read these lists.

use super::server;

/// The keys of one kind of table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    /// How messages call the table.
    pub(super) table: &'static str,
    pub(super) names: &'static [&'static str],
}

pub(super) const FILE: Keys =
    Keys { table: "the file", names: &["server", "access", "log", "backup", "collection"] };

pub(super) const SERVER: Keys = Keys { table: "[server]", names: &server::NAMES };

pub(super) const ACCESS: Keys = Keys { table: "[access]", names: &["parameter", "unknown_keys_per_minute"] };

pub(super) const LOG: Keys = Keys { table: "[log]", names: &["level", "format"] };

pub(super) const BACKUP: Keys = Keys { table: "[backup]", names: &["folder", "every", "keep"] };

pub(super) const COLLECTION: Keys = Keys {
    table: "[[collection]]",
    names: &[
        "name",
        "show_id",
        "unique",
        "list_verbs",
        "unique_verbs",
        "fields",
        "pagination",
        "access",
        "rate_limit",
        "label",
        "help",
        "title",
    ],
};

pub(super) const FIELD: Keys = Keys {
    table: "a field",
    names: &[
        "type",
        "required",
        "references",
        "on_delete",
        "keep_order",
        "searchable",
        "format",
        "choices",
        "max_length",
        "default",
        "vcard",
        "label",
        "help",
    ],
};

pub(super) const PAGINATION: Keys =
    Keys { table: "[collection.pagination]", names: &["page_size", "offset_key", "count_key"] };

pub(super) const ADMISSION: Keys =
    Keys { table: "[collection.access]", names: &["authentication", "authorization"] };

pub(super) const RATE_LIMIT: Keys = Keys { table: "[collection.rate_limit]", names: &["quota", "interval"] };

/// All of them.
pub(super) const ALL: [Keys; 10] =
    [FILE, SERVER, ACCESS, LOG, BACKUP, COLLECTION, FIELD, PAGINATION, ADMISSION, RATE_LIMIT];

/// The table that a key belongs to which was written somewhere else.
pub(super) fn home_of(name: &str) -> Option<&'static str> {
    let home = ALL.iter().find(|keys| keys.names.contains(&name))?;
    // "in the file" would be no help.
    (home.table != FILE.table).then_some(home.table)
}
