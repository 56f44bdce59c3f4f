//! HTTP/2 frame by frame, as no library would send them: refused, ended or ignored, within bounds, and nobody else
//! notices.

use std::io::{Read, Write};
use std::net::SocketAddr;

use dev::waiting::wait_until;

use crate::support::server::Server;
use crate::support::tls::{Encrypted, Trust, serve};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const WHOLE: u8 = END_STREAM | END_HEADERS;

/// How much memory a server may keep after all of it, in KiB.
const KEPT: usize = 96 * 1024;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Header fields without any compression.
fn fields(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            // A number with a prefix of seven bits.
            let mut rest = text.len();
            if rest < 127 {
                block.push(rest as u8);
            } else {
                block.push(127);
                rest -= 127;
                while rest >= 128 {
                    block.push((rest % 128) as u8 | 128);
                    rest /= 128;
                }
                block.push(rest as u8);
            }
            block.extend_from_slice(text.as_bytes());
        }
    }
    block
}

const GET: [(&str, &str); 4] =
    [(":method", "GET"), (":scheme", "https"), (":path", "/users/"), (":authority", "localhost")];

fn request(stream: u32, more: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, WHOLE, stream, &fields(&[&GET, more].concat()))
}

fn post(stream: u32, more: &[(&str, &str)]) -> Vec<u8> {
    let mut all = [&GET, more].concat();
    all[0].1 = "POST";
    frame(HEADERS, END_HEADERS, stream, &fields(&all))
}

struct Raw(Encrypted);

impl Raw {
    fn connect(address: SocketAddr, trust: &Trust) -> Raw {
        let mut raw = Raw(trust.connect(address, &[b"h2"]).unwrap());
        raw.send(PREFACE);
        raw.send(&frame(SETTINGS, 0, 0, &[]));
        raw
    }

    /// Sends as much as the server takes; answers whether it took all.
    fn send(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).and_then(|()| self.0.flush()).is_ok()
    }

    /// The next frame, or `None` at the end.
    fn read(&mut self) -> Option<(u8, u8, u32, Vec<u8>)> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).ok()?;
        Some((head[3], head[4], u32::from_be_bytes([head[5], head[6], head[7], head[8]]), payload))
    }

    /// What becomes of what was sent: everything until a ping comes back, or the end.
    fn outcome(&mut self) -> Vec<Fate> {
        let is_sent = self.send(&frame(PING, 0, 0, b"the end?"));
        let mut fates = Vec::new();
        while let Some((kind, flags, stream, payload)) = self.read() {
            match kind {
                PING if flags == 1 && payload == b"the end?" => {
                    fates.push(Fate::GoesOn);
                    return fates;
                }
                GOAWAY => {
                    fates.push(Fate::Ended);
                    return fates;
                }
                RESET => fates.push(Fate::Reset(stream)),
                // The status comes first, and those that matter stand in the table of the standard.
                HEADERS => fates.push(Fate::Answered(stream, payload[0])),
                _ => {}
            }
        }
        assert!(is_sent || fates.is_empty() || !fates.contains(&Fate::GoesOn));
        fates.push(Fate::Ended);
        fates
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The connection: sent away, or closed.
    Ended,
    GoesOn,
    Reset(u32),
    Answered(u32, u8),
}

const OK: u8 = 0x88;
const BAD_REQUEST: u8 = 0x8c;
const SERVER_ERROR: u8 = 0x8e;

