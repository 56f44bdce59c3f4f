//! `carnet import --server`: as an import here, at a server that runs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use dev::configs;
use dev::process::{Outcome, Process};
use dev::waiting::SAFETY_NET;

use crate::support::home::Home;
use crate::support::server::Server;
use crate::support::tls;

const PEOPLE: &str = "first_name,last_name\nAda,Lovelace\nGrace,Hopper\n";
const KEY: &str = "a-key-that-is-long-enough-1";

/// Takes a file into `users` of the server at this URL.
fn start(home: &Home, url: &str, content: &str, more: &[&str], key: Option<&str>) -> Process {
    fs::write(home.path("a.csv"), content).unwrap();
    let mut command = home.command(&["import", "a.csv", "--into", "users", "--server", url]);
    command.args(more).envs(key.map(|key| ("CARNET_KEY", key)));
    Process::start(command)
}

fn import(server: &Server, content: &str, more: &[&str]) -> Outcome {
    start(server.home(), &server.base_url(), content, more, None).outcome()
}

#[test]
fn a_file_comes_in_with_the_summary_of_an_import_here() {
    let here = Home::new(&configs::built_in());
    fs::write(here.path("a.csv"), PEOPLE).unwrap();
    let server = Server::start(&configs::built_in());
    for more in [&["--dry-run"][..], &[], &[]] {
        let arguments = [&["import", "a.csv", "--into", "users"], more].concat();
        let expected = here.run(&arguments).exits(0).stdout;
        assert!(expected.ends_with("unchanged 0\n") || expected.ends_with("unchanged 2\n"), "{expected}");
        assert_eq!(import(&server, PEOPLE, more).exits(0).stdout, expected, "{more:?}");
    }
    assert_eq!(server.ids("/users/"), [1, 2]);
}

#[test]
fn what_is_said_about_the_file_goes_with_it() {
    let server = Server::start(&configs::built_in());
    let file = "Vorname|Familien & Name|x\nAda|Lovelace|\n";
    let options = ["--map", "Vorname=first_name", "--map", "Familien & Name=last_name", "--ignore", "x"];
    let said = import(&server, file, &[&options[..], &["--delimiter", "|"]].concat()).exits(0).stdout;
    assert!(said.starts_with("read 1: created 1, updated 0, unchanged 0"), "{said}");
    import(&server, PEOPLE, &["--match", "nick"]).exits(2).says(&["match: nick is no field of users"]);
}

#[test]
fn faults_are_named_by_their_lines_and_nothing_is_stored() {
    let server = Server::start(&configs::built_in());
    let file = "first_name,last_name\nAda,\nGrace,Hopper\n,Doe\n";
    let said = import(&server, file, &["--faults", "faults.csv"]).exits(2);
    assert_eq!(said.stdout, "");
    let said = said.says(&["line 2: last_name is missing\nline 4: first_name is missing\n"]);
    said.says(&["2 faults in 3 entries. Nothing was stored"]);
    assert_eq!(
        fs::read_to_string(server.home().path("faults.csv")).unwrap(),
        "line,fault\r\n2,line 2: last_name is missing\r\n4,line 4: first_name is missing\r\n"
    );
    import(&server, file, &["--dry-run"]).exits(2).says(&["line 2: last_name is missing"]);
    assert!(server.ids("/users/").is_empty());
}

#[test]
fn the_key_comes_from_the_environment_and_a_wrong_one_is_refused_in_the_words_of_the_server() {
    let home = Home::new(&configs::guarded());
    home.add_key("till", KEY);
    let server = home.serve();
    let run = |key| start(&home, &server.base_url(), PEOPLE, &[], key).outcome();
    run(Some(KEY)).exits(0).says(&["read 2: created 2, updated 0, unchanged 0"]);
    for wrong in [None, Some("another-key-altogether")] {
        let said = run(wrong).exits(1).says(&["carnet: A known access key is needed"]);
        assert!(!said.output().contains("another-key-altogether"), "{said:?}");
    }
    run(Some("no\nkey")).exits(2).says(&["CARNET_KEY holds characters that no access key has"]);
}

