//! Doors for the fuzzer: the statements that a request or a configuration would become. None is run here.

use super::{postgres, sql};
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
    let mut page = Statement::new(sql::page(collection, listing));
    page.values += if listing.window.is_some() { 2 } else { 0 };
    let drivers = [None].into_iter().chain((0..listing.filters.len()).map(Some));
    let matching = drivers.map(|driver| Statement::new(sql::matching(collection, &listing.filters, driver)));
    [page, Statement::new(sql::count(collection, listing))].into_iter().chain(matching).collect()
}

/// What a list becomes on PostgreSQL.
pub fn of_list_on_postgres(collection: &Collection, listing: &Listing) -> Vec<Statement> {
    postgres::fuzzing::of_list(collection, listing)
}

/// What makes the tables of a configuration on SQLite.
pub fn of_tables(catalog: &Catalog) -> Vec<String> {
    let of_each = |collection: &Collection| {
        let table = sql::create_table(catalog, collection, collection.name());
        let indexes = sql::indexes(collection);
        let indexes = indexes.iter().map(|index| sql::create_index(collection, index));
        [table].into_iter().chain(indexes).collect::<Vec<_>>()
    };
    catalog.collections().iter().flat_map(of_each).collect()
}
