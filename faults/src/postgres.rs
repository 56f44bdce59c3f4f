//! A PostgreSQL server of one's own, by `tests/postgres-cluster`, gone when it is let go.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::outcome::CannotRun;

#[derive(Debug)]
pub(crate) struct Cluster {
    script: PathBuf,
    folder: PathBuf,
    url: String,
    programs: PathBuf,
    /// Removes everything when its input ends, which the system sees to if we cannot.
    watcher: Child,
}

impl Cluster {
    pub(crate) fn start(is_durable: bool) -> anyhow::Result<Cluster> {
        let script = PathBuf::from("tests/postgres-cluster")
            .canonicalize()
            .context("start it at the root of the repository")?;
        let found = Command::new(&script).arg("find").stderr(Stdio::inherit()).output()?;
        if !found.status.success() {
            return Err(
                CannotRun("PostgreSQL's programs are not there, and cannot be installed".into()).into()
            );
        }
        let programs = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
        let folder = std::env::temp_dir().join(format!("carnet-faults-pg.{}", std::process::id()));
        let words = r#"trap '' INT TERM HUP; cat >/dev/null; exec "$0" stop "$1""#;
        let watcher = Command::new("bash")
            .args(["-c", words])
            .arg(&script)
            .arg(&folder)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let mut cluster = Cluster { script, folder, url: String::new(), programs, watcher };
        cluster.url = cluster.run(&[if is_durable { "durable" } else { "start" }])?.trim().to_owned();
        Ok(cluster)
    }

    /// Makes a database and answers its URL.
    pub(crate) fn database(&self, number: usize) -> anyhow::Result<String> {
        let name = format!("faults{number}");
        self.query(&format!("CREATE DATABASE {name}"))?;
        let (server, _) = self.url.rsplit_once('/').context("a URL without a database")?;
        Ok(format!("{server}/{name}"))
    }

    /// `kill -9` to all its processes.
    pub(crate) fn kill(&self) -> anyhow::Result<()> {
        self.run(&["signal", "KILL"]).map(drop)
    }

    pub(crate) fn again(&self) -> anyhow::Result<()> {
        self.run(&["again"]).map(drop)
    }

    /// Waits until no other client is connected: what a killed node had sent is settled then.
    pub(crate) fn until_alone(&self) -> anyhow::Result<()> {
        let until = Instant::now() + Duration::from_secs(20);
        let others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        while self.query(others)? != "0" {
            if Instant::now() > until {
                bail!("PostgreSQL still works for a node that was killed 20 s ago");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    pub(crate) fn query(&self, sql: &str) -> anyhow::Result<String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["-X", "-A", "-t", "-q", "-c", sql, &self.url])
            .output();
        let output = output.context("cannot run psql")?;
        if !output.status.success() {
            bail!("{sql}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn run(&self, words: &[&str]) -> anyhow::Result<String> {
        let (what, rest) = words.split_first().context("no command")?;
        let mut command = Command::new(&self.script);
        // A server that outlives the script keeps what it inherits open: a file, not a pipe.
        let said = std::env::temp_dir().join(format!("carnet-faults-said.{}", std::process::id()));
        command
            .arg(what)
            .arg(&self.folder)
            .args(rest)
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&said)?);
        let status = command.status()?;
        let text = std::fs::read_to_string(&said)?;
        let _ = std::fs::remove_file(&said);
        if !status.success() {
            bail!("tests/postgres-cluster {what}: {status}");
        }
        Ok(text)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        let _ = self.watcher.wait();
    }
}
