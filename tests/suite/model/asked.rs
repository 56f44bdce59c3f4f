//! What is asked of a list, and what the model answers.

use std::cmp::Ordering;

use serde_json::Value;

use super::book::{Book, COLLECTIONS, Cell, PAGE_SIZE, Row};
use super::fold::sort_key;
use super::operators::Filter;
use super::search::{self, How};

/// Names to sort by, `None` for `id`, and whether backwards.
pub(super) type Sort = Vec<(Option<usize>, bool)>;

/// What a field is called.
pub(super) fn name(collection: usize, on: Option<usize>) -> &'static str {
    on.map_or("id", |position| COLLECTIONS[collection].fields[position].name)
}

/// What a condition and a sort see of a record.
pub(super) fn cell(on: Option<usize>, id: i64, row: &Row) -> Cell {
    on.map_or(Cell::Integer(id), |position| row[position].clone())
}

/// The part of a value that sorts.
pub(super) fn key(cell: Cell) -> Cell {
    match cell {
        Cell::Text(text) => Cell::Text(sort_key(&text)),
        Cell::Choice(text) => Cell::Text(sort_key(text)),
        other => other,
    }
}

/// How two keys of one field stand to each other, both being there.
pub(super) fn compare(left: &Cell, right: &Cell) -> Ordering {
    match (left, right) {
        (Cell::Text(left), Cell::Text(right)) => left.cmp(right),
        (Cell::Integer(left), Cell::Integer(right)) => left.cmp(right),
        (Cell::Float(left), Cell::Float(right)) => left.partial_cmp(right).unwrap(),
        (Cell::Boolean(left), Cell::Boolean(right)) => left.cmp(right),
        (Cell::Day(left), Cell::Day(right)) => left.cmp(right),
        (Cell::Moment(left), Cell::Moment(right)) => left.cmp(right),
        _ => panic!("{left:?} and {right:?} are of two kinds"),
    }
}

/// Where a record stands in a sorted list.
pub(super) type Place = Vec<Cell>;

/// A sort up to what decides at last: the id, in the direction of the last name where it is not named.
pub(super) fn whole(sort: &Sort) -> Sort {
    match sort.iter().position(|(on, _)| on.is_none()) {
        Some(id) => sort[..=id].to_vec(),
        None => {
            let is_descending = sort.last().is_some_and(|(_, is_descending)| *is_descending);
            sort.iter().copied().chain([(None, is_descending)]).collect()
        }
    }
}

fn by_place(sort: &Sort, left: &Place, right: &Place) -> Ordering {
    let pairs = sort.iter().zip(left.iter().zip(right));
    let each = pairs.map(|((_, is_descending), (left, right))| match (left, right) {
        (Cell::Null, Cell::Null) => Ordering::Equal,
        (Cell::Null, _) => Ordering::Greater,
        (_, Cell::Null) => Ordering::Less,
        _ if *is_descending => compare(right, left),
        _ => compare(left, right),
    });
    each.fold(Ordering::Equal, Ordering::then)
}

/// A cursor that the server gave, and what it stands for.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub(super) text: String,
    pub(super) collection: usize,
    pub(super) sort: Sort,
    /// The words of a list that was searched and not sorted.
    pub(super) words: Option<Vec<String>>,
    pub(super) place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum After {
    Start,
    Cursor(Cursor),
}

/// What is asked of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) filters: Vec<Filter>,
    /// Before the filters where its name is long, behind them otherwise.
    pub(super) search: Option<String>,
    pub(super) sort: Sort,
    pub(super) fields: Option<Vec<&'static str>>,
    /// The references to follow, as they are named.
    pub(super) expand: Vec<usize>,
    pub(super) offset: Option<usize>,
    pub(super) count: Option<usize>,
    pub(super) after: Option<After>,
    /// Whether control parameters are named with an underscore.
    pub(super) is_long: bool,
    /// Whether the values of `in` stand apart, the filters behind it between them.
    pub(super) is_interleaved: bool,
}

/// A link: its relation, and the parameters behind it.
pub(super) type Link = (String, Vec<(String, String)>);

