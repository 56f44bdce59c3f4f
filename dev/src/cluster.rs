//! A PostgreSQL server that one test has for itself, to do to it what must not be done to the one that all share.
//!
//! `tests/postgres-cluster` makes it and removes it, whatever becomes of the test.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::schema;
use crate::waiting::wait_until;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/postgres-cluster");

/// A server of its own.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    pub port: u16,
    password: String,
    /// Removes everything when its input ends, which the system sees to if we cannot.
    watcher: Child,
}

impl Cluster {
    /// Whether the server's programs are there, or could be installed.
    pub fn is_possible() -> bool {
        Command::new(SCRIPT).arg("find").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// A new one whose data need not outlive a crash.
    pub fn passing() -> Cluster {
        Cluster::make(|folder| run(&["start", folder]))
    }

    /// A new one with data that outlives a crash, which follows nobody.
    pub fn start() -> Cluster {
        Cluster::make(|folder| run(&["durable", folder]))
    }

    /// A standby of this one, by the name that it is known by.
    pub fn follower(&self, name: &str) -> Cluster {
        Cluster::make(|folder| run(&["follow", &self.folder(), folder, name]))
    }

    fn make(fill: impl FnOnce(&str)) -> Cluster {
        let folder = tempfile::Builder::new().prefix("carnet-pg.").tempdir().unwrap().keep();
        let mut watcher = Command::new("bash");
        // Its own group, so that what ends the tests all at once does not end it.
        watcher
            .args(["-c", r#"trap '' INT TERM HUP; cat >/dev/null; exec "$0" stop "$1""#, SCRIPT])
            .arg(&folder);
        let watcher = watcher.stdin(Stdio::piped()).process_group(0).spawn().unwrap();
        let mut cluster = Cluster { folder, port: 0, password: String::new(), watcher };
        fill(&cluster.folder());
        let read = |name: &str| std::fs::read_to_string(cluster.folder.join(name)).unwrap();
        (cluster.port, cluster.password) = (read("port").trim().parse().unwrap(), read("password"));
        cluster
    }

    fn folder(&self) -> String {
        self.folder.to_str().unwrap().to_owned()
    }

    /// The URL of its database, over the network.
    pub fn url(&self) -> String {
        Cluster::url_of(&[self])
    }

    /// Makes a database, and gives its URL.
    pub fn database(&self, name: &str) -> String {
        self.query(&format!("CREATE DATABASE {name}"));
        let url = self.url();
        format!("{}/{name}", url.rsplit_once('/').expect("a database").0)
    }

    /// Waits until no other client is connected: what a killed node had sent is settled then.
    pub fn until_alone(&self) {
        let others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        wait_until("PostgreSQL still works for a node that was killed long ago", || {
            self.query(others) == ["0"]
        });
    }

    /// One URL for several, in this order.
    pub fn url_of(clusters: &[&Cluster]) -> String {
        let hosts: Vec<String> = clusters.iter().map(|it| format!("127.0.0.1:{}", it.port)).collect();
        format!("postgres://carnet:{}@{}/postgres", clusters[0].password, hosts.join(","))
    }

    /// How a standby reaches this one, by its name.
    pub fn leads(&self, name: &str) -> String {
        format!("host={} port={} user=carnet application_name={name}", self.folder(), self.port)
    }

    /// Ends all its processes as a power cut would.
    pub fn kill(&self) {
        run(&["signal", &self.folder(), "KILL"]);
    }

    /// Keeps all its processes from doing anything, or lets them go on.
    pub fn signal(&self, name: &str) {
        run(&["signal", &self.folder(), name]);
    }

    /// Starts it where it was.
    pub fn start_again(&self) {
        run(&["again", &self.folder()]);
    }

    /// The first column of every row, as text.
    #[track_caller]
    pub fn query(&self, sql: &str) -> Vec<String> {
        schema::query(&self.url(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Sets a setting for good.
    #[track_caller]
    pub fn set(&self, name: &str, value: &str) {
        self.query(&format!("ALTER SYSTEM SET {name} = '{value}'"));
        self.query("SELECT pg_reload_conf()");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        self.watcher.wait().ok();
    }
}

fn run(arguments: &[&str]) {
    let output = Command::new(SCRIPT).args(arguments).stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "postgres-cluster {arguments:?}: {words}");
}
