//! Brings the stored tables in line with the catalog: looks at what is there, plans, and applies in one
//! transaction.
//!
//! The tables themselves are the record of what was declared before; there is no second copy to disagree.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::{Field, FieldKind};
use crate::store::plan::{Obstacle, Plan, Step};
use crate::store::sql::{self, quote};

/// How many ids an obstacle names.
const NAMED_IDS: usize = 10;
/// The name of a table while it is being built anew.
const REBUILT: &str = "_carnet_rebuilt";

/// What would have to change, and what stands against it. Reads only.
pub(super) fn plan(connection: &Connection, catalog: &Catalog) -> rusqlite::Result<Plan> {
    let mut plan = Plan::default();
    for collection in catalog.collections() {
        match Table::read(connection, collection.name())? {
            None => plan.steps.push(create(catalog, collection)),
            Some(table) => compare(connection, catalog, collection, &table, &mut plan)?,
        }
    }
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    for name in statement.query_map([], |row| row.get::<_, String>(0))? {
        let name = name?;
        if catalog.find(&name).is_none() {
            plan.notes.push(format!(
                "the table {name} is not declared: it is kept as it is, and not served"
            ));
        }
    }
    Ok(plan)
}

/// Runs the steps of a plan. The caller holds the transaction, with foreign keys switched off.
pub(super) fn apply(connection: &Connection, plan: &Plan) -> rusqlite::Result<()> {
    for statement in plan.steps.iter().flat_map(|step| &step.statements) {
        connection.execute_batch(statement)?;
    }
    Ok(())
}

fn create(catalog: &Catalog, collection: &Collection) -> Step {
    let mut statements = vec![sql::create_table(catalog, collection, collection.name())];
    statements.extend(
        sql::indexes(collection)
            .iter()
            .map(|index| sql::create_index(collection, index)),
    );
    Step {
        words: format!("create the collection {}", collection.name()),
        statements,
    }
}

/// A stored table, as SQLite describes it.
struct Table {
    text: String,
    is_strict: bool,
    columns: Vec<StoredColumn>,
    references: Vec<StoredReference>,
    indexes: Vec<(String, Option<String>)>,
}

struct StoredColumn {
    name: String,
    column_type: String,
    is_not_null: bool,
    is_key: bool,
}

struct StoredReference {
    from: String,
    target: String,
    on_delete: String,
}

