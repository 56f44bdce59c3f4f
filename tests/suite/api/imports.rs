//! `POST /_/import/…`: what comes in from a file, what can be said about it, and what is said of its faults.

use std::fmt::Write;

use dev::configs;
use serde_json::{Value, json};

use crate::support::imports::{CSV, JSON_LINES, VCARD, counts, csv, import};
use crate::support::server::Server;

/// The names of the user that was created last.
fn newest(server: &Server) -> [String; 2] {
    let users = server.walk("/users/");
    ["first_name", "last_name"].map(|field| users.last().unwrap()[field].as_str().unwrap().to_owned())
}

#[test]
fn files_of_every_format_come_in_once_however_often_they_are_sent() {
    let rows = "first_name,last_name,address.country,address.city,address.street,address.number\r\n\
                Ada,Lovelace,UK,London,St James Square,12\r\nJosé,\"García, M.\",,,,\r\n";
    let lines = "{\"first_name\":\"Ada\",\"last_name\":\"Lovelace\"}\n\
                 {\"last_name\":\"García, M.\",\"first_name\":\"José\",\"address\":null}\n";
    let array = format!("[{}]", lines.trim_end().replace('\n', ","));
    let cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lovelace;Ada;;;\r\nFN:Ada Lovelace\r\n\
                 ADR:;;12 St James Square;London;;;UK\r\nPHOTO:x\r\nEND:VCARD\r\n\
                 BEGIN:VCARD\r\nVERSION:3.0\r\nN:García\\, M.;José;;;\r\nFN:José\r\nEND:VCARD\r\n";
    for (kind, format, file, related, ignored) in [
        (CSV, "csv", rows, json!({"address": 1}), json!({})),
        (JSON_LINES, "jsonl", lines, json!({}), json!({})),
        (JSON_LINES, "jsonl", &array, json!({}), json!({})),
        (VCARD, "vcard", cards, json!({"address": 1}), json!({"PHOTO": 1})),
    ] {
        let server = Server::start(&configs::built_in());
        let request = import("users/?ignore=PHOTO", kind, file);
        let first = server.imports(&request);
        assert_eq!((&first["format"], &first["collection"]), (&json!(format), &json!("users")));
        assert_eq!((&first["entries"], &first["read"]), (&json!(2), &json!(2)), "{first}");
        assert_eq!((counts(&first), &first["related"]), ([2, 0, 0], &related), "{first}");
        assert_eq!(first["ignored"], ignored, "{first}");
        let contents = server.contents();
        let names: Vec<_> = contents.1.iter().map(|user| [&user["first_name"], &user["last_name"]]).collect();
        assert_eq!(names, [["Ada", "Lovelace"], ["José", "García, M."]]);
        if related != json!({}) {
            let address = &contents.0[0];
            assert_eq!((&address["city"], &address["number"]), (&json!("London"), &json!(12)));
            assert_eq!(contents.1[0]["address"], 1);
        }
        for _ in 0..2 {
            let again = server.imports(&request);
            assert_eq!((counts(&again), &again["related"]), ([0, 0, 2], &json!({})), "{again}");
            assert!(again["id"].as_i64() > first["id"].as_i64(), "{again}");
            assert_eq!(server.contents(), contents, "{format}");
        }
    }
}

#[test]
fn a_report_says_what_was_done_and_is_kept() {
    let server = Server::start(&configs::built_in());
    let answer =
        server.send(&csv("users/?map=Vorname=first_name", "Vorname,Last Name\nAda,Lovelace\nBob,Doe\n"));
    let report = answer.json();
    let path = format!("/_/imports/{}/", report["id"]);
    let expected = json!({
        "id": report["id"], "ressource_uri": path, "collection": "users", "format": "csv", "state": "done",
        "dry_run": false, "entries": 2, "read": 2, "created": 2, "updated": 0, "unchanged": 0,
        "related": {}, "ignored": {}, "fault_count": 0, "faults": [],
        "not_taken": [], "unfilled": [], "asks_for_ids": false,
        "mapping": [
            {"column": "Vorname", "field": "first_name"},
            {"column": "Last Name", "field": "last_name"},
        ],
        "first": [
            r#"{"first_name":"Ada","last_name":"Lovelace","address":null}"#,
            r#"{"first_name":"Bob","last_name":"Doe","address":null}"#,
        ],
        "error": null,
    });
    assert_eq!((answer.status, &report), (200, &expected));
    assert_eq!(server.ask(&format!("GET {path}")).body_text(), answer.body_text());
    let server = server.stop().serve();
    assert_eq!(server.report(&path), expected);
}

