//! Who may import, by which methods, and what a request must be: its type, its length, its end.

use dev::answer::NOT_FOUND;
use dev::configs;
use dev::request::Request;
use serde_json::json;

use crate::support::home::Home;
use crate::support::imports::{CSV, JSON_LINES, VCARD, counts, csv, import};
use crate::support::server::Server;

const ADA: &str = "first_name,last_name\nAda,Lovelace\n";
const AT_HOME: &str = "first_name,last_name,address.country,address.city,address.street,address.number\n\
                       Ada,Lovelace,UK,London,St James Square,12\n";
const CARD: &str =
    "BEGIN:VCARD\nVERSION:3.0\nN:Lovelace;Ada;;;\nADR:;;12 St James Square;London;;;UK\nEND:VCARD\n";

/// Users and addresses only for known keys.
fn guarded() -> String {
    let access = "page_size = 20\n[collection.access]\nauthentication = true\nauthorization = true";
    configs::patient(&configs::built_in().replace("page_size = 20", access))
}

#[test]
fn whoever_may_create_all_that_is_in_a_file_may_import_it() {
    let home = Home::new(&guarded());
    let key = |name: &str, scope: &str| {
        home.run(&["keys", "create", name, "--scope", scope]).exits(0).stdout.trim_end().to_owned()
    };
    let (reader, writer) = (key("reader", "*:read"), key("writer", "users:write"));
    let both = key("both", "users:write,address:write");
    let server = home.serve();
    let total = || {
        server.send(&Request::new("GET /users/").header("X-API-Key", &reader)).json()["meta"]["total_count"]
            .clone()
    };
    let refused = |key: &str, request: Request, name: &str| {
        let words = format!("This access key may not write {name}: it needs the scope {name}:write");
        assert_eq!(server.refuses_request(&request.header("X-API-Key", key), 403), words);
    };
    server.refuses_request(&csv("users/", ADA), 401);
    refused(&reader, csv("users/", ADA), "users");
    refused(&writer, csv("address/", "city\nParis\n"), "address");
    refused(&writer, csv("users/", AT_HOME), "address");
    refused(&writer, csv("users/?dry_run=true", AT_HOME), "address");
    refused(&writer, csv("users/?map=Town=address.city", AT_HOME.replace("address.city", "Town")), "address");
    refused(&writer, import("users/", VCARD, CARD), "address");
    assert_eq!(total(), 0);
    let report = server.imports(&csv("users/", ADA).header("X-API-Key", &writer));
    assert_eq!(counts(&report), [1, 0, 0]);
    // A key in the query is no option of the import.
    let report = server.imports(&csv(&format!("users/?accesskey={writer}&match=none"), ADA));
    assert_eq!(counts(&report), [1, 0, 0]);
    let report = server.imports(&csv("users/", AT_HOME).header("X-API-Key", &both));
    assert_eq!((counts(&report), &report["related"], total()), ([1, 0, 0], &json!({"address": 1}), json!(3)));
}

#[test]
fn a_report_is_for_who_made_it_and_for_admins() {
    let home = Home::new(&guarded());
    let [maker, other, admin] = ["the-key-of-the-maker", "the-key-of-another-one", "the-key-of-an-admin"];
    home.add_key("maker", maker);
    home.add_key("other", other);
    home.add_admin("admin", admin);
    let server = home.serve();
    let faulty = csv("users/", "first_name,last_name\nAda,\n").header("X-API-Key", maker);
    let refused = server.refuses_request(&faulty, 400);
    let done = server.imports(&csv("users/", ADA).header("X-API-Key", maker));
    for path in [refused.rsplit(' ').next().unwrap(), done["ressource_uri"].as_str().unwrap()] {
        let status =
            |key: &str| server.send(&Request::new(&format!("GET {path}")).header("X-API-Key", key)).status;
        assert_eq!([maker, other, admin].map(status), [200, 404, 200], "{path}");
        assert!([401, 404].contains(&server.status(&format!("GET {path}"))));
    }
}

