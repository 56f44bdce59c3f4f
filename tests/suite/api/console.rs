//! How the console is served: who is sent to it, what a browser may keep, what else is there.

use std::io::Read;

use dev::answer::{Answer, NOT_FOUND};
use dev::configs;
use dev::request::Request;
use flate2::read::GzDecoder;

use crate::support::server::Server;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// All that a browser downloads, compressed.
const LARGEST: usize = 80 * 1024;

fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = Request::new(&format!("GET {path}"));
    server.send(&headers.iter().fold(request, |request, (name, value)| request.header(name, value)))
}

/// Where the page finds its script.
fn script(server: &Server) -> String {
    let page = get(server, "/console/", &[]);
    let named = page.body_text().split("src=\"").nth(1).unwrap().split('"').next().unwrap();
    format!("/console/{named}")
}

fn unpacked(answer: &Answer) -> Vec<u8> {
    assert_eq!(answer.header("Content-Encoding"), Some("gzip"), "{answer:?}");
    let mut plain = Vec::new();
    GzDecoder::new(answer.body.as_slice()).read_to_end(&mut plain).unwrap();
    plain
}

#[test]
fn a_browser_at_the_root_is_sent_to_the_console_and_everybody_else_is_not() {
    let server = Server::start(&configs::built_in());
    let sent = get(&server, "/", &[("Accept", BROWSER)]);
    assert_eq!((sent.status, sent.header("Location")), (303, Some("console/")), "{sent:?}");
    assert_eq!(sent.header("Vary"), Some("Accept"));
    for accept in ["*/*", "application/json", "text/html;q=0, application/json"] {
        let answer = get(&server, "/", &[("Accept", accept)]);
        assert_eq!((answer.status, answer.json()["name"].as_str()), (200, Some("carnet")), "{accept}");
        assert_eq!(answer.header("Vary"), Some("Accept"));
    }
}

#[test]
fn the_page_says_what_it_may_do_and_that_it_must_be_asked_for_again() {
    let server = Server::start(&configs::built_in());
    for path in ["/console/", "/console/api"] {
        let page = get(&server, path, &[]);
        assert_eq!((page.status, page.header("Content-Type")), (200, Some("text/html; charset=utf-8")));
        assert_eq!(
            page.header("Content-Security-Policy"),
            Some(
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                 base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            )
        );
        assert_eq!(page.header("Referrer-Policy"), Some("no-referrer"));
        assert_eq!(page.header("X-Content-Type-Options"), Some("nosniff"));
        assert_eq!(page.header("Cache-Control"), Some("no-cache"));
    }
}

#[test]
fn the_page_has_one_address_from_which_its_files_are_found() {
    let server = Server::start(&configs::built_in());
    for (path, better) in [("/console", "console/"), ("/console/api/", "../api")] {
        let answer = get(&server, path, &[]);
        assert_eq!((answer.status, answer.header("Location")), (303, Some(better)), "{path}");
    }
}

#[test]
fn who_has_the_page_already_is_told_so() {
    let server = Server::start(&configs::built_in());
    for encoding in ["gzip, br", "identity"] {
        let page = get(&server, "/console/", &[("Accept-Encoding", encoding)]);
        let tag = page.header("ETag").unwrap().to_owned();
        let again = get(&server, "/console/", &[("Accept-Encoding", encoding), ("If-None-Match", &tag)]);
        assert_eq!((again.status, again.header("ETag")), (304, Some(tag.as_str())), "{again:?}");
        assert_eq!(again.header("Cache-Control"), Some("no-cache"));
        let other = get(&server, "/console/", &[("If-None-Match", "\"00000000000000000000000000000000\"")]);
        assert_eq!(other.status, 200);
    }
}

#[test]
fn the_script_is_kept_for_ever_under_the_name_of_its_content() {
    let server = Server::start(&configs::built_in());
    let path = script(&server);
    let plain = get(&server, &path, &[]);
    assert_eq!((plain.status, plain.header("Content-Type")), (200, Some("text/javascript; charset=utf-8")));
    assert_eq!(plain.header("Cache-Control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(plain.header("Content-Encoding"), None);
    let packed = get(&server, &path, &[("Accept-Encoding", "gzip")]);
    assert_eq!(packed.header("Vary"), Some("accept-encoding"));
    assert_ne!(packed.header("ETag"), plain.header("ETag"), "other bytes, another tag");
    assert_eq!(unpacked(&packed), plain.body);
    let refused = get(&server, &path, &[("Accept-Encoding", "gzip;q=0")]);
    assert_eq!(refused.header("Content-Encoding"), None);
}

#[test]
fn all_of_it_together_is_small() {
    let server = Server::start(&configs::built_in());
    let sizes = ["/console/".to_owned(), script(&server), script(&server).replace("app.js", "licences.txt")]
        .map(|path| get(&server, &path, &[("Accept-Encoding", "gzip")]).body.len());
    assert!(sizes.iter().sum::<usize>() <= LARGEST, "{sizes:?}");
}

#[test]
fn head_is_answered_as_get_and_other_methods_are_not_allowed() {
    let server = Server::start(&configs::built_in());
    let path = script(&server);
    for path in ["/console/", path.as_str()] {
        let head = server.send(&Request::new(&format!("HEAD {path}")));
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.header("ETag"), get(&server, path, &[]).header("ETag"));
        let post = server.send(&Request::new(&format!("POST {path}")).json("{}"));
        assert_eq!((post.status, post.allow().as_deref()), (405, Some("GET, HEAD, OPTIONS")));
        assert_eq!(server.status(&format!("OPTIONS {path}")), 204);
    }
}

#[test]
fn what_the_console_does_not_have_is_not_found() {
    let server = Server::start(&configs::built_in());
    for path in [
        "/console/app.js",
        "/console/0000000000000000/app.js",
        "/console/index.html",
        "/console/../Cargo.toml",
        "/console/api/users",
    ] {
        server.check(&format!("GET {path}"), NOT_FOUND);
        server.check(&format!("POST {path}"), NOT_FOUND);
    }
}

#[test]
fn the_console_can_be_taken_away() {
    let server = Server::start(&configs::with_server("console = false"));
    server.check("GET /console/", NOT_FOUND);
    server.check("GET /console/api", NOT_FOUND);
    let root = get(&server, "/", &[("Accept", BROWSER)]);
    assert_eq!((root.status, root.header("Vary")), (200, None));
}

#[test]
fn the_console_is_open_to_those_without_a_key() {
    let server = Server::start(&configs::guarded());
    assert_eq!(server.status("GET /console/"), 200);
    assert_eq!(server.status(&format!("GET {}", script(&server))), 200);
}
