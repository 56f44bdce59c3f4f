//! The program under another one that makes the system fail it: strace for calls, prlimit for what may be used up.

use std::process::Command;
use std::sync::Arc;

use dev::process::{Outcome, Process};

use super::home::Home;
use super::server::Server;

/// What a start came to.
pub(crate) enum Start {
    Serves(Box<Server>),
    Refused(Outcome),
}

impl Home {
    /// Serves on a free port, started by these words.
    pub(crate) fn serve_under(self: &Arc<Home>, words: &[&str]) -> Server {
        Server::launch(self, self.command_under(words, &["serve", "--listen", "127.0.0.1:0"]))
    }

    /// As [`Home::serve_under`], where the start may fail as well.
    pub(crate) fn try_under(self: &Arc<Home>, words: &[&str]) -> Start {
        let mut process = Process::start(self.command_under(words, &["serve", "--listen", "127.0.0.1:0"]));
        match process.next_line() {
            Some(line) => Start::Serves(Box::new(Server::of(self, process, &line))),
            None => Start::Refused(process.outcome()),
        }
    }

    /// Runs a command on this folder's configuration and store to its end, started by these words.
    pub(crate) fn run_under(&self, words: &[&str], arguments: &[&str]) -> Outcome {
        Process::start(self.command_under(words, arguments)).outcome()
    }

    fn command_under(&self, words: &[&str], arguments: &[&str]) -> Command {
        let inner = self.command_here(arguments);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(inner.get_program()).args(inner.get_args()).current_dir(self.folder());
        for (name, _) in inner.get_envs() {
            command.env_remove(name);
        }
        command
    }

    /// Serves, and the eighth write of each thread to the log takes so many seconds. A start that changes nothing makes
    /// three of them; the first create of the writer makes more.
    pub(crate) fn serve_with_a_slow_commit(self: &Arc<Home>, seconds: u32) -> Server {
        let log = format!("{}-wal", self.database_file().display());
        let inject = format!("inject=pwrite64:delay_enter={seconds}000000:when=8");
        let words = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", &log, "-e", "trace=pwrite64"];
        self.serve_under(&[&words[..], &["-e", &inject]].concat())
    }

    /// Serves while some calls on the files of the store fail: `calls` as strace names them, `fault` what becomes of
    /// which of them, counted for each thread. The server stays our own child, with its own exit status.
    pub(crate) fn serve_on_a_failing_disk(self: &Arc<Home>, calls: &str, fault: &str) -> Start {
        assert!(
            Command::new("strace").arg("--version").output().is_ok(),
            "this test needs strace: apt-get install strace"
        );
        let file = self.database_file().display().to_string();
        let log = format!("{file}-wal");
        self.try_with_failing_files(&[&file, &log], calls, fault)
    }

    /// As [`Home::serve_on_a_failing_disk`], where only the database file fails: the log can be written.
    pub(crate) fn serve_on_a_failing_file(self: &Arc<Home>, calls: &str, fault: &str) -> Start {
        let file = self.database_file().display().to_string();
        self.try_with_failing_files(&[&file], calls, fault)
    }

    fn try_with_failing_files(self: &Arc<Home>, files: &[&str], calls: &str, fault: &str) -> Start {
        let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:{fault}"));
        let mut words = vec!["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        words.extend(files.iter().flat_map(|file| ["-P", file]));
        self.try_under(&words)
    }
}