#[test]
fn what_a_file_leaves_open_is_said_by_parameters() {
    let server = Server::start(&configs::built_in());
    for (parameters, file, names) in [
        (
            "map=Vorname=first_name&map=Nach%20name=last_name",
            &b"Vorname,Nach name\nAda,a\n"[..],
            ["Ada", "a"],
        ),
        ("ignore=x&ignore=y%20z", b"first_name,last_name,x,y z\nAda,b,1,2\n", ["Ada", "b"]),
        ("ignore_rest=true", b"first_name,last_name,x,y\nAda,c,1,2\n", ["Ada", "c"]),
        ("fill=last_name=d%20e&fill=first_name=Ada", b"first_name,last_name\n,\n", ["Ada", "d e"]),
        ("encoding=windows-1252", b"first_name,last_name\nJos\xe9,f\n", ["José", "f"]),
        ("delimiter=~", b"first_name~last_name\nAda~g\n", ["Ada", "g"]),
    ] {
        let before = server.contents();
        // Without them nothing is guessed.
        server.refuses_request(&csv("users/", file), 400);
        server.refuses_request(&csv("users/?ignore_rest=false", file), 400);
        assert_eq!(server.contents(), before, "{parameters}");
        let report = server.imports(&csv(&format!("users/?{parameters}"), file));
        assert_eq!((counts(&report), newest(&server)), ([1, 0, 0], names.map(str::to_owned)), "{parameters}");
    }
    let guarded = "first_name,last_name\n'=a,''-b\n";
    for (parameters, names) in [
        ("match=none", ["'=a", "''-b"]),
        ("match=none&spreadsheet=true", ["=a", "'-b"]),
        ("match=none&spreadsheet=false", ["'=a", "''-b"]),
    ] {
        server.imports(&csv(&format!("users/?{parameters}"), guarded));
        assert_eq!(newest(&server), names, "{parameters}");
    }
}

