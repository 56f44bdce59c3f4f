//! A key is a secret: it appears in no log, no answer, no message.

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;

/// A key that is easy to find again, and one that is refused.
const CANARY: &str = "canary-in-the-coal-mine-1";
const STRANGER: &str = "stranger-in-the-night-2";

/// Every way to present a key, and to get it wrong.
fn presentations(key: &str) -> Vec<Request> {
    // First what is answered in full, before the quota is used up.
    let mut requests = vec![
        Request::new(&format!("POST /users/?accesskey={key}"))
            .json(r#"{"first_name":"a","last_name":"Doe"}"#),
        Request::new(&format!("GET /users/?count=1&accesskey={key}&last_name=Doe")),
        Request::new(&format!("GET /users/?offset=x&accesskey={key}")),
        Request::new(&format!("GET /users/?last_name=%FF&accesskey={key}")),
    ];
    for path in ["/users/", "/users/1/", "/users/99/", "/address/", "/schema/", "/nothing/", "/", "/metrics"]
    {
        for parameter in ["accesskey", "apikey"] {
            requests.push(Request::new(&format!("GET {path}?{parameter}={key}")));
            requests.push(Request::new(&format!("GET {path}?{parameter}={key}&nope=1")));
            requests.push(Request::new(&format!("GET {path}?{parameter}={key}&{parameter}={key}")));
            requests.push(Request::new(&format!("GET {path}?accesskey={key}&apikey={key}")));
        }
        for (name, value) in [("Authorization", format!("Bearer {key}")), ("X-API-Key", key.to_owned())] {
            requests.push(Request::new(&format!("GET {path}")).header(name, &value));
        }
    }
    for line in [
        "POST /users/",
        "PUT /users/1/",
        "PUT /users/99/",
        "PATCH /users/1/",
        "DELETE /users/99/",
        "BREW /users/",
    ] {
        requests.push(Request::new(&format!("{line}?accesskey={key}")).json("{not json"));
        requests.push(Request::new(&format!("{line}?accesskey={key}")).json(r#"{"age":1}"#));
    }
    requests
}

fn all_of(answer: &Answer) -> String {
    let headers: Vec<String> =
        answer.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{}\n{}", headers.join("\n"), String::from_utf8_lossy(&answer.body))
}

#[test]
fn the_key_appears_in_no_log_no_answer_and_no_message() {
    let config = format!("[log]\nlevel = \"debug\"\n{}", configs::guarded_and_rate_limited(20));
    let home = Home::new(&configs::patient(&config));
    home.add_key("canary", CANARY);
    let server = home.serve();
    for index in 0..3 {
        let body = format!(r#"{{"first_name":"n{index}","last_name":"Doe"}}"#);
        server.create(&format!("/users/?accesskey={CANARY}"), &body);
    }
    let mut statuses = Vec::new();
    for key in [CANARY, STRANGER] {
        for request in presentations(key) {
            let answer = server.send(&request);
            statuses.push(answer.status);
            assert!(!all_of(&answer).contains(key), "{request:?}: {answer:?}");
        }
    }
    // The sweep is worth something only if it met these.
    for status in [200, 201, 400, 401, 404, 405, 429] {
        assert!(statuses.contains(&status), "no request was answered {status}");
    }
    let metrics = server.ask("GET /metrics");
    let mut server = server;
    server.signal("TERM");
    server.wait();
    let commands = [home.run(&["keys", "list"]), home.run(&["keys", "list", "--json"]), home.run(&["check"])];
    let said: String = commands.iter().map(|outcome| outcome.output()).collect();
    for text in [server.stdout(), server.stderr(), said, all_of(&metrics)] {
        for key in [CANARY, STRANGER] {
            assert!(!text.contains(key), "{key} is in:\n{text}");
        }
    }
}

/// Through the whole life of keys, made at the command line and over HTTP: a secret is where it was asked for, once,
/// and nowhere else.
#[test]
fn a_secret_is_in_no_table_no_trail_and_no_line() {
    let config = format!("[log]\nlevel = \"debug\"\n{}", configs::guarded());
    let home = Home::new(&configs::with_unknown_keys(2, &config));
    home.add_admin("root", "the-admin-in-the-coal-mine");
    let mut secrets = vec!["the-admin-in-the-coal-mine".to_owned(), STRANGER.to_owned()];
    let made =
        |arguments: &[&str]| home.run(&[&["keys"], arguments].concat()).exits(0).stdout.trim_end().to_owned();
    secrets.push(made(&["create", "till", "--scope", "users:read", "--expires", "1h"]));
    secrets.push(made(&["rotate", "till"]));
    let mut server = home.serve();
    let admin =
        |line: &str| server.send(&Request::text(line).header("X-API-Key", "the-admin-in-the-coal-mine"));
    for line in
        [r#"POST /_/keys/ {"name":"phone","scopes":["users:write"]}"#, "POST /_/keys/phone/rotate/ {}"]
    {
        secrets.push(admin(line).json()["key"].as_str().unwrap().to_owned());
    }
    for secret in &secrets {
        for line in ["GET /users/", "POST /users/ {}", "GET /_/keys/", "DELETE /_/keys/nobody/"] {
            let request = Request::text(line).header("Authorization", &format!("Bearer {secret}"));
            let answer = server.send(&request);
            assert!(!all_of(&answer).contains(secret.as_str()), "{request:?}: {answer:?}");
        }
    }
    let metrics = server.ask("GET /metrics");
    let listed = admin("GET /_/keys/");
    assert_eq!(admin("DELETE /_/keys/phone/").status, 200);
    server.signal("TERM");
    server.wait();
    let mut said = vec![server.stdout(), server.stderr(), all_of(&metrics), all_of(&listed)];
    for arguments in [
        ["keys", "list"].as_slice(),
        &["keys", "list", "--json"],
        &["audit"],
        &["audit", "--json"],
        &["check"],
    ] {
        said.push(home.run(arguments).exits(0).output());
    }
    said.push(String::from_utf8_lossy(&home.stored_bytes()).into_owned());
    assert!(secrets.len() == 6 && said.iter().all(|text| !text.is_empty()));
    for text in &said {
        for secret in &secrets {
            let bare = secret.trim_start_matches("ck_");
            assert!(!text.contains(bare), "{bare} is in:\n{text}");
        }
    }
}

#[test]
fn a_given_key_is_not_repeated_in_a_message() {
    let home = Home::new(&configs::guarded());
    home.add_key("canary", CANARY);
    let again = home.run(&["keys", "create", "canary", "--key", CANARY]).exits(1);
    assert!(!again.output().contains(CANARY), "{again:?}");
    let revoked = home.run(&["keys", "revoke", "canary"]).exits(0);
    assert!(!revoked.output().contains(CANARY), "{revoked:?}");
}

#[test]
fn a_malformed_request_does_not_bring_the_key_into_the_log() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\n{}", configs::guarded()));
    let mut server = home.serve();
    for head in [
        format!("GET /users/?accesskey={CANARY} HTTP/9.9\r\n\r\n"),
        format!("GET /users/?accesskey={CANARY} x HTTP/1.1\r\n\r\n"),
        format!("GET /users/ HTTP/1.1\r\nAuthorization: Bearer {CANARY}\r\nbad header\r\n\r\n"),
    ] {
        let mut client = server.client();
        client.write(head.as_bytes()).unwrap();
        client.finish_writing();
        let answer = String::from_utf8_lossy(&client.read_to_end()).into_owned();
        assert!(!answer.contains(CANARY), "{answer}");
    }
    server.signal("TERM");
    server.wait();
    assert!(!server.stderr().contains(CANARY), "{}", server.stderr());
}

/// A key belongs into a header or the query; clients get that wrong.
#[test]
fn a_key_that_strays_into_a_path_is_in_no_line() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\n{}", configs::guarded()));
    home.add_admin("root", CANARY);
    let server = home.serve();
    let mut paths = Vec::new();
    for key in [CANARY, STRANGER, "ck_mnu7nr2rkfdlmbt0i3e9msr5vpi6ihoogqqt9ri5pi4b1kmm5q10"] {
        let encoded: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
        paths.extend([
            format!("/{key}"),
            format!("/{encoded}/"),
            format!("/users/{key}/"),
            format!("/users/&accesskey={key}"),
            format!("/users/;accesskey={key}?count=1"),
            format!("/users/%3Faccesskey={key}"),
            format!("/users/1/{key}/"),
            format!("/accesskey={key}/users/"),
            format!("/schema/{key}/"),
            format!("/console/{key}/app.js"),
            format!("/_/keys/{key}/"),
            format!("/_/keys/{key}/rotate/"),
            format!("/_/keys/{key}/rotate/{key}"),
        ]);
    }
    for path in &paths {
        for line in [format!("GET {path}"), format!("DELETE {path}"), format!("POST {path}")] {
            server.send(&Request::new(&line));
            server.send(&Request::new(&line).header("X-API-Key", CANARY));
            server.send(&Request::new(&line).header("Host", "not a host"));
        }
    }
    let mut server = server;
    server.signal("TERM");
    server.wait();
    let log = server.stderr();
    assert_eq!(log.matches("\"event\":\"request\"").count(), paths.len() * 9, "{log}");
    // Longer parts of them are in no line either.
    for part in ["canary", "coal", "stranger", "night", "ck_mn", "5q10", "%63%61%6e"] {
        assert!(!log.contains(part), "{part} is in:\n{log}");
    }
}
