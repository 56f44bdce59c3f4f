//! The real server on a port of its own, stopped by SIGTERM when a test lets go of it.

use std::net::SocketAddr;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex};

use dev::client::Client;
use dev::process::Process;

use super::home::Home;
use super::tls::Trust;

/// A server that has said where it listens.
pub(crate) struct Server {
    home: Arc<Home>,
    process: Process,
    address: SocketAddr,
    scheme: String,
    /// The connection behind `check` and its relatives (see `exchange.rs`).
    pub(crate) client: Mutex<Client>,
}

impl Server {
    /// Serves this configuration in a new folder.
    pub(crate) fn start(config: &str) -> Server {
        Home::new(config).serve()
    }

    /// Runs a command that serves, and reads from its first line where.
    pub(crate) fn launch(home: &Arc<Home>, command: Command) -> Server {
        let mut process = Process::start(command);
        let Some(line) = process.next_line() else {
            panic!("the server did not start: {:?}", process.outcome());
        };
        Server::of(home, process, &line)
    }

    /// The server that said this line.
    pub(super) fn of(home: &Arc<Home>, process: Process, line: &str) -> Server {
        let (scheme, address) = line
            .strip_prefix("carnet listening on ")
            .and_then(|url| url.split_once("://"))
            .and_then(|(scheme, address)| Some((scheme.to_owned(), address.parse().ok()?)))
            .unwrap_or_else(|| panic!("the first line of standard output is {line:?}"));
        let client = Mutex::new(Client::new(address));
        Server { home: Arc::clone(home), process, address, scheme, client }
    }

    /// From now on `check` and its relatives ask over TLS.
    pub(crate) fn over_tls(&self, trust: Trust) {
        *self.client.lock().unwrap() = trust.http(self.address);
    }

    pub(crate) fn home(&self) -> &Arc<Home> {
        &self.home
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Scheme and host as a request through [`Client`] presents them.
    pub(crate) fn base_url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// A further connection to this server.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// How much memory the process has, in KiB.
    pub(crate) fn memory(&self) -> usize {
        self.kib("VmRSS:")
    }

    /// The most that it ever had, in KiB.
    pub(crate) fn peak_memory(&self) -> usize {
        self.kib("VmHWM:")
    }

    fn kib(&self, line: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|it| it.strip_prefix(line)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits until this stands on standard error.
    pub(crate) fn wait_for_error(&self, words: &str) {
        self.process.wait_for_error(words);
    }

    /// Waits until the process has ended.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.wait()
    }

    /// Asks the server to stop, and gives its folder back once it has, well.
    #[track_caller]
    pub(crate) fn stop(mut self) -> Arc<Home> {
        self.process.signal("TERM");
        let status = self.process.wait();
        assert_eq!(status.code(), Some(0), "{}", self.process.stderr());
        Arc::clone(&self.home)
    }

    /// Ends the server without warning, as a power cut would.
    pub(crate) fn kill(mut self) -> Arc<Home> {
        self.process.kill();
        Arc::clone(&self.home)
    }

    /// Standard output so far.
    pub(crate) fn stdout(&self) -> String {
        self.process.stdout()
    }

    /// Standard error so far.
    pub(crate) fn stderr(&self) -> String {
        self.process.stderr()
    }
}

impl Drop for Server {
    #[expect(clippy::print_stderr, reason = "what the server said explains why the test failed")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the server said:\n{}", self.process.stderr());
        } else if !self.process.has_ended() {
            self.process.signal("TERM");
            self.process.wait();
        }
    }
}
