//! Imports that take long: followed by their reports, one for a collection at a time, in nobody's way, stopped and sent
//! again.

use std::collections::BTreeSet;

use dev::configs;
use dev::waiting::wait_until;
use serde_json::json;

use crate::support::home::Home;
use crate::support::imports::{counts, csv, is_under_way, people};
use crate::support::server::Server;

/// So many entries that reading them takes longer than anybody waits for a place.
const LONG: usize = 1_000_000;
const ADA: &str = "first_name,last_name\nAda,Lovelace\n";

#[test]
fn a_long_import_is_followed_to_its_end_and_another_one_has_to_wait() {
    let server = Server::start(&configs::built_in());
    let path = server.begins(csv("users/", people(20_000)));
    let refused = server.refuses_request(&csv("users/", ADA), 409);
    assert_eq!(refused, format!("An import into users is under way: {path}"));
    // Another collection is free.
    let towns = "country,city,street,number\nItaly,Roma,Via Appia,1\n";
    assert_eq!(counts(&server.imports(&csv("address/", towns))), [1, 0, 0]);
    let report = server.follow(&path);
    assert_eq!((&report["state"], &report["error"]), (&json!("done"), &json!(null)), "{report}");
    assert_eq!((counts(&report), &report["related"]), ([20_000, 0, 0], &json!({"address": 500})));
    assert_eq!((&report["entries"], &report["read"]), (&json!(20_000), &json!(20_000)));
    assert_eq!((server.total("/users/"), server.total("/address/")), (20_000, 501));
    assert_eq!(counts(&server.imports(&csv("users/", ADA))), [1, 0, 0]);
}

#[test]
fn an_import_that_nobody_waits_for_tells_of_its_faults_in_its_report() {
    let server = Server::start(&configs::built_in());
    let path = server.begins(csv("users/", people(20_000) + "F,,,,,\n"));
    let report = server.follow(&path);
    assert_eq!((&report["state"], &report["fault_count"]), (&json!("refused"), &json!(1)), "{report}");
    assert_eq!(
        report["faults"],
        json!([{"line": 20_002, "fault": "line 20002: last_name is missing", "remedy": null}])
    );
    assert_eq!((server.total("/users/"), server.total("/address/")), (0, 0));
}

