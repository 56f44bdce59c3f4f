//! Databases of a given size, made once and kept: the server makes its tables at a first start, is stopped,
//! and the rows are inserted by plain SQL.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use rusqlite::Connection;

use crate::options::Options;
use crate::process::Server;
use crate::rows::Book;

/// Raised when the rows change, so that older databases are made anew.
const ROWS_VERSION: u32 = 2;

/// The databases of one size.
#[derive(Debug, Clone)]
pub(crate) struct Filled {
    pub(crate) book: Book,
    pub(crate) carnet: PathBuf,
    /// PocketBase's directory, where it takes part.
    pub(crate) pocketbase: Option<PathBuf>,
}

/// PocketBase's own format of an id, 15 characters, and in the order of the numbers.
pub(crate) fn pocketbase_id(id: u64) -> String {
    format!("{id:015}")
}

pub(crate) fn prepare(options: &Options, size: u64) -> anyhow::Result<Filled> {
    let book = Book::new(size);
    let directory = options.data.join(format!("carnet-{size}"));
    let carnet = directory.join("carnet.db");
    let make = |directory: &Path| Server::carnet(options, &directory.join("carnet.db"))?.stop();
    keep(&directory, "carnet.db", book, "", make, fill_carnet)?;
    let pocketbase = match &options.pocketbase {
        None => None,
        Some(program) => {
            let directory = options.data.join(format!("pocketbase-{size}"));
            let make = |directory: &Path| Server::pocketbase(options, program, directory)?.stop();
            let declared = include_str!("../pocketbase/1_address_book.js");
            keep(&directory, "data.db", book, declared, make, fill_pocketbase)?;
            Some(directory)
        }
    };
    Ok(Filled { book, carnet, pocketbase })
}

/// Copies a database, or a directory of them, that is about to be written to.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if from.is_dir() {
        std::fs::create_dir_all(to)?;
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// Makes and fills a database, unless there is one whose rows, declaration and tables are those we would make.
fn keep(
    directory: &Path,
    file: &str,
    book: Book,
    declared: &str,
    make: impl Fn(&Path) -> anyhow::Result<()>,
    fill: impl Fn(&Connection, Book) -> rusqlite::Result<()>,
) -> anyhow::Result<()> {
    let fresh = directory.with_extension("new");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh)?;
    }
    std::fs::create_dir_all(&fresh)?;
    make(&fresh)?;
    let connection = Connection::open(fresh.join(file))?;
    let tables = statements(&connection, "1")?.join(";\n");
    let stamp = format!("rows {ROWS_VERSION}, {} users\n{declared}{tables}\n", book.users);
    if std::fs::read_to_string(directory.join("stamp")).is_ok_and(|kept| kept == stamp) {
        drop(connection);
        std::fs::remove_dir_all(&fresh)?;
        return Ok(());
    }
    let began = Instant::now();
    eprint!("filling {} … ", directory.display());
    connection.pragma_update(None, "journal_mode", "DELETE")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "cache_size", -1_048_576)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Indexes are cheaper to make from sorted rows than to keep while rows arrive.
    let indexes = statements(&connection, "type = 'index' AND tbl_name IN ('users', 'address')")?;
    let names = "SELECT name FROM sqlite_master
                 WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('users', 'address')";
    let names: Vec<String> =
        connection.prepare(names)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    connection.execute_batch("BEGIN")?;
    for name in names {
        connection.execute_batch(&format!("DROP INDEX \"{name}\""))?;
    }
    fill(&connection, book)?;
    for index in indexes {
        connection.execute_batch(&index)?;
    }
    connection.execute_batch("COMMIT")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    drop(connection);
    std::fs::write(fresh.join("stamp"), stamp)?;
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    std::fs::rename(&fresh, directory)?;
    eprintln!("{:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// The statements that would make the tables and indexes again.
fn statements(connection: &Connection, which: &str) -> rusqlite::Result<Vec<String>> {
    let text = format!("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ({which}) ORDER BY name");
    connection.prepare(&text)?.query_map([], |row| row.get(0))?.collect()
}

fn fill_carnet(connection: &Connection, book: Book) -> rusqlite::Result<()> {
    let text = "INSERT INTO address (id, country, city, street, number) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut address = connection.prepare(text)?;
    for id in 1..=book.addresses() {
        let (city, street) = place(id);
        address.execute((id as i64, "France", city, street, (id % 200) as i64))?;
    }
    let mut user = connection
        .prepare("INSERT INTO users (id, first_name, last_name, address) VALUES (?1, ?2, ?3, ?4)")?;
    for row in book.ids().map(|id| book.user(id)) {
        user.execute((row.id as i64, row.first_name, row.last_name, row.address.map(|id| id as i64)))?;
    }
    Ok(())
}

fn fill_pocketbase(connection: &Connection, book: Book) -> rusqlite::Result<()> {
    let text = "INSERT INTO address (id, country, city, street, number) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut address = connection.prepare(text)?;
    for id in 1..=book.addresses() {
        let (city, street) = place(id);
        address.execute((pocketbase_id(id), "France", city, street, (id % 200) as i64))?;
    }
    let mut user = connection
        .prepare("INSERT INTO users (id, first_name, last_name, address) VALUES (?1, ?2, ?3, ?4)")?;
    for row in book.ids().map(|id| book.user(id)) {
        let address = row.address.map(pocketbase_id).unwrap_or_default();
        user.execute((pocketbase_id(row.id), row.first_name, row.last_name, address))?;
    }
    Ok(())
}

pub(crate) fn place(id: u64) -> (String, String) {
    (format!("City{:04}", id % 5_000), format!("Street{:05}", id % 50_000))
}
