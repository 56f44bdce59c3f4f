//! A disk that fails at its N-th call: nobody hears yes for what is not there, the server ends, and the next start has
//! everything that was acknowledged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dev::client::Client;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;
use crate::support::under::Start;

const SYNCS: &str = "fsync,fdatasync";
const WRITES: &str = "write,pwrite64";
const READS: &str = "read,pread64";

/// What clients were told of the names that they sent: an id, or that nobody knows.
#[derive(Default)]
struct Told {
    acknowledged: BTreeMap<i64, String>,
    unknown: Vec<String>,
}

/// Creates users until an answer is none of those that change something; answers its status, none where there was no
/// answer any more.
fn create_until_refused(mut client: Client, label: &str, told: &Mutex<Told>) -> Option<u16> {
    for number in 0..20_000 {
        let name = format!("{label}n{number}");
        let body = format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#);
        let answer = client.try_send(&Request::new("POST /users/").json(body));
        let mut told = told.lock().unwrap();
        match answer {
            Ok(answer) if answer.status == 201 => {
                told.acknowledged.insert(answer.created_id(), name);
            }
            Ok(answer) => {
                let is_unknown = answer.body_text().contains("is unknown");
                if is_unknown {
                    told.unknown.push(name);
                }
                assert_eq!(answer.status == 503, is_unknown, "{answer:?}");
                return Some(answer.status);
            }
            Err(_) => {
                told.unknown.push(name);
                return None;
            }
        }
    }
    panic!("nothing ever failed");
}

/// Four clients at once, until each is refused.
fn crowd(server: &Server, label: &str, told: &Mutex<Told>) -> Vec<Option<u16>> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|client| {
                scope.spawn(move || create_until_refused(server.client(), &format!("{label}c{client}"), told))
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    })
}

/// What is there is what was acknowledged, and of the rest only what nobody could tell, each once.
fn holds(home: &Arc<Home>, told: &Told, when: &str) {
    let server = home.serve();
    let mut unknown = told.unknown.clone();
    let mut found = BTreeMap::new();
    for record in server.walk("/users/") {
        let (id, name) = (record["id"].as_i64().unwrap(), record["first_name"].as_str().unwrap());
        if told.acknowledged.get(&id).is_some_and(|known| known == name) {
            found.insert(id, name.to_owned());
        } else {
            let place = unknown.iter().position(|sent| sent == name);
            unknown.swap_remove(place.unwrap_or_else(|| panic!("{when}: who wrote {record}?")));
        }
    }
    assert_eq!(found, told.acknowledged, "{when}");
    server.stop().is_sound();
}

/// Fails one call after the other, once and for good, and sees each time that the process has ended and why.
fn ends_at_each(calls: &str, faults: impl Iterator<Item = String>) -> usize {
    let home = Home::new(&configs::long_pages());
    home.serve().stop();
    let told = Mutex::new(Told::default());
    let mut while_serving = 0;
    for fault in faults {
        let mut server = match home.serve_on_a_failing_disk(calls, &fault) {
            Start::Serves(server) => server,
            Start::Refused(outcome) => {
                outcome.exits(1).says(&["book.db cannot be opened: disk I/O error"]);
                continue;
            }
        };
        while_serving += 1;
        let ends = crowd(&server, &fault, &told);
        assert!(ends.iter().all(|end| end.is_none_or(|status| status == 503)), "{fault}: {ends:?}");
        assert_eq!(server.wait().code(), Some(1), "{fault}");
        let said = server.stderr();
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("carnet: the storage failed"), "{fault}: {said}");
        holds(&home, &told.lock().unwrap(), &fault);
    }
    while_serving
}

#[test]
fn whichever_sync_fails_the_server_ends_and_nothing_acknowledged_is_lost() {
    let faults = (1..=9).flat_map(|n| [format!("error=EIO:when={n}"), format!("error=EIO:when={n}+")]);
    assert!(ends_at_each(SYNCS, faults) >= 6, "most failed at the start already");
}

