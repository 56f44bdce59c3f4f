//! A stored table, as SQLite describes it.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::store::ident::{index_prefix, quote};
use crate::store::migration::NAMED_IDS;
use crate::store::rule_checks::{self, RuleCheck};
use crate::store::schema_diff::{Column, Question, Stored};
use crate::store::sqlite::{kind, sql};

/// A stored table, as SQLite describes it.
pub(super) struct Table {
    name: String,
    text: String,
    is_strict: bool,
    has_key: bool,
    columns: Vec<Column>,
    /// Columns that are neither fields nor ours, by name, each with what makes it.
    pub(super) others: Vec<(String, String)>,
    pub(super) indexes: Vec<(String, Option<String>)>,
    pub(super) triggers: Vec<(String, Option<String>)>,
}

impl Table {
    pub(super) fn read(connection: &Connection, name: &str) -> rusqlite::Result<Option<Self>> {
        let text: Option<String> = connection
            .query_row("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", [name], |row| {
                row.get(0)
            })
            .optional()?;
        let Some(text) = text else { return Ok(None) };
        let is_strict: bool =
            connection.query_row("SELECT strict FROM pragma_table_list(?1)", [name], |row| row.get(0))?;
        let references: Vec<(String, String, String)> = collect(
            connection,
            "SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?1)",
            name,
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let mut has_key = false;
        let columns = collect(
            connection,
            "SELECT name, type, \"notnull\", pk, dflt_value FROM pragma_table_xinfo(?1)",
            name,
            |row| {
                let (name, column_type): (String, String) = (row.get(0)?, row.get(1)?);
                let is_key = row.get::<_, i64>(3)? > 0;
                has_key |= is_key && name == "id" && column_type.eq_ignore_ascii_case("INTEGER");
                let kind = kind::of_column(&text, &quote(&name), &column_type);
                let intruders = kind.filter(|_| !is_strict).map(|kind| intruders(&name, kind));
                let reference = references.iter().find(|(from, ..)| *from == name);
                let reference = reference.map(|(_, target, rule)| (target.clone(), rule.clone()));
                let is_not_null = row.get(2)?;
                let default: Option<String> = row.get(4)?;
                let default = kind.zip(default).and_then(|(kind, text)| kind::default(kind, &text));
                let widening = None;
                Ok(Column { name, column_type, kind, is_not_null, default, intruders, reference, widening })
            },
        )?;
        let others = collect(
            connection,
            "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_xinfo(?1) \
             WHERE hidden = 0 AND name GLOB '[_]*'",
            name,
            |row| {
                let (name, column_type): (String, String) = (row.get(0)?, row.get(1)?);
                let default: Option<String> = row.get(3)?;
                Ok((name.clone(), other_column(&name, &column_type, row.get(2)?, default)))
            },
        )?;
        // A trigger keeps the name of its table as its maker spelled it.
        let made = |kind: &str| {
            let text = format!(
                "SELECT name, sql FROM sqlite_schema WHERE type = '{kind}' AND tbl_name = ?1 COLLATE NOCASE"
            );
            collect(connection, &text, name, |row| Ok((row.get(0)?, row.get(1)?)))
        };
        let (indexes, triggers) = (made("index")?, made("trigger")?);
        Ok(Some(Self { name: name.to_owned(), text, is_strict, has_key, columns, others, indexes, triggers }))
    }

    /// Whether its `id` can be that of records.
    pub(super) fn has_key(&self) -> bool {
        self.has_key
    }

    /// Whether it keeps out what ours never hold: another tool's table may not.
    pub(super) fn has_form(&self) -> bool {
        self.is_strict && self.text.to_ascii_uppercase().contains("AUTOINCREMENT")
    }
}

impl Stored for Table {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn holds(&self, collection: &Collection, rule: &[usize]) -> bool {
        let index = sql::rule_index(collection, rule);
        self.indexes.iter().any(|(name, _)| *name == index.name)
    }

    /// They stand in the text of the table, under names that begin with the column's.
    fn rules(&self, column: &str) -> Vec<String> {
        let begin = format!("CONSTRAINT \"{column} ");
        let names = self.text.split(&begin).skip(1).filter_map(|rest| rest.split('"').next());
        names
            .filter(|name| rule_checks::is_name(name))
            .map(|name| quote(&format!("{column} {name}")))
            .collect()
    }

    fn rule_name(&self, column: &str, rule: &RuleCheck) -> String {
        sql::rule_name(column, rule)
    }

