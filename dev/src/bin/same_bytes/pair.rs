//! Both programs at once: started, asked the same, compared, stopped.

use std::net::SocketAddr;

use dev::answer::Answer;
use dev::client::Client;
use dev::process::Process;
use dev::request::Request;

use crate::differences::Differences;
use crate::places::Place;
use crate::{Programs, normal};

/// What both are called: what is said to them, and by them, has no port in it.
const HOST: &str = "book.test";

pub(crate) struct Pair<'a> {
    old: Side,
    new: Side,
    differences: &'a mut Differences,
}

struct Side {
    process: Process,
    address: SocketAddr,
    client: Client,
}

/// The key of an administrator, of one who may all, and of one who may little.
pub(crate) const KEYS: [(&str, &str, &[&str]); 3] = [
    ("root", "the-key-of-the-administrator", &["--admin"]),
    ("reader", "a-key-that-opens-collections", &[]),
    ("clerk", "a-key-for-reading-users-only", &["--scope", "users:read", "--expires", "2099-01-01"]),
];

impl<'a> Pair<'a> {
    /// Starts OLD in the first place and NEW in the second, with the same access keys.
    pub(crate) fn start(
        programs: &Programs,
        [old, new]: [&Place; 2],
        differences: &'a mut Differences,
    ) -> Pair<'a> {
        for (name, key, options) in KEYS {
            let words = [&["keys", "create", name, "--key", key], options].concat();
            let said = [(&programs.old, old), (&programs.new, new)].map(|(program, place)| {
                let outcome = Process::start(place.command(program, &words)).outcome();
                format!("{:?}\n{}\n{}", outcome.code, outcome.stdout, place.anonymous(&outcome.stderr))
            });
            differences.compare(
                &format!("carnet {}", words.join(" ")),
                said[0].as_bytes(),
                said[1].as_bytes(),
            );
        }
        Pair { old: Side::start(&programs.old, old), new: Side::start(&programs.new, new), differences }
    }

    /// Sends a request to both, compares, and gives what OLD answers.
    pub(crate) fn ask(&mut self, request: &Request) -> Option<Answer> {
        let bytes = request.bytes(HOST);
        let question = format!("{request:?}");
        // Sent to both before either is waited for.
        for side in [&mut self.old, &mut self.new] {
            // Where that fails, there may be an answer all the same; where there is none, reading says so.
            side.client.write(&bytes).ok();
        }
        let [old, new] = [&mut self.old, &mut self.new].map(|side| side.read(&request.method));
        let target = request.target();
        self.differences.compare(&question, &normal::answer(target, &old), &normal::answer(target, &new));
        Answer::find(&old, request.method == "HEAD").ok().flatten().map(|(answer, _)| answer)
    }

    /// The same for bytes that need not be a request, on a connection of their own.
    pub(crate) fn say(&mut self, bytes: &[u8]) {
        let question: String = bytes.escape_ascii().to_string().chars().take(1_000).collect();
        let addresses = [self.old.address, self.new.address];
        let [old, new] = std::thread::scope(|scope| {
            addresses
                .map(|address| scope.spawn(move || say(address, bytes)))
                .map(|saying| saying.join().unwrap())
        });
        self.differences.compare(&question, &normal::answer("", &old), &normal::answer("", &new));
    }

    /// Stops both, and compares how they end and what they said beside their log.
    pub(crate) fn stop(self) {
        let ends = [self.old, self.new].map(|side| {
            side.process.signal("TERM");
            let outcome = side.process.outcome();
            format!("{:?}\n{}", outcome.code, outcome.stdout.replace(&side.address.to_string(), HOST))
        });
        self.differences.compare("the end of the server", ends[0].as_bytes(), ends[1].as_bytes());
    }
}

impl Side {
    fn start(program: &std::path::Path, place: &Place) -> Side {
        let mut process = Process::start(place.command(program, &["serve", "--listen", "127.0.0.1:0"]));
        let line =
            process.next_line().unwrap_or_else(|| panic!("{}: {}", program.display(), process.stderr()));
        let address = line.rsplit("://").next().unwrap().parse().unwrap_or_else(|_| panic!("{line}"));
        Side { process, address, client: Client::new(address) }
    }

    /// The bytes of the final answer, whatever came before it, and whether the connection stays.
    fn read(&mut self, method: &str) -> Vec<u8> {
        let mut answer = Vec::new();
        loop {
            match self.client.read_bytes(method) {
                Ok(bytes) => {
                    let is_interim = bytes.get(9) == Some(&b'1');
                    let text = String::from_utf8_lossy(&bytes);
                    let head = text.split("\r\n\r\n").next().unwrap_or_default();
                    let closes = head.contains("\r\nconnection: close");
                    answer.extend_from_slice(&bytes);
                    if closes {
                        answer.extend(self.client.read_to_end());
                        answer.extend_from_slice(b"\n(closed)");
                    }
                    if !is_interim {
                        return answer;
                    }
                }
                Err(error) => {
                    answer.extend_from_slice(format!("\n(no answer: {})", error.kind()).as_bytes());
                    self.client.read_to_end();
                    return answer;
                }
            }
        }
    }
}

/// Everything that comes back, until the server closes.
fn say(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let (answer, _) = Client::new(address).say(bytes);
    // Who names no host is told the address, of which the port is chance.
    let text: String = answer.iter().map(|byte| char::from(*byte)).collect();
    let text = text.replace(&address.to_string(), HOST);
    text.chars().map(|character| character as u8).collect()
}
