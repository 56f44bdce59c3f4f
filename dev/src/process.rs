//! One running `carnet`: its lines of output as they come, its end, and signals on the way there.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::waiting::{SAFETY_NET, wait_for};

/// Variables that would change what the program does; nobody who tries it hands them down.
const VARIABLES: [&str; 6] =
    ["CARNET_CONFIG", "CARNET_DATABASE", "CARNET_LISTEN", "CARNET_BASE_URL", "CARNET_LOG", "CARNET_KEY"];

/// The program with these arguments and nothing of our environment that it would listen to.
pub fn carnet(binary: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.args(arguments).stdin(Stdio::null());
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command
}

/// A started process whose output is collected while it runs; killed when it is let go.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Behind a lock only so that threads may share the server that holds this.
    lines: Mutex<Receiver<String>>,
    stdout: Arc<Mutex<String>>,
    stderr: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
    ended: Option<ExitStatus>,
}

/// What a process that has ended leaves behind.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Both streams, for messages that may stand on either.
    pub fn output(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Panics unless the exit status is this one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Outcome {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Panics unless each of these stands somewhere in the output.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Outcome {
        for word in words {
            assert!(self.output().contains(word), "{word:?} is not said in:\n{}", self.output());
        }
        self
    }
}

impl Process {
    pub fn start(mut command: Command) -> Process {
        command.stderr(Stdio::piped());
        Process::spawn(command)
    }

    /// The same, with its standard error at the end of a file.
    pub fn start_logging(mut command: Command, log: &Path) -> Process {
        let log = OpenOptions::new().create(true).append(true).open(log);
        command.stderr(log.unwrap_or_else(|error| panic!("{command:?} has no log: {error}")));
        Process::spawn(command)
    }

    fn spawn(mut command: Command) -> Process {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let (sender, lines) = channel();
        let stdout = Arc::new(Mutex::new(String::new()));
        let stderr = Arc::new(Mutex::new(String::new()));
        let mut readers = Vec::new();
        readers.extend(child.stdout.take().map(|from| {
            let stdout = Arc::clone(&stdout);
            std::thread::spawn(move || {
                each_line(BufReader::new(from), |line| {
                    stdout.lock().unwrap().push_str(&line);
                    // Nobody need be listening.
                    sender.send(line).ok();
                });
            })
        }));
        readers.extend(child.stderr.take().map(|from| {
            let stderr = Arc::clone(&stderr);
            std::thread::spawn(move || {
                each_line(BufReader::new(from), |line| stderr.lock().unwrap().push_str(&line));
            })
        }));
        Process { child, lines: Mutex::new(lines), stdout, stderr, readers, ended: None }
    }

    /// The address that a server says on its next line; `None` where it says none.
    pub fn address(&mut self) -> Option<SocketAddr> {
        self.next_line()?.rsplit("://").next()?.parse().ok()
    }

    /// The next line on standard output, without its end; `None` when there will be no more.
    pub fn next_line(&mut self) -> Option<String> {
        match self.lines.get_mut().unwrap().recv_timeout(SAFETY_NET) {
            Ok(line) => Some(line.trim_end_matches('\n').to_owned()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line and no end: {}", self.stderr()),
        }
    }

    /// Waits until this stands on standard error, or there will be no more.
    #[track_caller]
    pub fn wait_for_error(&self, words: &str) {
        wait_for(|| {
            let is_over = self.readers.iter().all(JoinHandle::is_finished);
            let said = self.stderr();
            if is_over || said.contains(words) {
                Ok(())
            } else {
                Err(format!("{words:?} was not said: {said}"))
            }
        });
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, by its short name.
    pub fn signal(&self, name: &str) {
        let signals = [
            ("TERM", Signal::TERM),
            ("KILL", Signal::KILL),
            ("INT", Signal::INT),
            ("HUP", Signal::HUP),
            ("STOP", Signal::STOP),
            ("CONT", Signal::CONT),
        ];
        let signal = signals.into_iter().find(|(known, _)| *known == name);
        let (_, signal) = signal.unwrap_or_else(|| panic!("no signal {name}"));
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Ends the process as a power cut would, and waits until it is gone.
    pub fn kill(&mut self) {
        self.child.kill().ok();
        self.wait();
    }

    /// Waits for the end; a process that does not end is killed, and the test fails.
    pub fn wait(&mut self) -> ExitStatus {
        self.wait_for(SAFETY_NET).unwrap_or_else(|| {
            self.child.kill().ok();
            panic!("the process did not end by itself:\n{}", self.stderr());
        })
    }

    /// Waits for the end, so long at the most.
    pub fn wait_for(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        while self.ended.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.get_mut().unwrap().recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.ended = Some(self.child.wait().unwrap());
                    for reader in self.readers.drain(..) {
                        reader.join().unwrap();
                    }
                }
                Err(RecvTimeoutError::Timeout) => return None,
            }
        }
        self.ended
    }

    /// Waits for the end and gives everything that was said.
    pub fn outcome(mut self) -> Outcome {
        let code = self.wait().code();
        Outcome { code, stdout: self.stdout(), stderr: self.stderr() }
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Standard output so far.
    pub fn stdout(&self) -> String {
        self.stdout.lock().unwrap().clone()
    }

    /// Standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}

fn each_line(mut from: BufReader<impl Read>, mut tell: impl FnMut(String)) {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        tell(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
}
