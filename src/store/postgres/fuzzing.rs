//! For the fuzzer: the statements of this engine.

use super::sql;
use crate::catalog::collection::Collection;
use crate::record::listing::Listing;
use crate::store::conditions::of_filters;
use crate::store::fuzzing::Statement;

/// What a list becomes.
pub(in crate::store) fn of_list(collection: &Collection, listing: &Listing) -> Vec<Statement> {
    let mut page = Statement::new(sql::page(collection, listing));
    page.values += if listing.window.is_some() { 2 } else { 0 };
    vec![page, Statement::new(sql::matching(collection, of_filters(&listing.filters), 1_000))]
}
