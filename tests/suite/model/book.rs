//! The model: what a store of records must answer, kept in a few ordered maps.

use std::collections::BTreeMap;

use serde_json::Value;

/// The configuration that the model follows, without `[server]`.
pub(super) const CONFIG: &str = r#"
[[collection]]
name = "groups"
unique = [["code"]]
list_verbs = ["GET", "POST", "PUT"]

[collection.fields]
code = { type = "integer" }
name = { type = "string", required = true }

[collection.pagination]
page_size = 10

[[collection]]
name = "people"
unique = [["name", "nick"]]
list_verbs = ["GET", "POST", "PUT"]

[collection.fields]
name   = { type = "string", required = true, searchable = true }
nick   = { type = "string", searchable = true }
age    = { type = "integer" }
weight = { type = "float", required = true }
height = { type = "float" }
active = { type = "boolean", required = true }
sold   = { type = "boolean" }
team   = { type = "integer", references = "groups", on_delete = "restrict" }
home   = { type = "integer", references = "groups", on_delete = "set_null" }

[collection.pagination]
page_size = 10

[[collection]]
name = "cards"
show_id = false

[collection.fields]
holder = { type = "integer", required = true, references = "people", on_delete = "cascade" }
label  = { type = "string" }

[collection.pagination]
page_size = 10

[[collection]]
name = "stamps"

[collection.fields]
card = { type = "integer", references = "cards", on_delete = "set_null" }
back = { type = "integer", references = "cards", on_delete = "cascade" }
text = { type = "string", required = true, searchable = true }

[[collection]]
name = "things"

[collection.fields]
label = { type = "string", searchable = true, keep_order = true }
note  = { type = "string", searchable = true }
size  = { type = "integer", keep_order = true }
share = { type = "float" }
done  = { type = "boolean" }
born  = { type = "date" }
met   = { type = "datetime" }
mood  = { type = "string", choices = ["glad", "sad", "Sad"], default = "glad" }
club  = { type = "integer", references = "groups", on_delete = "set_null" }

[collection.pagination]
page_size = 10
"#;

pub(super) const PAGE_SIZE: usize = 10;
/// How many collections there are.
pub(super) const NUMBER: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Text,
    Integer,
    Float,
    Boolean,
    Day,
    Moment,
    /// One of [`MOODS`].
    Mood,
    /// The place of the collection that it refers to.
    Reference(usize, Rule),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    Restrict,
    SetNull,
    Cascade,
}

pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
    /// What a create that leaves it out gives it.
    pub(super) default: Option<&'static str>,
}

pub(super) struct Collection {
    pub(super) name: &'static str,
    shows_id: bool,
    pub(super) is_paged: bool,
    pub(super) fields: &'static [Field],
    pub(super) unique: &'static [&'static [usize]],
}

const fn must(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: true, default: None }
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: false, default: None }
}

/// [`CONFIG`] once more, for the model.
pub(super) const COLLECTIONS: [Collection; NUMBER] = [
    Collection {
        name: "groups",
        shows_id: true,
        is_paged: true,
        fields: &[may("code", Kind::Integer), must("name", Kind::Text)],
        unique: &[&[0]],
    },
    Collection {
        name: "people",
        shows_id: true,
        is_paged: true,
        fields: &[
            must("name", Kind::Text),
            may("nick", Kind::Text),
            may("age", Kind::Integer),
            must("weight", Kind::Float),
            may("height", Kind::Float),
            must("active", Kind::Boolean),
            may("sold", Kind::Boolean),
            may("team", Kind::Reference(0, Rule::Restrict)),
            may("home", Kind::Reference(0, Rule::SetNull)),
        ],
        unique: &[&[0, 1]],
    },
    Collection {
        name: "cards",
        shows_id: false,
        is_paged: true,
        fields: &[must("holder", Kind::Reference(1, Rule::Cascade)), may("label", Kind::Text)],
        unique: &[],
    },
    Collection {
        name: "stamps",
        shows_id: true,
        is_paged: false,
        fields: &[
            may("card", Kind::Reference(2, Rule::SetNull)),
            may("back", Kind::Reference(2, Rule::Cascade)),
            must("text", Kind::Text),
        ],
        unique: &[],
    },
    Collection {
        name: "things",
        shows_id: true,
        is_paged: true,
        fields: &[
            may("label", Kind::Text),
            may("note", Kind::Text),
            may("size", Kind::Integer),
            may("share", Kind::Float),
            may("done", Kind::Boolean),
            may("born", Kind::Day),
            may("met", Kind::Moment),
            Field { name: "mood", kind: Kind::Mood, is_required: false, default: Some(MOODS[0]) },
            may("club", Kind::Reference(0, Rule::SetNull)),
        ],
        unique: &[],
    },
];