/// The file is longer than what a server reads of a body that it does not want.
#[test]
fn a_large_file_that_is_not_wanted_is_refused_in_the_words_of_the_server() {
    let home = Home::new(&configs::guarded());
    let server = home.serve();
    let file = format!("first_name,last_name\n{}", "Ada,Lovelace\n".repeat(500_000));
    start(&home, &server.base_url(), &file, &[], None)
        .outcome()
        .exits(1)
        .says(&["A known access key is needed"]);
}

#[test]
fn over_tls_the_certificate_must_be_one_that_the_system_trusts() {
    let (server, _) = tls::serve("");
    let home = server.home();
    fs::write(home.path("a.csv"), PEOPLE).unwrap();
    let run = |roots: &str| {
        let url = server.base_url();
        let mut command = home.command(&["import", "a.csv", "--into", "users", "--server", &url]);
        command.env("SSL_CERT_FILE", home.path(roots)).env_remove("SSL_CERT_DIR");
        Process::start(command).outcome()
    };
    run("cert.pem").exits(0).says(&["read 2: created 2, updated 0, unchanged 0"]);
    tls::Pair::new().install(home);
    run("cert.pem").exits(1).says(&["cannot be called encrypted"]);
}

#[test]
fn where_no_server_is_that_is_said() {
    let home = Home::empty();
    let url = format!("http://{}", free_address());
    start(&home, &url, PEOPLE, &[], None).outcome().exits(1).says(&[&format!("{url} cannot be reached")]);
}

#[test]
fn a_collection_that_the_server_has_not_is_named() {
    let server = Server::start(&configs::built_in());
    fs::write(server.home().path("a.csv"), PEOPLE).unwrap();
    let (url, home) = (server.base_url(), server.home());
    let said = home.run_bare(&["import", "a.csv", "--into", "persons", "--server", &url]).exits(1);
    said.says(&[&format!("{url} has no collection persons, or takes no imports into it")]);
}

#[test]
fn what_is_no_url_is_wrong_usage() {
    let home = Home::empty();
    for url in ["127.0.0.1:8080", "localhost", "ftp://localhost", "http://ann:secret@localhost", "carnet.db"]
    {
        let said = start(&home, url, PEOPLE, &[], None).outcome().exits(2);
        assert!(!said.says(&["is not the URL of a server"]).output().contains("secret"), "{url}");
    }
}

/// The configuration and the store that count are those of the server.
#[test]
fn neither_a_configuration_nor_a_store_is_opened() {
    let home = Home::empty();
    fs::write(home.path("carnet.toml"), "this is no configuration").unwrap();
    let said = start(&home, &format!("http://{}", free_address()), PEOPLE, &[], None).outcome();
    said.exits(1).says(&["cannot be reached"]);
    assert!(!home.path("carnet.db").exists());
}

