//! A page as JSON: `meta` and `object_list`; and its neighbours as a `Link` header.

use std::io::Write;

use crate::catalog::collection::{Collection, Pagination};
use crate::http::{Bytes, query};
use crate::record::listing::{Listing, Window};
use crate::record::representation::write_text;
use crate::store::Page;

/// What stands in `next` and `previous` where there is none: the specification's text, not JSON's null.
const NONE: &str = "null";

/// The list envelope.
pub(super) fn write(collection: &Collection, listing: &Listing, page: &Page) -> Bytes {
    let mut out = Vec::with_capacity(page.records.len() + 256);
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
    out.extend_from_slice(&page.records);
    out.extend_from_slice(b"]}");
    out.into()
}

fn write_window(out: &mut Vec<u8>, pagination: &Pagination, window: Window, total: u64) {
    let Pagination { offset_key, count_key, .. } = pagination;
    let neighbour = |offset: Option<u64>| match offset {
        Some(offset) => format!("?{offset_key}={offset}"),
        None => NONE.to_owned(),
    };
    let (next, previous) = (neighbour(next(window, total)), neighbour(previous(window)));
    let (count, offset) = (window.count, window.offset);
    // The names are letters, digits, _ and -: nothing to escape.
    let _ = write!(
        out,
        "\"{count_key}\":{count},\"{offset_key}\":{offset},\"total_count\":{total},\
         \"next\":\"{next}\",\"previous\":\"{previous}\","
    );
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

/// The neighbouring pages with whole URLs: the filters kept, the access key left out.
pub(super) fn link(
    collection: &Collection,
    listing: &Listing,
    page: &Page,
    base_url: impl FnOnce() -> String,
) -> Option<String> {
    let (pagination, window) = (collection.pagination()?, listing.window?);
    let neighbours = [("next", next(window, page.total)), ("prev", previous(window))];
    if neighbours.iter().all(|(_, offset)| offset.is_none()) {
        return None;
    }
    let mut url = format!("{}/{}/", base_url(), collection.name());
    for filter in &listing.filters {
        query::push_pair(&mut url, &filter.name, &filter.text);
    }
    if window.count_was_given {
        query::push_pair(&mut url, &pagination.count_key, &window.count.to_string());
    }
    let links = neighbours.into_iter().filter_map(|(relation, offset)| {
        let mut url = url.clone();
        query::push_pair(&mut url, &pagination.offset_key, &offset?.to_string());
        Some(format!("<{url}>; rel=\"{relation}\""))
    });
    Some(links.collect::<Vec<_>>().join(", "))
}
