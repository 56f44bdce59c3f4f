//! Lists that are asked for again and again: the same bytes each time, and every change shows in the next one.

use std::sync::atomic::{AtomicBool, Ordering};

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::batch::batch;
use crate::support::ends::Ends;
use crate::support::home::Home;
use crate::support::imports::csv;
use crate::support::race::race;
use crate::support::server::Server;
use crate::support::tls;

/// More than twice: the second time an answer is kept.
const TIMES: usize = 4;
const LISTS: [&str; 8] = [
    "/users/?",
    "/users/?last_name=Doe",
    "/users/?last_name=Doe&address=1",
    "/users/?id.gte=2&sort=-first_name",
    "/users/?search=do",
    "/users/?expand=address&fields=id,address",
    "/users/?first_name.in=Jane,Jim",
    "/address/?sort=city",
];

/// What stands in `object_list` and how many match, asked for in words that nobody has used before.
fn asked_anew(server: &Server, list: &str, number: usize) -> (String, u64) {
    let answer = server.ask(&format!("GET {list}&count={}", 12 + number));
    assert_eq!(answer.status, 200, "{list}: {answer:?}");
    (objects(answer.body_text()), answer.json()["meta"]["total_count"].as_u64().unwrap())
}

fn objects(body: &str) -> String {
    body.split_once("\"object_list\":").unwrap().1.to_owned()
}

