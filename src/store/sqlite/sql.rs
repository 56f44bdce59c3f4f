//! SQLite's SQL: catalog and request → text, by pure functions. Names come from the catalog, values are bound.

use std::fmt::Write;

use super::kind;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::record::Value;
use crate::record::listing::{Column, Condition, Listing};
use crate::store::cache::scan::Scan;
use crate::store::conditions::{Dialect, of_filters};
use crate::store::extract::Extract;
use crate::store::ident::{columns, index_prefix, on_delete, quote};
use crate::store::rule_checks::{self, RuleCheck};

/// The definition of a field's column.
pub(super) fn column(catalog: &Catalog, field: &Field) -> String {
    let name = quote(field.name());
    let mut text = format!("{name} {}", kind::column_type(field.kind()));
    if field.is_required() {
        text.push_str(" NOT NULL");
    }
    if field.default().is_some() {
        let _ = write!(text, " DEFAULT {}", kind::literal(&Value::default_of(field)));
    }
    if let Some(check) = kind::check(field.kind(), &name) {
        text.push(' ');
        text.push_str(&check);
    }
    for rule in rule_checks::of(field) {
        let _ = write!(text, " CONSTRAINT {} CHECK ({})", rule_name(field.name(), &rule), rule.condition);
    }
    if let Some(reference) = field.reference() {
        let target = quote(catalog.at(reference.target).name());
        let _ = write!(text, " REFERENCES {target} (id) ON DELETE {}", on_delete(reference.on_delete));
    }
    text
}

/// The constraint that holds a rule of a string.
pub(super) fn rule_name(column: &str, rule: &RuleCheck) -> String {
    quote(&format!("{column} {}", rule.name))
}

/// The table of a collection, under the name `table`.
pub(super) fn create_table(catalog: &Catalog, collection: &Collection, table: &str) -> String {
    let mut text = format!(
        "CREATE TABLE {} (\n  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL CHECK (id > 0)",
        quote(table)
    );
    for field in collection.fields() {
        text.push_str(",\n  ");
        text.push_str(&column(catalog, field));
    }
    text.push_str("\n) STRICT");
    text
}

/// One index that a collection wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) name: String,
    pub(super) fields: Vec<usize>,
    pub(super) is_unique: bool,
}

/// The indexes of a collection: one for each unique rule, and one for each field, since any can be filtered.
pub(super) fn indexes(collection: &Collection) -> Vec<Index> {
    let prefix = index_prefix(collection);
    let rules = collection.unique().iter().map(|rule| rule_index(collection, rule));
    let is_a_rule_of_its_own = |position: usize| collection.unique().iter().any(|rule| *rule == [position]);
    let fields =
        collection.fields().iter().enumerate().filter(|(position, _)| !is_a_rule_of_its_own(*position));
    let fields = fields.map(|(position, field)| Index {
        name: format!("{prefix}{}", field.name()),
        fields: vec![position],
        is_unique: false,
    });
    rules.chain(fields).collect()
}

/// The index that holds a unique rule.
pub(super) fn rule_index(collection: &Collection, rule: &[usize]) -> Index {
    let name = format!("{}{} unique", index_prefix(collection), collection.rule_name(rule));
    Index { name, fields: rule.to_vec(), is_unique: true }
}

pub(super) fn create_index(collection: &Collection, index: &Index) -> String {
    let unique = if index.is_unique { "UNIQUE " } else { "" };
    let columns: Vec<String> =
        index.fields.iter().map(|&position| quote(collection.fields()[position].name())).collect();
    let (name, table) = (quote(&index.name), quote(collection.name()));
    format!("CREATE {unique}INDEX {name} ON {table} ({})", columns.join(", "))
}

/// The statements of a collection whose text does not depend on the request, made once.
#[derive(Debug)]
pub(super) struct Statements {
    pub(super) fetch: String,
    pub(super) insert: String,
    /// The same with an id, which is bound first.
    pub(super) insert_as: String,
    pub(super) delete: String,
    pub(super) exists: String,
    pub(super) block: String,
}

impl Statements {
    pub(super) fn new(collection: &Collection) -> Self {
        let (table, columns) = (quote(collection.name()), columns(collection));
        let places: Vec<String> = (1..=collection.fields().len()).map(|place| format!("?{place}")).collect();
        let places = places.join(", ");
        let shifted: Vec<String> =
            (1..=collection.fields().len() + 1).map(|place| format!("?{place}")).collect();
        let shifted = shifted.join(", ");
        Self {
            fetch: format!("SELECT id, {columns} FROM {table} WHERE id = ?1"),
            insert: format!("INSERT INTO {table} ({columns}) VALUES ({places})"),
            insert_as: format!("INSERT INTO {table} (id, {columns}) VALUES ({shifted})"),
            delete: format!("DELETE FROM {table} WHERE id = ?1"),
            exists: format!("SELECT 1 FROM {table} WHERE id = ?1"),
            block: format!("SELECT id, {columns} FROM {table} WHERE id BETWEEN ?1 AND ?2 ORDER BY id"),
        }
    }
}

