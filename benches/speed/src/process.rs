//! The servers as processes: started, asked what they used, stopped.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dev::process::{Process, carnet};

use crate::http;
use crate::options::Options;

/// How long a server may take to start or to stop before the run is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Who is measured. The order is the order in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    Carnet,
    /// The same, asked in a way that nobody has asked before, so that no answer is given again out of its cache.
    CarnetAnew,
    Bare,
    /// The same with carnet's header fields.
    BareHead,
    OneCommit,
    PocketBase,
    /// SQLite itself, without a server.
    Sqlite,
    /// Plain SQL on the same PostgreSQL server, asked by pgbench.
    Pgbench,
    /// The disk itself.
    Disk,
}

impl Who {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Who::Carnet => "carnet",
            Who::CarnetAnew => "carnet, asked anew",
            Who::Bare => "bare hyper",
            Who::BareHead => "bare hyper with header fields",
            Who::OneCommit => "one commit per request",
            Who::PocketBase => "PocketBase",
            Who::Sqlite => "SQLite",
            Who::Pgbench => "plain SQL",
            Who::Disk => "disk",
        }
    }
}

/// A running server; killed when it is let go.
pub(crate) struct Server {
    pub(crate) who: Who,
    pub(crate) address: SocketAddr,
    pub(crate) spawned: Instant,
    process: Process,
}

/// Resident memory in MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) resident: f64,
    /// Its own, without the pages of files.
    pub(crate) own: f64,
}

impl Server {
    pub(crate) fn carnet(options: &Options, database: &Path) -> anyhow::Result<Self> {
        Self::carnet_on(options, &format!("sqlite:{}", database.display()))
    }

    /// With a configuration of its own.
    pub(crate) fn carnet_by(options: &Options, database: &Path, config: &Path) -> anyhow::Result<Self> {
        let database = format!("sqlite:{}", database.display());
        let mut command =
            carnet(&options.carnet, &["serve", "--listen", "127.0.0.1:0", "--database", &database]);
        command.arg("--config").arg(config);
        announced(options, Who::Carnet, command)
    }

    /// On the database that this address leads to.
    pub(crate) fn carnet_on(options: &Options, database: &str) -> anyhow::Result<Self> {
        let command = carnet(&options.carnet, &["serve", "--listen", "127.0.0.1:0", "--database", database]);
        announced(options, Who::Carnet, command)
    }

    pub(crate) fn bare(options: &Options, body: &Path, head: Option<&Path>) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("bare").arg(body).args(head);
        announced(options, if head.is_some() { Who::BareHead } else { Who::Bare }, command)
    }

    pub(crate) fn one_commit(options: &Options, database: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("one-commit").arg(database);
        announced(options, Who::OneCommit, command)
    }

    pub(crate) fn pocketbase(options: &Options, program: &Path, directory: &Path) -> anyhow::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = Command::new(program);
        command
            .args(["serve", "--automigrate=false", "--http", &address.to_string(), "--dir"])
            .arg(directory);
        command.arg("--migrationsDir").arg(options.source.join("benches/speed/pocketbase"));
        let mut server = spawn(options, Who::PocketBase, command, address)?;
        let health = http::plain("GET", "/api/health");
        while !http::exchange(address, &health).is_ok_and(|answer| answer.status == 200) {
            server.check_alive()?;
            std::thread::park_timeout(Duration::from_millis(2));
        }
        Ok(server)
    }

    /// Processor time used so far, by all threads, in seconds.
    pub(crate) fn cpu(&self) -> anyhow::Result<f64> {
        Ok(Times::of(self.process.id())?.own)
    }

    pub(crate) fn memory(&self) -> anyhow::Result<Memory> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let mebibytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
            kibibytes
                .map(|kibibytes| kibibytes / 1_024.0)
                .with_context(|| format!("no {name} in /proc/PID/status"))
        };
        Ok(Memory { resident: mebibytes("VmRSS:")?, own: mebibytes("RssAnon:")? })
    }

    /// A gauge, as `/metrics` of carnet has it.
    pub(crate) fn metric(&self, name: &str) -> anyhow::Result<f64> {
        let body = http::exchange(self.address, &http::plain("GET", "/metrics"))?.body;
        let text = String::from_utf8(body)?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(value.with_context(|| format!("no {name} in /metrics"))?.trim().parse()?)
    }

    /// Stops it as an operator would, and waits until it has gone.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.process.signal("TERM");
        self.process
            .wait_for(PATIENCE)
            .with_context(|| format!("{} does not stop", self.who.name()))
            .map(drop)
    }

    /// `kill -9`.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.process.kill();
        Ok(())
    }

    fn check_alive(&mut self) -> anyhow::Result<()> {
        if let Some(status) = self.process.wait_for(Duration::ZERO) {
            bail!("{} ended with {status}; its log is in the data directory", self.who.name());
        }
        if self.spawned.elapsed() > PATIENCE {
            bail!("{} was not ready after {} s", self.who.name(), PATIENCE.as_secs());
        }
        Ok(())
    }
}

/// What a process has used, in seconds of processor time.
pub(crate) struct Times {
    pub(crate) own: f64,
    /// Of those of its children that have ended.
    pub(crate) children: f64,
    pub(crate) parent: u32,
    /// Whether it has ended, and its parent may or may not have taken note.
    pub(crate) has_ended: bool,
}

impl Times {
    pub(crate) fn of(process: u32) -> anyhow::Result<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The name of the program is in brackets, and may hold anything.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let field = |position: usize| -> anyhow::Result<u64> {
            let field = fields.get(position).and_then(|field| field.parse().ok());
            field.context("an unreadable /proc/PID/stat")
        };
        let seconds = |ticks: u64| ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
        Ok(Times {
            own: seconds(field(11)? + field(12)?),
            children: seconds(field(13)? + field(14)?),
            parent: u32::try_from(field(1)?)?,
            has_ended: fields.first().is_some_and(|state| ["Z", "X"].contains(state)),
        })
    }
}

/// Starts a server that says its address on the first line of standard output.
fn announced(options: &Options, who: Who, command: Command) -> anyhow::Result<Server> {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut server = spawn(options, who, command, nowhere)?;
    let Some(address) = server.process.address() else {
        server.check_alive()?;
        bail!("{} did not say its address", who.name());
    };
    server.address = address;
    Ok(server)
}

/// Starts a process in the data directory, where the script that cleans up recognises it.
fn spawn(options: &Options, who: Who, mut command: Command, address: SocketAddr) -> anyhow::Result<Server> {
    let log = options.data.join(format!("{}.log", who.name().replace(' ', "-").to_lowercase()));
    command.current_dir(&options.data);
    let spawned = Instant::now();
    let process = Process::start_logging(command, &log);
    let mut pids = OpenOptions::new().create(true).append(true).open(options.data.join("pids"))?;
    writeln!(pids, "{}", process.id())?;
    Ok(Server { who, address, spawned, process })
}
