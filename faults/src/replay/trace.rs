//! The lines of strace, as events in the one order in which it saw them.

use std::collections::HashMap;

use anyhow::{Context, bail};

/// How carnet is traced: strings and the paths of descriptors in hexadecimal, so that nothing in them looks like
/// syntax.
pub(super) const STRACE: [&str; 8] = [
    "strace",
    "-D",
    "-f",
    "-yy",
    "-xx",
    "--string-limit=1000000",
    "--seccomp-bpf",
    "--trace=openat,pwrite64,write,writev,sendto,sendmsg,lseek,ftruncate,fsync,fdatasync,unlink",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Made {
        file: String,
    },
    Write {
        file: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Cut {
        file: String,
        length: usize,
    },
    /// A sync begins: what was written before it will be on disk when it has ended.
    Syncing {
        file: String,
        thread: u32,
    },
    Synced {
        file: String,
        thread: u32,
    },
    Removed {
        file: String,
    },
    /// An answer begins to leave for the client with this port.
    Answer {
        port: u16,
    },
}

/// What matters of the files of one database.
pub(super) fn parse(text: &str, database: &str) -> anyhow::Result<Vec<Event>> {
    let mut parser =
        Parser { database, unfinished: HashMap::new(), places: HashMap::new(), events: Vec::new() };
    for line in text.lines() {
        parser.line(line).with_context(|| {
            format!("a line of strace that is not understood: {}", line.chars().take(200).collect::<String>())
        })?;
    }
    Ok(parser.events)
}

struct Parser<'a> {
    database: &'a str,
    /// The beginning of a call that other threads' calls came in between.
    unfinished: HashMap<u32, String>,
    /// Where a descriptor stands, for writes that name no place.
    places: HashMap<String, usize>,
    events: Vec<Event>,
}

impl Parser<'_> {
    fn line(&mut self, line: &str) -> anyhow::Result<()> {
        let (thread, rest) = line.split_once(' ').context("no thread")?;
        let (thread, rest) = (thread.parse()?, rest.trim_start());
        if rest.starts_with("+++") || rest.starts_with("---") {
            return Ok(());
        }
        if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
            self.begins(thread, begun);
            self.unfinished.insert(thread, begun.to_owned());
            return Ok(());
        }
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let begun = self.unfinished.remove(&thread).context("resumed, and never begun")?;
            let (_, end) = resumed.split_once(" resumed>").context("not resumed")?;
            return self.ends(thread, &format!("{begun}{end}"));
        }
        self.begins(thread, rest);
        self.ends(thread, rest)
    }

    /// A call begins: from here on an answer may be on its way, and a sync counts for what was written before.
    fn begins(&mut self, thread: u32, call: &str) {
        let Some((name, arguments)) = call.split_once('(') else { return };
        match name {
            "write" | "writev" | "sendto" | "sendmsg" => {
                let is_answer = arguments.contains(&hex("HTTP/1.1 "));
                if let Some(port) = client_port(arguments).filter(|_| is_answer) {
                    self.events.push(Event::Answer { port });
                }
            }
            "fsync" | "fdatasync" => {
                if let Some(file) = self.file(arguments) {
                    self.events.push(Event::Syncing { file, thread });
                }
            }
            _ => {}
        }
    }

    fn ends(&mut self, thread: u32, call: &str) -> anyhow::Result<()> {
        let (name, rest) = call.split_once('(').context("no call")?;
        let (arguments, result) = rest.rsplit_once(") ").context("no end")?;
        let result = result.trim_start().strip_prefix("= ").context("no result")?;
        let returned: i64 = result.split([' ', '<']).next().unwrap_or_default().parse().unwrap_or(-1);
        if returned < 0 {
            // Failed, or the process was killed within it: a write that may have been done in part is like one that was
            // not synced.
            return Ok(());
        }
        if name == "openat" {
            if arguments.contains("O_CREAT")
                && let Some(file) = self.file(result)
            {
                self.events.push(Event::Made { file });
            }
            return Ok(());
        }
        if name == "unlink" {
            if let Some(file) = text(arguments).and_then(|path| self.ours(&path)) {
                self.events.push(Event::Removed { file });
            }
            return Ok(());
        }
        let Some(file) = self.file(arguments) else { return Ok(()) };
        let descriptor = arguments.split('<').next().unwrap_or_default().to_owned();
        let last = || arguments.rsplit(", ").next().unwrap_or_default().parse::<usize>();
        match name {
            "pwrite64" => {
                let mut bytes = text(arguments).context("no bytes")?;
                bytes.truncate(usize::try_from(returned)?);
                self.events.push(Event::Write { file, at: last()?, bytes });
            }
            "write" => {
                let mut bytes = text(arguments).context("no bytes")?;
                bytes.truncate(usize::try_from(returned)?);
                let place = self.places.entry(descriptor).or_default();
                let at = *place;
                *place += bytes.len();
                self.events.push(Event::Write { file, at, bytes });
            }
            "lseek" => {
                self.places.insert(descriptor, usize::try_from(returned)?);
            }
            "ftruncate" => self.events.push(Event::Cut { file, length: last()? }),
            "fsync" | "fdatasync" => self.events.push(Event::Synced { file, thread }),
            _ => bail!("a call of {name} on {file}"),
        }
        Ok(())
    }

    /// Which of our files the first descriptor is of: what follows the database's own name.
    fn file(&self, arguments: &str) -> Option<String> {
        let (_, path) = arguments.split_once('<')?;
        self.ours(&bytes(path.split('>').next()?)?)
    }

    fn ours(&self, path: &[u8]) -> Option<String> {
        let ending = std::str::from_utf8(path).ok()?.strip_prefix(self.database)?;
        ["", "-wal", "-journal"].contains(&ending).then(|| ending.to_owned())
    }
}

