//! HTTP/1 that was never meant well, byte by byte: each case is refused, answered or cut as it deserves, never with
//! a fault of our own, and nobody else notices.

use dev::configs;
use dev::dice::Dice;

use crate::support::server::Server;

/// Stands for an end without a word.
const CUT: u16 = 0;
/// How much memory a server may keep after all of it, in KiB.
const KEPT: usize = 96 * 1024;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

/// Says bytes and that no more will come; gives the status of the first answer.
fn say(server: &Server, bytes: &[u8]) -> u16 {
    let mut client = server.client();
    client.write_all_meanwhile(bytes.to_vec());
    client.status_to_end()
}

fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes()
}

fn headed(fields: &str) -> Vec<u8> {
    format!("GET /users/ HTTP/1.1\r\n{fields}\r\n").into_bytes()
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    format!("POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{fields}\r\n{body}")
        .into_bytes()
}

fn json(body: &str) -> Vec<u8> {
    post(&format!("Content-Length: {}\r\n", body.len()), body)
}

fn chunked(fields: &str, chunks: &str) -> Vec<u8> {
    post(&format!("Transfer-Encoding: chunked\r\n{fields}"), chunks)
}

fn john_chunked(extension: &str) -> String {
    format!("{:x}{extension}\r\n{JOHN}\r\n0\r\n\r\n", JOHN.len())
}