#[test]
fn everybody_else_goes_on_to_write_while_an_import_runs() {
    let server = Server::start(&configs::built_in());
    let file = people(50_000);
    assert!(file.len() > 1 << 20, "longer than any other body may be");
    let path = server.begins(csv("users/", file));
    let mut client = server.client();
    let mut written = 0;
    let mut report = server.report(&path);
    while is_under_way(&report) {
        let id = client.ask(r#"POST /users/ {"first_name":"other","last_name":"one"}"#).created_id();
        let place = r#"{"country":"Italy","city":"Roma","street":"Via Appia","number":1}"#;
        let address = client.ask(&format!("POST /address/ {place}")).created_id();
        for request in [
            format!(r#"PUT /users/{id}/ {{"first_name":"changed","address":{address}}}"#),
            format!("GET /users/{id}/"),
        ] {
            let answer = client.ask(&request);
            assert_eq!(answer.status, 200, "{request}: {answer:?}");
        }
        written += 1;
        report = server.report(&path);
    }
    assert!(written >= 10, "{written}");
    assert_eq!((&report["state"], &report["fault_count"]), (&json!("done"), &json!(0)), "{report}");
    assert_eq!((counts(&report), server.total("/users/")), ([50_000, 0, 0], 50_000 + written));
    assert_eq!(
        (server.total("/users/?first_name=changed"), server.total("/address/")),
        (written, 500 + written)
    );
}

/// First without a warning, then as a supervisor does it.
#[test]
fn an_import_whose_server_ends_is_stopped_and_the_same_file_again_completes_it() {
    let home = Home::new(&configs::long_pages());
    // Enough for two that are cut off, also where whoever cuts them off has to wait for a processor.
    const ENTRIES: usize = 40_000;
    let (file, all) = (people(ENTRIES), ENTRIES as i64);
    let mut server = home.serve();
    for end in [Server::kill, Server::stop] {
        let stored = server.total("/users/");
        let path = server.begins(csv("users/", &file[..]));
        server.wait_for_more_than(stored, "/users/");
        server = end(server).serve();
        let report = server.follow(&path);
        assert_eq!(report["state"], "stopped", "{report}");
        assert_eq!(report["ressource_uri"], path[..], "{report}");
        assert!(report["error"].as_str().is_some_and(|error| !error.is_empty()), "{report}");
        let total = server.total("/users/");
        assert!(total > stored && total < all, "{total}");
    }
    let before = server.total("/users/");
    let report = server.follow(&server.begins(csv("users/", &file[..])));
    assert_eq!(report["state"], "done", "{report}");
    assert_eq!(counts(&report), [all - before, 0, before]);
    let (addresses, users) = server.contents();
    let names: BTreeSet<_> = users.iter().map(|user| user["last_name"].as_str().unwrap()).collect();
    assert_eq!((users.len(), names.len(), addresses.len()), (ENTRIES, ENTRIES, 500));
    server.stop().is_sound();
}

/// Two files that are judged for longer than anybody waits for a place. None of them is stored.
#[test]
fn a_node_runs_two_imports_and_a_third_one_is_told_to_come_back() {
    let collection = |name: &str| {
        format!("[[collection]]\nname = \"{name}\"\n[collection.fields]\nname = {{ type = \"string\" }}\n")
    };
    let server = Server::start(&["one", "two", "three"].map(collection).concat());
    let file = "name\n".to_owned() + &"somebody\n".repeat(LONG);
    let running = ["one", "two"].map(|name| server.begins(csv(&format!("{name}/?dry_run=true"), &file[..])));
    let refused = server.refuses_request(&csv("three/", "name\nAda\n"), 503);
    assert_eq!(refused, "Too many requests are waiting. Nothing was changed; try again in a moment");
    // Whoever can be told at once does not wait for a place.
    let refused = server.refuses_request(&csv("two/", "name\nAda\n"), 409);
    assert_eq!(refused, format!("An import into two is under way: {}", running[1]));
    for path in &running {
        assert!(is_under_way(&server.report(path)), "LONG is not long enough");
    }
    server.kill();
}

#[test]
fn a_report_and_the_ids_of_a_file_are_known_for_seven_days() {
    let server = Server::start(&configs::built_in());
    let home = server.home().clone();
    let with_id = "id,first_name,last_name\n7,Ada,Lovelace\n";
    let first = server.imports(&csv("users/", with_id))["ressource_uri"].as_str().unwrap().to_owned();
    let hours_pass = |hours: i64| {
        let earlier =
            home.either(format!("told - {hours} * 3600"), format!("told - interval '{hours} hours'"));
        for table in ["_carnet_imports", "_carnet_imported_files"] {
            home.execute(&format!("UPDATE {table} SET told = {earlier}"));
        }
    };
    hours_pass(7 * 24 - 1);
    assert_eq!(server.report(&first)["created"], 1);
    let again = server.imports(&csv("users/?dry_run=true", with_id));
    assert_eq!(counts(&again), [0, 0, 1], "the same file means the same records");
    hours_pass(2);
    assert_eq!(server.status(&format!("GET {first}")), 404);
    let words = "the file has ids, and users has records.";
    assert!(server.refuses_request(&csv("users/", with_id), 400).starts_with(words));
    // Its number is not given again, and what was forgotten is gone.
    assert_eq!(server.imports(&csv("users/", ADA))["id"], 4);
    assert_eq!(home.query("SELECT count(*) FROM _carnet_imports WHERE number = 1"), ["0"]);
}

#[test]
fn a_record_that_is_changed_between_the_look_at_it_and_its_chunk_is_left_alone_and_named() {
    let server = Server::start(&configs::built_in());
    let users = |first_name: &str| {
        let lines = (1..=6_000).map(|at| format!("{first_name},L{at}\n"));
        "first_name,last_name\n".to_owned() + &lines.collect::<String>()
    };
    server.follow(&server.begins(csv("users/", users("old"))));
    let path = server.begins(csv("users/?match=last_name", users("new")));
    wait_until("it is judged for ever", || server.report(&path)["state"] != "judging");
    let mut client = server.client();
    assert_eq!(client.ask(r#"PUT /users/6000/ {"first_name":"mine"}"#).status, 200);
    assert_eq!(client.ask("DELETE /users/5999/").status, 200);
    let report = server.follow(&path);
    let fault = |line: i64, id: i64| json!({"line": line, "fault": format!("line {line}: record {id} was changed meanwhile"), "remedy": null});
    assert_eq!(report["faults"], json!([fault(6_000, 5_999), fault(6_001, 6_000)]), "{report}");
    assert_eq!((&report["state"], counts(&report)), (&json!("done"), [0, 5_998, 0]), "{report}");
    assert_eq!(server.ask("GET /users/6000/").json()["first_name"], "mine");
    assert_eq!(server.total("/users/?first_name=new"), 5_998);
    // A second run settles it.
    let report = server.follow(&server.begins(csv("users/?match=last_name", users("new"))));
    assert_eq!((&report["state"], counts(&report)), (&json!("done"), [1, 1, 5_998]), "{report}");
}
