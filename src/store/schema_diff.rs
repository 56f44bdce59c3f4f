//! One declared collection against its stored table, whatever the engine: what differs, and what must be asked of
//! the stored records before it may change.
//!
//! Nothing is read here. The engine counts the records that a question is about, and knows how to change a table.

mod rules;

pub(super) use rules::differing;

use super::ident::{self, quote};
use super::migration::Conflict;
use super::rule_checks::RuleCheck;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::{Field, FieldKind};
use crate::catalog::rule::Format;
use crate::record::Value;

/// A column of a stored table.
pub(super) struct Column {
    pub(super) name: String,
    /// As the engine spells it.
    pub(super) column_type: String,
    /// The kind of field that it was made for, if for any.
    pub(super) kind: Option<FieldKind>,
    pub(super) is_not_null: bool,
    /// What a row that does not name it gets, where that is a value of its kind.
    pub(super) default: Option<Value>,
    /// A condition on values that its kind does not have, where the table would let them in.
    pub(super) intruders: Option<String>,
    /// The table that it refers to, and the deletion rule as SQL spells it.
    pub(super) reference: Option<(String, String)>,
    /// The kind that its type can become without a loss, and the statement that does it, for a person to run.
    pub(super) widening: Option<(FieldKind, String)>,
}

/// Where a column that is not declared came from.
pub(super) enum Origin {
    /// It was made for a field: its values would be lost.
    Field,
    /// Another tool added it. Some have no default and must have a value, so that no row can come in without one.
    Elsewhere { needs_value: bool },
}

/// A stored table, as far as the engines are alike.
pub(super) trait Stored {
    fn columns(&self) -> &[Column];

    /// Whether a unique rule is held by the table already.
    fn holds(&self, collection: &Collection, rule: &[usize]) -> bool;

    /// The constraints that hold the rules of a column.
    fn rules(&self, column: &str) -> Vec<String>;

    /// What the constraint of a rule is called.
    fn rule_name(&self, column: &str, rule: &RuleCheck) -> String;

    /// Where a column that is not declared came from, where the engine can tell.
    fn origin(&self, _collection: &Collection, _column: &Column) -> Origin {
        Origin::Field
    }

    /// The statements that give a column another name, for a person to run.
    fn renaming_column(&self, from: &str, to: &str) -> String;

    /// The statements that give the whole table the name of a collection that has no records, for a person to run.
    fn renaming_table(&self, to: &str) -> String;

    /// The statements that take a column out, for a person to run.
    fn dropping_column(&self, column: &str) -> String;

    /// The statement that takes the whole table out, for a person to run.
    fn dropping_table(&self) -> String;

    fn column(&self, name: &str) -> Option<&Column> {
        self.columns().iter().find(|column| column.name == name)
    }
}

/// Whether a table that is not declared has exactly the fields of a collection: it may be the same one, renamed.
pub(super) fn is_like(collection: &Collection, table: &impl Stored) -> bool {
    let has_field =
        |field: &Field| table.column(field.name()).is_some_and(|it| it.kind == Some(field.kind()));
    let is_field = |column: &Column| is_ours(&column.name) || collection.find_field(&column.name).is_some();
    collection.fields().iter().all(has_field) && table.columns().iter().all(is_field)
}

/// Whether a column is no field's.
fn is_ours(column: &str) -> bool {
    column == "id" || column.starts_with('_')
}

