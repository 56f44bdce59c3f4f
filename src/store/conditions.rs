//! What a list asks for as SQL, for both engines: conditions, and the window. Names come from the catalog, values are
//! bound.

use super::cache::scan::{Scan, Which};
use super::extract::Extract;
use super::ident::{self, quote};
use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::record::Value;
use crate::record::listing::{Column, Condition, Filter, Window};

/// How an engine writes it.
pub(super) struct Dialect {
    /// What stands before the number of a bound value.
    pub(super) placeholder: char,
    /// What else holds for a column that equals a value: the words by which the index that has it is found.
    pub(super) index_hint: fn(column: &str, kind: FieldKind, value: &Value) -> Option<String>,
}

/// What a record must meet, one field after the other.
pub(super) fn of_filters(filters: &[Filter]) -> impl Iterator<Item = (Column, &Condition)> {
    filters.iter().map(|filter| (filter.on, &filter.condition))
}

impl Dialect {
    /// ` WHERE …`, or nothing without a condition, and the values to bind.
    ///
    /// `driver` is the place of the only condition whose index may be used; a plus keeps SQLite from the others.
    pub(super) fn conditions<'a>(
        &self,
        collection: &Collection,
        conditions: impl Iterator<Item = (Column, &'a Condition)>,
        driver: Option<usize>,
    ) -> (String, Vec<&'a Value>) {
        let mut values = Vec::new();
        let mut written = Vec::new();
        for (place, (on, condition)) in conditions.enumerate() {
            let (name, kind) = match on {
                // Not looked at by any condition that is written.
                Column::Id | Column::Words => ("id".to_owned(), FieldKind::OF_IDS),
                Column::Field(position) => {
                    let field = &collection.fields()[position];
                    (quote(field.name()), field.kind())
                }
            };
            let column = if driver.is_none_or(|driver| driver == place) { name } else { format!("+{name}") };
            written.push(self.condition(&column, kind, condition, &mut values));
        }
        let text =
            if written.is_empty() { String::new() } else { format!(" WHERE {}", written.join(" AND ")) };
        (text, values)
    }

    /// The ids and some fields of records: of those that meet the conditions, or whose id is one of those `given`.
    pub(super) fn scan<'a>(&self, scan: &Scan<'a>, given: &str) -> (String, Vec<&'a Value>) {
        let collection = scan.collection;
        let (condition, values) = match scan.which {
            Which::Meeting(conditions) => {
                self.conditions(collection, conditions.iter().map(|(on, condition)| (*on, condition)), None)
            }
            Which::These(_) => (format!(" WHERE id {given}"), Vec::new()),
        };
        let fields = scan.fields.iter().map(|&position| quote(collection.fields()[position].name()));
        let columns = ["id".to_owned()].into_iter().chain(fields).collect::<Vec<_>>().join(", ");
        (format!("SELECT {columns} FROM {}{condition}", quote(collection.name())), values)
    }

    /// All columns of the records that are extracted, in ascending order of ids, and the values to bind; `driver` as in
    /// [`Dialect::conditions`].
    pub(super) fn extract<'a>(
        &self,
        extract: &'a Extract,
        driver: Option<usize>,
    ) -> (String, Vec<&'a Value>) {
        let collection = extract.of();
        let (condition, values) = self.conditions(collection, extract.conditions(), driver);
        let mut columns = columns_of("t", collection);
        let mut joins = String::new();
        for (place, (target, &position)) in extract.targets().zip(&extract.followed).enumerate() {
            let (alias, field) = (format!("r{place}"), quote(collection.fields()[position].name()));
            columns.push_str(", ");
            columns.push_str(&columns_of(&alias, target));
            joins.push_str(&format!(" LEFT JOIN {} {alias} ON {alias}.id = t.{field}", quote(target.name())));
        }
        let (table, fields) = (quote(collection.name()), ident::columns(collection));
        let matching = format!("SELECT id, {fields} FROM {table}{condition}");
        (format!("SELECT {columns} FROM ({matching}) t{joins} ORDER BY t.id"), values)
    }

    /// One condition on a column.
    fn condition<'a>(
        &self,
        column: &str,
        kind: FieldKind,
        condition: &'a Condition,
        values: &mut Vec<&'a Value>,
    ) -> String {
        match condition {
            Condition::Equals(value) => {
                values.push(value);
                let equals = format!("{column} = {}", self.place(values.len()));
                match (self.index_hint)(column, kind, value) {
                    Some(hint) => format!("{equals} AND {hint}"),
                    None => equals,
                }
            }
            Condition::Absent => format!("{column} IS NULL"),
            Condition::AbsentOrEmpty => format!("({column} IS NULL OR {column} = '')"),
            // What has no value is not what is asked for, either.
            Condition::Not(condition) => {
                let condition = self.condition(column, kind, condition, values);
                format!("coalesce(NOT ({condition}), TRUE)")
            }
            Condition::Any(conditions) => {
                let any = conditions.iter().map(|condition| self.condition(column, kind, condition, values));
                format!("({})", any.collect::<Vec<_>>().join(" OR "))
            }
            Condition::Compare(comparison, bound) if !condition.is_folded() => {
                values.push(bound);
                format!("{column} {} {}", comparison.sign(), self.place(values.len()))
            }
            // Judged here, not by the database: this is none of its conditions.
            Condition::Compare(..)
            | Condition::Folded(_)
            | Condition::Prefix(_)
            | Condition::Contains(_)
            | Condition::Search(_) => "TRUE".to_owned(),
            Condition::Never => "FALSE".to_owned(),
        }
    }

    /// The part of a list that is asked for; its length and its beginning are bound after so many values.
    pub(super) fn window(&self, window: Option<Window>, values: usize) -> String {
        window.map_or_else(String::new, |_| {
            format!(" LIMIT {} OFFSET {}", self.place(values + 1), self.place(values + 2))
        })
    }

    /// The place of a bound value.
    fn place(&self, number: usize) -> String {
        format!("{}{number}", self.placeholder)
    }
}

/// The id and the fields of a collection that goes by another name.
fn columns_of(alias: &str, collection: &Collection) -> String {
    let fields = collection.fields().iter().map(|field| format!(", {alias}.{}", quote(field.name())));
    format!("{alias}.id{}", fields.collect::<String>())
}
