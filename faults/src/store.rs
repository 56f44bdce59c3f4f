//! Where a harness keeps its data: a file in its folder, or databases on a PostgreSQL server of its own.

use std::path::PathBuf;

use dev::cluster::Cluster;

use crate::dump::Dump;
use crate::files;
use crate::options::{Engine, Options};
use crate::outcome::CannotRun;
use crate::scratch::Scratch;
use crate::server::Launch;
use crate::values;

/// One after the other, each empty at first.
#[derive(Debug)]
pub(crate) struct Store {
    /// The folder with the files, which may be a mounted one.
    folder: PathBuf,
    pub(crate) cluster: Option<Cluster>,
    number: usize,
    launch: Launch,
}

impl Store {
    /// With data that outlives a crash of PostgreSQL itself, where that is what is tried.
    pub(crate) fn new(options: &Options, scratch: &Scratch, is_durable: bool) -> anyhow::Result<Store> {
        Self::in_folder(options, scratch, scratch.folder().to_owned(), is_durable)
    }

    pub(crate) fn in_folder(
        options: &Options,
        scratch: &Scratch,
        folder: PathBuf,
        is_durable: bool,
    ) -> anyhow::Result<Store> {
        let cluster = match options.engine {
            Engine::Sqlite => None,
            Engine::Postgres if !Cluster::is_possible() => {
                let why = "PostgreSQL's programs are not there, and cannot be installed";
                return Err(CannotRun(why.into()).into());
            }
            Engine::Postgres if is_durable => Some(Cluster::start()),
            Engine::Postgres => Some(Cluster::passing()),
        };
        let launch = Launch {
            binary: options.binary.clone(),
            config: scratch.path("carnet.toml"),
            database: String::new(),
            log: scratch.path("server.log"),
            by: Vec::new(),
        };
        let mut store = Store { folder, cluster, number: 0, launch };
        store.configure("64MiB", 0)?;
        store.renew()?;
        Ok(store)
    }

    /// Writes the configuration for the next start.
    pub(crate) fn configure(&self, memory: &str, added: usize) -> anyhow::Result<()> {
        Ok(std::fs::write(&self.launch.config, values::configuration(memory, added))?)
    }

    /// Leaves the old data behind and begins with none.
    pub(crate) fn renew(&mut self) -> anyhow::Result<()> {
        self.number += 1;
        self.launch.database = match &self.cluster {
            Some(cluster) => cluster.database(&format!("faults{}", self.number)),
            None => {
                files::remove(&self.file())?;
                format!("sqlite:{}", self.file().display())
            }
        };
        Ok(())
    }

    /// The file with the data.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("carnet.db")
    }

    /// Lets another command start carnet from now on.
    pub(crate) fn launch_by(&mut self, words: &[&str]) {
        self.launch.by = words.iter().map(|word| (*word).to_owned()).collect();
    }

    pub(crate) fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Copies the files of a mounted disk, which goes with the harness, to where they can be looked at.
    pub(crate) fn save(&self, scratch: &Scratch) -> anyhow::Result<()> {
        if self.cluster.is_none() && self.folder != scratch.folder() {
            files::copy(&self.file(), &scratch.path("carnet.db"))?;
        }
        Ok(())
    }

    /// What the data looks like while no server has it: files through another copy of SQLite, from a copy of them, so
    /// that the server finds them as they were. Waits until PostgreSQL has noticed that our node is gone.
    pub(crate) fn look(&self, scratch: &Scratch) -> anyhow::Result<Option<Dump>> {
        match &self.cluster {
            None => files::look(&self.file(), &scratch.path("copy")).map(Some),
            Some(cluster) => {
                cluster.until_alone();
                Ok(None)
            }
        }
    }
}