impl Table {
    fn read(connection: &Connection, name: &str) -> rusqlite::Result<Option<Self>> {
        let text: Option<String> = connection
            .query_row(
                "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                [name],
                |row| row.get(0),
            )
            .optional()?;
        let Some(text) = text else { return Ok(None) };
        let is_strict = connection.query_row("SELECT strict FROM pragma_table_list(?1)", [name], |row| {
            row.get(0)
        })?;
        let columns = collect(
            connection,
            "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1)",
            name,
            |row| {
                Ok(StoredColumn {
                    name: row.get(0)?,
                    column_type: row.get(1)?,
                    is_not_null: row.get(2)?,
                    is_key: row.get::<_, i64>(3)? > 0,
                })
            },
        )?;
        let references = collect(
            connection,
            "SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?1)",
            name,
            |row| {
                Ok(StoredReference {
                    from: row.get(0)?,
                    target: row.get(1)?,
                    on_delete: row.get(2)?,
                })
            },
        )?;
        let indexes = collect(
            connection,
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1",
            name,
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(Some(Self {
            text,
            is_strict,
            columns,
            references,
            indexes,
        }))
    }

    fn column(&self, name: &str) -> Option<&StoredColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The kind of field that a column was made for. Booleans are integers with a check of their own.
    fn kind(&self, column: &StoredColumn) -> Option<FieldKind> {
        match column.column_type.to_ascii_uppercase().as_str() {
            "TEXT" => Some(FieldKind::String),
            "REAL" => Some(FieldKind::Float),
            "INTEGER"
                if self
                    .text
                    .contains(&format!("CHECK ({} IN (0, 1))", quote(&column.name))) =>
            {
                Some(FieldKind::Boolean)
            }
            "INTEGER" | "INT" => Some(FieldKind::Integer),
            _ => None,
        }
    }
}

fn collect<T>(
    connection: &Connection,
    text: &str,
    table: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(text)?.query_map([table], read)?.collect()
}

fn compare(
    connection: &Connection,
    catalog: &Catalog,
    collection: &Collection,
    table: &Table,
    plan: &mut Plan,
) -> rusqlite::Result<()> {
    let name = collection.name();
    let has_key = table
        .column("id")
        .is_some_and(|id| id.is_key && id.column_type.eq_ignore_ascii_case("INTEGER"));
    if !has_key {
        plan.obstacles.push(Obstacle {
            message: format!(
                "the stored table {name} has no column `id INTEGER PRIMARY KEY`, so it is none of carnet's"
            ),
            ids: Vec::new(),
            count: 0,
            remedy: "use another database file, or rename that table".into(),
        });
        return Ok(());
    }
    let obstacles_before = plan.obstacles.len();
    for column in &table.columns {
        let is_ours = column.name == "id" || column.name.starts_with('_');
        if !is_ours && collection.find_field(&column.name).is_none() {
            let column = quote(&column.name);
            let found = offenders(connection, name, &format!("{column} IS NOT NULL"))?;
            plan.obstacles.push(found.obstacle(
                format!("the field {column} of {name} is stored but no longer declared, and would be lost"),
                format!("declare it again, or take it out of the stored data: ALTER TABLE {name} DROP COLUMN {column}"),
            ));
        }
    }
    let mut wants_rebuild = Vec::new();
    if !table.is_strict || !table.text.to_ascii_uppercase().contains("AUTOINCREMENT") {
        wants_rebuild.push(format!(
            "build the table {name} anew, STRICT and with ids that are never used again"
        ));
    }
    for field in collection.fields() {
        match table.column(field.name()) {
            None => add_field(connection, catalog, collection, field, plan)?,
            Some(column) => {
                compare_field(
                    connection,
                    catalog,
                    collection,
                    table,
                    field,
                    column,
                    plan,
                    &mut wants_rebuild,
                )?;
            }
        }
    }
    compare_unique(connection, collection, table, plan)?;
    if plan.obstacles.len() > obstacles_before {
        return Ok(());
    }
    if wants_rebuild.is_empty() {
        compare_indexes(collection, table, plan);
    } else {
        // What was planned for added columns and indexes is part of the new table.
        plan.steps
            .push(rebuild(catalog, collection, table, &wants_rebuild));
    }
    Ok(())
}

fn add_field(
    connection: &Connection,
    catalog: &Catalog,
    collection: &Collection,
    field: &Field,
    plan: &mut Plan,
) -> rusqlite::Result<()> {
    let (name, field_name) = (collection.name(), field.name());
    if field.is_required() {
        let found = offenders(connection, name, "TRUE")?;
        plan.obstacles.push(found.obstacle(
            format!("the field {field_name} of {name} is new and required, and no stored record has it"),
            "declare it without `required`, give every record a value, then require it".into(),
        ));
        return Ok(());
    }
    plan.steps.push(Step {
        words: format!("add the field {field_name} to {name}"),
        statements: vec![format!(
            "ALTER TABLE {} ADD COLUMN {}",
            quote(name),
            sql::column(catalog, field)
        )],
    });
    Ok(())
}

#[expect(
    clippy::too_many_arguments,
    reason = "one column against one field, with all that either side knows"
)]
fn compare_field(
    connection: &Connection,
    catalog: &Catalog,
    collection: &Collection,
    table: &Table,
    field: &Field,
    column: &StoredColumn,
    plan: &mut Plan,
    wants_rebuild: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let (name, field_name, quoted) = (collection.name(), field.name(), quote(field.name()));
    let stored_kind = table.kind(column);
    if stored_kind != Some(field.kind()) {
        let stored = stored_kind.map_or_else(|| column.column_type.clone(), |kind| kind.name().to_owned());
        let found = offenders(connection, name, &format!("{quoted} IS NOT NULL"))?;
        plan.obstacles.push(found.obstacle(
            format!(
                "the field {field_name} of {name} is stored as {stored} and declared as {}",
                field.kind().name()
            ),
            format!("declare it as {stored}, or declare a new field under another name"),
        ));
        return Ok(());
    }
    if !table.is_strict {
        let expected = sql::column_type(field.kind()).to_ascii_lowercase();
        let found = offenders(
            connection,
            name,
            &format!("typeof({quoted}) NOT IN ('null', '{expected}')"),
        )?;
        if found.count > 0 {
            plan.obstacles.push(found.obstacle(
                format!(
                    "the field {field_name} of {name} holds values that are not of type {}",
                    field.kind().name()
                ),
                "correct those records".into(),
            ));
        }
    }
    if field.is_required() != column.is_not_null {
        if field.is_required() {
            let found = offenders(connection, name, &format!("{quoted} IS NULL"))?;
            if found.count > 0 {
                plan.obstacles.push(found.obstacle(
                    format!(
                        "the field {field_name} of {name} is now required, and some records have no value"
                    ),
                    "give those records a value, or declare the field without `required`".into(),
                ));
            }
            wants_rebuild.push(format!("require the field {field_name} of {name}"));
        } else {
            wants_rebuild.push(format!("no longer require the field {field_name} of {name}"));
        }
    }
    let stored = table
        .references
        .iter()
        .find(|reference| reference.from == field_name);
    let declared = field
        .reference()
        .map(|reference| (catalog.at(reference.target), reference.on_delete));
    let is_same = match (stored, declared) {
        (None, None) => true,
        (Some(stored), Some((target, rule))) => {
            stored.target == target.name() && stored.on_delete == sql::on_delete(rule)
        }
        _ => false,
    };
    if !is_same {
        // A target that is only now created holds no record, and is not there to be asked.
        if let Some((target, _)) = declared
            && Table::read(connection, target.name())?.is_some()
        {
            {
                let target = quote(target.name());
                let found = offenders(
                    connection,
                    name,
                    &format!("{quoted} IS NOT NULL AND {quoted} NOT IN (SELECT id FROM {target})"),
                )?;
                if found.count > 0 {
                    plan.obstacles.push(found.obstacle(
                        format!("the field {field_name} of {name} now refers to {target}, and some of its values match no record there"),
                        "correct those records, or leave `references` out".into(),
                    ));
                }
            }
        }
        wants_rebuild.push(format!("change what the field {field_name} of {name} refers to"));
    }
    Ok(())
}

