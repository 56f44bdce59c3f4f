//! The stored file of a stopped server, as another tool sees it.

use rusqlite::Connection;

use super::home::Home;

impl Home {
    /// Opens the store of a stopped server with plain SQLite.
    pub(crate) fn stored(&self) -> Connection {
        let stored = Connection::open(self.database_file()).unwrap();
        stored.pragma_update(None, "foreign_keys", true).unwrap();
        stored
    }

    /// The first column of every row, as text.
    pub(crate) fn query(&self, sql: &str) -> Vec<String> {
        let stored = self.stored();
        let mut statement = stored.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        rows.map(|value| match value.unwrap() {
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        })
        .collect()
    }

    /// Runs statements on the store of a stopped server.
    pub(crate) fn execute(&self, sql: &str) {
        self.stored().execute_batch(sql).unwrap();
    }

    /// Panics unless the file is sound and every reference in it leads somewhere.
    #[track_caller]
    pub(crate) fn is_sound(&self) {
        assert_eq!(self.query("PRAGMA integrity_check"), ["ok"]);
        assert_eq!(self.query("PRAGMA foreign_key_check"), Vec::<String>::new());
    }

    /// The bytes of the store, to see that nothing touched it.
    pub(crate) fn stored_bytes(&self) -> Vec<u8> {
        std::fs::read(self.database_file()).unwrap()
    }
}
