//! A SQLite file, as another tool sees it.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::store::Store;

/// The file of a stopped server.
pub struct File(PathBuf);

impl File {
    pub fn new(path: PathBuf) -> File {
        File(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    fn open(&self) -> Connection {
        let connection = Connection::open(&self.0).unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        connection
    }
}

impl Store for File {
    fn url(&self) -> String {
        format!("sqlite:{}", self.0.display())
    }

    fn exists(&self) -> bool {
        self.0.exists()
    }

    fn execute(&self, sql: &str) -> Result<(), String> {
        self.open().execute_batch(sql).map_err(|error| error.to_string())
    }

    fn hold_writers(&self, meanwhile: &mut dyn FnMut()) {
        let connection = self.open();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        meanwhile();
        connection.execute_batch("ROLLBACK").unwrap();
    }

    fn query(&self, sql: &str) -> Vec<String> {
        let connection = self.open();
        let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let rows = statement.query_map([], |row| row.get::<_, Value>(0)).unwrap();
        rows.map(|value| match value.unwrap() {
            Value::Null => "NULL".to_owned(),
            Value::Text(text) => text,
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Blob(_) => panic!("{sql}: not something to read"),
        })
        .collect()
    }

    fn everything(&self) -> Vec<u8> {
        std::fs::read(&self.0).unwrap()
    }

    fn definitions(&self) -> Vec<String> {
        let mut lines = self
            .query("SELECT concat_ws(' ', type, name, tbl_name, sql) FROM sqlite_schema ORDER BY type, name");
        for pragma in
            ["application_id", "user_version", "journal_mode", "page_size", "auto_vacuum", "encoding"]
        {
            lines.push(format!("{pragma} {}", self.query(&format!("PRAGMA {pragma}")).concat()));
        }
        if self.tables().iter().any(|table| table == "sqlite_sequence") {
            lines.extend(self.query("SELECT name || ' ' || seq FROM sqlite_sequence ORDER BY name"));
        }
        lines
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = self.query("PRAGMA integrity_check");
        faults.retain(|line| line != "ok");
        faults.extend(self.query("SELECT \"table\" || ' ' || rowid || ' refers to nothing in ' || parent FROM pragma_foreign_key_check"));
        faults
    }

    fn tables(&self) -> Vec<String> {
        self.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    }

    fn columns(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT name || ' ' || lower(type) || iif(\"notnull\", ' NOT NULL', '') FROM pragma_table_info('{table}')"
        ))
    }

    fn primary_key(&self, table: &str) -> Vec<String> {
        self.query(&format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk"))
    }

    fn references(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT \"from\" || ' -> ' || \"table\" || '.' || \"to\" || ' ON DELETE ' || on_delete
             FROM pragma_foreign_key_list('{table}') ORDER BY 1"
        ))
    }

    fn indexed(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT DISTINCT columns.name FROM pragma_index_list('{table}') AS list, pragma_index_info(list.name) AS columns
             WHERE columns.seqno = 0 ORDER BY 1"
        ))
    }

    fn unique(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT (SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_index_info(list.name) ORDER BY seqno))
             FROM pragma_index_list('{table}') AS list WHERE \"unique\" AND origin <> 'pk' ORDER BY 1"
        ))
    }
}
