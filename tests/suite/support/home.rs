//! A temporary folder with a configuration and a store, and the program run inside it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use dev::process::{Outcome, Process, carnet};
use tempfile::TempDir;

use super::engine::{Engine, Place, variable};
use super::server::Server;

/// The program to test, where it is not the one that was built with the tests: a release, for a long campaign.
const BINARY: &str = "CARNET";

/// Where one test lives. It is removed when nothing uses it any more.
pub(crate) struct Home {
    place: Place,
    folder: TempDir,
}

impl Home {
    /// A folder with this configuration and no store yet.
    pub(crate) fn new(config: &str) -> Arc<Home> {
        let home = Home::empty();
        home.configure(config);
        home
    }

    /// A folder with nothing in it.
    pub(crate) fn empty() -> Arc<Home> {
        Home::in_place(|folder| Place::new(Engine::chosen(), folder))
    }

    /// A folder with this configuration, whose store is in this engine.
    pub(crate) fn of(engine: Engine, config: &str) -> Arc<Home> {
        let home = Home::in_place(|folder| Place::new(engine, folder));
        home.configure(config);
        home
    }

    /// A folder with this configuration, whose store is on a server that the test has for itself.
    pub(crate) fn at(url: &str, config: &str) -> Arc<Home> {
        let home = Home::in_place(|_| Place::at(url));
        home.configure(config);
        home
    }

    fn in_place(place: impl FnOnce(&Path) -> Place) -> Arc<Home> {
        let folder = tempfile::tempdir().unwrap();
        Arc::new(Home { place: place(folder.path()), folder })
    }

    /// Replaces the configuration.
    pub(crate) fn configure(&self, config: &str) {
        std::fs::write(self.path("book.toml"), config).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn database_url(&self) -> String {
        self.place.store().url()
    }

    /// The program with these arguments and no others, started in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let built = env!("CARGO_BIN_EXE_carnet");
        let mut command = carnet(variable(BINARY).as_deref().unwrap_or(built), arguments);
        command.current_dir(self.folder());
        command
    }

    /// The program with these arguments, this folder's configuration and its store.
    pub(crate) fn command_here(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.arg("--config").arg(self.path("book.toml")).arg("--database").arg(self.database_url());
        command
    }

    /// Runs a command on this folder's configuration and store to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        Process::start(self.command_here(arguments)).outcome()
    }

    /// Runs a command with these arguments and no others to its end.
    pub(crate) fn run_bare(&self, arguments: &[&str]) -> Outcome {
        Process::start(self.command(arguments)).outcome()
    }

    /// Stores an access key.
    pub(crate) fn add_key(&self, name: &str, key: &str) {
        self.run(&["keys", "create", name, "--key", key]).exits(0);
    }

    /// Stores an access key that may manage keys.
    pub(crate) fn add_admin(&self, name: &str, key: &str) {
        self.run(&["keys", "create", name, "--key", key, "--admin"]).exits(0);
    }

    /// Serves on a free port.
    pub(crate) fn serve(self: &Arc<Home>) -> Server {
        self.serve_with(&[])
    }

    /// Serves on a free port, with further arguments.
    pub(crate) fn serve_with(self: &Arc<Home>, arguments: &[&str]) -> Server {
        let mut command = self.command_here(&["serve"]);
        command.args(["--listen", "127.0.0.1:0"]).args(arguments);
        Server::launch(self, command)
    }

    /// Tries to serve, expecting that it does not come to that.
    #[track_caller]
    pub(crate) fn refused_start(&self) -> Outcome {
        let mut command = self.command_here(&["serve"]);
        command.args(["--listen", "127.0.0.1:0"]);
        let mut process = Process::start(command);
        if let Some(line) = process.next_line() {
            panic!("the server should not have started, yet says: {line}");
        }
        process.outcome()
    }
}