#[test]
fn every_write_shows_in_a_page_that_was_asked_for_many_times() {
    let server = Server::start(&configs::built_in());
    let line = |line: &str| Request::text(line);
    let writes = [
        line(r#"POST /address/ {"country":"France","city":"Paris","street":"quai de Valmy","number":5}"#),
        line(r#"POST /users/ {"first_name":"Jane","last_name":"Doe","address":1}"#),
        line(r#"POST /users/ {"first_name":"Jim","last_name":"Doe"}"#),
        line(r#"PUT /users/2/ {"address":1}"#),
        // Of another collection than the one that is listed.
        line(r#"PUT /address/1/ {"city":"Lyon"}"#),
        batch(&[
            r#"{"method":"POST","path":"/users/","body":{"first_name":"Jack","last_name":"Doe","address":1}}"#,
            r#"{"method":"PUT","path":"/users/1/","body":{"last_name":"Roe"}}"#,
        ]),
        csv("users/", "first_name,last_name\nJill,Dole\n"),
        line("DELETE /users/2/"),
    ];
    for (number, write) in writes.iter().enumerate() {
        let status = server.send(write).status;
        assert!((200..300).contains(&status), "{write:?}: {status}");
        for list in LISTS {
            let first = server.ask(&format!("GET {list}"));
            assert_eq!(first.status, 200, "{list}: {first:?}");
            for _ in 1..TIMES {
                assert_eq!(server.ask(&format!("GET {list}")).lasting(), first.lasting(), "{list}");
            }
            let (records, total) = asked_anew(&server, list, number);
            assert_eq!(objects(first.body_text()), records, "{list} after {write:?}");
            assert_eq!(first.json()["meta"]["total_count"], total, "{list} after {write:?}");
        }
    }
    server.stop().is_sound();
}

#[test]
fn who_creates_a_record_finds_it_in_a_page_that_others_ask_for_all_the_time() {
    const CREATED: u64 = 150;
    let server = Server::start(&configs::built_in());
    let is_over = AtomicBool::new(false);
    race(3, |thread| {
        let mut client = server.client();
        let mut total = || client.ask("GET /users/?count=1").json()["meta"]["total_count"].as_u64().unwrap();
        if thread > 0 {
            let mut seen = 0;
            while !is_over.load(Ordering::Relaxed) {
                let now = total();
                assert!(now >= seen, "{now} after {seen}");
                seen = now;
            }
            return;
        }
        let _ends = Ends(&is_over);
        for created in 1..=CREATED {
            server.create_user("Jane", "Doe");
            assert_eq!(total(), created);
        }
    });
}

#[test]
fn each_client_gets_links_to_the_host_that_it_knows() {
    let server = Server::start(&configs::built_in());
    (0..3).for_each(|number| _ = server.create_user("Jane", &number.to_string()));
    for _ in 0..TIMES {
        for host in ["a.example", "b.example"] {
            let request = Request::new("GET /users/?count=1&offset=1").header("Host", host);
            let answer = server.send(&request);
            let (next, previous) = ("/users/?count=1&offset=2", "/users/?count=1&offset=0");
            let link = format!(r#"<http://{host}{next}>; rel="next", <http://{host}{previous}>; rel="prev""#);
            assert_eq!(answer.header("Link"), Some(link.as_str()));
        }
    }
}

/// A server on which only the key that is told may read users.
fn guarded() -> (Server, String) {
    let server = Server::start(&configs::patient(&configs::guarded()));
    let key = server.home().run(&["keys", "create", "reader"]).exits(0).stdout.trim_end().to_owned();
    wait_until("the key is not known", || server.send(&asked_with(&key)).status == 200);
    (server, key)
}

fn asked() -> Request {
    Request::new("GET /users/?last_name=Doe")
}

fn asked_with(key: &str) -> Request {
    asked().header("X-API-Key", key)
}

#[test]
fn who_may_not_read_is_refused_however_often_others_have_asked() {
    let (server, key) = guarded();
    for _ in 0..TIMES {
        assert_eq!(server.send(&asked_with(&key)).status, 200);
        let by_url = Request::new(&format!("GET /users/?last_name=Doe&accesskey={key}"));
        let answer = server.send(&by_url);
        assert_eq!((answer.status, answer.header("Cache-Control")), (200, Some("no-store")));
        assert_eq!(server.send(&asked()).status, 401);
    }
    server.home().run(&["keys", "revoke", "reader"]).exits(0);
    wait_until("the key is still known", || server.send(&asked_with(&key)).status == 401);
}

#[test]
fn a_key_that_ends_by_itself_is_good_for_nothing_then() {
    let (server, _) = guarded();
    let short = ["keys", "create", "short", "--expires", "2s"];
    let key = server.home().run(&short).exits(0).stdout.trim_end().to_owned();
    wait_until("the key is not known", || server.send(&asked_with(&key)).status == 200);
    wait_until("the key does not end", || server.send(&asked_with(&key)).status == 401);
}

#[test]
fn every_request_counts_in_a_rate_limit() {
    let home = Home::new(&configs::rate_limited(TIMES as u32, 3600));
    home.add_key("first", "first-key-of-the-tests");
    let server = home.serve();
    let asked = asked_with("first-key-of-the-tests");
    for _ in 0..TIMES {
        assert_eq!(server.send(&asked).status, 200);
    }
    assert_eq!(server.send(&asked).status, 429);
}

#[test]
fn each_client_gets_the_coding_that_it_asks_for() {
    let server = Server::start(&configs::built_in());
    (0..20).for_each(|number| _ = server.create_user("Jane", &format!("Doe of the {number}th house")));
    let plain = server.ask("GET /users/").body_text().to_owned();
    for _ in 0..TIMES {
        for (accepted, coding) in [("gzip", Some("gzip")), ("zstd", Some("zstd")), ("br", None)] {
            let request = Request::new("GET /users/").header("Accept-Encoding", accepted);
            let answer = server.client().read_compressed(&request);
            assert_eq!((answer.status, answer.header("Content-Encoding")), (200, coding));
            assert_eq!(answer.header("Vary"), Some("Accept-Encoding"));
            let length = answer.header("Content-Length").unwrap().parse::<usize>().unwrap();
            assert_eq!(length < plain.len(), coding.is_some());
            assert_eq!(server.send(&Request::new("GET /users/")).body_text(), plain);
        }
    }
}

/// That the tests above meet answers that are kept.
mod sqlite {
    use super::*;

    fn kept(server: &Server) -> u64 {
        server.metric("http_server_cached_answers_total")
    }

    #[test]
    fn an_answer_is_given_again_from_the_third_time_on() {
        let server = Server::start(&configs::built_in());
        for _ in 0..2 {
            server.create_user("Jane", "Doe");
            let before = kept(&server);
            let hits = [(); TIMES].map(|()| {
                server.ask("GET /users/?last_name=Doe");
                kept(&server) - before
            });
            assert_eq!(hits, [0, 0, 1, 2]);
        }
    }

    #[test]
    fn the_holder_of_a_key_is_given_the_same_again() {
        let (server, key) = guarded();
        let before = kept(&server);
        (0..TIMES).for_each(|_| _ = server.send(&asked_with(&key)));
        assert!(kept(&server) > before);
    }

    #[test]
    fn so_is_who_asks_over_tls() {
        let (server, trust) = tls::serve("");
        server.over_tls(trust);
        let first = server.ask("GET /users/").lasting();
        let before = kept(&server);
        for _ in 1..TIMES {
            assert_eq!(server.ask("GET /users/").lasting(), first);
        }
        assert!(kept(&server) > before);
    }
}