/// A way in which the stored columns differ from the declared fields.
pub(super) enum Change<'a> {
    Add(&'a Field),
    Require(&'a Field),
    Release(&'a Field),
    Refer(&'a Field),
    Rules(&'a Field),
    Default(&'a Field),
}

impl Change<'_> {
    pub(super) fn words(&self, collection: &Collection) -> String {
        let name = collection.name();
        match self {
            Self::Add(field) => format!("add the field {} to {name}", field.name()),
            Self::Require(field) => format!("require the field {} of {name}", field.name()),
            Self::Release(field) => format!("no longer require the field {} of {name}", field.name()),
            Self::Refer(field) => format!("change what the field {} of {name} refers to", field.name()),
            Self::Rules(field) => format!("change the rules of the field {} of {name}", field.name()),
            Self::Default(field) => format!("change the default of the field {} of {name}", field.name()),
        }
    }
}

/// A conflict, if records are found for which the condition holds.
pub(super) struct Question {
    pub(super) condition: String,
    /// Of those only the records whose text in this column is not of this format, which no database can tell.
    pub(super) unless: Option<(String, Format)>,
    pub(super) message: String,
    pub(super) remedy: String,
    /// What is wrong even without such records has this remedy then.
    pub(super) remedy_without: Option<String>,
}

impl Question {
    /// The answer: how many records there are, and the ids of the first of them.
    pub(super) fn conflict(self, ids: Vec<i64>, count: u64) -> Option<Conflict> {
        let remedy = if count > 0 { self.remedy } else { self.remedy_without? };
        Some(Conflict { message: self.message, ids, count, remedy })
    }
}

/// What differs, in the order of the fields.
pub(super) struct Differences<'a> {
    pub(super) changes: Vec<Change<'a>>,
    pub(super) questions: Vec<Question>,
    /// What is worth knowing, and changes nothing.
    pub(super) notes: Vec<String>,
}

/// Compares a collection with its table, which has the right key. `is_stored` says of a collection whether its
/// table is there to be asked.
pub(super) fn compare<'a>(
    catalog: &Catalog,
    collection: &'a Collection,
    table: &impl Stored,
    is_stored: impl Fn(&Collection) -> bool,
) -> Differences<'a> {
    let differences = Differences { changes: Vec::new(), questions: Vec::new(), notes: Vec::new() };
    let mut comparison = SchemaDiff { catalog, collection, table, is_stored, differences };
    comparison.undeclared_columns();
    for field in collection.fields() {
        match table.column(field.name()) {
            None => comparison.new_field(field),
            Some(column) => comparison.field(field, column),
        }
    }
    comparison.unique_rules();
    comparison.differences
}

struct SchemaDiff<'a, 'b, T, F> {
    catalog: &'b Catalog,
    collection: &'a Collection,
    table: &'b T,
    is_stored: F,
    differences: Differences<'a>,
}

impl<'a, 'b, T: Stored, F: Fn(&Collection) -> bool> SchemaDiff<'a, 'b, T, F> {
    fn ask(&mut self, condition: String, message: String, remedy: impl Into<String>) {
        let remedy = remedy.into();
        let question = Question { condition, unless: None, message, remedy, remedy_without: None };
        self.differences.questions.push(question);
    }

    fn refuse(&mut self, condition: String, message: String, remedy: String, remedy_without: String) {
        let remedy_without = Some(remedy_without);
        self.differences.questions.push(Question {
            condition,
            unless: None,
            message,
            remedy,
            remedy_without,
        });
    }

    fn undeclared_columns(&mut self) {
        for stored in self.undeclared() {
            if let Origin::Elsewhere { needs_value } = self.table.origin(self.collection, stored) {
                self.added_elsewhere(&stored.name, needs_value);
                continue;
            }
            let Column { name: column, kind, .. } = stored;
            let name = self.collection.name();
            let is_new =
                |field: &&Field| Some(field.kind()) == *kind && self.table.column(field.name()).is_none();
            let renamings = self.collection.fields().iter().filter(is_new).map(|field| {
                let renaming = self.table.renaming_column(column, field.name());
                format!("if it is now called {}, rename it with: {renaming} otherwise ", field.name())
            });
            let remedy = format!(
                "{}declare it again, or take it out of the stored data with: {}",
                renamings.collect::<String>(),
                self.table.dropping_column(column)
            );
            self.refuse(
                format!("{} IS NOT NULL", quote(column)),
                format!("the field {column} of {name} is stored but no longer declared, and would be lost"),
                remedy.clone(),
                remedy,
            );
        }
    }

    fn added_elsewhere(&mut self, column: &str, needs_value: bool) {
        let name = self.collection.name();
        let added = format!("the column {column} of {name} was added by another tool");
        if !needs_value {
            self.differences.notes.push(format!("{added}: it is kept as it is, and not served"));
            return;
        }
        let change = format!("ALTER TABLE {} ALTER COLUMN {}", quote(name), quote(column));
        let remedy = format!(
            "give it a default ({change} SET DEFAULT …;), or let it be without a value: {change} DROP NOT NULL;"
        );
        let message = format!("{added}, must have a value and has no default: no record could be created");
        // No record is in the way.
        self.refuse("FALSE".into(), message, remedy.clone(), remedy);
    }

    /// The stored columns that no field is declared for.
    fn undeclared(&self) -> Vec<&'b Column> {
        let is_undeclared =
            |column: &&Column| !is_ours(&column.name) && self.collection.find_field(&column.name).is_none();
        self.table.columns().iter().filter(is_undeclared).collect()
    }

    fn new_field(&mut self, field: &'a Field) {
        let (name, field_name) = (self.collection.name(), field.name());
        if !field.must_be_given() {
            self.differences.changes.push(Change::Add(field));
            return;
        }
        let dropping = self.table.dropping_table();
        let before = self.undeclared().into_iter().filter(|column| column.kind == Some(field.kind()));
        let renamings = before
            .map(|column| format!("if it was called {} before, rename that one; otherwise ", column.name));
        let renamings: String = renamings.collect();
        self.refuse(
            "TRUE".into(),
            format!("the field {field_name} of {name} is new and required, and the stored table lacks it"),
            format!(
                "{renamings}give it a `default`, or declare it without `required`, give every record a value, \
                 then require it"
            ),
            format!("there are no records yet: drop the table and start again: {dropping}"),
        );
    }

    fn field(&mut self, field: &'a Field, column: &Column) {
        let (name, field_name) = (self.collection.name(), field.name());
        let declared = field.kind().name();
        if column.kind != Some(field.kind()) {
            let stored = column.kind.map_or(column.column_type.as_str(), |kind| kind.name());
            let remedy = match &column.widening {
                Some((kind, statement)) if *kind == field.kind() => {
                    format!("change the type of the column with: {statement}")
                }
                _ => format!("declare it as {stored}, or declare a new field under another name"),
            };
            self.refuse(
                format!("{} IS NOT NULL", quote(field_name)),
                format!("the field {field_name} of {name} is stored as {stored} and declared as {declared}"),
                remedy.clone(),
                remedy,
            );
            return;
        }
        if let Some(condition) = &column.intruders {
            self.ask(
                condition.clone(),
                format!("the field {field_name} of {name} holds values that are no {declared}"),
                "correct those records",
            );
        }
        self.requirement(field, column);
        self.reference(field, column);
        self.rules(field);
        if column.default != field.default().map(|_| Value::default_of(field)) {
            self.differences.changes.push(Change::Default(field));
        }
    }

    fn requirement(&mut self, field: &'a Field, column: &Column) {
        let (name, field_name) = (self.collection.name(), field.name());
        match (column.is_not_null, field.is_required()) {
            (false, true) => {
                self.differences.changes.push(Change::Require(field));
                self.ask(
                    format!("{} IS NULL", quote(field_name)),
                    format!(
                        "the field {field_name} of {name} is now required, and some records have no value"
                    ),
                    "give those records a value, or declare the field without `required`",
                );
            }
            (true, false) => self.differences.changes.push(Change::Release(field)),
            _ => {}
        }
    }

    fn reference(&mut self, field: &'a Field, column: &Column) {
        let (name, field_name) = (self.collection.name(), field.name());
        let stored = column.reference.as_ref().map(|(target, rule)| (target.as_str(), rule.as_str()));
        let target = field.reference().map(|reference| self.catalog.at(reference.target));
        let rule = field.reference().map(|reference| ident::on_delete(reference.on_delete));
        if stored == target.map(Collection::name).zip(rule) {
            return;
        }
        self.differences.changes.push(Change::Refer(field));
        let Some(target) = target else { return };
        let (quoted, table) = (quote(field_name), quote(target.name()));
        // A target that is only now created holds no record, and is not there to be asked.
        let condition = match (self.is_stored)(target) {
            true => format!(
                "{quoted} IS NOT NULL AND NOT EXISTS \
                 (SELECT 1 FROM {table} WHERE {table}.id = {}.{quoted})",
                quote(name)
            ),
            false => format!("{quoted} IS NOT NULL"),
        };
        let message = format!(
            "the field {field_name} of {name} now refers to {}, and some values match no record there",
            target.name()
        );
        self.ask(condition, message, "correct those records, or leave `references` out");
    }

    /// A unique rule that is not stored yet must hold for the stored records.
    fn unique_rules(&mut self) {
        let collection = self.collection;
        for rule in collection.unique() {
            let fields = rule.iter().map(|&position| &collection.fields()[position]);
            let (stored, added): (Vec<&Field>, Vec<&Field>) =
                fields.partition(|field| self.table.column(field.name()).is_some());
            // A rule over a field that is only now added is met: no record has a value, unless all have the same.
            let is_met = added.iter().any(|field| field.default().is_none());
            if is_met || self.table.holds(collection, rule) {
                continue;
            }
            let columns: Vec<String> = stored.iter().map(|field| quote(field.name())).collect();
            let set: Vec<String> = columns.iter().map(|column| format!("{column} IS NOT NULL")).collect();
            let (set, columns, table) = (set.join(" AND "), columns.join(", "), quote(collection.name()));
            let condition = match columns.is_empty() {
                true => format!("(SELECT count(*) FROM {table}) > 1"),
                false => format!(
                    "{set} AND ({columns}) IN \
                     (SELECT {columns} FROM {table} GROUP BY {columns} HAVING count(*) > 1)"
                ),
            };
            self.ask(
                condition,
                format!(
                    "{} must now be unique by {}, and some records are not",
                    collection.name(),
                    collection.rule_name(rule)
                ),
                "change or delete the doubles, or leave the rule out of `unique`",
            );
        }
    }
}