#[test]
fn an_import_that_takes_longer_is_followed_to_its_end() {
    let server = Script::play(&[
        ("202 Accepted", report("judging", "null", 1, "")),
        ("503 Service Unavailable", r#"{"error":"The server is busy"}"#.into()),
        ("200 OK", report("storing", "3", 1, "")),
        ("200 OK", report("done", "3", 3, r#""created":2,"unchanged":1,"#)),
    ]);
    let said =
        start(&Home::empty(), &server.url(), PEOPLE, &["--existing", "keep"], Some(KEY)).outcome().exits(0);
    assert_eq!(said.stdout, "read 3: created 2, updated 0, unchanged 1\n");
    let passes: Vec<&str> = said.stderr.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(passes, ["judging users: 3 entries", "importing users: 3 entries"]);
    let sent = server.next();
    assert!(sent.starts_with("POST /_/import/users/?existing=keep HTTP/1.1\n"), "{sent}");
    for line in [
        "content-type: text/csv",
        "prefer: wait=1",
        "content-length: 47",
        &format!("authorization: Bearer {KEY}"),
    ] {
        assert!(sent.contains(&format!("\n{line}\n")), "{line}: {sent}");
    }
    assert!(sent.ends_with(PEOPLE), "{sent}");
    for _ in 0..3 {
        let sent = server.next();
        assert!(sent.starts_with("GET /_/imports/17/ HTTP/1.1\n") && sent.contains(KEY), "{sent}");
    }
}

#[test]
fn who_is_interrupted_is_told_that_the_import_goes_on_and_where() {
    let server = Script::play(&[
        ("202 Accepted", report("judging", "null", 1, "")),
        ("200 OK", report("storing", "9", 1, "")),
    ]);
    let home = Home::empty();
    let process = start(&home, &server.url(), PEOPLE, &[], None);
    server.next();
    server.next();
    process.signal("INT");
    let where_it_is = format!("the import goes on at the server; its report: {}/_/imports/17/", server.url());
    process.outcome().exits(1).says(&[&where_it_is]);
}

#[test]
fn faults_while_storing_and_an_import_that_was_stopped_are_failures() {
    let faults =
        r#""fault_count":1,"faults":[{"line":9,"fault":"line 9: record 41 was changed meanwhile"}],"#;
    let server = Script::play(&[("200 OK", report("done", "3", 3, faults))]);
    let said = start(&Home::empty(), &server.url(), PEOPLE, &[], None).outcome().exits(1);
    assert_eq!(said.stdout, "read 3: created 0, updated 0, unchanged 0\n");
    said.says(&["line 9: record 41 was changed meanwhile\n", "1 fault; everything else was stored"]);
    let server = Script::play(&[("200 OK", report("stopped", "3", 1, r#""error":"the disk is full","#))]);
    start(&Home::empty(), &server.url(), PEOPLE, &[], None)
        .outcome()
        .exits(1)
        .says(&["carnet: the disk is full"]);
}

#[test]
fn another_server_is_not_followed_anywhere() {
    for (status, body) in
        [("302 Found", ""), ("200 OK", "<html>"), ("200 OK", "{}"), ("500 Internal Server Error", "<html>")]
    {
        let server = Script::play(&[(status, body.to_owned())]);
        let said = start(&Home::empty(), &server.url(), PEOPLE, &[], None).outcome().exits(1);
        said.says(&[&server.url(), "as a carnet server"]);
    }
    let server = Script::play(&[("200 OK", "x".repeat(5 << 20))]);
    start(&Home::empty(), &server.url(), PEOPLE, &[], None).outcome().exits(1).says(&["at greater length"]);
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn report(state: &str, entries: &str, read: u64, more: &str) -> String {
    format!(
        r#"{{"id":17,"ressource_uri":"/_/imports/17/",{more}"state":"{state}","entries":{entries},"read":{read}}}"#
    )
}

/// A server that gives these answers, whatever it is asked, and is gone then. Its `Location` names another host.
struct Script {
    address: SocketAddr,
    requests: Receiver<String>,
}

impl Script {
    fn play(answers: &[(&'static str, String)]) -> Script {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        let answers = answers.to_vec();
        std::thread::spawn(move || {
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let request = read_request(&mut stream);
                let (length, location) = (body.len(), "http://elsewhere.example/book/_/imports/17/");
                let head =
                    format!("HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: {length}\r\n\r\n");
                stream.write_all(head.as_bytes()).unwrap();
                // One that is too long is not taken to its end.
                let _ = stream.write_all(body.as_bytes());
                // Nobody need be listening.
                let _ = sender.send(request);
            }
        });
        Script { address, requests }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn next(&self) -> String {
        self.requests.recv_timeout(SAFETY_NET).unwrap()
    }
}

/// A request with its body, lines ended as texts end them.
fn read_request(stream: &mut TcpStream) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
    }
    let head = head.replace("\r\n", "\n");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    if head.contains("expect: 100-continue") {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
    }
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}
