//! What is asked of a list, and what the model answers.

use std::cmp::Ordering;

use serde_json::Value;

use super::book::{Book, COLLECTIONS, Cell, PAGE_SIZE, Row};
use super::fold::sort_key;
use super::operators::Filter;

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
        _ => panic!("{left:?} and {right:?} are of two kinds"),
    }
}

/// Where a record stands in a sorted list.
pub(super) type Place = Vec<Cell>;

/// A sort with what decides at last: the id, in the direction of the last name.
pub(super) fn whole(sort: &Sort) -> Sort {
    let mut whole = sort.clone();
    if whole.iter().all(|(on, _)| on.is_some()) {
        whole.push((None, sort.last().is_some_and(|(_, is_descending)| *is_descending)));
    }
    whole
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
    pub(super) sort: Sort,
    pub(super) fields: Option<Vec<&'static str>>,
    pub(super) offset: Option<usize>,
    pub(super) count: Option<usize>,
    pub(super) after: Option<After>,
    /// Whether control parameters are named with an underscore.
    pub(super) is_long: bool,
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
        let mut pairs: Vec<(String, String)> =
            self.filters.iter().flat_map(|filter| filter.pairs(collection)).collect();
        if !self.sort.is_empty() {
            let name = |(on, is_descending): &(Option<usize>, bool)| {
                format!("{}{}", if *is_descending { "-" } else { "" }, name(collection, *on))
            };
            pairs.push((self.control("sort"), self.sort.iter().map(name).collect::<Vec<_>>().join(",")));
        }
        pairs.extend(self.fields.iter().map(|fields| (self.control("fields"), fields.join(","))));
        pairs.extend(self.count.map(|count| ("count".into(), count.to_string())));
        pairs
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
        let fault = self.filters.iter().find_map(|filter| filter.fault(collection));
        let is_strange =
            |cursor: &Cursor| cursor.collection != collection || cursor.sort != whole(&self.sort);
        fault.or_else(|| match &self.after {
            Some(After::Cursor(cursor)) if is_strange(cursor) => {
                Some(format!("{} does not validate", self.control("after")))
            }
            _ => None,
        })
    }
}

impl Book {
    /// The answer to a list that is not refused.
    pub(super) fn list(&self, collection: usize, asked: &Asked) -> Listed {
        let sort = whole(&asked.sort);
        let place = |id: i64, row: &Row| sort.iter().map(|(on, _)| key(cell(*on, id, row))).collect();
        let matching = self.rows[collection]
            .iter()
            .filter(|(id, row)| asked.filters.iter().all(|filter| filter.matches(**id, row)));
        let mut found: Vec<(Place, i64, &Row)> =
            matching.map(|(id, row)| (place(*id, row), *id, row)).collect();
        found.sort_by(|left, right| by_place(&sort, &left.0, &right.0));
        let is_paged = COLLECTIONS[collection].is_paged;
        let (mut offset, count) = (asked.offset.unwrap_or(0), asked.count.unwrap_or(PAGE_SIZE));
        if let Some(After::Cursor(cursor)) = &asked.after {
            offset = found.partition_point(|(place, ..)| by_place(&sort, place, &cursor.place).is_le());
        }
        let (next, previous) = (
            Some(offset + count).filter(|next| is_paged && *next < found.len()),
            (is_paged && offset > 0).then(|| offset.saturating_sub(count)),
        );
        let page: Vec<_> =
            if is_paged { found.iter().skip(offset).take(count).collect() } else { found.iter().collect() };
        let records =
            page.iter().map(|(_, id, row)| Book::record(collection, *id, row, asked.fields.as_deref()));
        let records = records.collect::<Vec<_>>().join(",");
        let filters: Vec<String> = asked.filters.iter().map(|filter| filter.echo(collection)).collect();
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
            cursor = Some(Cursor { text: String::new(), collection, sort, place: place.clone() });
        }
        Listed { body: format!(r#"{{"meta":{{{meta}}},"object_list":[{records}]}}"#), links, cursor }
    }
}

/// A text in JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
