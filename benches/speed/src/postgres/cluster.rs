//! The PostgreSQL server of this run: asked by plain SQL, and asked what it used.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use crate::options::Options;
use crate::process::Times;

pub(crate) struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    port: String,
    user: String,
    password: String,
    postmaster: u32,
}

impl Cluster {
    /// The one that the script has started.
    pub(crate) fn find(options: &Options) -> anyhow::Result<Self> {
        let (url, folder, programs) = options.postgres.as_ref().context("no server was started")?;
        let (who, place) = url
            .strip_prefix("postgres://")
            .and_then(|rest| rest.split_once('@'))
            .context("an address without a user")?;
        let (user, password) = who.split_once(':').context("an address without a password")?;
        let port = place.split_once(':').and_then(|(_, rest)| rest.split('/').next());
        let pid = std::fs::read_to_string(folder.join("data/postmaster.pid"))?;
        Ok(Cluster {
            folder: folder.clone(),
            programs: programs.clone(),
            port: port.context("an address without a port")?.to_owned(),
            user: user.to_owned(),
            password: password.to_owned(),
            postmaster: pid.lines().next().context("an empty postmaster.pid")?.trim().parse()?,
        })
    }

    pub(crate) fn url(&self, database: &str) -> String {
        let host = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://{}:{}@{host}:{}/{database}", self.user, self.password, self.port)
    }

    /// One of the server's programs, told where the server is.
    pub(super) fn program(&self, name: &str, database: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.env("PGHOST", &self.folder).env("PGPORT", &self.port).env("PGUSER", &self.user);
        command.env("PGPASSWORD", &self.password).env("PGDATABASE", database).current_dir("/");
        command
    }

    /// Runs a script; answers its rows, a line each, columns parted by `|`.
    pub(crate) fn sql(&self, database: &str, script: &str) -> anyhow::Result<String> {
        self.feed(database, |input| input.write_all(script.as_bytes()))
    }

    /// The same with a script, or rows to copy, that is written piece by piece.
    pub(crate) fn feed(
        &self,
        database: &str,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> anyhow::Result<String> {
        let mut command = self.program("psql", database);
        command.args(["-XqAt", "-v", "ON_ERROR_STOP=1"]).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("no psql")?;
        {
            let mut input = std::io::BufWriter::new(child.stdin.take().context("no standard input")?);
            // What it has to say about a broken pipe is on its standard error.
            let _ = write(&mut input).and_then(|()| input.flush());
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("psql: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Processor time used so far by all of its processes, in seconds. Those that have ended are counted by the
    /// one that started them, so none is lost while sessions come and go.
    pub(super) fn cpu(&self) -> anyhow::Result<f64> {
        loop {
            let before = Times::of(self.postmaster)?.children;
            let processes = self.processes()?;
            let times = Times::of(self.postmaster)?;
            // One that ends just now may be counted twice, or not at all.
            if times.children == before && !processes.iter().any(|process| process.has_ended) {
                let seconds: f64 = processes.iter().map(|process| process.own).sum();
                return Ok(seconds + times.own + times.children);
            }
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    /// How many processes it has.
    pub(super) fn size(&self) -> anyhow::Result<usize> {
        Ok(self.processes()?.len())
    }

    fn processes(&self) -> anyhow::Result<Vec<Times>> {
        let mut processes = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let Some(process) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            processes.extend(Times::of(process).ok().filter(|times| times.parent == self.postmaster));
        }
        Ok(processes)
    }
}