/// What stands for the text of a cursor that the model cannot know.
pub(super) const ANY_CURSOR: &str = "a cursor";

/// What the model answers.
pub(super) struct Listed {
    pub(super) body: String,
    pub(super) links: Vec<Link>,
    /// What the cursor in the link stands for.
    pub(super) cursor: Option<Cursor>,
}

impl Asked {
    fn control(&self, name: &str) -> String {
        format!("{}{name}", if self.is_long { "_" } else { "" })
    }

    /// The parameters that a link carries, in its order.
    fn lasting(&self, collection: usize) -> Vec<(String, String)> {
        let mut pairs = self.of_filters(collection);
        if let Some(text) = &self.search {
            pairs.insert(if self.is_long { 0 } else { pairs.len() }, (self.control("search"), text.clone()));
        }
        if !self.sort.is_empty() {
            let name = |(on, is_descending): &(Option<usize>, bool)| {
                format!("{}{}", if *is_descending { "-" } else { "" }, name(collection, *on))
            };
            pairs.push((self.control("sort"), self.sort.iter().map(name).collect::<Vec<_>>().join(",")));
        }
        pairs.extend(self.fields.iter().map(|fields| (self.control("fields"), fields.join(","))));
        if !self.expand.is_empty() {
            let names = self.expand.iter().map(|position| name(collection, Some(*position)));
            pairs.push((self.control("expand"), names.collect::<Vec<_>>().join(",")));
        }
        pairs.extend(self.count.map(|count| ("count".into(), count.to_string())));
        pairs
    }

    fn of_filters(&self, collection: usize) -> Vec<(String, String)> {
        let of_filters = self.filters.iter().map(|filter| filter.pairs(collection));
        let mut of_filters: Vec<_> = of_filters.collect();
        if self.is_interleaved {
            // The first of each, then the second of each.
            let most = of_filters.iter().map(Vec::len).max().unwrap_or(0);
            let turn =
                |place: usize| of_filters.iter().filter_map(|pairs| pairs.get(place).cloned()).collect();
            of_filters = (0..most).map(turn).collect();
        }
        of_filters.concat()
    }

    /// All parameters.
    pub(super) fn pairs(&self, collection: usize) -> Vec<(String, String)> {
        let mut pairs = self.lasting(collection);
        pairs.extend(self.offset.map(|offset| ("offset".into(), offset.to_string())));
        pairs.extend(self.after.iter().map(|after| match after {
            After::Start => (self.control("after"), String::new()),
            After::Cursor(cursor) => (self.control("after"), cursor.text.clone()),
        }));
        pairs
    }

    /// Why it is refused.
    pub(super) fn fault(&self, collection: usize) -> Option<String> {
        let of_filters = self.filters.iter().enumerate();
        let of_filters = of_filters.filter_map(|(at, filter)| Some((at, filter.fault(collection)?)));
        // The first in the query, whatever it belongs to.
        let by_place = |(at, (place, _)): &(usize, (usize, String))| {
            if self.is_interleaved { (*place, *at) } else { (*at, *place) }
        };
        let of_filters = of_filters.min_by_key(by_place).map(|(_, (_, fault))| fault);
        let search = self.search.as_ref();
        let of_search = search.and_then(|text| search::fault(collection, &self.control("search"), text));
        let fault = if self.is_long { of_search.or(of_filters) } else { of_filters.or(of_search) };
        let is_strange = |cursor: &Cursor| {
            cursor.collection != collection
                || cursor.sort != whole(&self.sort)
                || cursor.words != self.sorting_words()
        };
        fault.or_else(|| match &self.after {
            Some(After::Cursor(cursor)) if is_strange(cursor) => {
                Some(format!("{} does not validate", self.control("after")))
            }
            _ => None,
        })
    }
}

impl Asked {
    fn words(&self) -> Option<Vec<String>> {
        self.search.as_ref().map(|text| search::words(text))
    }

    /// The words of a search that decide about the order.
    pub(super) fn sorting_words(&self) -> Option<Vec<String>> {
        self.words().filter(|_| self.sort.is_empty())
    }
}

