//! A carnet process: started, killed, told to stop, and waited for.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::bail;
use dev::client::Client;
use dev::process::{Process, carnet};
use dev::request::Request;

/// How to start one.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) binary: PathBuf,
    pub(crate) config: PathBuf,
    pub(crate) database: String,
    /// Where its standard error goes.
    pub(crate) log: PathBuf,
    /// A command that carnet is started by, with its arguments: strace, mostly.
    pub(crate) by: Vec<String>,
}

/// A running one; killed when it is let go.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    process: Process,
    /// From its start until it said that it is ready.
    pub(crate) ready_after: Duration,
}

impl Launch {
    /// A command of carnet on this database.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut words = self.by.iter().map(String::as_str).chain(self.binary.to_str());
        let mut command = carnet(words.next().unwrap_or_default(), &words.collect::<Vec<_>>());
        command.args(arguments).arg("--config").arg(&self.config).args(["--database", &self.database]);
        command
    }

    /// Starts a server and does not wait for it.
    pub(crate) fn spawn(&self) -> Process {
        Process::start_logging(self.command(&["serve", "--listen", "127.0.0.1:0"]), &self.log)
    }

    /// Starts a server and waits until it is ready.
    pub(crate) fn serve(&self) -> anyhow::Result<Server> {
        let began = Instant::now();
        let mut process = self.spawn();
        let Some(address) = process.address() else {
            bail!("carnet did not start: {}; its words: {}", process.wait(), last_words(&self.log));
        };
        let mut server = Server { address, process, ready_after: Duration::ZERO };
        server.until_ready(Duration::from_secs(20))?;
        server.ready_after = began.elapsed();
        Ok(server)
    }
}

impl Server {
    /// Waits until it can serve; answers how long that took.
    pub(crate) fn until_ready(&mut self, patience: Duration) -> anyhow::Result<Duration> {
        let began = Instant::now();
        let mut client = Client::new(self.address);
        loop {
            match client.attempt(&Request::new("GET /readyz")) {
                Ok(answer) if answer.status == 200 => return Ok(began.elapsed()),
                found if began.elapsed() > patience => bail!("not ready after {patience:?}: {found:?}"),
                _ => {}
            }
            if let Some(status) = self.process.wait_for(Duration::from_millis(5)) {
                bail!("carnet ended with {status} before it was ready");
            }
        }
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// SIGTERM.
    pub(crate) fn ask_to_stop(&self) {
        self.process.signal("TERM");
    }

    /// Waits for the end, so long at the most.
    pub(crate) fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.process.wait_for(patience)
    }

    /// Stops it as an operator would.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.ask_to_stop();
        match self.wait(Duration::from_secs(20)) {
            Some(status) if status.success() => Ok(()),
            ended => bail!("told to stop, it ended with {ended:?}"),
        }
    }
}

/// The end of a log.
pub(crate) fn last_words(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}
