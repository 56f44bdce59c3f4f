//! Pages that are asked for again and again: the same bytes each time, and every write shows in the next one.

use dev::configs;
use dev::request::Request;

use crate::support::batch::batch;
use crate::support::imports::csv;
use crate::support::server::Server;

/// More than twice: the second time a page is kept.
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

#[test]
fn who_may_not_read_is_refused_however_often_others_have_asked() {
    let access = "page_size = 20\n[collection.access]\nauthentication = true\nauthorization = true";
    let server = Server::start(&configs::built_in().replace("page_size = 20", access));
    let key = server.home().run(&["keys", "create", "reader"]).exits(0).stdout.trim_end().to_owned();
    let asked = || Request::new("GET /users/?last_name=Doe");
    dev::waiting::wait_until("the key is not known", || {
        server.send(&asked().header("X-API-Key", &key)).status == 200
    });
    for _ in 0..TIMES {
        assert_eq!(server.send(&asked().header("X-API-Key", &key)).status, 200);
        let by_url = Request::new(&format!("GET /users/?last_name=Doe&accesskey={key}"));
        assert_eq!(server.send(&by_url).status, 200);
        assert_eq!(server.send(&asked()).status, 401);
    }
}

/// That the tests above meet pages that are kept.
mod sqlite {
    use super::*;

    #[test]
    fn a_page_that_is_kept_costs_no_look_at_the_store() {
        let server = Server::start(&format!("[server]\nserver_timing = true\n\n{}", configs::built_in()));
        let timing = || server.ask("GET /users/?last_name=Doe").header("Server-Timing").unwrap().to_owned();
        let is_kept = || timing().contains("kept_pages");
        assert_eq!([is_kept(), is_kept(), is_kept()], [false, false, true]);
        server.create_user("Jane", "Doe");
        assert_eq!([is_kept(), is_kept(), is_kept()], [false, false, true]);
    }
}
