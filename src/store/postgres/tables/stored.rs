//! The stored tables, as PostgreSQL describes them.

use std::collections::HashMap;

use tokio_postgres::{Error, Row, Transaction};

use super::queries::{COLUMNS, CONSTRAINTS, INDEXES, RELATIONS, TRIGGERS};
use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::store::ident::{self, quote};
use crate::store::postgres::indexes::{self, Part, Shape};
use crate::store::postgres::{ddl, kind};
use crate::store::rule_checks::RuleCheck;
use crate::store::schema_diff::{Column, Origin, Stored};

/// Something that has a name among the tables.
pub(super) enum Relation {
    Table(Table),
    /// A view, or the like.
    Other {
        name: String,
        kind: String,
    },
}

#[derive(Default)]
pub(super) struct Table {
    name: String,
    /// Whether its `id` can be that of records.
    pub(super) has_key: bool,
    pub(super) is_logged: bool,
    columns: Vec<Column>,
    /// The columns that must have a value and have no default.
    needing_value: Vec<String>,
    /// The columns of text that are not compared byte by byte.
    pub(super) collated_otherwise: Vec<String>,
    /// Whether a sequence gives out its ids, and whether nobody else may.
    pub(super) is_counted: bool,
    pub(super) is_always_counted: bool,
    /// The names of its checks, of those that hold for every row.
    pub(super) checks: Vec<String>,
    /// Those of them that hold the rule of a string, each with its column.
    rules: Vec<(String, String)>,
    references: Vec<Reference>,
    pub(super) indexes: Vec<StoredIndex>,
    /// The triggers that are switched on.
    pub(super) triggers: Vec<String>,
}

struct Reference {
    constraint: String,
    column: String,
    /// Where it is one as we make them: to the `id` of a table of the same schema, checked at once.
    target: Option<(String, String)>,
}

pub(super) struct StoredIndex {
    pub(super) name: String,
    pub(super) is_key: bool,
    pub(super) is_constraint: bool,
    shape: Shape,
    is_valid: bool,
    /// The columns that cannot go before it goes.
    holds: Vec<String>,
}

/// Whether a name means a table of the server's own, whatever the schema.
pub(super) async fn is_of_the_server(transaction: &Transaction<'_>, name: &str) -> Result<bool, Error> {
    let text = "SELECT to_regclass($1) IS NOT NULL";
    let name = format!("pg_catalog.{}", quote(name));
    Ok(transaction.query_one(text, &[&name]).await?.get(0))
}

/// Everything in the current schema that has a name among the tables, by name.
pub(super) async fn read(transaction: &Transaction<'_>) -> Result<Vec<Relation>, Error> {
    let mut others = Vec::new();
    let mut tables: HashMap<u32, Table> = HashMap::new();
    for row in transaction.query(RELATIONS, &[]).await? {
        let (name, kind): (String, &str) = (row.get(1), row.get(2));
        if kind == "r" {
            tables.insert(row.get(0), Table { name, is_logged: row.get(3), ..Table::default() });
        } else {
            others.push(Relation::Other { name, kind: kind_of_relation(kind).to_owned() });
        }
    }
    let oids: Vec<u32> = tables.keys().copied().collect();
    let mut each = async |text: &str, put: fn(&mut Table, &Row)| {
        for row in transaction.query(text, &[&oids]).await? {
            if let Some(table) = tables.get_mut(&row.get(0)) {
                put(table, &row);
            }
        }
        Ok::<(), Error>(())
    };
    each(CONSTRAINTS, Table::put_constraint).await?;
    each(COLUMNS, Table::put_column).await?;
    each(INDEXES, Table::put_index).await?;
    each(TRIGGERS, |table, row| table.triggers.push(row.get(1))).await?;
    others.extend(tables.into_values().map(Relation::Table));
    others.sort_by(|one, other| one.name().cmp(other.name()));
    Ok(others)
}

fn kind_of_relation(kind: &str) -> &'static str {
    match kind {
        "p" => "partitioned table",
        "f" => "foreign table",
        "v" | "m" => "view",
        "S" => "sequence",
        _ => "type",
    }
}

impl Relation {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Table(table) => &table.name,
            Self::Other { name, .. } => name,
        }
    }

    pub(super) fn holds_rows(&self) -> bool {
        match self {
            Self::Table(_) => true,
            Self::Other { kind, .. } => kind.ends_with("table"),
        }
    }
}