#[test]
fn parameters_say_which_record_an_entry_means_and_what_becomes_of_it() {
    let server = Server::start(&configs::built_in());
    server.create_user("Ada", "Lovelace");
    let file = "first_name,last_name\nAugusta,Lovelace\n";
    let refused = csv("users/?match=last_name&existing=refuse", file);
    server.finds_faults(&refused, "line 2: record 1 is there already", 1);
    for (parameters, file, expected, name) in [
        ("match=last_name&existing=keep", file, [0, 0, 1], "Ada"),
        ("match=last_name&existing=update", file, [0, 1, 0], "Augusta"),
        ("match=last_name", file, [0, 0, 1], "Augusta"),
        ("match=id", "id,first_name\n1,Ada\n", [0, 1, 0], "Ada"),
        ("match=first_name,last_name", file, [1, 0, 0], "Ada"),
        ("match=none", file, [1, 0, 0], "Ada"),
    ] {
        let report = server.imports(&csv(&format!("users/?{parameters}"), file));
        assert_eq!(counts(&report), expected, "{parameters}");
        assert_eq!(server.ask("GET /users/1/").json()["first_name"], name, "{parameters}");
    }
    assert_eq!(server.total("/users/"), 3);
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let server = Server::start(&configs::built_in());
    server.create_user("Ada", "Lovelace");
    let before = server.contents();
    let file = "first_name,last_name\nAda,Lovelace\nBob,Doe\n";
    let report = server.imports(&csv("users/?dry_run=true", file));
    assert_eq!((&report["dry_run"], &report["entries"]), (&json!(true), &json!(2)), "{report}");
    assert_eq!(counts(&report), [1, 0, 1]);
    assert_eq!(report["mapping"][0], json!({"column": "first_name", "field": "first_name"}));
    assert_eq!(report["first"][1], r#"{"first_name":"Bob","last_name":"Doe","address":null}"#);
    let faulty = csv("users/?dry_run=true", "first_name,last_name\nAda,\n");
    let report = server.finds_faults(&faulty, "line 2: last_name is missing", 1);
    assert_eq!(report["dry_run"], true);
    assert_eq!(server.contents(), before);
    assert_eq!(counts(&server.imports(&csv("users/?dry_run=false", file))), [1, 0, 1]);
}

#[test]
fn parameters_that_are_unknown_wrong_or_given_twice_are_refused() {
    let server = Server::start(&configs::built_in());
    let said = |query: &str| {
        server.refuses_request(&csv(&format!("users/?{query}"), "first_name,last_name\na,b\n"), 400)
    };
    for name in ["nick", "format", "into", "faults", "server", "offset", "first_name", "dry-run", "Match"] {
        assert_eq!(said(&format!("{name}=1")), format!("{name} is not an option of an import"));
    }
    for (query, words) in [
        ("existing=now", "existing: now is not update, keep or refuse"),
        ("match=nick", "match: nick is no field of users"),
        ("map=nick", "map: nick does not say NAME=VALUE"),
        ("map=a=first_name&map=nick", "map: nick does not say NAME=VALUE"),
        ("fill=nick", "fill: nick does not say NAME=VALUE"),
        ("fill=nick=1", "fill: nick is no field of users"),
        ("delimiter=ab", "delimiter: it is one character, or tab"),
    ] {
        assert_eq!(said(query), words, "{query}");
    }
    for query in ["encoding=klingon", "ignore_rest=1", "spreadsheet=yes", "dry_run=TRUE", "dry_run="] {
        let name = query.split('=').next().unwrap();
        let words = said(query);
        assert!(words.starts_with(&format!("{name}: ")), "{query}: {words}");
    }
    for query in [
        "match=none",
        "existing=keep",
        "ignore_rest=true",
        "encoding=utf-8",
        "delimiter=tab",
        "spreadsheet=true",
        "dry_run=true",
    ] {
        let name = query.split('=').next().unwrap();
        let words = said(&format!("{query}&{query}"));
        assert!(words.contains(name) && words.contains("twice"), "{query}: {words}");
    }
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn one_fault_and_nothing_is_stored() {
    let server = Server::start(&configs::built_in());
    let before = server.contents();
    let file = "first_name,last_name,address\na,b,\nc,,12a\ne,f,\n,h,\n";
    let lines = "{\"first_name\":\"a\",\"last_name\":\"b\"}\n{\"first_name\":\"c\",\"last_name\":7}\n";
    let cards = "BEGIN:VCARD\nVERSION:3.0\nN:b;a\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nN:d;c\n";
    let report = server.finds_faults(&csv("users/", file), "line 3: last_name is missing", 3);
    let fault = |line: i64, words: &str| json!({"line": line, "fault": words, "remedy": null});
    let faults = [
        fault(3, "line 3: last_name is missing"),
        fault(3, "line 3: address does not validate: \"12a\""),
        fault(5, "line 5: first_name is missing"),
    ];
    assert_eq!((&report["faults"], &report["entries"]), (&json!(faults), &json!(4)), "{report}");
    server.finds_faults(&import("users/", JSON_LINES, lines), "line 2: last_name does not validate: 7", 1);
    server.finds_faults(&import("users/", VCARD, cards), "the card at line 5 has no END:VCARD", 1);
    assert_eq!(server.contents(), before);
}

#[test]
fn of_many_faults_a_thousand_are_told_and_all_are_counted() {
    let server = Server::start(&configs::built_in());
    let mut file = "first_name,last_name\nAda,Lovelace\n".to_owned();
    (0..1_500).for_each(|number| writeln!(file, "F{number},").unwrap());
    let report = server.finds_faults(&csv("users/", file), "line 3: last_name is missing", 1_500);
    let expected: Vec<Value> = (3..1_003)
        .map(|line| json!({"line": line, "fault": format!("line {line}: last_name is missing"), "remedy": null}))
        .collect();
    assert_eq!((&report["faults"], &report["entries"]), (&Value::Array(expected), &json!(1_501)));
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn what_could_be_said_about_a_file_is_told_in_words_and_by_name() {
    let server = Server::start(&configs::built_in());
    server.create_user("Ada", "Lovelace");
    let open = |report: &Value| json!([report["not_taken"], report["unfilled"], report["asks_for_ids"]]);
    let cards = "BEGIN:VCARD\nVERSION:3.0\nN:Doe;Jo;;;\nPHOTO:x\nTEL:1\nTEL:2\nEND:VCARD\n";
    let homeless = "first_name,last_name,address.country,address.city,address.street\nA,B,C,D,E\n";
    for (request, words, remedy, left_open) in [
        (
            csv("users/", "first_name,last_name,Nick Name,id\nA,B,C,\n"),
            "line 1: the column Nick Name is no field of users",
            "Map it with --map 'Nick Name=FIELD', or leave it out with --ignore 'Nick Name'",
            json!([["Nick Name"], [], false]),
        ),
        (
            import("users/", VCARD, cards),
            "not taken: PHOTO (1), TEL (2)",
            "Leave them out with --ignore PHOTO --ignore TEL, or all such with --ignore-rest",
            json!([["PHOTO", "TEL"], [], false]),
        ),
        (
            csv("users/", "id,first_name,last_name\n1,A,B\n"),
            "the file has ids, and users has records",
            "Say --match id if they are ours, or --ignore id",
            json!([[], [], true]),
        ),
        (
            csv("users/", &b"first_name,last_name\nA,\xff\n"[..]),
            "line 2 is not UTF-8 (byte 23)",
            "Say what the file is: --encoding windows-1252",
            json!([[], [], false]),
        ),
        (
            csv("users/", homeless),
            "line 2: address.number is missing",
            "Give one with --fill address.number=0",
            json!([[], ["address.number"], false]),
        ),
    ] {
        let report = server.finds_faults(&request, &format!("{words}. {remedy}"), 1);
        assert_eq!(report["faults"][0]["remedy"], remedy);
        assert_eq!(open(&report), left_open, "{report}");
    }
    let wrong = server.refuses_request(&csv("users/?map=a=b", "a\n1\n"), 400);
    assert_eq!(wrong, "map: b is no field of users");
}