    /// Its indexes follow by themselves, and get their new names at the next start.
    fn renaming_column(&self, from: &str, to: &str) -> String {
        format!("ALTER TABLE {} RENAME COLUMN {} TO {};", quote(&self.name), quote(from), quote(to))
    }

    /// Indexes keep their names, and the next start would make the same ones again under others.
    fn renaming_table(&self, to: &str) -> String {
        let mut statements = vec![
            format!("DROP TABLE IF EXISTS {};", quote(to)),
            format!("ALTER TABLE {} RENAME TO {};", quote(&self.name), quote(to)),
        ];
        let ours = format!("{}.", self.name);
        let indexes = self.indexes.iter().filter(|(name, _)| name.starts_with(&ours));
        statements.extend(indexes.map(|(name, _)| format!("DROP INDEX {};", quote(name))));
        statements.join(" ")
    }

    /// Its indexes must go first.
    fn dropping_column(&self, column: &str) -> String {
        let column = quote(column);
        let holds = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(&column));
        let indexes = self.indexes.iter().filter(|(_, text)| holds(text));
        let mut statements: Vec<String> =
            indexes.map(|(name, _)| format!("DROP INDEX {};", quote(name))).collect();
        statements.push(format!("ALTER TABLE {} DROP COLUMN {column};", quote(&self.name)));
        statements.join(" ")
    }

    fn dropping_table(&self) -> String {
        format!("DROP TABLE {};", quote(&self.name))
    }
}

/// Whether we made an index: it has a name of ours, or the table brought it along from another name, and it is the same
/// as one that is wanted.
pub(super) fn is_ours(collection: &Collection, name: &str, text: Option<&str>) -> bool {
    let is_wanted = |index: &sql::Index| {
        let same = sql::create_index(collection, index).replacen(&quote(&index.name), &quote(name), 1);
        text == Some(same.as_str())
    };
    name.starts_with(&index_prefix(collection)) || sql::indexes(collection).iter().any(is_wanted)
}

/// A table that is not strict takes anything anywhere.
fn intruders(column: &str, kind: FieldKind) -> String {
    let expected = kind::column_type(kind).to_ascii_lowercase();
    format!("typeof({}) NOT IN ('null', '{expected}')", quote(column))
}

/// A column of another tool as it can be added to a table. A default that is computed cannot be, and without one no
/// column must have a value.
fn other_column(name: &str, column_type: &str, is_not_null: bool, default: Option<String>) -> String {
    let is_constant =
        |text: &String| text.starts_with(|first: char| first.is_ascii_digit() || "'-".contains(first));
    match default.filter(is_constant) {
        Some(default) => {
            let not_null = if is_not_null { " NOT NULL" } else { "" };
            format!("{} {column_type}{not_null} DEFAULT {default}", quote(name))
        }
        None => format!("{} {column_type}", quote(name)),
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

/// The records for which a condition holds: the first ids, and how many there are.
pub(super) fn offenders(
    connection: &Connection,
    table: &str,
    condition: &str,
) -> rusqlite::Result<(Vec<i64>, u64)> {
    let table = quote(table);
    let count: i64 =
        connection
            .query_row(&format!("SELECT count(*) FROM {table} WHERE {condition}"), [], |row| row.get(0))?;
    let mut statement =
        connection.prepare(&format!("SELECT id FROM {table} WHERE {condition} ORDER BY id LIMIT ?1"))?;
    let ids = statement.query_map(params![NAMED_IDS as i64], |row| row.get(0))?;
    Ok((ids.collect::<rusqlite::Result<_>>()?, count.unsigned_abs()))
}

/// The records that a question is about: the first ids, and how many there are.
pub(super) fn answer(
    connection: &Connection,
    table: &str,
    question: &Question,
) -> rusqlite::Result<(Vec<i64>, u64)> {
    let Some((column, format)) = &question.unless else {
        return offenders(connection, table, &question.condition);
    };
    let text = format!("SELECT id, {column} FROM {} WHERE {} ORDER BY id", quote(table), question.condition);
    let mut statement = connection.prepare(&text)?;
    let mut rows = statement.query([])?;
    let (mut ids, mut count) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let text = row.get_ref(1)?.as_bytes().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
        if text.is_some_and(|text| format.accepts(text)) {
            continue;
        }
        count += 1;
        if ids.len() < NAMED_IDS {
            ids.push(row.get(0)?);
        }
    }
    Ok((ids, count))
}
