//! Where the two have their stores, and what these look like to another tool.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;

use dev::file::File;
use dev::process::carnet;
use dev::schema::{self, Schema};
use dev::store::Store;
use dev::waiting::wait_for;
use tempfile::TempDir;

use crate::differences::Differences;

/// What keeps the stores.
pub(crate) enum Server {
    Files,
    Postgres(String),
}

/// Two places with one configuration.
pub(crate) struct Places<'a> {
    server: &'a Server,
    config: String,
    pub(crate) old: Place,
    pub(crate) new: Place,
}

/// A folder with a configuration, and a store.
pub(crate) struct Place {
    folder: TempDir,
    store: Box<dyn Store>,
    /// A database that goes with it, and the server that it goes from.
    database: Option<(String, String)>,
}

impl Places<'_> {
    /// Two empty stores.
    pub(crate) fn new<'a>(server: &'a Server, config: &str) -> Places<'a> {
        Places {
            server,
            config: config.to_owned(),
            old: Place::new(server, config, None),
            new: Place::new(server, config, None),
        }
    }

    /// Two copies of the one that OLD has written.
    pub(crate) fn copied(&self) -> Places<'_> {
        let copy = || Place::new(self.server, &self.config, Some(&self.old));
        Places { server: self.server, config: self.config.clone(), old: copy(), new: copy() }
    }

    /// Compares all that defines something, and all records.
    pub(crate) fn compare(&self, differences: &mut Differences) {
        let [old, new] = [&self.old, &self.new].map(|place| place.look());
        differences.compare("the tables", old.0.as_bytes(), new.0.as_bytes());
        differences.compare("the records", old.1.as_bytes(), new.1.as_bytes());
    }
}

impl Place {
    fn new(server: &Server, config: &str, source: Option<&Place>) -> Place {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("book.toml"), config).unwrap();
        match server {
            Server::Files => {
                let path = folder.path().join("book.db");
                if let Some(source) = source {
                    for ending in ["", "-wal"] {
                        // A stopped server leaves no log, unless it was stopped badly.
                        std::fs::copy(
                            source.path(&format!("book.db{ending}")),
                            folder.path().join(format!("book.db{ending}")),
                        )
                        .map_or_else(|error| assert!(!ending.is_empty(), "{error}"), drop);
                    }
                }
                Place { folder, store: Box::new(File::new(path)), database: None }
            }
            Server::Postgres(url) => {
                let name = format!("same_bytes_{:016x}", RandomState::new().hash_one(std::process::id()));
                let template =
                    source.and_then(|place| place.database.as_ref()).map(|(name, _)| name.as_str());
                create(url, &format!("CREATE DATABASE {name} TEMPLATE {}", template.unwrap_or("template1")));
                let (server, _) = url.rsplit_once('/').expect("a URL with the name of a database");
                let store = Box::new(Schema::public(&format!("{server}/{name}")));
                Place { folder, store, database: Some((name, url.clone())) }
            }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with these arguments, on this configuration and store.
    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = carnet(program, arguments);
        command
            .args(["--config", "book.toml", "--database", &self.store.url()])
            .current_dir(self.folder.path());
        command
    }

    /// A text without the names of this place.
    pub(crate) fn anonymous(&self, text: &str) -> String {
        let text = text.replace(self.folder.path().to_str().unwrap(), "(folder)");
        match &self.database {
            Some((name, _)) => text.replace(name, "(database)"),
            None => text,
        }
    }

    /// What defines the store, and what is in the tables of its collections.
    fn look(&self) -> (String, String) {
        let definitions = self.store.definitions().join("\n");
        let array = if self.database.is_some() { "json_build_array" } else { "json_array" };
        let mut records = Vec::new();
        for table in self.store.tables() {
            if table.starts_with('_') || table.starts_with("sqlite_") {
                continue;
            }
            let columns = self.store.columns(&table);
            let columns = columns.iter().filter_map(|column| column.split(' ').next());
            let columns: Vec<String> = columns.map(|column| format!("\"{column}\"")).collect();
            records.push(table.clone());
            records.extend(
                self.store
                    .query(&format!("SELECT {array}({}) FROM \"{table}\" ORDER BY id", columns.join(", "))),
            );
        }
        (definitions, records.join("\n"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((name, server)) = &self.database {
            schema::query(server, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).ok();
        }
    }
}

/// A database from a template that somebody may just be leaving.
fn create(server: &str, sql: &str) {
    let made = wait_for(|| match schema::query(server, sql) {
        Err(error) if error.contains("being accessed") => Err(format!("{sql}: {error}")),
        made => Ok(made),
    });
    made.unwrap_or_else(|error| panic!("{sql}: {error}"));
}
