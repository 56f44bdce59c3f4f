//! The databases that files go into and come from, and the same done by the database itself.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, ensure};
use rusqlite::Connection;

use crate::fill;
use crate::options::Options;
use crate::postgres::cluster::Cluster;
use crate::process::Server;
use crate::rows::Book;

/// As a program would do it that wants to be fast.
const A_COMMIT: usize = 10_000;

pub(super) enum Place {
    Sqlite(PathBuf),
    Postgres(Box<Cluster>),
}

impl Place {
    pub(super) fn of(options: &Options, scratch: &Path) -> anyhow::Result<Self> {
        match options.postgres {
            Some(_) => Ok(Place::Postgres(Box::new(Cluster::find(options)?))),
            None => Ok(Place::Sqlite(scratch.to_owned())),
        }
    }

    /// What imports and exports are compared with.
    pub(super) fn names(&self) -> (&'static str, &'static str) {
        match self {
            Place::Sqlite(_) => ("prepared inserts", "reading the rows"),
            Place::Postgres(_) => ("COPY", "COPY … TO"),
        }
    }

    /// How much slower than that an import may be.
    pub(super) fn goals(&self) -> &'static str {
        match self {
            Place::Sqlite(_) => "≥ 0.4",
            Place::Postgres(_) => "≥ 0.3",
        }
    }

    /// A new database with the tables, and the addresses that the users refer to; its URL.
    pub(super) fn fresh(&self, options: &Options, book: Book, name: &str) -> anyhow::Result<String> {
        let url = match self {
            Place::Sqlite(folder) => format!("sqlite:{}", folder.join(format!("{name}.db")).display()),
            Place::Postgres(cluster) => {
                cluster.sql("postgres", &format!("CREATE DATABASE {name}"))?;
                cluster.url(name)
            }
        };
        Server::carnet_on(options, &url)?.stop()?;
        let addresses = 1..=book.addresses();
        match self {
            Place::Sqlite(_) => {
                let mut connection = open(&url)?;
                let transaction = connection.transaction()?;
                let insert =
                    "INSERT INTO address (country, city, street, number) VALUES ('France', ?1, ?2, ?3)";
                let mut statement = transaction.prepare(insert)?;
                for id in addresses {
                    let (city, street) = fill::place(id);
                    statement.execute((city, street, (id % 200) as i64))?;
                }
                drop(statement);
                transaction.commit()?;
            }
            Place::Postgres(cluster) => {
                cluster.feed(name, |input| {
                    writeln!(input, "COPY address (country, city, street, number) FROM STDIN;")?;
                    for id in addresses {
                        let (city, street) = fill::place(id);
                        writeln!(input, "France\t{city}\t{street}\t{}", id % 200)?;
                    }
                    writeln!(input, "\\.\nVACUUM ANALYZE address;")
                })?;
            }
        }
        Ok(url)
    }

    pub(super) fn drop(&self, url: &str) -> anyhow::Result<()> {
        match self {
            Place::Sqlite(_) => {
                for end in ["", "-wal", "-shm", ".lock"] {
                    let _ = std::fs::remove_file(format!("{}{end}", path(url)));
                }
            }
            Place::Postgres(cluster) => {
                cluster.sql("postgres", &format!("DROP DATABASE {}", database(url)))?;
            }
        }
        Ok(())
    }

    /// Puts the users of a file into the table, with its indexes and triggers; how long that takes, in seconds.
    pub(super) fn insert(&self, url: &str, file: &Path) -> anyhow::Result<f64> {
        let began = Instant::now();
        match self {
            Place::Sqlite(_) => {
                let connection = open(url)?;
                let insert = "INSERT INTO users (first_name, last_name, address) VALUES (?1, ?2, ?3)";
                let mut statement = connection.prepare(insert)?;
                connection.execute_batch("BEGIN IMMEDIATE")?;
                for (number, line) in BufReader::new(File::open(file)?).lines().skip(1).enumerate() {
                    let line = line?;
                    let mut cells = line.split(',');
                    let (first, last) = (cells.next(), cells.next());
                    let address = cells.next().and_then(|cell| cell.parse::<i64>().ok());
                    statement.execute((first, last, address))?;
                    if number % A_COMMIT == A_COMMIT - 1 {
                        connection.execute_batch("COMMIT; BEGIN IMMEDIATE")?;
                    }
                }
                connection.execute_batch("COMMIT")?;
            }
            Place::Postgres(cluster) => {
                let file = file.display();
                let copy = format!("\\copy users (first_name, last_name, address) FROM '{file}' CSV HEADER");
                cluster.sql(database(url), &copy)?;
            }
        }
        Ok(began.elapsed().as_secs_f64())
    }

    /// Reads all users in the order of an export; how long that takes, in seconds.
    pub(super) fn select(&self, url: &str, to: &Path) -> anyhow::Result<f64> {
        let select = "SELECT id, first_name, last_name, address FROM users ORDER BY id";
        let began = Instant::now();
        match self {
            Place::Sqlite(_) => {
                let connection = open(url)?;
                let mut statement = connection.prepare(select)?;
                let mut rows = statement.query([])?;
                let mut bytes = 0;
                while let Some(row) = rows.next()? {
                    bytes += row.get_ref(1)?.as_str()?.len() + row.get_ref(2)?.as_str()?.len();
                    row.get_ref(0)?.as_i64()?;
                    row.get_ref(3)?.as_i64_or_null()?;
                }
                ensure!(bytes > 0, "there are no users");
            }
            Place::Postgres(cluster) => {
                cluster.sql(database(url), &format!("\\copy ({select}) TO '{}' CSV HEADER", to.display()))?;
                std::fs::remove_file(to).context("COPY wrote no file")?;
            }
        }
        Ok(began.elapsed().as_secs_f64())
    }
}

fn path(url: &str) -> &str {
    url.trim_start_matches("sqlite:")
}

fn database(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or_default()
}

/// With the settings that carnet writes with: nothing is lost that was committed.
fn open(url: &str) -> anyhow::Result<Connection> {
    let connection = Connection::open(path(url))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    Ok(connection)
}
