//! A page as JSON: `meta` and `object_list`; and its neighbours as a `Link` header.
//!
//! Written straight into one buffer each: this is done for every list.

use crate::catalog::collection::{Collection, Pagination};
use crate::http::{Bytes, Content, Piece, query};
use crate::record::cursor::Place;
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
    let span = Span::of(listing, &page);
    let (mut out, pieces) = match page.records {
        Records::Joined(records) => (records, None),
        Records::Pieces(pieces) => (Vec::new(), Some(pieces)),
    };
    let records = out.len();
    out.extend_from_slice(b"{\"meta\":{");
    if let (Some(pagination), Some(span)) = (collection.pagination(), span) {
        write_span(&mut out, pagination, span);
    }
    out.extend_from_slice(b"\"filters\":{");
    for (position, filter) in listing.filters.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_text(&mut out, &filter.name);
        out.push(b':');
        if filter.others.is_empty() {
            write_text(&mut out, &filter.text);
        } else {
            write_text(&mut out, &filter.texts().collect::<Vec<_>>().join(","));
        }
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

/// Where a page stands in its list.
#[derive(Clone, Copy)]
struct Span {
    offset: u64,
    count: u64,
    total: u64,
}

impl Span {
    fn of(listing: &Listing, page: &Page) -> Option<Self> {
        let Window { offset, count, .. } = listing.window?;
        // In a walk by cursors nobody but the store knows where the page stands.
        let offset = if listing.after.is_some() { page.offset } else { offset.unsigned_abs() };
        Some(Self { offset, count, total: page.total })
    }

    /// Where the next page starts, while records follow.
    fn next(self) -> Option<u64> {
        let next = self.offset.saturating_add(self.count);
        (next < self.total).then_some(next)
    }

    /// Where the previous page starts, unless this is the first.
    fn previous(self) -> Option<u64> {
        (self.offset > 0).then(|| self.offset.saturating_sub(self.count))
    }
}

fn write_span(out: &mut Vec<u8>, pagination: &Pagination, span: Span) {
    let Pagination { offset_key, count_key, .. } = pagination;
    // The names are letters, digits, _ and -: nothing to escape.
    for (member, number) in
        [(count_key.as_str(), span.count), (offset_key, span.offset), ("total_count", span.total)]
    {
        out.push(b'"');
        out.extend_from_slice(member.as_bytes());
        out.extend_from_slice(b"\":");
        write_integer(out, number);
        out.push(b',');
    }
    for (member, neighbour) in [("next", span.next()), ("previous", span.previous())] {
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

/// The neighbouring pages with whole URLs: filters and the like kept, the access key left out. A walk by cursors has
/// only a next one. A URL whose path and query would be longer than a request may have, or hold more parameters, is
/// left out: what is encoded anew may take more room than it came in, and the place of the page comes on top.
pub(super) fn link(
    collection: &Collection,
    listing: &Listing,
    page: &Page,
    longest: usize,
    base_url: impl FnOnce() -> String,
) -> Option<Bytes> {
    let (pagination, window, span) = (collection.pagination()?, listing.window?, Span::of(listing, page)?);
    let neighbours = if listing.after.is_some() {
        [("next", page.next.as_ref().map(Neighbour::Behind)), ("prev", None)]
    } else {
        [("next", span.next().map(Neighbour::Offset)), ("prev", span.previous().map(Neighbour::Offset))]
    };
    if neighbours.iter().all(|(_, neighbour)| neighbour.is_none()) {
        return None;
    }
    let base_url = base_url();
    let (mut kept, given) = (String::new(), &listing.given);
    let others = [&given.sort, &given.fields, &given.expand].into_iter().flatten();
    let pairs = listing.given_filters().into_iter().chain(others.map(|(name, text)| (&**name, &**text)));
    // The place of the page.
    let mut number = 1 + usize::from(window.count_was_given);
    for (name, text) in pairs {
        query::push_pair(&mut kept, name, text);
        kept.push('&');
        number += 1;
    }
    if number > query::MAX_PAIRS {
        return None;
    }
    let mut link = Vec::with_capacity(2 * kept.len() + USUAL_LINK);
    for (relation, neighbour) in neighbours {
        let Some(neighbour) = neighbour else { continue };
        let before = link.len();
        if !link.is_empty() {
            link.extend_from_slice(b", ");
        }
        for part in ["<", &base_url] {
            link.extend_from_slice(part.as_bytes());
        }
        let url = link.len();
        for part in ["/", collection.name(), "/?", &kept] {
            link.extend_from_slice(part.as_bytes());
        }
        if window.count_was_given {
            write_parameter(&mut link, &pagination.count_key, window.count);
            link.push(b'&');
        }
        match neighbour {
            Neighbour::Offset(offset) => write_parameter(&mut link, &pagination.offset_key, offset),
            Neighbour::Behind(place) => {
                let name = listing.given.after.as_deref().unwrap_or_default();
                // A name and base64url: nothing to encode.
                for part in [name, "=", &place.text(collection, listing.sorting())] {
                    link.extend_from_slice(part.as_bytes());
                }
            }
        }
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

/// Where another page begins.
#[derive(Clone, Copy)]
enum Neighbour<'a> {
    Offset(u64),
    Behind(&'a Place),
}
