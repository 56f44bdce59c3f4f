//! What is nobody's business appears nowhere: passwords of databases, and what clients send.
//!
//! Access keys have their own file, `secrecy.rs`.

use std::process::Command;

use dev::answer::Answer;
use dev::configs;
use dev::process::Process;
use dev::request::Request;

use crate::support::home::Home;

const CANARY: &str = "canary-in-the-coal-mine";

/// Everything that a command says, whatever it comes to.
fn said(mut command: Command) -> String {
    command.env_remove("PGPASSWORD").env_remove("PGPASSFILE");
    Process::start(command).outcome().output()
}

#[test]
fn a_password_is_in_nothing_that_is_said() {
    // Nobody listens on port 1, so each of these fails; and some are wrong beyond that.
    let urls = [
        format!("postgres://ann:{CANARY}@127.0.0.1:1/book?connect_timeout=1"),
        format!("postgres://127.0.0.1:1/book?user=ann&password={CANARY}&connect_timeout=1"),
        format!("postgres://ann:{CANARY}@127.0.0.1:1/book?sslmode=nonsense"),
        format!("postgres://ann:{CANARY}@host@127.0.0.1:1/book"),
        format!("postgres:ann:{CANARY}@127.0.0.1/book"),
        format!("postgres://ann:{CANARY}"),
        format!("mysql://ann:{CANARY}@127.0.0.1/book"),
    ];
    let mut seen = 0;
    for url in &urls {
        let in_file = Home::empty();
        in_file.configure(&format!("[server]\ndatabase = \"{url}\"\nlog = 1\n{}", configs::built_in()));
        let in_broken_file = Home::empty();
        in_broken_file
            .configure(&format!("[server]\nlisten = \"\"\"\ndatabase = \"{url}\"\n{}", configs::built_in()));
        let home = Home::new(&configs::built_in());
        for arguments in [&["check"][..], &["keys", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
            let with_flag = home.command(&[&["--database", url], arguments].concat());
            let mut with_variable = home.command(arguments);
            with_variable.env("CARNET_DATABASE", url);
            let config = ["--config", "book.toml"];
            let from_file = in_file.command(&[&config, arguments].concat());
            let from_broken_file = in_broken_file.command(&[&config, arguments].concat());
            for command in [with_flag, with_variable, from_file, from_broken_file] {
                let said = said(command);
                assert!(!said.is_empty() && !said.contains(CANARY), "{url} {arguments:?}:\n{said}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 7 * 3 * 4);
}

/// Requests that carry something of their sender's in every place there is.
fn requests() -> Vec<Request> {
    let mut requests = vec![
        // Stored, and answered to whoever may read it; but in no line.
        Request::new("POST /users/").json(format!(r#"{{"first_name":"{CANARY}","last_name":"Doe"}}"#)),
        Request::new(&format!("GET /users/?first_name={CANARY}")),
        Request::new("GET /users/1/"),
    ];
    for body in [
        format!(r#"{{"first_name":"{CANARY}","last_name":1}}"#),
        format!(r#"{{"first_name":"{CANARY}","last_name":"b","address":99}}"#),
        format!(r#"{{"first_name":"{CANARY}""#),
        format!(r#"["{CANARY}"]"#),
        format!(r#"{{"first_name":"{CANARY}","{CANARY}":1}}"#),
        CANARY.to_owned(),
    ] {
        requests.push(Request::new("POST /users/").json(body.clone()));
        requests.push(Request::new("PUT /users/1/").json(body.clone()));
        requests.push(Request::new("POST /users/").header("Content-Type", "text/plain").body(body));
    }
    for query in ["address=", "offset=", "count=", "nope=", "id=", "last_name=%FF"] {
        requests.push(Request::new(&format!("GET /users/?{query}{CANARY}")));
    }
    for (name, value) in [
        ("Authorization", format!("Basic {CANARY}")),
        ("Proxy-Authorization", format!("Bearer {CANARY}")),
        ("Cookie", format!("session={CANARY}")),
        ("If-Match", format!("\"{CANARY}\"")),
        ("Referer", format!("https://x.example/?token={CANARY}")),
        ("User-Agent", CANARY.to_owned()),
        ("Content-Type", format!("text/{CANARY}")),
        ("Prefer", CANARY.to_owned()),
        ("X-Forwarded-For", CANARY.to_owned()),
    ] {
        requests.push(Request::new("PUT /users/1/").header(name, &value).body("{}"));
        requests.push(Request::new("GET /users/").header(name, &value));
    }
    requests
}

fn has_canary(answer: &Answer) -> bool {
    let headers = answer.headers.iter().any(|(_, value)| value.contains(CANARY));
    headers || String::from_utf8_lossy(&answer.body).contains(CANARY)
}

#[test]
fn what_clients_send_is_in_no_line_and_no_metric() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\n{}", configs::built_in()));
    let mut server = home.serve();
    let (mut statuses, mut echoes) = (Vec::new(), 0);
    for request in requests() {
        let answer = server.send(&request);
        statuses.push(answer.status);
        // What a client names wrongly it is told; so is a filter, and a record.
        echoes += usize::from(has_canary(&answer));
        let is_named =
            answer.status == 200 || String::from_utf8_lossy(&answer.body).contains("is not a field of users");
        assert!(is_named || !has_canary(&answer), "{request:?}: {answer:?}");
    }
    // The sweep is worth something only if it met these.
    for status in [200, 201, 400, 412, 415] {
        assert!(statuses.contains(&status), "no request was answered {status}");
    }
    assert!(echoes > 0, "the canary is not seen where it must be");
    let metrics = server.ask("GET /metrics");
    assert!(metrics.status == 200 && !has_canary(&metrics), "{metrics:?}");
    server.signal("TERM");
    server.wait();
    assert!(server.stderr().contains("\"status\":415"), "{}", server.stderr());
    assert!(!server.stderr().contains(CANARY) && !server.stdout().contains(CANARY), "{}", server.stderr());
}
