//! One declared collection against its stored table: what to change, and what stands against it.

use rusqlite::Connection;

use super::rebuild;
use super::stored::{StoredColumn, Table, offenders};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::store::plan::{Obstacle, Plan, Step};
use crate::store::sql::{self, quote};

pub(super) struct Comparison<'a> {
    connection: &'a Connection,
    catalog: &'a Catalog,
    collection: &'a Collection,
    table: &'a Table,
    steps: Vec<Step>,
    obstacles: Vec<Obstacle>,
    /// What SQLite can only do by building the table anew, in words.
    rebuilds: Vec<String>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        catalog: &'a Catalog,
        collection: &'a Collection,
        table: &'a Table,
    ) -> Self {
        let (steps, obstacles, rebuilds) = (Vec::new(), Vec::new(), Vec::new());
        Self { connection, catalog, collection, table, steps, obstacles, rebuilds }
    }

    pub(super) fn run(mut self, plan: &mut Plan) -> rusqlite::Result<()> {
        if self.has_key() {
            self.undeclared_columns()?;
            self.form();
            for field in self.collection.fields() {
                match self.table.column(field.name()) {
                    None => self.new_field(field)?,
                    Some(column) => self.field(field, column)?,
                }
            }
            self.unique_rules()?;
            let indexes = self.indexes();
            if self.rebuilds.is_empty() {
                self.steps.extend(indexes);
            } else {
                // The new table has all its indexes; of these steps only the words are left to tell.
                self.rebuilds.extend(indexes.into_iter().map(|step| step.words));
                self.steps.push(rebuild(self.catalog, self.collection, self.table, &self.rebuilds));
            }
        }
        plan.steps.append(&mut self.steps);
        plan.obstacles.append(&mut self.obstacles);
        Ok(())
    }

    /// Adds an obstacle for the records for which a condition holds, where there are any.
    fn forbid(
        &mut self,
        condition: &str,
        message: impl FnOnce(&str) -> String,
        remedy: &str,
    ) -> rusqlite::Result<()> {
        let name = self.collection.name();
        let found = offenders(self.connection, name, condition)?;
        if found.count > 0 {
            self.obstacles.push(found.obstacle(message(name), remedy.to_owned()));
        }
        Ok(())
    }

    fn has_key(&mut self) -> bool {
        let id = self.table.column("id");
        let has_key = id.is_some_and(|id| id.is_key && id.column_type.eq_ignore_ascii_case("INTEGER"));
        if !has_key {
            let name = self.collection.name();
            self.obstacles.push(Obstacle {
                message: format!("the stored table {name} has no column `id INTEGER PRIMARY KEY`"),
                ids: Vec::new(),
                count: 0,
                remedy: "use another database file, or rename that table".into(),
            });
        }
        has_key
    }

    fn undeclared_columns(&mut self) -> rusqlite::Result<()> {
        for StoredColumn { name: column, .. } in &self.table.columns {
            let is_ours = column == "id" || column.starts_with('_');
            if is_ours || self.collection.find_field(column).is_some() {
                continue;
            }
            let name = self.collection.name();
            let found = offenders(self.connection, name, &format!("{} IS NOT NULL", quote(column)))?;
            self.obstacles.push(found.obstacle(
                format!("the field {column} of {name} is stored but no longer declared, and would be lost"),
                format!(
                    "declare it again, or take it out of the stored data with: {}",
                    self.dropping(column)
                ),
            ));
        }
        Ok(())
    }

    /// The statements that take a column out, for a person to run: its indexes must go first.
    fn dropping(&self, column: &str) -> String {
        let column = quote(column);
        let holds = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(&column));
        let indexes = self.table.indexes.iter().filter(|(_, text)| holds(text));
        let mut statements: Vec<String> =
            indexes.map(|(name, _)| format!("DROP INDEX {};", quote(name))).collect();
        statements.push(format!("ALTER TABLE {} DROP COLUMN {column};", quote(self.collection.name())));
        statements.join(" ")
    }

    /// A table that another tool made may hold what ours never would.
    fn form(&mut self) {
        if !self.table.is_strict || !self.table.text.to_ascii_uppercase().contains("AUTOINCREMENT") {
            let name = self.collection.name();
            self.rebuilds.push(format!("build {name} anew: strict types, ids that are never used again"));
        }
    }

    fn new_field(&mut self, field: &Field) -> rusqlite::Result<()> {
        let (name, field_name) = (self.collection.name(), field.name());
        if field.is_required() {
            let found = offenders(self.connection, name, "TRUE")?;
            let remedy = match found.count {
                0 => format!(
                    "there are no records yet: drop the table and start again: DROP TABLE {};",
                    quote(name)
                ),
                _ => "declare it without `required`, give every record a value, then require it".into(),
            };
            self.obstacles.push(found.obstacle(
                format!(
                    "the field {field_name} of {name} is new and required, and the stored table lacks it"
                ),
                remedy,
            ));
            return Ok(());
        }
        let column = sql::column(self.catalog, field);
        self.steps.push(Step {
            words: format!("add the field {field_name} to {name}"),
            statements: vec![format!("ALTER TABLE {} ADD COLUMN {column}", quote(name))],
        });
        Ok(())
    }

    fn field(&mut self, field: &Field, column: &StoredColumn) -> rusqlite::Result<()> {
        let (field_name, quoted) = (field.name(), quote(field.name()));
        let declared = field.kind().name();
        let stored_kind = self.table.kind(column);
        if stored_kind != Some(field.kind()) {
            let stored = stored_kind.map_or(column.column_type.clone(), |kind| kind.name().to_owned());
            let name = self.collection.name();
            let found = offenders(self.connection, name, &format!("{quoted} IS NOT NULL"))?;
            self.obstacles.push(found.obstacle(
                format!("the field {field_name} of {name} is stored as {stored} and declared as {declared}"),
                format!("declare it as {stored}, or declare a new field under another name"),
            ));
            return Ok(());
        }
        if !self.table.is_strict {
            let expected = sql::column_type(field.kind()).to_ascii_lowercase();
            self.forbid(
                &format!("typeof({quoted}) NOT IN ('null', '{expected}')"),
                |name| format!("the field {field_name} of {name} holds values that are no {declared}"),
                "correct those records",
            )?;
        }
        self.requirement(field, column)?;
        self.reference(field)
    }

    fn requirement(&mut self, field: &Field, column: &StoredColumn) -> rusqlite::Result<()> {
        let (name, field_name) = (self.collection.name(), field.name());
        match (column.is_not_null, field.is_required()) {
            (false, true) => {
                self.rebuilds.push(format!("require the field {field_name} of {name}"));
                self.forbid(
                    &format!("{} IS NULL", quote(field_name)),
                    |name| {
                        format!(
                            "the field {field_name} of {name} is now required, and some records have no value"
                        )
                    },
                    "give those records a value, or declare the field without `required`",
                )?;
            }
            (true, false) => {
                self.rebuilds.push(format!("no longer require the field {field_name} of {name}"))
            }
            _ => {}
        }
        Ok(())
    }

    fn reference(&mut self, field: &Field) -> rusqlite::Result<()> {
        let (name, field_name, quoted) = (self.collection.name(), field.name(), quote(field.name()));
        let stored = self.table.references.iter().find(|reference| reference.from == field_name);
        let stored = stored.map(|reference| (reference.target.as_str(), reference.on_delete.as_str()));
        let declared = field
            .reference()
            .map(|reference| (self.catalog.at(reference.target).name(), sql::on_delete(reference.on_delete)));
        if stored == declared {
            return Ok(());
        }
        self.rebuilds.push(format!("change what the field {field_name} of {name} refers to"));
        let Some((target, _)) = declared else { return Ok(()) };
        // A target that is only now created holds no record, and is not there to be asked.
        let known = match Table::read(self.connection, target)? {
            Some(_) => format!("SELECT id FROM {}", quote(target)),
            None => "SELECT 0".to_owned(),
        };
        self.forbid(
            &format!("{quoted} IS NOT NULL AND {quoted} NOT IN ({known})"),
            |name| {
                format!("the field {field_name} of {name} now refers to {target}, and some values match no record there")
            },
            "correct those records, or leave `references` out",
        )
    }

    /// A unique rule that is not stored yet must hold for the stored records.
    fn unique_rules(&mut self) -> rusqlite::Result<()> {
        let collection = self.collection;
        for index in sql::indexes(collection).iter().filter(|index| index.is_unique) {
            let names: Vec<&str> =
                index.fields.iter().map(|&position| collection.fields()[position].name()).collect();
            let is_stored = self.table.indexes.iter().any(|(name, _)| *name == index.name);
            // A rule over a field that is only now added is met: no record has a value.
            if is_stored || names.iter().any(|name| self.table.column(name).is_none()) {
                continue;
            }
            let columns: Vec<String> = names.iter().map(|name| quote(name)).collect();
            let (table, columns, set) = (
                quote(collection.name()),
                columns.join(", "),
                columns
                    .iter()
                    .map(|column| format!("{column} IS NOT NULL"))
                    .collect::<Vec<_>>()
                    .join(" AND "),
            );
            self.forbid(
                &format!(
                    "{set} AND ({columns}) IN \
                     (SELECT {columns} FROM {table} GROUP BY {columns} HAVING count(*) > 1)"
                ),
                |name| format!("{name} must now be unique by {}, and some records are not", names.join(",")),
                "change or delete the doubles, or leave the rule out of `unique`",
            )?;
        }
        Ok(())
    }

    fn indexes(&self) -> Vec<Step> {
        let collection = self.collection;
        let mut steps = Vec::new();
        let (name, prefix) = (collection.name(), sql::index_prefix(collection));
        let wanted = sql::indexes(collection);
        for index in &wanted {
            let text = sql::create_index(collection, index);
            let stored = self.table.indexes.iter().find(|(name, _)| *name == index.name);
            if stored.is_some_and(|(_, stored)| stored.as_ref() == Some(&text)) {
                continue;
            }
            let old = stored.map(|_| format!("DROP INDEX {}", quote(&index.name)));
            let fields = collection.rule_name(&index.fields);
            let words = match index.is_unique {
                true => format!("make {name} unique by {fields}"),
                false => format!("index {fields} of {name}"),
            };
            steps.push(Step { words, statements: old.into_iter().chain([text]).collect() });
        }
        for (stored, _) in &self.table.indexes {
            let Some(rule) = stored.strip_prefix(&prefix) else { continue };
            if wanted.iter().any(|index| index.name == *stored) {
                continue;
            }
            let words = match rule.strip_suffix(" unique") {
                Some(rule) => format!("no longer demand that {name} is unique by {rule}"),
                None => format!("drop the index {stored}"),
            };
            steps.push(Step { words, statements: vec![format!("DROP INDEX {}", quote(stored))] });
        }
        steps
    }
}
