//! A server whose clock a test can set, while those of all others go on.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use super::home::Home;
use super::server::Server;

/// The clock of one server.
pub(crate) struct Clock {
    offset: PathBuf,
}

impl Clock {
    /// Sets it to so many seconds after the real time.
    pub(crate) fn set(&self, seconds: i64) {
        // Replaced whole: the server may look at any time.
        let next = self.offset.with_extension("next");
        std::fs::write(&next, seconds.to_string()).unwrap();
        std::fs::rename(next, &self.offset).unwrap();
    }
}

impl Home {
    /// Serves on a free port by a clock that is so many seconds ahead.
    pub(crate) fn serve_by_clock(self: &Arc<Home>, seconds: i64) -> (Server, Clock) {
        let library = self.path("clock.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/support/clock.c");
        // There is a C compiler where SQLite was compiled.
        let compiled =
            Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).output();
        let compiled = compiled.unwrap();
        assert!(compiled.status.success(), "{compiled:?}");
        let clock = Clock { offset: self.path("clock") };
        clock.set(seconds);
        let mut command = self.command_here(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("LD_PRELOAD", library).env("CLOCK_OFFSET", &clock.offset);
        (Server::launch(self, command), clock)
    }
}
