//! A carnet process: started, killed, told to stop, and waited for.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dev::client::Client;
use dev::request::Request;
use rustix::process::{Pid, Signal, kill_process};

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
    child: Child,
    /// Kept open, so that the server may write to it.
    _stdout: ChildStdout,
    /// From its start until it said that it is ready.
    pub(crate) ready_after: Duration,
}

impl Launch {
    /// A command of carnet on this database.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut words = self.by.iter().map(String::as_str).chain(self.binary.to_str());
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(arguments);
        command.arg("--config").arg(&self.config).args(["--database", &self.database]);
        for variable in ["CARNET_CONFIG", "CARNET_DATABASE", "CARNET_LISTEN", "CARNET_BASE_URL", "CARNET_LOG"]
        {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null());
        command
    }

    /// Starts a server and does not wait for it.
    pub(crate) fn spawn(&self) -> anyhow::Result<Child> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log)?;
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(log);
        command.spawn().with_context(|| format!("cannot start {}", self.binary.display()))
    }

    /// Starts a server and waits until it is ready.
    pub(crate) fn serve(&self) -> anyhow::Result<Server> {
        let began = Instant::now();
        let mut child = self.spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let Ok(address) = line.trim().rsplit("http://").next().unwrap_or_default().parse() else {
            let status = child.wait()?;
            bail!("carnet did not start: {status}, {line:?}; its words: {}", last_words(&self.log));
        };
        let mut server = Server { address, child, _stdout: stdout.into_inner(), ready_after: Duration::ZERO };
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
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("carnet ended with {status} before it was ready");
            }
        }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// SIGTERM.
    pub(crate) fn ask_to_stop(&self) -> anyhow::Result<()> {
        Ok(kill_process(self.pid(), Signal::TERM)?)
    }

    /// Waits for the end, so long at the most.
    pub(crate) fn wait(&mut self, patience: Duration) -> anyhow::Result<Option<ExitStatus>> {
        let until = Instant::now() + patience;
        loop {
            let ended = self.child.try_wait()?;
            if ended.is_some() || Instant::now() > until {
                return Ok(ended);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Stops it as an operator would.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.ask_to_stop()?;
        match self.wait(Duration::from_secs(20))? {
            Some(status) if status.success() => Ok(()),
            ended => bail!("told to stop, it ended with {ended:?}"),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The end of a log.
pub(crate) fn last_words(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}