/// Frames, and what they deserve.
fn cases() -> Vec<(&'static str, Vec<u8>, &'static [Fate])> {
    use Fate::{Answered, Ended, GoesOn, Reset};
    let bad: &[Fate] = &[Ended, Reset(1), Answered(1, BAD_REQUEST)];
    let short = |kind, stream| frame(kind, 0, stream, &[0]);
    let headers = |list: &[(&str, &str)]| frame(HEADERS, WHOLE, 1, &fields(list));
    vec![
        ("a request", request(1, &[]), &[Answered(1, OK)]),
        ("an unknown frame", [frame(0xee, 0xff, 0, b"?"), request(1, &[])].concat(), &[Answered(1, OK)]),
        (
            "an unknown setting",
            [frame(SETTINGS, 0, 0, &[0xff, 0xff, 0, 0, 0, 1]), request(1, &[])].concat(),
            &[Answered(1, OK)],
        ),
        ("headers without a stream", request(0, &[]), &[Ended]),
        ("a stream of ours", request(2, &[]), &[Ended]),
        ("a stream of before", [request(5, &[]), request(3, &[])].concat(), &[Ended]),
        ("data of nothing", frame(DATA, 0, 1, b"x"), &[Ended]),
        ("data without a stream", frame(DATA, 0, 0, b"x"), &[Ended]),
        ("padding beyond the frame", [post(1, &[]), frame(DATA, 8, 1, &[200, 1])].concat(), &[Ended]),
        ("a short ping", short(PING, 0), &[Ended]),
        ("a ping with a stream", frame(PING, 0, 1, &[0; 8]), &[Ended]),
        ("short settings", short(SETTINGS, 0), &[Ended]),
        ("settings with a stream", frame(SETTINGS, 0, 1, &[]), &[Ended]),
        ("settings that are confirmed and not empty", frame(SETTINGS, 1, 0, &[0; 6]), &[Ended]),
        ("a window beyond all", frame(SETTINGS, 0, 0, &[0, 4, 0xff, 0xff, 0xff, 0xff]), &[Ended]),
        ("a frame size of nothing", frame(SETTINGS, 0, 0, &[0, 5, 0, 0, 0, 1]), &[Ended]),
        ("push that is neither on nor off", frame(SETTINGS, 0, 0, &[0, 2, 0, 0, 0, 9]), &[Ended]),
        ("a window of nothing more", frame(WINDOW, 0, 0, &[0; 4]), &[Ended]),
        ("a window that overflows", frame(WINDOW, 0, 0, &[0x7f, 0xff, 0xff, 0xff]), &[Ended]),
        ("a short window", short(WINDOW, 0), &[Ended]),
        ("a window of a stream that is not", frame(WINDOW, 0, 7, &[0, 0, 0, 1]), &[Ended]),
        ("a reset of a stream that is not", frame(RESET, 0, 7, &[0; 4]), &[Ended]),
        ("a reset without a stream", frame(RESET, 0, 0, &[0; 4]), &[Ended]),
        ("a short reset", [post(1, &[]), short(RESET, 1)].concat(), &[Ended]),
        ("a short priority", short(PRIORITY, 1), &[Ended, GoesOn, Reset(1)]),
        (
            "a stream that waits for itself",
            frame(PRIORITY, 0, 1, &[0, 0, 0, 1, 0]),
            &[Ended, GoesOn, Reset(1)],
        ),
        ("a promise of the client", frame(PUSH, END_HEADERS, 1, &[0, 0, 0, 2]), &[Ended]),
        ("a goodbye with a stream", frame(GOAWAY, 0, 1, &[0; 8]), &[Ended]),
        ("a continuation of nothing", frame(CONTINUATION, END_HEADERS, 1, &[]), &[Ended]),
        (
            "something between headers",
            [frame(HEADERS, END_STREAM, 1, &fields(&GET)), frame(PING, 0, 0, &[0; 8])].concat(),
            &[Ended],
        ),
        ("a frame of more than was agreed", frame(DATA, 0, 1, &[0; 16_385]), &[Ended]),
        ("an index that is not there", frame(HEADERS, WHOLE, 1, &[0xff, 0xff, 0x7f]), &[Ended]),
        ("a table beyond what was agreed", frame(HEADERS, WHOLE, 1, &[0x3f, 0xff, 0xff, 0x7f]), &[Ended]),
        ("a text that breaks off", frame(HEADERS, WHOLE, 1, &[0, 0x7f]), &[Ended]),
        (
            "a code of Huffman that is none",
            frame(HEADERS, WHOLE, 1, &[0, 0x84, 0xff, 0xff, 0xff, 0xff, 0]),
            &[Ended, Reset(1)],
        ),
        ("no fields", frame(HEADERS, WHOLE, 1, &[]), bad),
        ("no path", headers(&[GET[0], GET[1], GET[3]]), bad),
        ("an empty path", headers(&[GET[0], GET[1], (":path", ""), GET[3]]), bad),
        ("no method", headers(&[GET[1], GET[2], GET[3]]), bad),
        ("two methods", headers(&[GET[0], GET[0], GET[1], GET[2], GET[3]]), bad),
        ("no host at all", headers(&[GET[0], GET[1], GET[2]]), bad),
        ("a host that is none", headers(&[GET[0], GET[1], GET[2], (":authority", "a b")]), bad),
        ("another host", request(1, &[("host", "evil.example")]), bad),
        ("two hosts", request(1, &[("host", "localhost"), ("host", "localhost")]), bad),
        ("a pseudo-field at the end", headers(&[GET[0], GET[1], GET[2], ("a", "b"), GET[3]]), bad),
        ("an unknown pseudo-field", request(1, &[(":nonsense", "a")]), bad),
        ("a status in a request", request(1, &[(":status", "200")]), bad),
        ("a name in capitals", request(1, &[("Accept", "a")]), bad),
        ("an empty name", request(1, &[("", "a")]), bad),
        ("a line break in a value", request(1, &[("a", "b\r\nc: d")]), bad),
        ("a zero in a value", request(1, &[("a", "b\0c")]), bad),
        ("connection", request(1, &[("connection", "close")]), bad),
        ("chunks", request(1, &[("transfer-encoding", "chunked")]), bad),
        ("an upgrade", request(1, &[("upgrade", "h2c")]), bad),
        ("te of something else", request(1, &[("te", "gzip")]), bad),
        (
            "less than announced",
            [post(1, &[("content-length", "9")]), frame(DATA, END_STREAM, 1, b"{}")].concat(),
            bad,
        ),
        (
            "more than announced",
            [post(1, &[("content-length", "1")]), frame(DATA, END_STREAM, 1, b"{}")].concat(),
            bad,
        ),
        (
            "two lengths",
            [post(1, &[("content-length", "2"), ("content-length", "3")]), frame(DATA, END_STREAM, 1, b"{}")]
                .concat(),
            bad,
        ),
        ("a second head", [post(1, &[]), frame(HEADERS, END_HEADERS, 1, &fields(&GET))].concat(), bad),
        (
            "data after the end",
            [request(1, &[]), frame(DATA, END_STREAM, 1, b"x")].concat(),
            &[Ended, Reset(1), Answered(1, OK)],
        ),
        (
            "a connection through us",
            frame(HEADERS, END_HEADERS, 1, &fields(&[(":method", "CONNECT"), (":authority", "x:80")])),
            &[Ended, Reset(1), Answered(1, 0x8d), Answered(1, BAD_REQUEST), Answered(1, 0x48)],
        ),
        (
            "fields beyond the limit",
            {
                let long = "x".repeat(15_000);
                let (first, rest) = (fields(&GET), fields(&[("a", &long), ("b", &long)]));
                [
                    frame(HEADERS, END_STREAM, 1, &first),
                    frame(CONTINUATION, 0, 1, &rest[..16_000]),
                    frame(CONTINUATION, END_HEADERS, 1, &rest[16_000..]),
                ]
                .concat()
            },
            &[Ended, Reset(1), Answered(1, 0x48)],
        ),
        ("HTTP/1 instead", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(), &[Ended]),
        ("nonsense", vec![0xff; 5000], &[Ended]),
    ]
}

