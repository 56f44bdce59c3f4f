//! For the fuzzer: the statements that a request or a configuration would become. None is run here.

use super::{postgres, sqlite};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::Value;
use crate::record::listing::Listing;

/// A statement, and how many values are bound to it.
pub struct Statement {
    pub text: String,
    pub values: usize,
}

impl Statement {
    pub(super) fn new((text, values): (String, Vec<&Value>)) -> Self {
        Self { text, values: values.len() }
    }
}

/// What a list becomes on SQLite.
pub fn of_list_on_sqlite(collection: &Collection, listing: &Listing) -> Vec<Statement> {
    sqlite::fuzzing::of_list(collection, listing)
}

/// What a list becomes on PostgreSQL.
pub fn of_list_on_postgres(collection: &Collection, listing: &Listing) -> Vec<Statement> {
    postgres::fuzzing::of_list(collection, listing)
}

/// What makes the tables of a configuration on SQLite.
pub fn of_tables(catalog: &Catalog) -> Vec<String> {
    sqlite::fuzzing::of_tables(catalog)
}