impl Table {
    fn put_constraint(&mut self, row: &Row) {
        let (constraint, kind): (String, &str) = (row.get(1), row.get(2));
        let (columns, is_enforced): (Vec<String>, bool) = (row.get(3), row.get(8));
        match (kind, columns.as_slice()) {
            ("p", [column]) if column == "id" => self.has_key = true,
            ("c", columns) if is_enforced => {
                if let [column] = columns
                    && ddl::is_rule(&self.name, column, &constraint)
                {
                    self.rules.push((column.clone(), constraint.clone()));
                }
                self.checks.push(constraint);
            }
            ("f", [column]) => {
                let to: Vec<String> = row.get(4);
                let is_here: Option<bool> = row.get(6);
                let is_plain = is_enforced && to == ["id"] && is_here == Some(true);
                let target: Option<String> = row.get(5);
                let target = target.filter(|_| is_plain).map(|target| (target, row.get(7)));
                self.references.push(Reference { constraint, column: column.clone(), target });
            }
            _ => {}
        }
    }

    /// After the constraints.
    fn put_column(&mut self, row: &Row) {
        let (name, mut column_type): (String, String) = (row.get(1), row.get(2));
        if name == "id" {
            self.has_key &= column_type == "bigint";
            self.is_always_counted = row.get::<_, &str>(6) == "a";
            self.is_counted = row.get(7);
        }
        if row.get(5) {
            self.collated_otherwise.push(name.clone());
        }
        if row.get(8) {
            self.needing_value.push(name.clone());
        }
        let widening = widening(&self.name, &name, &column_type).filter(|_| !row.get::<_, bool>(4));
        // Nobody can write to it.
        if row.get(4) {
            column_type.insert_str(0, "generated ");
        }
        let kind = kind::of_column(&column_type);
        // What SQL calls an integer is not what we do.
        if column_type == "integer" {
            column_type = "integer of 32 bits".into();
        }
        let check = kind.and_then(|kind| ddl::check(&self.name, &name, kind));
        let missing = check.filter(|(check, _)| !self.checks.contains(check));
        let intruders = missing.map(|(_, condition)| format!("NOT ({condition})"));
        let mut references = self.references.iter().filter(|reference| reference.column == name);
        let reference = match (references.next(), references.next()) {
            (None, _) => None,
            (Some(one), None) => Some(one.target.clone().unwrap_or_default()),
            // More than one: none of them is what was declared.
            _ => Some((String::new(), String::new())),
        };
        let is_not_null = row.get(3);
        let default: Option<&str> = row.get(9);
        let default = kind.zip(default).and_then(|(kind, shown)| kind::default(kind, shown));
        self.columns.push(Column {
            name,
            column_type,
            kind,
            is_not_null,
            default,
            intruders,
            reference,
            widening,
        });
    }

    fn put_index(&mut self, row: &Row) {
        self.indexes.push(StoredIndex {
            name: row.get(1),
            shape: Shape {
                method: row.get(2),
                columns: row.get(3),
                is_unique: row.get(4),
                is_exclusion: row.get(5),
                is_partial: row.get(6),
            },
            is_key: row.get(7),
            is_constraint: row.get(8),
            is_valid: row.get(9),
            holds: row.get(10),
        });
    }

    pub(super) fn has_index(&self, part: &Part) -> bool {
        let is_it =
            |stored: &StoredIndex| stored.name == part.name && stored.shape == part.shape && stored.is_valid;
        self.indexes.iter().any(is_it)
    }

    /// The constraints by which a column refers to something.
    pub(super) fn references_of(&self, column: &str) -> impl Iterator<Item = &str> {
        let references = self.references.iter().filter(move |reference| reference.column == column);
        references.map(|reference| reference.constraint.as_str())
    }
}

/// The kind that a narrower type can become without a loss, and the statement that does it.
fn widening(table: &str, column: &str, column_type: &str) -> Option<(FieldKind, String)> {
    let kind = kind::wider(column_type)?;
    let (table, column, wide) = (quote(table), quote(column), kind::column_type(kind));
    Some((kind, format!("ALTER TABLE {table} ALTER COLUMN {column} TYPE {wide};")))
}

impl StoredIndex {
    /// Whether the table brought it along from another name: the same as a part that is wanted.
    pub(super) fn was(&self, part: &Part) -> bool {
        let after_the_table = |name: &str| name.split_once('.').map(|(_, rest)| rest.to_owned());
        let is_named_alike = after_the_table(&self.name) == after_the_table(&part.name);
        is_named_alike && self.name.contains('.') && self.shape == part.shape
    }

    /// The name of what it is a part of, as far as it is known: what goes together is told of once.
    pub(super) fn whole(&self, collection: &Collection) -> String {
        if ddl::kept_of(&self.name).is_some() && self.shape.is_unique {
            return format!("{}{} unique", ident::index_prefix(collection), self.shape.columns.join(","));
        }
        let part = [" long", " none"].into_iter().find_map(|part| self.name.strip_suffix(part));
        part.unwrap_or(&self.name).to_owned()
    }
}