pub(super) const MOODS: [&str; 3] = ["glad", "sad", "Sad"];

/// In the order of the calendar.
pub(super) const DAYS: [&str; 8] = [
    "0001-01-01",
    "0004-02-29",
    "1582-10-10",
    "1815-12-10",
    "1900-03-01",
    "2000-02-29",
    "2024-02-29",
    "9999-12-31",
];

/// In the order of time, each as it is answered first, and in other words.
pub(super) const MOMENTS: [[&str; 3]; 7] = [
    ["0001-01-01T00:00:00Z", "0001-01-01T23:59:00+23:59", "0001-01-01T00:00:00.000Z"],
    ["1815-12-10T00:00:00Z", "1815-12-09T23:30:00-00:30", "1815-12-10T05:45:00+05:45"],
    ["2027-01-31T11:59:59.999999Z", "2027-01-31T12:59:59.999999+01:00", "2027-01-30T23:59:59.999999-12:00"],
    ["2027-01-31T12:00:00Z", "2027-01-31T14:00:00+02:00", "2027-01-31T12:00:00.0-00:00"],
    ["2027-01-31T12:00:00.000001Z", "2027-01-31T12:00:00.000001+00:00", "2027-02-01T00:00:00.000001+12:00"],
    ["2027-01-31T12:00:00.5Z", "2027-01-31T12:00:00.500000Z", "2027-01-31T07:00:00.50-05:00"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T00:00:59.999999-23:59", "9999-12-31T22:59:59.999999-01:00"],
];

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Day(&'static str),
    /// A place in [`MOMENTS`].
    Moment(usize),
    Choice(&'static str),
}

impl Cell {
    pub(super) fn json(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Text(text) => Value::from(text.as_str()).to_string(),
            Cell::Integer(integer) => integer.to_string(),
            Cell::Float(float) => format!("{float:?}"),
            Cell::Boolean(boolean) => boolean.to_string(),
            Cell::Day(text) | Cell::Choice(text) => format!("\"{text}\""),
            Cell::Moment(place) => format!("\"{}\"", MOMENTS[*place][0]),
        }
    }

    /// As whoever sends it may write it.
    pub(super) fn written(&self, turn: usize) -> String {
        match self {
            Cell::Moment(place) => format!("\"{}\"", MOMENTS[*place][turn % 3]),
            other => other.json(),
        }
    }

    /// As a filter is written.
    pub(super) fn query(&self) -> String {
        match self {
            Cell::Null => String::new(),
            Cell::Text(text) => text.clone(),
            other => other.json().trim_matches('"').to_owned(),
        }
    }

    pub(super) fn sql(&self) -> String {
        match self {
            Cell::Null => "NULL".to_owned(),
            Cell::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Cell::Integer(i64::MIN) => "(-9223372036854775807 - 1)".to_owned(),
            Cell::Boolean(boolean) => boolean.to_string(),
            Cell::Day(text) | Cell::Choice(text) => format!("'{text}'"),
            // All six digits, as SQLite keeps them.
            Cell::Moment(place) => {
                let (second, fraction) = MOMENTS[*place][0].trim_end_matches('Z').split_at(19);
                format!("'{second}.{:0<6}Z'", fraction.trim_start_matches('.'))
            }
            other => other.json(),
        }
    }
}

pub(super) type Row = Vec<Cell>;

/// Everything that is stored.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    pub(super) rows: [BTreeMap<i64, Row>; NUMBER],
    /// The largest id that was ever given.
    pub(super) given: [i64; NUMBER],
}

