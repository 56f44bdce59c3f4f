//! The statements of SQLite for the fuzzer.

use super::sql;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::listing::Listing;
use crate::store::conditions::of_filters;
use crate::store::fuzzing::Statement;

pub(in crate::store) fn of_list(collection: &Collection, listing: &Listing) -> Vec<Statement> {
    let mut page = Statement::new(sql::page(collection, listing));
    page.values += if listing.window.is_some() { 2 } else { 0 };
    let drivers = [None].into_iter().chain((0..listing.filters.len()).map(Some));
    let matching =
        drivers.map(|driver| Statement::new(sql::matching(collection, of_filters(&listing.filters), driver)));
    [page, Statement::new(sql::count(collection, listing))].into_iter().chain(matching).collect()
}

pub(in crate::store) fn of_tables(catalog: &Catalog) -> Vec<String> {
    let of_each = |collection: &Collection| {
        let table = sql::create_table(catalog, collection, collection.name());
        let indexes = sql::indexes(collection);
        let indexes = indexes.iter().map(|index| sql::create_index(collection, index));
        [table].into_iter().chain(indexes).collect::<Vec<_>>()
    };
    catalog.collections().iter().flat_map(of_each).collect()
}
