//! TLS: what is served with it, what keeps it from starting, and the certificate that is replaced meanwhile.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use dev::request::Request;
use dev::waiting::{SAFETY_NET, wait_until};
use rustls::version::{TLS12, TLS13};

use crate::support::home::Home;
use crate::support::tls::{Pair, config, serve};

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

#[test]
fn urls_are_https_from_the_first_line_on() {
    let (server, _) = serve("");
    assert!(server.stdout().starts_with("carnet listening on https://127.0.0.1:"), "{}", server.stdout());
    server.check(
        &format!("POST /users/ {JOHN}"),
        "201 Created\nContent-Length: 0\nLocation: {base_url}/users/1/",
    );
    assert!(server.base_url().starts_with("https://"));
    for _ in 0..20 {
        server.create_user("a", "b");
    }
    let link = server.ask("GET /users/").header("Link").unwrap().to_owned();
    assert!(link.starts_with(&format!("<{}/users/?offset=20>", server.base_url())), "{link}");
}

#[test]
fn tls_1_2_and_1_3_are_spoken() {
    let (server, trust) = serve("");
    for version in [&TLS12, &TLS13] {
        let mut stream = trust.connect_with(server.address(), &[], &[version]).unwrap();
        assert_eq!(stream.conn.protocol_version(), Some(version.version));
        stream.write_all(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }
}

#[test]
fn plain_http_is_told_to_come_with_tls() {
    let (server, _) = serve("");
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(SAFETY_NET)).unwrap();
    stream.write_all(&Request::new("POST /users/").json(JOHN).bytes("localhost")).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.ends_with(r#"{"error":"This port speaks TLS. Ask with https://"}"#), "{answer}");
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn what_is_no_handshake_is_cut_and_holds_nobody_up() {
    let (server, trust) = serve("header_timeout = 1");
    let mut silent = TcpStream::connect(server.address()).unwrap();
    let mut halfway = TcpStream::connect(server.address()).unwrap();
    halfway.write_all(b"\x16\x03\x01\x02\x00\x01").unwrap();
    let mut garbage = TcpStream::connect(server.address()).unwrap();
    garbage.write_all(&[22; 600]).unwrap();
    let mut gone = TcpStream::connect(server.address()).unwrap();
    gone.write_all(b"\x16").unwrap();
    gone.shutdown(Shutdown::Both).unwrap();
    // Encrypted, and then nothing.
    let mut quiet = trust.connect(server.address(), &[]).unwrap();
    assert_eq!(server.status("GET /users/"), 200);
    for stream in [&mut silent, &mut halfway, &mut garbage] {
        stream.set_read_timeout(Some(SAFETY_NET)).unwrap();
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        let is_reset = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
        assert!(ended.as_ref().is_ok() || ended.as_ref().is_err_and(is_reset), "{ended:?}");
    }
    let mut rest = Vec::new();
    // It ends without a goodbye.
    let _ = quiet.read_to_end(&mut rest);
    assert_eq!(rest, b"");
    assert_eq!(server.status("GET /users/"), 200);
}

#[test]
fn every_problem_with_the_files_is_one_sentence_and_exit_2() {
    let (pair, other) = (Pair::new(), Pair::new());
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    let no_key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
    for (certificate, key, words) in [
        (None, Some(pair.key.as_str()), "cert.pem of tls_cert cannot be read"),
        (Some(pair.certificate.as_str()), None, "key.pem of tls_key cannot be read"),
        (Some("nonsense"), Some(&pair.key), "cert.pem of tls_cert holds no certificate in PEM"),
        (Some(&pair.key), Some(&pair.key), "cert.pem of tls_cert holds no certificate in PEM"),
        (Some(broken), Some(&pair.key), "cert.pem of tls_cert holds no certificate that can be used"),
        (Some(&pair.certificate), Some("nonsense"), "key.pem of tls_key holds no private key in PEM"),
        (Some(&pair.certificate), Some(locked), "key.pem of tls_key is locked by a passphrase"),
        (Some(&pair.certificate), Some(no_key), "key.pem of tls_key is no key that can be used"),
        (
            Some(&pair.certificate),
            Some(&other.key),
            "key.pem of tls_key is not the key of cert.pem of tls_cert",
        ),
    ] {
        let home = Home::new(&config(""));
        for (name, text) in [("cert.pem", certificate), ("key.pem", key)] {
            if let Some(text) = text {
                std::fs::write(home.path(name), text).unwrap();
            }
        }
        let refused = home.refused_start().exits(2).says(&[words]);
        assert_eq!(refused.stderr.trim().lines().count(), 1, "{}", refused.stderr);
        assert!(!refused.output().contains("MAA="), "{}", refused.output());
        home.run(&["check"]).exits(2).says(&[words]);
        // Who does not serve need not read them.
        home.run(&["openapi"]).exits(0);
    }
}

#[test]
fn one_file_without_the_other_and_a_promise_without_tls_are_refused() {
    for (keys, words) in [
        ("tls_cert = \"cert.pem\"", "TLS needs `tls_key` as well"),
        ("tls_key = \"key.pem\"", "TLS needs `tls_cert` as well"),
        ("hsts = 31536000", "`hsts` needs TLS"),
    ] {
        let home = Home::new(&dev::configs::with_server(keys));
        home.refused_start().exits(2).says(&[words, "book.toml:2"]);
    }
}

#[test]
fn an_expired_certificate_is_a_warning() {
    let home = Home::new(&config(""));
    Pair::valid_until(2001).install(&home);
    home.run(&["check"]).exits(0).says(&["# warning: the certificate in cert.pem of tls_cert has expired"]);
    let server = home.serve();
    server.wait_for_error("has expired");
}

#[test]
fn sighup_presents_a_new_certificate_and_drops_no_connection() {
    let home = Home::new(&config(""));
    let (first, second) = (Pair::new(), Pair::new());
    first.install(&home);
    let server = home.serve();
    server.over_tls(first.trust());
    server.create_user("John", "Doe");

    // What cannot be used changes nothing.
    std::fs::write(home.path("cert.pem"), &second.certificate).unwrap();
    server.signal("HUP");
    server.wait_for_error("certificate_kept");
    assert!(server.stderr().contains("is not the key of"), "{}", server.stderr());
    first.trust().connect(server.address(), &[]).unwrap();

    second.install(&home);
    server.signal("HUP");
    server.wait_for_error("certificate_reloaded");
    assert!(first.trust().connect(server.address(), &[]).is_err(), "the old certificate is presented");
    second.trust().connect(server.address(), &[]).unwrap();
    // The connection of before goes on.
    assert_eq!(server.ids("/users/"), [1]);
    let client = server.client.lock().unwrap();
    assert_eq!(client.opened(), 1);
    drop(client);
}

#[test]
fn a_stop_answers_what_is_in_flight_over_tls_too() {
    let (mut server, trust) = serve("");
    let mut stream = trust.connect(server.address(), &[b"http/1.1"]).unwrap();
    let head = format!(
        "POST /users/ HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        JOHN.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100 "));
    server.signal("TERM");
    wait_until("new connections are still accepted", || TcpStream::connect(server.address()).is_err());
    stream.write_all(JOHN.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert_eq!(server.wait().code(), Some(0));
}
