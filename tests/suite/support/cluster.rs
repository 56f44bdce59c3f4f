//! A PostgreSQL server that one test has for itself, to do to it what must not be done to the one that all share.
//!
//! `tests/postgres-cluster` makes it and removes it, whatever becomes of the test.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use dev::schema;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/postgres-cluster");

/// A server of its own, with data that outlives a crash.
pub(crate) struct Cluster {
    folder: PathBuf,
    pub(crate) port: u16,
    password: String,
    /// Removes everything when its input ends, which the system sees to if we cannot.
    watcher: Child,
}

impl Cluster {
    /// A new one that follows nobody.
    pub(crate) fn start() -> Cluster {
        Cluster::make(|folder| run(&["durable", folder]))
    }

    /// A standby of this one, by the name that it is known by.
    pub(crate) fn follower(&self, name: &str) -> Cluster {
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
    pub(crate) fn url(&self) -> String {
        Cluster::url_of(&[self])
    }

    /// One URL for several, in this order.
    pub(crate) fn url_of(clusters: &[&Cluster]) -> String {
        let hosts: Vec<String> = clusters.iter().map(|it| format!("127.0.0.1:{}", it.port)).collect();
        format!("postgres://carnet:{}@{}/postgres", clusters[0].password, hosts.join(","))
    }

    /// How a standby reaches this one, by its name.
    pub(crate) fn leads(&self, name: &str) -> String {
        format!("host={} port={} user=carnet application_name={name}", self.folder(), self.port)
    }

    /// Ends all its processes as a power cut would.
    pub(crate) fn kill(&self) {
        run(&["signal", &self.folder(), "KILL"]);
    }

    /// Keeps all its processes from doing anything, or lets them go on.
    pub(crate) fn signal(&self, name: &str) {
        run(&["signal", &self.folder(), name]);
    }

    /// Starts it where it was.
    pub(crate) fn start_again(&self) {
        run(&["again", &self.folder()]);
    }

    /// The first column of every row, as text.
    #[track_caller]
    pub(crate) fn query(&self, sql: &str) -> Vec<String> {
        schema::query(&self.url(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Sets a setting for good.
    #[track_caller]
    pub(crate) fn set(&self, name: &str, value: &str) {
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