/// The first string among the arguments.
fn text(arguments: &str) -> Option<Vec<u8>> {
    bytes(arguments.split('"').nth(1)?)
}

/// From `\x2f\x74` to bytes.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| (digit as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    text.as_bytes()
        .chunks(4)
        .map(|four| match four {
            [b'\\', b'x', high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// `29<TCP:[127.0.0.1:18433->127.0.0.1:57308]>` is a connection of the client with port 57308.
fn client_port(arguments: &str) -> Option<u16> {
    let (_, peer) = arguments.split_once("<TCP:[")?.1.split_once("->")?;
    peer.split(']').next()?.rsplit(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_events_in_their_order() {
        let wal = format!("7<{}>", hex("/d/x.db-wal"));
        let text = format!(
            "12  openat(AT_FDCWD<{}>, \"{}\", O_RDWR|O_CREAT, 0644) = {wal}\n\
             12  pwrite64({wal}, \"{}\", 3, 32) = 3\n\
             12  fsync({wal} <unfinished ...>\n\
             13  write(4<{}>, \"\\x01\", 1) = 1\n\
             12  <... fsync resumed>)              = 0\n\
             13  writev(29<TCP:[127.0.0.1:1->127.0.0.1:57308]>, [{{iov_base=\"{}\", iov_len=9}}], 1 <unfinished ...>\n\
             12  lseek({wal}, 8, SEEK_SET) = 8\n\
             12  write({wal}, \"{}\", 2) = 2\n\
             12  ftruncate({wal}, 0)  = 0\n\
             13  +++ killed by SIGKILL +++\n",
            hex("/"),
            hex("/d/x.db-wal"),
            hex("abc"),
            hex("/else"),
            hex("HTTP/1.1 "),
            hex("de"),
        );
        let file = || "-wal".to_owned();
        let expected = [
            Event::Made { file: file() },
            Event::Write { file: file(), at: 32, bytes: b"abc".to_vec() },
            Event::Syncing { file: file(), thread: 12 },
            Event::Synced { file: file(), thread: 12 },
            Event::Answer { port: 57308 },
            Event::Write { file: file(), at: 8, bytes: b"de".to_vec() },
            Event::Cut { file: file(), length: 0 },
        ];
        assert_eq!(parse(&text, "/d/x.db").unwrap(), expected);
    }
}