impl Book {
    /// The answer to a list that is not refused.
    pub(super) fn list(&self, collection: usize, asked: &Asked) -> Listed {
        let sort = whole(&asked.sort);
        let searched = asked.words().map(|words| (self.how(collection, &words), words));
        let is_found = |row: &Row| {
            searched.as_ref().is_none_or(|(how, words)| search::finds(collection, words, *how, row))
        };
        let sorting_words = asked.sorting_words();
        let has_typos = searched.as_ref().is_some_and(|(how, _)| *how == How::Typo);
        let place = |id: i64, row: &Row| {
            let whole = sorting_words.iter().map(|words| search::is_whole(collection, words, row));
            // What is not found whole comes behind.
            let whole = whole.map(|is_whole| Cell::Boolean(!is_whole));
            whole.chain(sort.iter().map(|(on, _)| key(cell(*on, id, row)))).collect()
        };
        // The directions of what stands in a place.
        let mut directions = sort.clone();
        if sorting_words.is_some() {
            directions.insert(0, (None, false));
        }
        let matching = self.rows[collection].iter().filter(|(id, row)| {
            asked.filters.iter().all(|filter| filter.matches(**id, row)) && is_found(row)
        });
        let mut found: Vec<(Place, i64)> = matching.map(|(id, row)| (place(*id, row), *id)).collect();
        found.sort_by(|left, right| by_place(&directions, &left.0, &right.0));
        let is_paged = COLLECTIONS[collection].is_paged;
        let (mut offset, count) = (asked.offset.unwrap_or(0), asked.count.unwrap_or(PAGE_SIZE));
        if let Some(After::Cursor(cursor)) = &asked.after {
            let mut behind = cursor.place.clone();
            if has_typos && sorting_words.is_some() {
                // By id alone, whatever the cursor was once found by.
                behind[0] = Cell::Boolean(true);
            }
            offset = found.partition_point(|(place, ..)| by_place(&directions, place, &behind).is_le());
        }
        let (next, previous) = (
            Some(offset + count).filter(|next| is_paged && *next < found.len()),
            (is_paged && offset > 0).then(|| offset.saturating_sub(count)),
        );
        let page: Vec<_> =
            if is_paged { found.iter().skip(offset).take(count).collect() } else { found.iter().collect() };
        let records =
            page.iter().map(|(_, id)| self.expanded(collection, *id, asked.fields.as_deref(), &asked.expand));
        let records = records.collect::<Vec<_>>().join(",");
        let mut filters: Vec<String> = asked.filters.iter().map(|filter| filter.echo(collection)).collect();
        if let Some(text) = &asked.search {
            let at = if asked.is_long { 0 } else { filters.len() };
            filters.insert(at, format!("{}:{}", quoted(&asked.control("search")), quoted(text)));
        }
        let said = |at: Option<usize>| at.map_or("null".to_owned(), |offset| format!("?offset={offset}"));
        let mut meta = format!(r#""filters":{{{}}}"#, filters.join(","));
        if is_paged {
            let (total, next, previous) = (found.len(), said(next), said(previous));
            meta = format!(
                r#""count":{count},"offset":{offset},"total_count":{total},"next":"{next}","previous":"{previous}",{meta}"#
            );
        }
        let link = |relation: &str, name: String, text: String| {
            (relation.to_owned(), [asked.lasting(collection), vec![(name, text)]].concat())
        };
        let at = |relation: &str, offset: usize| link(relation, "offset".into(), offset.to_string());
        let (mut links, mut cursor) = (Vec::new(), None);
        if asked.after.is_none() {
            links.extend(next.map(|offset| at("next", offset)));
            links.extend(previous.map(|offset| at("prev", offset)));
        } else if let Some((place, ..)) = page.last().filter(|_| next.is_some()) {
            links.push(link("next", asked.control("after"), ANY_CURSOR.into()));
            cursor = Some(Cursor {
                text: String::new(),
                collection,
                sort,
                words: sorting_words,
                place: place.clone(),
            });
        }
        Listed { body: format!(r#"{{"meta":{{{meta}}},"object_list":[{records}]}}"#), links, cursor }
    }
}

/// A text in JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