#[test]
fn an_import_is_judged_as_a_create() {
    let server = Server::start(&configs::verbs(r#"["GET"]"#, r#"["GET"]"#));
    let answer = server.send(&csv("users/", ADA));
    assert_eq!((answer.status, answer.header("Allow")), (405, Some("OPTIONS")));
    assert_eq!(server.ask("OPTIONS /_/import/users/").header("Allow"), Some("OPTIONS"));
    assert_eq!(server.total("/users/"), 0);

    let server = Server::start(&configs::built_in());
    server.check("OPTIONS /_/import/users/", "204 No Content\nAllow: OPTIONS, POST");
    for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE"] {
        let answer = server.ask(&format!("{method} /_/import/users/"));
        assert_eq!((answer.status, answer.allow().as_deref()), (405, Some("OPTIONS, POST")), "{method}");
    }
    let path = server.imports(&csv("users", ADA))["ressource_uri"].as_str().unwrap().to_owned();
    server.check(&format!("OPTIONS {path}"), "204 No Content\nAllow: GET, HEAD, OPTIONS");
    let answer = server.ask(&format!("DELETE {path}"));
    assert_eq!((answer.status, answer.allow().as_deref()), (405, Some("GET, HEAD, OPTIONS")));
    let elsewhere = csv("users/?match=none", ADA).header("Origin", "https://evil.example");
    assert!(server.refuses_request(&elsewhere, 403).starts_with("A web page of another origin"));
    assert_eq!(server.total("/users/"), 1);

    let home = Home::new(&configs::guarded_and_rate_limited(2));
    home.add_key("alice", "the-key-of-alice-1");
    let server = home.serve();
    let ask = || server.send(&csv("users/", ADA).header("X-API-Key", "the-key-of-alice-1")).status;
    assert_eq!([ask(), ask(), ask()], [200, 200, 429]);
}

#[test]
fn there_is_no_import_without_a_collection_and_no_report_without_a_number() {
    let server = Server::start(&configs::built_in());
    for path in ["nobody/", "users/1/", "", "import/"] {
        server.check_request(&csv(path, ADA), NOT_FOUND);
    }
    for path in ["/_/imports/", "/_/imports/99/", "/_/imports/0/", "/_/imports/-1/", "/_/imports/x/"] {
        server.check(&format!("GET {path}"), NOT_FOUND);
    }
}

#[test]
fn the_type_of_the_body_says_its_format() {
    let server = Server::start(&configs::built_in());
    let words = "An import must be text/csv, application/x-ndjson or text/vcard";
    for kind in ["application/json", "text/plain", "text/csvx", "text", "multipart/form-data; boundary=x"] {
        assert_eq!(server.refuses_request(&import("users/", kind, ADA), 415), words, "{kind}");
    }
    assert_eq!(server.refuses_request(&Request::new("POST /_/import/users/").body(ADA), 415), words);
    assert_eq!(server.total("/users/"), 0);
    for kind in ["text/csv; charset=utf-8; header=present", "Text/CSV", "text/csv;charset=UTF-8"] {
        server.imports(&import("users/", kind, ADA));
    }
    assert_eq!(server.total("/users/"), 1);
    // Its encoding counts, unless a parameter says another one.
    let zoe = b"first_name,last_name\nZo\xeb,Doe\n";
    server.imports(&import("users/", "text/csv; charset=\"Windows-1252\"", zoe));
    server.imports(&import("users/?encoding=windows-1252", "text/csv; charset=utf-16", zoe));
    assert_eq!(server.total("/users/?first_name=Zo%C3%AB"), 1);
    let refused = server.refuses_request(&import("users/", "text/csv; charset=koi8-r", zoe), 400);
    assert!(refused.starts_with("encoding: koi8-r is not known"), "{refused}");
}

/// A body in pieces of ten bytes, whose length nobody says.
fn chunked(request: Request, body: &[u8]) -> Request {
    let mut pieces = Vec::new();
    for piece in body.chunks(10) {
        pieces.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        pieces.extend([piece, b"\r\n"].concat());
    }
    request.header("Transfer-Encoding", "chunked").body([&pieces[..], b"0\r\n\r\n"].concat())
}

#[test]
fn a_file_may_be_as_long_as_the_configuration_says() {
    let typed = || Request::new("POST /_/import/users/?match=none").header("Content-Type", CSV);
    for (setting, limit) in [("max_import = 1000", 1000), ("max_import = \"2KiB\"\nmax_body = 100", 2048)] {
        let server = Server::start(&configs::with_server(setting));
        let file = |length: usize| format!("{ADA}Bob,{}\n", "x".repeat(length - ADA.len() - 5)).into_bytes();
        for (length, status) in [(limit, 200), (limit + 1, 413)] {
            let file = file(length);
            assert_eq!(file.len(), length);
            assert_eq!(server.send_anyway(&chunked(typed(), &file)).status, status, "{setting}");
            assert_eq!(server.send_anyway(&typed().body(file)).status, status, "{setting}");
        }
        let asks = typed().header("Expect", "100-continue").header("Content-Length", "1000000");
        assert_eq!(server.send_anyway(&asks).status, 413, "{setting}");
        assert_eq!(server.total("/users/"), 4, "{setting}");
    }
    let server = Server::start(&configs::with_server("max_import = 0"));
    server.check_request(&csv("users/", ADA), NOT_FOUND);
    server.check("OPTIONS /_/import/users/", NOT_FOUND);
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn a_file_without_entries_adds_nothing_and_one_without_a_header_has_a_fault() {
    let server = Server::start(&configs::built_in());
    for empty in ["", "\n"] {
        server.finds_faults(&csv("users/", empty), "line 1: the file has no header", 1);
    }
    for (kind, file) in [(CSV, "first_name,last_name\n"), (JSON_LINES, ""), (JSON_LINES, "[]"), (VCARD, "")] {
        let report = server.imports(&import("users/", kind, file));
        assert_eq!((counts(&report), &report["entries"]), ([0, 0, 0], &json!(0)), "{kind} {file:?}");
    }
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn a_body_that_breaks_off_is_no_file() {
    let server = Server::start(&configs::built_in());
    let longer = csv("users/", ADA).header("Content-Length", "1000");
    let mut in_pieces = chunked(csv("users/", ""), ADA.as_bytes()).bytes("localhost");
    in_pieces.truncate(in_pieces.len() - b"0\r\n\r\n".len());
    for bytes in [longer.bytes("localhost"), in_pieces] {
        let mut client = server.client();
        client.write_all_meanwhile(bytes);
        let status = client.status_to_end();
        assert!(status == 0 || (400..500).contains(&status), "{status}");
        assert_eq!(server.total("/users/"), 0);
    }
    // It stands in nobody's way.
    assert_eq!(counts(&server.imports(&csv("users/", ADA))), [1, 0, 0]);
}
