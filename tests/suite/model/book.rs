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
label = { type = "string", searchable = true }
note  = { type = "string", searchable = true }
size  = { type = "integer" }
share = { type = "float" }
done  = { type = "boolean" }
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
}

pub(super) struct Collection {
    pub(super) name: &'static str,
    shows_id: bool,
    pub(super) is_paged: bool,
    pub(super) fields: &'static [Field],
    pub(super) unique: &'static [&'static [usize]],
}

const fn must(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: true }
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: false }
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
            may("club", Kind::Reference(0, Rule::SetNull)),
        ],
        unique: &[],
    },
];

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
}

impl Cell {
    pub(super) fn json(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Text(text) => Value::from(text.as_str()).to_string(),
            Cell::Integer(integer) => integer.to_string(),
            Cell::Float(float) => format!("{float:?}"),
            Cell::Boolean(boolean) => boolean.to_string(),
        }
    }

    /// As a filter is written.
    pub(super) fn query(&self) -> String {
        match self {
            Cell::Null => String::new(),
            Cell::Text(text) => text.clone(),
            other => other.json(),
        }
    }

    pub(super) fn sql(&self) -> String {
        match self {
            Cell::Null => "NULL".to_owned(),
            Cell::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Cell::Integer(i64::MIN) => "(-9223372036854775807 - 1)".to_owned(),
            Cell::Boolean(boolean) => boolean.to_string(),
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
}
