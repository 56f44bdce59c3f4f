//! What is hardly HTTP: heads and bodies that no client library would send, each on a connection of its own.

use crate::lists::{RAW, list};
use crate::pair::Pair;
use crate::served;

pub(crate) fn run(pair: &mut Pair<'_>) {
    for text in list(RAW) {
        pair.say(text.replace('\n', "\r\n").replace("\r\r", "\r").as_bytes());
    }
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"SSH-2.0-x\r\n",
        b"\r\n\x80",
        b"\0",
        b"\xff\xff\xff\xff",
        b"GET",
    ] {
        pair.say(bytes);
    }
    // Bare line ends, where there should be two characters.
    pair.say(b"GET /livez HTTP/1.1\nHost: book.test\n\n");
    for length in [7_000, 8_000, 9_000, 20_000, 70_000] {
        let long = "x".repeat(length);
        pair.say(format!("GET /users/?{long} HTTP/1.1\r\nHost: book.test\r\n\r\n").as_bytes());
        pair.say(format!("GET /users/ HTTP/1.1\r\nHost: book.test\r\nX-Long: {long}\r\n\r\n").as_bytes());
        pair.say(format!("{long} /users/ HTTP/1.1\r\nHost: book.test\r\n\r\n").as_bytes());
    }
    for fields in [50, 99, 100, 101, 150] {
        let fields: String = (0..fields).map(|number| format!("X-{number}: y\r\n")).collect();
        pair.say(format!("GET /livez HTTP/1.1\r\nHost: book.test\r\n{fields}\r\n").as_bytes());
    }
    // What the fuzzer has kept: odd ones are bytes as they are, even ones lines of a request.
    for file in served::folder("fuzz/corpus/router") {
        let input = std::fs::read(file).unwrap();
        let Some((choice, rest)) = input.split_first() else { continue };
        let closing = b"\r\nHost: book.test\r\nConnection: close";
        match (choice % 2, rest.iter().position(|byte| *byte == b'\n')) {
            (0, Some(end)) => pair.say(&[&rest[..end], b" HTTP/1.1", closing, &rest[end..]].concat()),
            _ => pair.say(rest),
        }
    }
}
