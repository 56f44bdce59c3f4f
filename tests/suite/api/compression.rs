//! Answers in gzip and zstd: who gets them, what they are called, and which are never compressed.

use std::io::Read;

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

/// A server with one short and one long record, and a page of 20.
fn server() -> Server {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    server.create_user("Long", &"Name ".repeat(400));
    for number in 0..20 {
        server.create_user("Ann", &format!("No {number}"));
    }
    server
}

fn with(line: &str, codings: &str) -> Request {
    Request::new(line).header("Accept-Encoding", codings)
}

/// The body as it was before it was compressed.
fn plain(answer: &Answer) -> Vec<u8> {
    let mut read = Vec::new();
    match answer.header("Content-Encoding") {
        Some("gzip") => {
            flate2::read::GzDecoder::new(&*answer.body).read_to_end(&mut read).unwrap();
        }
        Some("zstd") => read = zstd::stream::decode_all(&*answer.body).unwrap(),
        Some(other) => panic!("{other}: {answer:?}"),
        None => read = answer.body.clone(),
    }
    read
}

#[test]
fn an_answer_of_a_kilobyte_comes_as_the_client_likes_it() {
    let server = server();
    for path in ["/users/", "/users/2/", "/openapi.json", "/schema/", "/metrics"] {
        let mut client = server.client();
        let bare = client.send(&Request::new(&format!("GET {path}")));
        assert_eq!(bare.header("Content-Encoding"), None, "{path}");
        let is_long = bare.body.len() >= 1024;
        assert_eq!(bare.header("Vary"), is_long.then_some("Accept-Encoding"), "{path}");
        for (codings, coding) in [
            ("gzip", Some("gzip")),
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("gzip;q=1, zstd;q=0.5", Some("gzip")),
            ("identity;q=0, gzip;q=0.1", Some("gzip")),
            ("identity", None),
            ("identity;q=0", None),
            ("br", None),
            ("gzip;q=0", None),
            ("", None),
        ] {
            let line = format!("GET {path}");
            let answer = client.read_compressed(&with(&line, codings));
            assert_eq!(answer.header("Content-Encoding"), coding.filter(|_| is_long), "{path} {codings}");
            assert_eq!(answer.header("Vary"), bare.header("Vary"), "{path} {codings}");
            if path != "/metrics" {
                assert_eq!(plain(&answer), bare.body, "{path} {codings}");
            }
            if answer.header("Content-Encoding").is_some() {
                assert!(
                    answer.body.len() < bare.body.len() * 2 / 3,
                    "{path} {codings}: {}",
                    answer.body.len()
                );
            }
        }
        assert_eq!(client.opened(), 1);
    }
    // A short one is not worth it.
    let answer = server.send(&with("GET /users/1/", "gzip, zstd"));
    assert_eq!((answer.header("Content-Encoding"), answer.header("Vary")), (None, None));
}

#[test]
fn head_says_what_get_would() {
    let server = server();
    let mut client = server.client();
    for codings in ["gzip", "zstd", "identity"] {
        let get = client.read_compressed(&with("GET /users/2/", codings));
        let head = client.read_compressed(&with("HEAD /users/2/", codings));
        for name in ["Content-Encoding", "Content-Length", "ETag", "Vary", "Content-Type"] {
            assert_eq!(head.header(name), get.header(name), "{codings} {name}");
        }
        assert_eq!(get.header("Content-Length"), Some(get.body.len().to_string().as_str()));
    }
}

#[test]
fn a_tag_names_its_coding_and_is_understood_with_and_without() {
    let server = server();
    let bare = server.ask("GET /users/2/").header("ETag").unwrap().to_owned();
    let digits = bare.trim_matches('"');
    let mut client = server.client();
    for coding in ["gzip", "zstd"] {
        let tag = client.read_compressed(&with("GET /users/2/", coding)).header("ETag").unwrap().to_owned();
        assert_eq!(tag, format!("\"{digits}-{coding}\""));
        for held in [&tag, &bare, &format!("W/{tag}")] {
            let answer = client.send(&with("GET /users/2/", coding).header("If-None-Match", held));
            assert_eq!((answer.status, answer.header("ETag")), (304, Some(tag.as_str())), "{held}");
            let answer = client.send(&Request::new("GET /users/2/").header("If-None-Match", held));
            assert_eq!((answer.status, answer.header("ETag")), (304, Some(bare.as_str())), "{held}");
            assert_eq!(answer.header("Vary"), Some("Accept-Encoding"), "as on the 200: {held}");
        }
        let put = Request::text(r#"PUT /users/2/ {"first_name":"Long"}"#);
        assert_eq!(client.send(&put.clone().header("If-Match", &tag)).status, 200);
        let foreign = format!("\"{digits}-br\"");
        assert_eq!(client.send(&put.header("If-Match", &foreign)).status, 412);
    }
}

#[test]
fn nothing_is_compressed_twice() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    let page = client.read_compressed(&with("GET /console/", "gzip, zstd"));
    assert_eq!(page.header("Content-Encoding"), Some("gzip"));
    assert!(String::from_utf8(plain(&page)).unwrap().contains("<html"));
}

#[test]
fn a_compressed_body_is_refused_unread() {
    let server = Server::start(&configs::built_in());
    let john = r#"{"first_name":"John","last_name":"Doe"}"#;
    for line in ["POST /users/", "PUT /users/1/"] {
        for coding in ["gzip", "zstd", "deflate", "br", "identity, gzip", "x"] {
            let request = Request::new(line).header("Content-Encoding", coding).json(john);
            if line.starts_with("PUT") {
                assert_eq!(server.send(&request).status, 404, "{coding}");
                continue;
            }
            let message = server.refuses_request(&request, 415);
            assert_eq!(
                message,
                "The body must not be compressed. Send it as it is, without Content-Encoding"
            );
        }
    }
    assert_eq!(server.total("/users/"), 0);
    let request = Request::new("POST /users/").header("Content-Encoding", "Identity").json(john);
    assert_eq!(server.send(&request).created_id(), 1);
}