/// A unique rule that is not stored yet must hold for the stored records.
fn compare_unique(
    connection: &Connection,
    collection: &Collection,
    table: &Table,
    plan: &mut Plan,
) -> rusqlite::Result<()> {
    for index in sql::indexes(collection).iter().filter(|index| index.is_unique) {
        let is_stored = table.indexes.iter().any(|(name, _)| *name == index.name);
        let fields = index
            .fields
            .iter()
            .map(|&position| collection.fields()[position].name());
        let columns: Vec<String> = fields.map(quote).collect();
        // A rule over a field that is only now added is met: no record has a value.
        let all_stored = index
            .fields
            .iter()
            .all(|&position| table.column(collection.fields()[position].name()).is_some());
        if is_stored || !all_stored {
            continue;
        }
        let name = collection.name();
        let (set, list) = (columns.join(" IS NOT NULL AND "), columns.join(", "));
        let found = offenders(
            connection,
            name,
            &format!(
                "{set} IS NOT NULL AND ({list}) IN (SELECT {list} FROM {} GROUP BY {list} HAVING count(*) > 1)",
                quote(name)
            ),
        )?;
        if found.count > 0 {
            plan.obstacles.push(found.obstacle(
                format!(
                    "{name} must now be unique by {}, and some records are not",
                    collection.rule_name(&index.fields)
                ),
                "change or delete the doubles, or leave the rule out of `unique`".into(),
            ));
        }
    }
    Ok(())
}

