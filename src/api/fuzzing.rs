//! For the fuzzer: what a request presents, says about its body and has seen, and the links of a page.

use super::access::{self, KeyParameters, Query};
use super::{content, envelope};
use crate::catalog::collection::Collection;
use crate::http::{Bytes, HeaderMap};
use crate::record::cursor::Place;
use crate::record::etag::ETags;
use crate::record::listing::Listing;
use crate::store::{Page, Records};

/// A query as the rest of the product sees it, and the access key that was presented beside it.
pub struct Presented {
    /// Without the parameters that carry an access key.
    pub pairs: Vec<(String, String)>,
    pub access_key: Option<String>,
}

/// Takes the access key out of a request; `None` where the request is refused for it.
pub fn present(parameter: &str, query: &str, headers: &HeaderMap) -> Option<Presented> {
    let query = Query::parse(&KeyParameters::new(parameter), query).ok()?;
    let access_key = access::presented(&query, headers).ok()?.map(str::to_owned);
    let pairs = query.pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned()));
    Some(Presented { pairs: pairs.collect(), access_key })
}

/// Whether a body that says this about itself is accepted.
pub fn takes_body(headers: &HeaderMap) -> bool {
    content::check(headers).is_ok()
}

/// Whether the client would rather have the record than an empty answer.
pub fn wants_representation(headers: &HeaderMap) -> bool {
    content::wants_representation(headers)
}

/// What `If-Match` names.
pub fn if_match(headers: &HeaderMap) -> Option<ETags> {
    content::if_match(headers)
}

/// What `If-None-Match` names.
pub fn if_none_match(headers: &HeaderMap) -> Option<ETags> {
    content::if_none_match(headers)
}

/// The `Link` of a page of a list with so many records, in a walk by cursors with a last record at this place.
pub fn link(
    collection: &Collection,
    listing: &Listing,
    total: u64,
    next: Option<Place>,
    base_url: &str,
) -> Option<Bytes> {
    let page = Page { records: Records::Joined(Vec::new()), total, offset: 0, next };
    envelope::link(collection, listing, &page, usize::MAX, || base_url.to_owned())
}