#[test]
fn a_write_that_no_sync_confirms_is_named_by_its_request_and_key() {
    const KEY: &str = "the-key-of-a-writer";
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\n{}", configs::guarded()));
    home.add_key("ann", KEY);
    home.serve().stop();
    let request = Request::new("POST /users/")
        .header("X-API-Key", KEY)
        .header("X-Request-Id", "look-after-me")
        .json(r#"{"first_name":"Jane","last_name":"Doe"}"#);
    // Some syncs belong to the start.
    let is_named = (1..=9).any(|n| {
        let fault = format!("error=EIO:when={n}+");
        let Start::Serves(mut server) = home.serve_on_a_failing_disk(SYNCS, &fault) else { return false };
        let mut client = server.client();
        while client.try_send(&request).is_ok_and(|answer| answer.status == 201) {}
        assert_eq!(server.wait().code(), Some(1), "{fault}");
        server.stderr().contains("the outcome of a write is unknown: request look-after-me by key ann")
    });
    assert!(is_named);
}

/// The log is copied into the file while writes go on, and a sync of the file that fails then is as bad as any: the
/// next one would say yes without what was lost.
#[test]
fn a_sync_of_the_file_that_fails_under_steady_load_ends_the_server_and_nothing_acknowledged_is_lost() {
    let home = Home::new(&configs::long_pages());
    home.serve().stop();
    let long = "x".repeat(200_000);
    // Some syncs of the file belong to the start.
    let mut starts = (1..=4).map(|n| home.serve_on_a_failing_file(SYNCS, &format!("error=EIO:when={n}")));
    let served = starts.find_map(|start| match start {
        Start::Serves(server) => Some(server),
        Start::Refused(_) => None,
    });
    let mut server = served.unwrap_or_else(|| panic!("it does not start"));
    // Each takes fifty pages of the log, which is copied once it has 8,000.
    let (mut client, mut acknowledged) = (server.client(), 0);
    let end = (0..2_000).find_map(|number| {
        let body = format!(r#"{{"first_name":"{number}","last_name":"{long}"}}"#);
        match client.try_send(&Request::new("POST /users/").json(body)) {
            Ok(answer) if answer.status == 201 => {
                acknowledged = answer.created_id();
                None
            }
            Ok(answer) => Some(answer.status),
            Err(_) => Some(0),
        }
    });
    assert!(matches!(end, Some(0 | 503)), "{end:?} after {acknowledged}");
    assert_eq!(server.wait().code(), Some(1));
    let said = server.stderr();
    assert!(said.contains("disk I/O error"), "{said}");
    assert!(said.lines().last().unwrap_or_default().starts_with("carnet: the storage failed"), "{said}");
    let server = home.serve();
    assert!(server.total("/users/") >= acknowledged && acknowledged > 0, "{acknowledged}");
    assert_eq!(server.status(&format!("GET /users/{acknowledged}/")), 200);
    server.stop().is_sound();
}

/// Keys are changed beside the writer, and their syncs fail like its own.
#[test]
fn whichever_sync_fails_a_key_that_was_given_is_good_and_the_server_ends() {
    const ADMIN: &str = "the-key-of-the-administrator";
    let home = Home::new(&configs::patient(&configs::guarded()));
    home.add_admin("root", ADMIN);
    home.serve().stop();
    let (mut given, mut while_serving) = (Vec::new(), 0);
    for fault in (1..=8).map(|n| format!("error=EIO:when={n}+")) {
        let Start::Serves(mut server) = home.serve_on_a_failing_disk(SYNCS, &fault) else { continue };
        while_serving += 1;
        let mut client = server.client();
        loop {
            match client.try_send(&Request::new("POST /_/keys/").header("X-API-Key", ADMIN).json("{}")) {
                Ok(answer) if answer.status == 201 => {
                    given.push(answer.json()["key"].as_str().unwrap().to_owned())
                }
                Ok(answer) => {
                    assert!(
                        answer.status == 503 && answer.body_text().contains("is unknown"),
                        "{fault}: {answer:?}"
                    );
                    break;
                }
                Err(_) => break,
            }
        }
        assert_eq!(server.wait().code(), Some(1), "{fault}");
        let said = server.stderr();
        assert!(
            said.lines().last().unwrap_or_default().starts_with("carnet: the storage failed"),
            "{fault}: {said}"
        );
        let server = home.serve();
        for key in &given {
            assert_eq!(
                server.send(&Request::new("GET /users/").header("X-API-Key", key)).status,
                200,
                "{fault}"
            );
        }
        server.stop().is_sound();
    }
    assert!(while_serving >= 3 && given.len() >= 3, "{while_serving} {given:?}");
}

#[test]
fn whichever_write_fails_the_server_ends_and_nothing_acknowledged_is_lost() {
    let faults = [1, 2, 3, 5, 8, 13, 21, 34].map(|n| format!("error=EIO:when={n}"));
    assert!(ends_at_each(WRITES, faults.into_iter()) >= 3, "most failed at the start already");
}

#[test]
fn a_full_disk_refuses_writes_until_there_is_room_and_reads_go_on() {
    let home = Home::new(&configs::long_pages());
    home.serve().stop();
    let told = Mutex::new(Told::default());
    // Calls of the writing thread: some commits go through, some do not, and then there is room again.
    let Start::Serves(mut server) = home.serve_on_a_failing_disk(WRITES, "error=ENOSPC:when=40..80") else {
        panic!("it does not start");
    };
    let statuses = crowd(&server, "full", &told);
    assert!(statuses.iter().all(|status| *status == Some(507)), "{statuses:?}");
    let mut client = server.client();
    let mut refused = 0;
    loop {
        let (&id, name) = told
            .lock()
            .unwrap()
            .acknowledged
            .iter()
            .next_back()
            .map(|(id, name)| (id, name.clone()))
            .unwrap();
        assert_eq!(client.ask(&format!("GET /users/{id}/")).json()["first_name"], name.as_str());
        assert_eq!(client.ask("GET /readyz").status, 200);
        let answer = client.ask(r#"POST /users/ {"first_name":"again","last_name":"Doe"}"#);
        match answer.status {
            201 => {
                told.lock().unwrap().acknowledged.insert(answer.created_id(), "again".into());
                break;
            }
            status => assert_eq!(status, 507, "{answer:?}"),
        }
        refused += 1;
        assert!(refused < 100, "there is room again, and writes are still refused");
    }
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    for event in ["writes_refused", "writes_resumed"] {
        assert_eq!(server.stderr().matches(&format!("\"event\":\"{event}\"")).count(), 1, "{event}");
    }
    holds(&home, &told.into_inner().unwrap(), "after the disk was full");
}

#[test]
fn a_start_on_a_full_disk_serves_reads_and_says_that_writes_are_refused() {
    let home = Home::new(&configs::long_pages());
    let server = home.serve();
    server.create("/users/", r#"{"first_name":"Ada","last_name":"Lovelace"}"#);
    server.stop();
    let Start::Serves(mut server) = home.serve_on_a_failing_disk(WRITES, "error=ENOSPC") else {
        panic!("it does not start");
    };
    server.wait_for_error("\"event\":\"writes_refused\"");
    assert_eq!(server.total("/users/"), 1);
    assert_eq!(server.status("GET /readyz"), 200);
    let answer = server.ask(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#);
    assert_eq!(answer.status, 507, "{answer:?}");
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(server.stderr().matches("\"event\":\"writes_refused\"").count(), 1);
    // What must be made first cannot be: that is said before the port opens.
    let new = Home::new(&configs::long_pages());
    let Start::Refused(refused) = new.serve_on_a_failing_disk(WRITES, "error=ENOSPC") else {
        panic!("it serves what it cannot have made");
    };
    assert!(refused.stderr.contains("the disk is full; make room in "), "{refused:?}");
}

/// Every read is right, or an answer that says that it failed.
#[test]
fn a_read_that_fails_is_an_error_and_never_wrong_data() {
    // Long records and little memory, so that most requests read the file.
    let home = Home::new(&format!("[server]\nmemory = \"64KiB\"\n{}", configs::long_pages()));
    home.serve().stop();
    home.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO users (first_name, last_name) SELECT 'n' || i || '-' || hex(zeroblob(1000)), 'L' || (i % 7) FROM n",
    );
    let (mut failed, mut right, mut refused_starts) = (0, 0, 0);
    for n in [4, 60, 110, 200] {
        let fault = format!("error=EIO:when={n}..{}", n + 3);
        let server = match home.serve_on_a_failing_disk(READS, &fault) {
            Start::Serves(server) => server,
            Start::Refused(outcome) => {
                outcome.exits(1).says(&["book.db cannot be opened"]);
                refused_starts += 1;
                continue;
            }
        };
        let mut client = server.client();
        for number in 0..200 {
            let id = 1 + number * 37 % 3_000;
            let answer = client.ask(&format!("GET /users/{id}/"));
            let is_right = answer.status != 200
                || answer.json()["first_name"].as_str().unwrap().starts_with(&format!("n{id}-"));
            let kind = number % 7;
            let list = client.ask(&format!("GET /users/?last_name=L{kind}&count=1&offset={}", number % 400));
            let is_page_right = list.status != 200 || {
                let page = list.json();
                let total = if (1..=4).contains(&kind) { 429 } else { 428 };
                let first = (if kind == 0 { 7 } else { kind }) + number % 400 * 7;
                page["meta"]["total_count"] == total && page["object_list"][0]["id"] == first
            };
            assert!(is_right && is_page_right, "{fault}: {answer:?}, {list:?}");
            for status in [answer.status, list.status] {
                match status {
                    200 => right += 1,
                    500 | 503 => failed += 1,
                    _ => panic!("{fault}: {status}"),
                }
            }
        }
        server.stop();
    }
    assert!(refused_starts < 3 && failed > 0 && right > failed, "{refused_starts}, {failed}, {right}");
    home.is_sound();
}