fn compare_indexes(collection: &Collection, table: &Table, plan: &mut Plan) {
    let wanted = sql::indexes(collection);
    let prefix = sql::index_prefix(collection);
    for index in &wanted {
        let text = sql::create_index(collection, index);
        let stored = table.indexes.iter().find(|(name, _)| *name == index.name);
        if stored.is_some_and(|(_, stored)| stored.as_ref() == Some(&text)) {
            continue;
        }
        let mut statements = Vec::new();
        if stored.is_some() {
            statements.push(format!("DROP INDEX {}", quote(&index.name)));
        }
        statements.push(text);
        let fields = collection.rule_name(&index.fields);
        let words = if index.is_unique {
            format!("make {} unique by {fields}", collection.name())
        } else {
            format!("index {fields} of {}", collection.name())
        };
        plan.steps.push(Step { words, statements });
    }
    for (name, _) in &table.indexes {
        if name.starts_with(&prefix) && !wanted.iter().any(|index| index.name == *name) {
            let rule = name.trim_start_matches(&prefix);
            let words = match rule.strip_suffix(" unique") {
                Some(rule) => format!("no longer demand that {} is unique by {rule}", collection.name()),
                None => format!("drop the index {name}"),
            };
            plan.steps.push(Step {
                words,
                statements: vec![format!("DROP INDEX {}", quote(name))],
            });
        }
    }
}

/// SQLite cannot change a column in place: the table is built anew beside the old one and takes its name.
/// The counter of given ids moves along, so that no id is ever given twice.
fn rebuild(catalog: &Catalog, collection: &Collection, table: &Table, words: &[String]) -> Step {
    let (name, rebuilt) = (quote(collection.name()), quote(REBUILT));
    let kept = collection
        .fields()
        .iter()
        .filter(|field| table.column(field.name()).is_some());
    let kept: Vec<String> = std::iter::once("id".to_owned())
        .chain(kept.map(|field| quote(field.name())))
        .collect();
    let kept = kept.join(", ");
    let mut statements = vec![
        sql::create_table(catalog, collection, REBUILT),
        format!("INSERT INTO {rebuilt} ({kept}) SELECT {kept} FROM {name} ORDER BY id"),
        format!("DELETE FROM sqlite_sequence WHERE name = '{REBUILT}'"),
        format!(
            "INSERT INTO sqlite_sequence (name, seq) SELECT '{REBUILT}', max(\
             coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{0}'), 0), \
             coalesce((SELECT max(id) FROM {name}), 0))",
            collection.name()
        ),
        format!("DROP TABLE {name}"),
        format!("ALTER TABLE {rebuilt} RENAME TO {name}"),
    ];
    statements.extend(
        sql::indexes(collection)
            .iter()
            .map(|index| sql::create_index(collection, index)),
    );
    Step {
        words: words.join("; "),
        statements,
    }
}

/// The records for which a condition holds: the first ids, and how many there are.
struct Offenders {
    ids: Vec<i64>,
    count: u64,
}

impl Offenders {
    fn obstacle(self, message: String, remedy: String) -> Obstacle {
        Obstacle {
            message,
            ids: self.ids,
            count: self.count,
            remedy,
        }
    }
}

fn offenders(connection: &Connection, table: &str, condition: &str) -> rusqlite::Result<Offenders> {
    let table = quote(table);
    let count: i64 = connection.query_row(
        &format!("SELECT count(*) FROM {table} WHERE {condition}"),
        [],
        |row| row.get(0),
    )?;
    let mut statement = connection.prepare(&format!(
        "SELECT id FROM {table} WHERE {condition} ORDER BY id LIMIT ?1"
    ))?;
    let ids = statement.query_map(params![NAMED_IDS as i64], |row| row.get(0))?;
    Ok(Offenders {
        ids: ids.collect::<rusqlite::Result<_>>()?,
        count: count.unsigned_abs(),
    })
}