/// What is sent, and what may come of it.
fn cases() -> Vec<(Vec<u8>, &'static [u16])> {
    let mut cases: Vec<(Vec<u8>, &'static [u16])> = Vec::new();
    let mut all = |allowed: &'static [u16], sent: Vec<Vec<u8>>| {
        cases.extend(sent.into_iter().map(|bytes| (bytes, allowed)));
    };
    let raw = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();

    // First lines that are none.
    all(
        &[CUT],
        raw(&["", "\r\n", "\r\n\r\n", "G", "GET", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: x\r\n"]),
    );
    all(
        &[400, CUT],
        raw(&[
            "GARBAGE\r\n\r\n",
            "GET\r\n\r\n",
            "GET /\r\n\r\n",
            " GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
            "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
            "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.2\r\nHost: x\r\n\r\n",
            "GET / http/1.1\r\nHost: x\r\n\r\n",
            "GET / HTP/1.1\r\nHost: x\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
            "G\0T / HTTP/1.1\r\nHost: x\r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET \\ HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET ?a HTTP/1.1\r\nHost: x\r\n\r\n",
            "\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "{\"a\":1}\r\n\r\n",
        ]),
    );
    all(
        &[400, 404, 405],
        raw(&[
            "GET users HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        ]),
    );
    all(
        &[400, 404, 405, CUT],
        raw(&[
            "CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n",
            "CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n",
            "TRACE /users/ HTTP/1.1\r\nHost: x\r\n\r\n",
            "BREW /users/ HTTP/1.1\r\nHost: x\r\n\r\n",
            "get /users/ HTTP/1.1\r\nHost: x\r\n\r\n",
            "A-VERY-LONG-METHOD-THAT-NOBODY-KNOWS /users/ HTTP/1.1\r\nHost: x\r\n\r\n",
        ]),
    );
    // Targets.
    all(&[200], vec![get("/users/"), get("http://x/users/"), get("/users/?"), get("/users/?&&")]);
    all(
        &[200],
        raw(&["\r\n\r\nGET /users/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET /users/ HTTP/1.1\nHost: x\n\n"]),
    );
    all(&[200], raw(&["GET /users/ HTTP/1.0\r\n\r\n", "GET /users/ HTTP/1.0\r\nHost: x\r\n\r\n"]));
    let odd_paths = [
        "/users/../",
        "/./users/",
        "//users/",
        "/users//",
        "/\\users",
        "/users/%00/",
        "/%c0%af",
        "/%ff/",
        "/%2e%2e/",
        "/users%2f1",
        "/users/1%2f",
        "/users/0/",
        "/users/-1/",
        "/users/1e1/",
        "/users/+1/",
        "/users/0x1/",
        "/users/99999999999999999999/",
        "/users/1;a=b/",
        "/USERS/",
        "/users/\u{661}/",
        "/_/",
        "/_/keys/%",
        "/console/../users/",
    ];
    all(&[404, 400], odd_paths.iter().map(|path| get(path)).collect());
    all(&[404, 414], vec![get(&format!("/{}", "a/".repeat(3000)))]);
    all(&[414, 431], vec![get(&format!("/{}", "a".repeat(9000))), get(&format!("/{}", "a".repeat(60_000)))]);
    all(&[414, 431, CUT], vec![get(&format!("/{}", "a".repeat(1 << 20)))]);
    let odd_queries = [
        "%",
        "%2",
        "%zz",
        "a=%ff",
        "%c0%80=1",
        "last_name=%ed%a0%80",
        "nope=1",
        "last_name=1&last_name=1",
        "offset=-1",
        "offset=1e3",
        "offset=99999999999999999999",
        "count=0",
        "count=-1",
        "count=1000000",
        "address=abc",
        "address=1.0",
        "id=",
        "=",
        "offset=%00",
    ];
    all(&[400, 200], odd_queries.iter().map(|query| get(&format!("/users/?{query}"))).collect());
    all(
        &[400, 414],
        vec![
            get(&format!("/users/?{}", "a&".repeat(4000))),
            get(&format!("/users/?{}", "last_name=a&".repeat(600))),
        ],
    );
    all(&[414, 431, CUT], vec![get(&format!("/users/?{}", "a=1&".repeat(100_000)))]);
    // Fields.
    all(
        &[200],
        vec![
            headed("Host: x\r\n"),
            headed("Host:x\r\n"),
            headed("Host: \t x \t\r\n"),
            headed("Host: x\r\nX:\r\n"),
        ],
    );
    all(
        &[400],
        vec![
            headed(""),
            headed("Host: x\r\nHost: x\r\n"),
            headed("Host: x\r\nHost: y\r\n"),
            headed("Host:\r\n"),
            headed("Host: a b\r\n"),
            headed("Host: a/b\r\n"),
            headed("Host: user@x\r\n"),
            headed("Host: x:99999\r\n"),
            headed("Host: [::1\r\n"),
            headed("Host: \u{fc}\r\n"),
        ],
    );
    all(
        &[400, CUT],
        vec![
            headed("Host : x\r\n"),
            headed(" Host: x\r\n"),
            headed("Host: x\r\n folded\r\n"),
            headed("Host: x\r\n\tfolded\r\n"),
            headed("Host: x\r\nno colon\r\n"),
            headed("Host: x\r\n: nameless\r\n"),
            headed("Host: x\r\nX\0: a\r\n"),
            headed("Host: x\r\nX: a\0b\r\n"),
            headed("Host: x\r\nX: a\rb\r\n"),
            headed("Host: x\r\nX Y: a\r\n"),
            headed("Host: x\r\nX\u{fc}: a\r\n"),
            headed("Host: x\r\nX: a\x07\r\n"),
        ],
    );
    all(&[200], vec![headed(&format!("Host: x\r\n{}", "A: b\r\n".repeat(99)))]);
    all(&[431], vec![headed(&format!("Host: x\r\n{}", "A: b\r\n".repeat(100)))]);
    all(&[431, 200], vec![headed(&format!("Host: x\r\nA: {}\r\n", "b".repeat(64 * 1024)))]);
    all(&[431, CUT], vec![headed(&format!("Host: x\r\nA: {}\r\n", "b".repeat(1 << 20)))]);
    all(&[431, CUT], vec![headed(&format!("Host: x\r\n{}", "A: b\r\n".repeat(50_000)))]);
    all(
        &[200],
        vec![
            headed("Host: x\r\nConnection: close\r\n"),
            headed("Host: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
            headed("Host: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"),
            headed("Host: x\r\nConnection: nonsense, , ,\r\n"),
            headed("Host: x\r\nRange: bytes=0-0\r\n"),
            headed("Host: x\r\nExpect: 100-continue\r\n"),
            headed("Host: x\r\nAccept-Encoding: gzip;q=9999999999999999999, ;;;, =\r\n"),
            headed("Host: x\r\nX-Request-Id: a\tb\r\n"),
            headed("Host: x\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: evil\r\n"),
            headed("Host: x\r\nAccept: \u{fc}\r\n"),
        ],
    );
    // Lengths.
    all(
        &[400, CUT],
        vec![
            post("Content-Length: -1\r\n", JOHN),
            post("Content-Length: +39\r\n", JOHN),
            post("Content-Length: 0x27\r\n", JOHN),
            post("Content-Length: 39abc\r\n", JOHN),
            post("Content-Length: \r\n", JOHN),
            post("Content-Length: 39, 40\r\n", JOHN),
            post("Content-Length: 39\r\nContent-Length: 40\r\n", JOHN),
            post("Content-Length: 100\r\n", JOHN),
            post("Transfer-Encoding: identity\r\n", JOHN),
            post("Transfer-Encoding: xchunked\r\n", &john_chunked("")),
            post("Transfer-Encoding: chunked, identity\r\n", &john_chunked("")),
            post("Transfer-Encoding: gzip\r\n", &john_chunked("")),
            post("Transfer-Encoding: gzip, chunked\r\n", &john_chunked("")),
            post("Transfer-Encoding: chunked, chunked\r\n", &john_chunked("")),
            post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", &john_chunked("")),
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", &john_chunked("")),
            post("Transfer-Encoding: \r\n", &john_chunked("")),
            b"POST /users/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
        ],
    );
    all(
        &[413],
        vec![
            post("Content-Length: 1073741824\r\n", "x"),
            post("Content-Length: 9223372036854775807\r\n", "x"),
            post("Content-Length: 9223372036854775808\r\n", "x"),
            post("Content-Length: 18446744073709551615\r\n", JOHN),
            post("Content-Length: 99999999999999999999\r\n", JOHN),
        ],
    );
    all(
        &[400],
        vec![
            chunked(&format!("Content-Length: {}\r\n", JOHN.len()), &john_chunked("")),
            chunked("content-length: 5\r\n", &john_chunked("")),
            post(&format!("CONTENT-LENGTH: {}\r\nTRANSFER-ENCODING: chunked\r\n", JOHN.len()), &john_chunked("")),
            post("Content-Length: 0\r\nTransfer-Encoding:chunked\r\n", &john_chunked("")),
            b"GET /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
        ],
    );
    // Chunks.
    all(
        &[201],
        vec![
            json(JOHN),
            chunked("", &john_chunked("")),
            chunked("", &john_chunked(";name=value")),
            chunked("", &format!("000000{:X}\r\n{JOHN}\r\n0\r\n\r\n", JOHN.len())),
            chunked("Trailer: X\r\n", &format!("{:x}\r\n{JOHN}\r\n0\r\nX: y\r\n\r\n", JOHN.len())),
        ],
    );
    all(
        &[400, CUT],
        vec![
            chunked("", "zz\r\nabc\r\n0\r\n\r\n"),
            chunked("", "-1\r\nabc\r\n0\r\n\r\n"),
            chunked("", "0x5\r\nabcde\r\n0\r\n\r\n"),
            chunked("", "ffffffffffffffff\r\nabc"),
            chunked("", "10000000000000000\r\nabc"),
            chunked("", "fffffffffffffffff\r\nabc"),
            chunked("", "5\r\nabc"),
            chunked("", "5\r\nabcdefgh\r\n0\r\n\r\n"),
            chunked("", ""),
            chunked("", "\r\n"),
            chunked("", "0\r\n\r\n"),
            chunked("", "5 5\r\nabcde\r\n0\r\n\r\n"),
            chunked("", &john_chunked(&format!(";{}", "x".repeat(1 << 20)))),
            chunked("", &format!("{:x}\r\n{JOHN}\r\n0\r\n{}\r\n", JOHN.len(), "X: y\r\n".repeat(50_000))),
        ],
    );
    all(
        &[413],
        vec![chunked("", &format!("{}0\r\n\r\n", format!("8000\r\n{}\r\n", "x".repeat(0x8000)).repeat(40)))],
    );
    all(&[400, 413], vec![chunked("", &format!("{}0\r\n\r\n", "1\r\n[\r\n".repeat(20_000)))]);
    // Bodies.
    let deep = "[".repeat(100_000);
    let keys: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\":1")).collect();
    let digits = "9".repeat(100_000);
    all(
        &[400, 413],
        vec![
            json(""),
            json(&deep),
            json(&format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000))),
            json(&format!("{{{}}}", keys.join(","))),
            json(&format!(r#"{{"first_name":"a","last_name":"b","address":{digits}}}"#)),
            json(r#"{"first_name":"a","last_name":"b","address":1e999}"#),
            json(r#"{"first_name":"a","last_name":"b","address":-0}"#),
            json(&format!("\u{feff}{JOHN}")),
            json(r#"{"first_name":"\ud800","last_name":"b"}"#),
            json(&format!("{JOHN} x")),
            json(&format!("{JOHN}{JOHN}")),
            json(r#"{"first_name":"a","first_name":"a","last_name":"b"}"#),
            json("nul"),
            json("\0"),
            json("[]"),
        ],
    );
    all(&[415], vec![post("Content-Encoding: gzip\r\nContent-Length: 4\r\n", "\x1f\u{8b}")]);
    cases
}

#[test]
fn every_case_is_refused_answered_or_cut_as_it_deserves() {
    let server = Server::start(&configs::built_in());
    assert_eq!(server.status("GET /users/"), 200);
    let before = server.memory();
    let cases = cases();
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut complaints = Vec::new();
    for (bytes, allowed) in &cases {
        let status = say(&server, bytes);
        if !allowed.contains(&status) {
            let shown: String = String::from_utf8_lossy(bytes).chars().take(200).collect();
            complaints.push(format!("{status} instead of {allowed:?}: {shown:?} ({} bytes)", bytes.len()));
        }
        assert_eq!(server.status("GET /livez"), 200);
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let after = server.memory();
    assert!(after < before + KEPT, "{before} KiB before, {after} KiB after");
    assert_eq!(server.metric("http_server_active_requests"), 1);
}

#[test]
fn requests_that_chance_has_spoiled_are_no_fault_of_ours() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let good: Vec<Vec<u8>> = vec![
        get("/users/?last_name=Doe&offset=0"),
        get("/users/1/"),
        json(JOHN),
        chunked("", &john_chunked("")),
        headed("Host: x\r\nIf-None-Match: \"x\"\r\nAccept-Encoding: gzip, zstd;q=0.5\r\nX-API-Key: a\r\n"),
    ];
    let spice: [&[u8]; 14] = [
        b"\r\n",
        b"\n",
        b"\r",
        b"\0",
        b" ",
        b":",
        b"%",
        b"\xff",
        b"Content-Length: 7\r\n",
        b"HTTP/1.1",
        b"\r\n\r\n",
        b"chunked",
        b"Transfer-Encoding: chunked\r\n",
        b"99999999999999999999",
    ];
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let mut bytes = dice.pick(&good).clone();
        for _ in 0..=dice.below(4) {
            let at = dice.below(bytes.len() + 1);
            match dice.below(5) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
                2 if at < bytes.len() => drop(bytes.remove(at)),
                3 => {
                    let other = dice.pick(&good).clone();
                    bytes.splice(at..at, other);
                }
                _ => drop(bytes.splice(at..at, dice.pick(&spice).iter().copied())),
            }
        }
        let status = say(&server, &bytes);
        let shown = String::from_utf8_lossy(&bytes);
        assert!(status < 500, "seed {seed}: {status} for {shown:?}");
        if seed % 20 == 0 {
            assert_eq!(server.status("GET /livez"), 200, "seed {seed}");
        }
    }
}

#[test]
fn a_thousand_pipelined_requests_are_answered_in_order() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    let requests = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);
    client.write_meanwhile(requests);
    for _ in 0..1000 {
        assert_eq!(client.read("GET").unwrap().status, 200);
    }
    assert_eq!(client.opened(), 1);
}

#[test]
fn five_hundred_slow_heads_keep_nobody_out_and_are_told_off() {
    let server = Server::start(&configs::with_server("header_timeout = 2"));
    let mut slow: Vec<_> = (0..500).map(|_| server.client()).collect();
    for client in &mut slow {
        client.write(b"GET /users/ HTTP/1.1\r\nHost: x\r\nX: ").unwrap();
    }
    for _ in 0..20 {
        assert_eq!(server.client().ask("GET /users/").status, 200);
        for client in &mut slow {
            // Late ones may be gone already.
            client.write(b"x").ok();
        }
    }
    for client in &mut slow {
        let status = client.status_to_end();
        assert!(matches!(status, 408 | CUT), "{status}");
    }
    let mut one = server.client();
    one.write(b"GET /users/ HT").unwrap();
    let answer = one.read("GET").unwrap();
    answer.keeps_its_promises("GET");
    assert_eq!((answer.status, answer.error().as_str()), (408, "The request did not arrive in time"));
}