/// Changes the fields at `positions` (bound from ?2 on) of the record ?1.
pub(super) fn update(collection: &Collection, positions: &[usize]) -> String {
    let mut text = format!("UPDATE {} SET ", quote(collection.name()));
    for (place, &position) in positions.iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{} = ?{}", quote(collection.fields()[position].name()), place + 2);
    }
    text.push_str(" WHERE id = ?1");
    text
}

/// Is one of the ids that ?1 lists, as a JSON array: one statement for all of them costs what one for each would not.
const GIVEN: &str = "IN (SELECT value FROM json_each(?1))";

/// The ids of the records whose field at `position` refers to one of the records ?1.
pub(super) fn referring(collection: &Collection, position: usize) -> String {
    let field = quote(collection.fields()[position].name());
    format!("SELECT id FROM {} WHERE {field} {GIVEN}", quote(collection.name()))
}

/// The records ?1.
pub(super) fn fetch_all(collection: &Collection) -> String {
    format!("SELECT id, {} FROM {} WHERE id {GIVEN}", columns(collection), quote(collection.name()))
}

/// Takes the value of the field at `position` away from the records ?1.
pub(super) fn clear_all(collection: &Collection, position: usize) -> String {
    let field = quote(collection.fields()[position].name());
    format!("UPDATE {} SET {field} = NULL WHERE id {GIVEN}", quote(collection.name()))
}

/// Deletes the records ?1.
pub(super) fn delete_all(collection: &Collection) -> String {
    format!("DELETE FROM {} WHERE id {GIVEN}", quote(collection.name()))
}

/// Whether a row of a table that is not declared refers to ?1.
pub(super) fn referring_row(table: &str, column: &str) -> String {
    format!("SELECT 1 FROM {} WHERE {} = ?1", quote(table), quote(column))
}

/// Which other record than ?1 has the values ?2… in the fields of a unique rule.
pub(super) fn holder(collection: &Collection, rule: &[usize]) -> String {
    let mut text = format!("SELECT id FROM {} WHERE id <> ?1", quote(collection.name()));
    for (place, &position) in rule.iter().enumerate() {
        let _ = write!(text, " AND {} = ?{}", quote(collection.fields()[position].name()), place + 2);
    }
    text
}

/// How SQLite writes what a list asks for.
const DIALECT: Dialect = Dialect { placeholder: '?', index_hint: |_, _, _| None };

/// How many records match, with the values to bind.
pub(super) fn count<'a>(collection: &Collection, listing: &'a Listing) -> (String, Vec<&'a Value>) {
    let (condition, values) = DIALECT.conditions(collection, of_filters(&listing.filters), None);
    (format!("SELECT count(*) FROM {}{condition}", quote(collection.name())), values)
}

/// The records that match, in the order of their ids; the window is bound after the values.
pub(super) fn page<'a>(collection: &Collection, listing: &'a Listing) -> (String, Vec<&'a Value>) {
    let (condition, values) = DIALECT.conditions(collection, of_filters(&listing.filters), None);
    let (columns, table) = (columns(collection), quote(collection.name()));
    let window = DIALECT.window(listing.window, values.len());
    (format!("SELECT id, {columns} FROM {table}{condition} ORDER BY id{window}"), values)
}

/// The ids of the records that match, in any order: in that of the ids, a range would be looked for in the whole table
/// and not in its index. Where several conditions are given, `driver` is the place of the one whose index is used:
/// SQLite cannot know which of them matches little.
pub(super) fn matching<'a>(
    collection: &Collection,
    conditions: impl Iterator<Item = (Column, &'a Condition)>,
    driver: Option<usize>,
) -> (String, Vec<&'a Value>) {
    let (condition, values) = DIALECT.conditions(collection, conditions, driver);
    (format!("SELECT id FROM {}{condition}", quote(collection.name())), values)
}

/// The ids and some fields of records: of those that meet the conditions, or of the records ?1.
pub(super) fn scan<'a>(scan: &Scan<'a>) -> (String, Vec<&'a Value>) {
    DIALECT.scan(scan, GIVEN)
}

/// The records that are extracted. No index is used that would have them sorted: that takes memory.
pub(super) fn extract(extract: &Extract) -> (String, Vec<&Value>) {
    let places = |found: fn(&(Column, &Condition)) -> bool| extract.conditions().position(|one| found(&one));
    let by_id = places(|(on, _)| *on == Column::Id);
    let by_value = places(|(_, condition)| matches!(condition, Condition::Equals(_) | Condition::Absent));
    DIALECT.extract(extract, by_id.or(by_value).or(Some(usize::MAX)))
}

pub(super) fn largest_id(collection: &Collection) -> String {
    format!("SELECT max(id) FROM {}", quote(collection.name()))
}

/// The ids from ?1 to ?2, in ascending order.
pub(super) fn ids_between(collection: &Collection) -> String {
    format!("SELECT id FROM {} WHERE id BETWEEN ?1 AND ?2 ORDER BY id", quote(collection.name()))
}
