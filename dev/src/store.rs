//! A store, as any other tool sees it: the same questions on both engines.

/// What another tool sees of a store, and does to it, by plain SQL.
pub trait Store {
    /// The `--database` value.
    fn url(&self) -> String;

    /// Whether anything was ever stored, be it an empty table.
    fn exists(&self) -> bool;

    /// Runs statements, or gives the reason why not.
    fn execute(&self, sql: &str) -> Result<(), String>;

    /// Keeps everybody else from writing while something is done.
    fn hold_writers(&self, meanwhile: &mut dyn FnMut());

    /// The first column of every row, as text; a null is `NULL`.
    fn query(&self, sql: &str) -> Vec<String>;

    /// All of it, as bytes that differ after any change.
    fn everything(&self) -> Vec<u8>;

    /// Everything that defines something: tables, columns, indexes, triggers, where ids go on.
    fn definitions(&self) -> Vec<String>;

    /// What is broken, or leads nowhere.
    fn faults(&self) -> Vec<String>;

    /// The tables, by name.
    fn tables(&self) -> Vec<String>;

    /// The columns of a table in their order: name, `text` or `integer` or what it is, `NOT NULL`.
    fn columns(&self, table: &str) -> Vec<String>;

    /// The columns of the primary key.
    fn primary_key(&self, table: &str) -> Vec<String>;

    /// The foreign keys of a table: `column -> table.column ON DELETE …`.
    fn references(&self, table: &str) -> Vec<String>;

    /// The columns that come first in some index.
    fn indexed(&self, table: &str) -> Vec<String>;

    /// The columns of every unique index, the primary key's left out.
    fn unique(&self, table: &str) -> Vec<String>;
}