/// The statement that gives a constraint another name.
fn renaming_constraint(table: &str, from: &str, to: &str) -> String {
    format!("ALTER TABLE {table} RENAME CONSTRAINT {} TO {};", quote(from), quote(to))
}

impl Table {
    fn has_constraint(&self, name: &str) -> bool {
        let references = self.references.iter().map(|reference| &reference.constraint);
        self.checks.iter().chain(references).any(|found| found == name)
    }
}

impl Stored for Table {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn holds(&self, collection: &Collection, rule: &[usize]) -> bool {
        indexes::rule_index(collection, rule).parts.iter().all(|part| self.has_index(part))
    }

    fn rules(&self, column: &str) -> Vec<String> {
        let rules = self.rules.iter().filter(|(of, _)| of == column);
        rules.map(|(_, name)| name.clone()).collect()
    }

    fn rule_name(&self, column: &str, rule: &RuleCheck) -> String {
        ddl::rule(&self.name, column, rule)
    }

    /// Every field has an index of ours; a column of another tool has none.
    fn origin(&self, collection: &Collection, column: &Column) -> Origin {
        let is_over_it = |index: &StoredIndex| index.shape.columns.contains(&column.name);
        let mut ours = self.indexes.iter().filter(|index| indexes::is_ours(collection, &index.name));
        match ours.any(is_over_it) {
            true => Origin::Field,
            false => Origin::Elsewhere { needs_value: self.needing_value.contains(&column.name) },
        }
    }

    /// Indexes get their new names at the next start; a constraint would keep its own, and be in the way of a field
    /// that is called like this one was.
    fn renaming_column(&self, from: &str, to: &str) -> String {
        let table = quote(&self.name);
        let mut statements =
            vec![format!("ALTER TABLE {table} RENAME COLUMN {} TO {};", quote(from), quote(to))];
        for (old, new) in ddl::constraints(&self.name, from).into_iter().zip(ddl::constraints(&self.name, to))
        {
            if self.has_constraint(&old) {
                statements.push(renaming_constraint(&table, &old, &new));
            }
        }
        for old in self.rules(from) {
            if let Some(rest) = old.strip_prefix(&format!("{}.{from} ", self.name)) {
                let new = ddl::short(format!("{}.{to} {rest}", self.name));
                statements.push(renaming_constraint(&table, &old, &new));
            }
        }
        statements.join(" ")
    }

    /// Everything that is named after the table gets its new name; what has a shortened one is dropped and made anew at
    /// the next start.
    fn renaming_table(&self, to: &str) -> String {
        let (old, new) = (format!("{}.", self.name), quote(to));
        let renamed = |name: &str| name.strip_prefix(&old).map(|rest| ddl::short(format!("{to}.{rest}")));
        let mut statements = vec![
            format!("DROP TABLE IF EXISTS {new} CASCADE;"),
            format!("ALTER TABLE {} RENAME TO {new};", quote(&self.name)),
        ];
        let references = self.references.iter().map(|reference| &reference.constraint);
        for name in self.checks.iter().chain(references) {
            statements.extend(renamed(name).map(|to| renaming_constraint(&new, name, &to)));
        }
        for index in &self.indexes {
            let Some(to) = renamed(&index.name) else { continue };
            statements.push(match index.is_constraint {
                true => renaming_constraint(&new, &index.name, &to),
                false => format!("ALTER INDEX {} RENAME TO {};", quote(&index.name), quote(&to)),
            });
        }
        let sequence = ddl::sequence(&self.name);
        if self.is_counted {
            statements.push(format!(
                "ALTER SEQUENCE IF EXISTS {} RENAME TO {};",
                quote(&sequence),
                quote(&ddl::sequence(to))
            ));
        }
        statements.join(" ")
    }

    /// Its indexes go with it, but not the constraints that are over it and others.
    fn dropping_column(&self, column: &str) -> String {
        let (table, column_name) = (quote(&self.name), quote(column));
        let held = self.indexes.iter().filter(|index| index.holds.iter().any(|held| held == column));
        let constraints = held.map(|index| format!("DROP CONSTRAINT {}", quote(&index.name)));
        let actions: Vec<String> = constraints.chain([format!("DROP COLUMN {column_name}")]).collect();
        format!("ALTER TABLE {table} {};", actions.join(", "))
    }

    /// Those who refer to it only lose their reference, and get it back at the next start.
    fn dropping_table(&self) -> String {
        format!("DROP TABLE {} CASCADE;", quote(&self.name))
    }
}