#[test]
fn every_frame_is_refused_answered_or_ignored_as_it_deserves() {
    let (server, trust) = serve("");
    let mut complaints = Vec::new();
    for (name, bytes, allowed) in cases() {
        let mut raw = Raw::connect(server.address(), &trust);
        raw.send(&bytes);
        let mut fates = raw.outcome();
        // An answer may come after a pong, and after many on a machine that has other things to do.
        while fates.len() < 10_000
            && fates.last() == Some(&Fate::GoesOn)
            && !fates.iter().any(|fate| allowed.contains(fate))
        {
            fates.extend(raw.outcome());
        }
        fates.dedup();
        let is_ours = |fate: &Fate| matches!(fate, Fate::Answered(_, SERVER_ERROR));
        if fates.iter().any(is_ours) || !fates.iter().any(|fate| allowed.contains(fate)) {
            complaints.push(format!("{name}: {fates:?} and not {allowed:?}"));
        }
        assert_eq!(server.status("GET /livez"), 200, "after {name}");
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_wrong_beginning_is_the_end() {
    let (server, trust) = serve("");
    for bytes in
        [&b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"[..], b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\0"]
    {
        let mut raw = Raw(trust.connect(server.address(), &[b"h2"]).unwrap());
        raw.send(bytes);
        raw.send(&[0; 100]);
        while raw.read().is_some() {}
        assert_eq!(server.status("GET /livez"), 200);
    }
}

/// Sends pieces until the server has had enough, or all are sent; answers what became of it.
fn flood(server: &Server, trust: &Trust, count: usize, piece: impl Fn(usize) -> Vec<u8>) -> Vec<Fate> {
    let mut raw = Raw::connect(server.address(), trust);
    // What is never read does not come back either, so both at once.
    raw.0.sock.set_write_timeout(Some(std::time::Duration::from_secs(2))).unwrap();
    for number in (0..count).step_by(100) {
        let bytes: Vec<u8> = (number..number + 100).flat_map(&piece).collect();
        if !raw.send(&bytes) {
            break;
        }
        if number % 1000 == 0 {
            assert_eq!(server.status("GET /livez"), 200);
        }
    }
    raw.outcome()
}

#[test]
fn floods_are_bounded_and_nobody_else_notices() {
    let (server, trust) = serve("");
    server.create_user("John", &"Doe".repeat(1000));
    let before = server.memory();
    let ended =
        |name: &str, fates: Vec<Fate>| assert!(fates.contains(&Fate::Ended), "{name}: {} fates", fates.len());

    let stream = |number: usize| number as u32 * 2 + 1;
    flood(&server, &trust, 5000, |number| {
        [request(stream(number), &[]), frame(RESET, 0, stream(number), &[0, 0, 0, 8])].concat()
    });
    let head = frame(HEADERS, END_STREAM, 1, &fields(&GET));
    ended(
        "continuations",
        flood(&server, &trust, 5000, |number| {
            let more = frame(CONTINUATION, 0, 1, &fields(&[("a", "b")]));
            if number == 0 { [head.clone(), more].concat() } else { more }
        }),
    );
    ended(
        "empty continuations",
        flood(&server, &trust, 5000, |number| {
            let more = frame(CONTINUATION, 0, 1, &[]);
            if number == 0 { [head.clone(), more].concat() } else { more }
        }),
    );
    ended(
        "empty data",
        flood(&server, &trust, 5000, |number| {
            let more = frame(DATA, 0, 1, &[]);
            if number == 0 { [post(1, &[]), more].concat() } else { more }
        }),
    );
    // More streams than may be open, none of which ever ends.
    flood(&server, &trust, 5000, |number| post(stream(number), &[]));
    flood(&server, &trust, 20_000, |_| frame(PING, 0, 0, b"flooding"));
    flood(&server, &trust, 20_000, |_| frame(SETTINGS, 0, 0, &[]));
    flood(&server, &trust, 20_000, |_| frame(PRIORITY, 0, 1, &[0, 0, 0, 0, 9]));
    flood(&server, &trust, 20_000, |_| frame(0xee, 0, 0, b"?"));

    // A window that never opens, on all streams of several connections.
    let mut silent: Vec<Raw> = (0..20)
        .map(|_| {
            let mut raw = Raw::connect(server.address(), &trust);
            raw.send(&frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]));
            for number in 0..100 {
                raw.send(&request(stream(number), &[]));
            }
            raw
        })
        .collect();
    for raw in &mut silent {
        let fates = raw.outcome();
        assert!(fates.contains(&Fate::GoesOn), "{fates:?}");
    }
    assert_eq!(server.status("GET /users/"), 200);
    drop(silent);
    wait_until("connections stay", || server.metric("http_server_open_connections") <= 1);
    wait_until("requests stay", || server.metric("http_server_active_requests") == 1);
    let after = server.memory();
    assert!(after < before + KEPT, "{before} KiB before, {after} KiB after");
}

#[test]
fn a_stopping_server_sends_everybody_away_with_thanks() {
    let (mut server, trust) = serve("drain = 600");
    let mut raw = Raw::connect(server.address(), &trust);
    raw.send(&request(1, &[]));
    while raw.read().is_some_and(|(kind, ..)| kind != DATA) {}
    server.signal("TERM");
    let mut reasons = Vec::new();
    while let Some((kind, flags, _, payload)) = raw.read() {
        match kind {
            GOAWAY => reasons.push(u32::from_be_bytes([payload[4], payload[5], payload[6], payload[7]])),
            // So that it knows that we have heard it.
            PING if flags == 0 => drop(raw.send(&frame(PING, 1, 0, &payload))),
            _ => {}
        }
    }
    // Twice: what was on its way in between would still have been answered.
    assert_eq!(reasons, [0, 0]);
    assert_eq!(server.wait().code(), Some(0));
}
