//! The `Link` header: whole URLs of the neighbouring pages, with filters and without the key.

use dev::configs;
use dev::request::Request;

use crate::support::exchange::id_of;
use crate::support::server::Server;

/// A server with so many users called Doe.
fn with_does(config: &str, number: usize) -> Server {
    let server = Server::start(config);
    for index in 0..number {
        server.create_user(&format!("n{index}"), "Doe");
    }
    server
}

#[track_caller]
fn link(server: &Server, list: &str) -> Option<String> {
    let answer = server.ask(&format!("GET {list}"));
    answer.header("Link").map(|link| link.replace(&server.base_url(), "{base_url}"))
}

/// The path and query behind a relation.
#[track_caller]
fn target(server: &Server, link: &str, relation: &str) -> String {
    let entry = link.split(", <").find(|entry| entry.ends_with(&format!(r#"rel="{relation}""#))).unwrap();
    let url = entry.trim_start_matches('<').split('>').next().unwrap();
    let target = url.strip_prefix(&server.base_url()).or(url.strip_prefix("{base_url}")).unwrap();
    let is_legal = |byte: u8| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte);
    assert!(target.bytes().all(is_legal), "{target}");
    target.to_owned()
}

#[test]
fn a_list_links_to_the_pages_that_exist() {
    let server = with_does(&configs::built_in(), 45);
    assert_eq!(link(&server, "/users/").as_deref(), Some(r#"<{base_url}/users/?offset=20>; rel="next""#));
    assert_eq!(
        link(&server, "/users/?offset=20").as_deref(),
        Some(r#"<{base_url}/users/?offset=40>; rel="next", <{base_url}/users/?offset=0>; rel="prev""#)
    );
    assert_eq!(
        link(&server, "/users/?offset=40").as_deref(),
        Some(r#"<{base_url}/users/?offset=20>; rel="prev""#)
    );
    assert_eq!(link(&server, "/address/"), None);
    assert_eq!(link(&server, "/users/1/"), None);
}

#[test]
fn filters_stand_in_the_order_given_then_count_then_offset() {
    let server = with_does(&configs::built_in(), 25);
    assert_eq!(
        link(&server, "/users/?last_name=Doe").as_deref(),
        Some(r#"<{base_url}/users/?last_name=Doe&offset=20>; rel="next""#)
    );
    assert_eq!(
        link(&server, "/users/?count=5&last_name=Doe&offset=5&address=").as_deref(),
        Some(
            r#"<{base_url}/users/?last_name=Doe&address=&count=5&offset=10>; rel="next", <{base_url}/users/?last_name=Doe&address=&count=5&offset=0>; rel="prev""#
        )
    );
}

#[test]
fn an_in_that_is_repeated_keeps_its_places() {
    let server = with_does(&configs::built_in(), 5);
    assert_eq!(
        link(
            &server,
            "/users/?id.in=1&last_name.ne=x&id.in=2&first_name.in=n0&id.in=3&first_name.in=n1&count=1"
        )
        .as_deref(),
        Some(
            r#"<{base_url}/users/?id.in=1&last_name.ne=x&id.in=2&first_name.in=n0&id.in=3&first_name.in=n1&count=1&offset=1>; rel="next""#
        )
    );
}

#[test]
fn a_link_has_no_more_parameters_than_a_request_may_have() {
    let server = with_does(&configs::built_in(), 25);
    let ids = |number: usize| (1..=number).map(|id| format!("id.in={id}")).collect::<Vec<_>>().join("&");
    for (query, leads_on) in [
        (ids(63), true),
        (ids(64), false),
        (format!("{}&count=2", ids(62)), true),
        (format!("{}&count=2", ids(63)), false),
        (format!("{}&count=2&sort=id&fields=id", ids(60)), true),
        (format!("{}&count=2&sort=id&fields=id", ids(61)), false),
    ] {
        let link = link(&server, &format!("/users/?{query}"));
        assert_eq!(link.is_some(), leads_on, "{query}");
        if let Some(link) = link {
            assert_eq!(server.status(&format!("GET {}", target(&server, &link, "next"))), 200);
        }
    }
}

#[test]
fn sort_and_fields_stand_behind_filters_as_they_were_given() {
    let server = with_does(&configs::built_in(), 25);
    assert_eq!(
        link(&server, "/users/?_fields=id,address&count=5&sort=last_name,-id&last_name=Doe").as_deref(),
        Some(
            r#"<{base_url}/users/?last_name=Doe&sort=last_name%2C-id&_fields=id%2Caddress&count=5&offset=5>; rel="next""#
        )
    );
}

#[test]
fn a_link_uses_the_renamed_keys() {
    let server = with_does(&configs::renamed(), 8);
    assert_eq!(
        link(&server, "/users/?limit=3&first_id=3").as_deref(),
        Some(
            r#"<{base_url}/users/?limit=3&first_id=6>; rel="next", <{base_url}/users/?limit=3&first_id=0>; rel="prev""#
        )
    );
}

#[test]
fn a_filter_survives_the_way_through_a_link() {
    let server = Server::start(&configs::built_in());
    let name = "a b+c&d=e%41é🎉#?/<>\"";
    for index in 0..3 {
        server.create_user(&format!("n{index}"), name);
    }
    let first =
        server.ask("GET /users/?count=2&last_name=a+b%2Bc%26d%3De%2541%C3%A9%F0%9F%8E%89%23%3F/%3C%3E%22");
    assert_eq!(first.json()["meta"]["filters"]["last_name"], name);
    let next = target(&server, first.header("Link").unwrap(), "next");
    let second = server.ask(&format!("GET {next}")).json();
    assert_eq!(second["meta"]["filters"]["last_name"], name);
    assert_eq!(second["object_list"].as_array().unwrap().iter().map(id_of).collect::<Vec<_>>(), [3]);
}

#[test]
fn following_next_visits_every_record_and_following_prev_leads_back() {
    let server = with_does(&configs::built_in(), 11);
    let mut path = "/users/?last_name=Doe&count=4".to_owned();
    let mut seen = Vec::new();
    let mut last = path.clone();
    while let Some(link) = link(&server, &path) {
        seen.extend(server.ids(&path));
        last.clone_from(&path);
        if !link.contains(r#"rel="next""#) {
            break;
        }
        path = target(&server, &link, "next");
    }
    assert_eq!(seen, (1..=11).collect::<Vec<_>>());
    for expected in [[5, 6, 7, 8], [1, 2, 3, 4]] {
        last = target(&server, &link(&server, &last).unwrap(), "prev");
        assert_eq!(server.ids(&last), expected);
    }
}

#[test]
fn the_key_is_not_in_a_link() {
    let server = with_does(&configs::built_in(), 21);
    for parameter in ["accesskey", "apikey"] {
        assert_eq!(
            link(&server, &format!("/users/?{parameter}=secret&last_name=Doe")).as_deref(),
            Some(r#"<{base_url}/users/?last_name=Doe&offset=20>; rel="next""#)
        );
    }
}

#[test]
fn a_link_starts_with_the_host_of_the_request_or_the_configured_base_url() {
    let server = with_does(&configs::built_in(), 21);
    let answer = server.send(&Request::new("GET /users/").header("Host", "book.test:8042"));
    assert_eq!(answer.header("Link"), Some(r#"<http://book.test:8042/users/?offset=20>; rel="next""#));
    let home = server.stop();
    let server = home.serve_with(&["--base-url", "https://book.example.org"]);
    assert_eq!(
        link(&server, "/users/").as_deref(),
        Some(r#"<https://book.example.org/users/?offset=20>; rel="next""#)
    );
}

/// A filter may be sent in fewer bytes than it is written with: what is not ASCII need not be encoded in a request.
#[test]
fn a_link_is_never_longer_than_a_url_may_be() {
    let server = Server::start(&configs::built_in());
    let (mut linked, mut unlinked) = (0, 0);
    for letters in [100, 1_000, 1_356, 1_357, 1_358, 1_359, 1_360, 1_361, 1_362, 2_000, 4_000] {
        let name = "é".repeat(letters);
        for _ in 0..2 {
            server.create_user("x", &name);
        }
        let answer = server.ask(&format!("GET /users/?last_name={name}&count=1"));
        assert_eq!((answer.status, answer.json()["meta"]["total_count"].as_u64()), (200, Some(2)));
        let Some(link) = answer.header("Link") else {
            unlinked += 1;
            continue;
        };
        linked += 1;
        let url = link.split('>').next().unwrap().trim_start_matches('<').replace(&server.base_url(), "");
        assert!(url.len() <= 8 * 1024, "{}", url.len());
        assert_eq!(server.ask(&format!("GET {url}")).status, 200);
    }
    assert!(linked >= 3 && unlinked >= 3, "{linked} and {unlinked}");
}
