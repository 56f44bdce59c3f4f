//! A page as JSON: `meta` and `object_list`; and its neighbours as a `Link` header.
//!
//! Written straight into one buffer each: this is done for every list.

use crate::catalog::collection::{Collection, Pagination};
use crate::http::{Bytes, Content, Piece, query};
use crate::record::listing::{Listing, Window};
use crate::record::representation::{write_integer, write_text};
use crate::store::{Page, Records};

/// What stands in `next` and `previous` where there is none: the specification's text, not JSON's null.
const NONE: &[u8] = b"null";
/// Room for a `Link` with two URLs.
const USUAL_LINK: usize = 256;

/// The list envelope, written around the records where they stand: what comes before them is written behind
/// them and then changes places with them, which is cheaper than a second buffer as large as the first.
pub(super) fn write(collection: &Collection, listing: &Listing, page: Page) -> Content {
    let (mut out, pieces) = match page.records {
        Records::Joined(records) => (records, None),
        Records::Pieces(pieces) => (Vec::new(), Some(pieces)),
    };
    let records = out.len();
    out.extend_from_slice(b"{\"meta\":{");
    if let (Some(pagination), Some(window)) = (collection.pagination(), listing.window) {
        write_window(&mut out, pagination, window, page.total);
    }
    out.extend_from_slice(b"\"filters\":{");
    for (position, filter) in listing.filters.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_text(&mut out, &filter.name);
        out.push(b':');
        write_text(&mut out, &filter.text);
    }
    out.extend_from_slice(b"}},\"object_list\":[");
    let Some(pieces) = pieces else {
        out.rotate_left(records);
        out.extend_from_slice(b"]}");
        return out.into();
    };
    let mut all = Vec::with_capacity(pieces.len() + 2);
    all.push(Piece::from(Bytes::from(out)));
    all.extend(pieces.into_iter().map(|piece| Piece { bytes: piece.bytes, holds: piece.holds }));
    all.push(Piece::from(Bytes::from_static(b"]}")));
    Content::of(all)
}

fn write_window(out: &mut Vec<u8>, pagination: &Pagination, window: Window, total: u64) {
    let Pagination { offset_key, count_key, .. } = pagination;
    // The names are letters, digits, _ and -: nothing to escape.
    for (member, number) in [
        (count_key.as_str(), window.count),
        (offset_key, window.offset.unsigned_abs()),
        ("total_count", total),
    ] {
        out.push(b'"');
        out.extend_from_slice(member.as_bytes());
        out.extend_from_slice(b"\":");
        write_integer(out, number);
        out.push(b',');
    }
    for (member, neighbour) in [("next", next(window, total)), ("previous", previous(window))] {
        out.push(b'"');
        out.extend_from_slice(member.as_bytes());
        out.extend_from_slice(b"\":\"");
        match neighbour {
            Some(offset) => {
                out.push(b'?');
                write_parameter(out, offset_key, offset);
            }
            None => out.extend_from_slice(NONE),
        }
        out.extend_from_slice(b"\",");
    }
}

fn write_parameter(out: &mut Vec<u8>, name: &str, number: u64) {
    out.extend_from_slice(name.as_bytes());
    out.push(b'=');
    write_integer(out, number);
}

/// Where the next page starts, while records follow.
fn next(window: Window, total: u64) -> Option<u64> {
    let next = window.offset.unsigned_abs().saturating_add(window.count);
    (next < total).then_some(next)
}

/// Where the previous page starts, unless this is the first.
fn previous(window: Window) -> Option<u64> {
    let offset = window.offset.unsigned_abs();
    (offset > 0).then(|| offset.saturating_sub(window.count))
}

/// The neighbouring pages with whole URLs: the filters kept, the access key left out. One whose path and query would
/// be longer than a request may have is left out: what is encoded anew may take more room than it came in.
pub(super) fn link(
    collection: &Collection,
    listing: &Listing,
    total: u64,
    longest: usize,
    base_url: impl FnOnce() -> String,
) -> Option<Bytes> {
    let (pagination, window) = (collection.pagination()?, listing.window?);
    let neighbours = [("next", next(window, total)), ("prev", previous(window))];
    if neighbours.iter().all(|(_, offset)| offset.is_none()) {
        return None;
    }
    let base_url = base_url();
    let mut filters = String::new();
    for filter in &listing.filters {
        query::push_pair(&mut filters, &filter.name, &filter.text);
        filters.push('&');
    }
    let mut link = Vec::with_capacity(2 * filters.len() + USUAL_LINK);
    for (relation, offset) in neighbours {
        let Some(offset) = offset else { continue };
        let before = link.len();
        if !link.is_empty() {
            link.extend_from_slice(b", ");
        }
        for part in ["<", &base_url] {
            link.extend_from_slice(part.as_bytes());
        }
        let url = link.len();
        for part in ["/", collection.name(), "/?", &filters] {
            link.extend_from_slice(part.as_bytes());
        }
        if window.count_was_given {
            write_parameter(&mut link, &pagination.count_key, window.count);
            link.push(b'&');
        }
        write_parameter(&mut link, &pagination.offset_key, offset);
        if link.len() - url > longest {
            link.truncate(before);
            continue;
        }
        for part in [">; rel=\"", relation, "\""] {
            link.extend_from_slice(part.as_bytes());
        }
    }
    (!link.is_empty()).then(|| link.into())
}
