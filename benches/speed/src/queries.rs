//! Lists that are sorted, searched, within a range, cut or expanded: warm beside the plain ones, the first time they
//! are asked for, and what they cost those who write.

pub(crate) mod first_asks;
pub(crate) mod report;
mod walk;
mod writes;

use crate::Bench;
use crate::http;
use crate::process::{Server, Who};
use crate::reads::{self, DEEP, FIRST, MANY};
use crate::results::Results;
use crate::rows::{Book, COMMON_LAST_NAME};
use crate::substance::{self, Ask, PAGE, Page};

pub(crate) const SORTED_FIRST: &str = "sorted first page";
pub(crate) const SORTED_DEEP: &str = "sorted page at 90 % depth";
pub(crate) const SORTED_FILTER: &str = "filter with a sort, many matches";
pub(crate) const RANGE: &str = "range, many matches";
pub(crate) const SEARCH: &str = "search, many matches";
pub(crate) const EXPAND: &str = "deep page with expand";
pub(crate) const FIELDS: &str = "deep page with two fields";
pub(crate) const LINES: [&str; 7] = [SORTED_FIRST, SORTED_DEEP, SORTED_FILTER, RANGE, SEARCH, EXPAND, FIELDS];
/// Those that PocketBase is not asked.
pub(crate) const ALONE: [&str; 5] = [SORTED_FILTER, RANGE, SEARCH, EXPAND, FIELDS];

/// The same depth, of records that are not in memory.
pub(crate) const COLD: &str = "deep page, not in memory";
pub(crate) const SORTED_COLD: &str = "sorted deep page, not in memory";
/// So many different pages of them are asked for, each once.
const COLD_PAGES: usize = 4_000;

pub(crate) const MILLION: u64 = 1_000_000;

/// All that is no warm read: the lines above are measured among those.
pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    first_asks::measure(bench, results)?;
    walk::measure(bench, results)?;
    writes::measure(bench, results)
}

/// What a line asks for: the same pages as the line that it is compared with.
pub(crate) fn asks(line: &str, book: Book) -> Vec<Ask> {
    let (like, sort, filter) = match line {
        SORTED_FIRST => (FIRST, Some("last_name"), None),
        SORTED_DEEP => (DEEP, Some("last_name"), None),
        SORTED_FILTER => (MANY, Some("first_name"), Some(("last_name", COMMON_LAST_NAME.to_owned()))),
        RANGE => (MANY, None, Some(("address.lte", tenth(book).to_string()))),
        SEARCH => (MANY, None, Some(("search", COMMON_LAST_NAME.to_lowercase()))),
        EXPAND => (DEEP, None, Some(("expand", "address".to_owned()))),
        _ => (DEEP, None, Some(("fields", "id,last_name".to_owned()))),
    };
    let offsets = reads::asks(like, book).into_iter().filter_map(|ask| match ask {
        Ask::Page(page) => Some(page.offset),
        Ask::One(_) => None,
    });
    let filters: Vec<_> = filter.into_iter().collect();
    offsets.map(|offset| Ask::Page(Page { offset, sort, filters: filters.clone() })).collect()
}

/// Waits for the words of a carnet that has just been started: it makes one thing after the other.
pub(crate) fn await_words(carnet: &Server) {
    for list in ["/users/", "/address/"] {
        let request = http::plain("GET", &format!("{list}?search=x&count=1"));
        // An older one knows no search, and can be measured by the other lines.
        let _ = substance::fetch(carnet.address, &request);
    }
}

/// The address up to which a tenth of them lies.
fn tenth(book: Book) -> u64 {
    book.addresses() / 10
}

/// Requests for pages from 90 % on that lie far apart, by id and sorted.
pub(crate) fn cold(book: Book) -> [(&'static str, Vec<Vec<u8>>); 2] {
    let first = book.users / 10 * 9 / PAGE;
    let numbers: Vec<u64> = (first..book.users / PAGE).collect();
    [(COLD, None), (SORTED_COLD, Some("last_name"))].map(|(line, sort)| {
        let offsets = reads::spaced(&numbers, COLD_PAGES).map(|number| number * PAGE);
        let asks = offsets.map(|offset| Ask::Page(Page { offset, sort, ..Page::default() }));
        (line, asks.map(|ask| ask.request(Who::Carnet)).collect())
    })
}