impl Book {
    /// Whether a record may be stored under this id: its references lead somewhere, its unique rules hold.
    pub(super) fn accepts(&self, collection: usize, id: Option<i64>, row: &Row) -> bool {
        let declared = &COLLECTIONS[collection];
        let refers = declared.fields.iter().zip(row).all(|(field, cell)| match (field.kind, cell) {
            (Kind::Reference(target, _), Cell::Integer(id)) => self.rows[target].contains_key(id),
            _ => true,
        });
        refers
            && declared.unique.iter().all(|rule| {
                rule.iter().any(|&position| row[position] == Cell::Null)
                    || !self.rows[collection].iter().any(|(other, stored)| {
                        Some(*other) != id && rule.iter().all(|&position| stored[position] == row[position])
                    })
            })
    }

    /// The record with the same values in the first unique rule.
    pub(super) fn found(&self, collection: usize, row: &Row) -> Option<i64> {
        let rule = COLLECTIONS[collection].unique[0];
        let is_it = |stored: &Row| rule.iter().all(|&position| stored[position] == row[position]);
        self.rows[collection].iter().find(|(_, stored)| is_it(stored)).map(|(id, _)| *id)
    }

    pub(super) fn insert(&mut self, collection: usize, id: i64, row: Row) {
        self.given[collection] = self.given[collection].max(id);
        self.rows[collection].insert(id, row);
    }

    /// Deletes a record with what its rules bring along; says no, and does nothing, when they forbid it.
    pub(super) fn delete(&mut self, collection: usize, id: i64) -> bool {
        let mut after = self.clone();
        let is_allowed = after.remove(collection, id);
        if is_allowed {
            *self = after;
        }
        is_allowed
    }

    fn remove(&mut self, collection: usize, id: i64) -> bool {
        for (place, referrer) in COLLECTIONS.iter().enumerate() {
            for (position, field) in referrer.fields.iter().enumerate() {
                let Kind::Reference(target, rule) = field.kind else { continue };
                if target != collection {
                    continue;
                }
                let refers = |row: &Row| row[position] == Cell::Integer(id);
                let ids: Vec<i64> =
                    self.rows[place].iter().filter(|(_, row)| refers(row)).map(|(id, _)| *id).collect();
                for referring in ids {
                    match rule {
                        Rule::Restrict => return false,
                        Rule::SetNull => {
                            self.rows[place].get_mut(&referring).unwrap()[position] = Cell::Null;
                        }
                        Rule::Cascade if !self.remove(place, referring) => return false,
                        Rule::Cascade => {}
                    }
                }
            }
        }
        self.rows[collection].remove(&id);
        true
    }

    /// The body of a record; of these fields where they are named.
    pub(super) fn record(collection: usize, id: i64, row: &Row, named: Option<&[&str]>) -> String {
        let declared = &COLLECTIONS[collection];
        let is_shown = |name: &str| named.is_none_or(|named| named.contains(&name));
        let mut body = String::from("{");
        for (field, cell) in declared.fields.iter().zip(row).filter(|(field, _)| is_shown(field.name)) {
            body.push_str(&format!("\"{}\":{},", field.name, cell.json()));
        }
        // Where it is hidden, it is shown to those who name it.
        if named.map_or(declared.shows_id, |named| named.contains(&"id")) {
            body.push_str(&format!("\"id\":{id},"));
        }
        body.push_str(&format!("\"ressource_uri\":\"/{}/{id}/\"}}", declared.name));
        body
    }

    /// The body of a record with those that it refers to by these fields, at their positions.
    pub(super) fn expanded(
        &self,
        collection: usize,
        id: i64,
        named: Option<&[&str]>,
        references: &[usize],
    ) -> String {
        let row = &self.rows[collection][&id];
        let mut body = Book::record(collection, id, row, named);
        if references.is_empty() {
            return body;
        }
        let mut positions = references.to_vec();
        positions.sort_unstable();
        let shown = positions.into_iter().map(|position| {
            let field = &COLLECTIONS[collection].fields[position];
            let shown = match (field.kind, &row[position]) {
                (Kind::Reference(target, _), Cell::Integer(id)) => {
                    Book::record(target, *id, &self.rows[target][id], None)
                }
                _ => "null".to_owned(),
            };
            format!("\"{}\":{shown}", field.name)
        });
        let shown = shown.collect::<Vec<_>>().join(",");
        body.pop();
        format!("{body},\"_expanded\":{{{shown}}}}}")
    }
}
