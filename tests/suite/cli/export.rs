//! `carnet export`: a file that appears whole, also beside a running server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;

const CSV: &str = "id,first_name,last_name,address\r\n1,Ada,Lovelace,1\r\n2,\"\",\"Doe, John\",\r\n";

fn filled() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_address();
    server.create("/users/", r#"{"first_name":"Ada","last_name":"Lovelace","address":1}"#);
    server.create_user("", "Doe, John");
    server.stop()
}

#[test]
fn a_file_is_made_whole_for_its_owner_and_never_over_another() {
    let home = filled();
    let file = home.path("book.csv");
    let to = file.to_str().unwrap();
    let outcome = home.run(&["export", "users", "--to", to]).exits(0);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.starts_with(&format!("exported 2 records of users to {to} in ")), "{outcome:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), CSV);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let words = format!("carnet: {to} exists; choose another name\n");
    assert_eq!(home.run(&["export", "address", "--to", to]).exits(1).stderr, words);
    assert_eq!(fs::read_to_string(&file).unwrap(), CSV);
    let left = fs::read_dir(home.folder()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().ends_with(".partial")));
}

#[test]
fn what_a_killed_export_left_behind_is_no_hindrance() {
    let home = filled();
    let file = home.path("book.csv");
    fs::write(
        home.path("book.csv.partial"),
        "half of a file that was longer than the next one will be, by far: this",
    )
    .unwrap();
    home.run(&["export", "users", "--to", file.to_str().unwrap()]).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), CSV);
}

#[test]
fn it_goes_to_standard_output_beside_a_running_server() {
    let home = filled();
    let server = home.serve();
    assert_eq!(home.run(&["export", "users"]).exits(0).stdout, CSV);
    assert_eq!(home.run(&["export", "users", "--to", "-", "--format", "csv"]).exits(0).stdout, CSV);
    let lines = home.run(&["export", "users", "--format", "jsonl", "--expand", "address"]).exits(0).stdout;
    assert_eq!(lines, server.ask("GET /_/export/users.jsonl?expand=address").body_text());
    let spreadsheet = home.run(&["export", "users", "--spreadsheet", "--expand", "address"]).exits(0).stdout;
    assert_eq!(
        spreadsheet,
        server.ask("GET /_/export/users.csv?spreadsheet=true&expand=address").body_text()
    );
}

#[test]
fn filters_are_those_of_a_list() {
    let home = filled();
    let of = |filters: &[&str]| {
        let arguments = [&["export", "users"], filters].concat();
        home.run(&arguments)
            .exits(0)
            .stdout
            .strip_prefix("id,first_name,last_name,address\r\n")
            .unwrap()
            .to_owned()
    };
    assert_eq!(of(&["--where", "last_name=Doe, John"]), "2,\"\",\"Doe, John\",\r\n");
    assert_eq!(of(&["--where", "id.gte=1", "--where", "last_name.prefix=love"]), "1,Ada,Lovelace,1\r\n");
    assert_eq!(of(&["--where", "address="]), "2,\"\",\"Doe, John\",\r\n");
    assert_eq!(of(&["--where", "first_name=a=b"]), "");
}

#[test]
fn the_ending_names_the_format() {
    let home = filled();
    for name in ["book.jsonl", "book.ndjson", "BOOK.JSONL"] {
        let file = home.path(name);
        home.run(&["export", "users", "--to", file.to_str().unwrap(), "--where", "id=2"]).exits(0);
        let line =
            r#"{"first_name":"","last_name":"Doe, John","address":null,"id":2,"ressource_uri":"/users/2/"}"#;
        assert_eq!(fs::read_to_string(file).unwrap(), format!("{line}\n"));
    }
    let cards = home.path("book.vcf");
    home.run(&["export", "users", "--to", cards.to_str().unwrap(), "--vcard", "4.0"]).exits(0);
    let server = home.serve();
    let same = server.ask("GET /_/export/users.vcf?vcard=4.0");
    assert_eq!(fs::read_to_string(cards).unwrap(), same.body_text());
    let text = home.path("book.txt");
    home.run(&["export", "users", "--to", text.to_str().unwrap(), "--format", "csv"]).exits(0);
    assert_eq!(fs::read_to_string(text).unwrap(), CSV);
}

#[test]
fn wrong_words_are_told_what_is_right() {
    let home = filled();
    for (arguments, words) in [
        (&["nobody"][..], "there is no collection nobody; there are address, users"),
        (
            &["users", "--to", "book.xlsx"],
            "a .xlsx cannot be written; name the file .csv and say --spreadsheet: spreadsheets open that",
        ),
        (
            &["users", "--to", "book.txt"],
            "the name book.txt says no format; name the file .csv, .jsonl or .vcf, or say --format",
        ),
        (
            &["users", "--to", "book"],
            "the name book says no format; name the file .csv, .jsonl or .vcf, or say --format",
        ),
        (
            &["users", "--to", "book.csv", "--format", "jsonl"],
            "book.csv is the name of another format than --format jsonl; say one of them",
        ),
        (&["users", "--format", "jsonl", "--spreadsheet"], "--spreadsheet is for CSV"),
        (&["users", "--vcard", "4.0"], "--vcard is for vCard"),
        (&["users", "--where", "last_name"], "--where last_name does not say FIELD=VALUE"),
        (&["users", "--where", "nick=x"], "nick is not a field of users"),
        (&["users", "--where", "offset=1"], "offset is not a field of users"),
        (&["users", "--where", "id=x"], "id does not validate"),
        (
            &["users", "--expand", "last_name"],
            "--expand does not validate: last_name refers to no collection",
        ),
    ] {
        let outcome = home.run(&[&["export"], arguments].concat()).exits(2);
        assert_eq!(outcome.stderr, format!("carnet: {words}\n"));
        assert_eq!(outcome.stdout, "");
    }
    let missing = home.path("nowhere/book.csv");
    home.run(&["export", "users", "--to", missing.to_str().unwrap()])
        .exits(1)
        .says(&["nowhere", "No such file"]);
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let home = filled();
    let mut command = home.command_here(&["export", "users"]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(process.stdout.take());
    let ended = process.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success() && !said.contains("panic"), "{said}");
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let home = Home::new(&configs::built_in());
    home.run(&["export", "users"]).exits(1).says(&["there is no carnet store"]);
    assert!(!home.has_store());
}
