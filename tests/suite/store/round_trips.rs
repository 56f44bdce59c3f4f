//! Out and in again: what was exported and is imported into an empty store is the same, byte for byte.

use std::fs;
use std::sync::Arc;

use dev::dice::Dice;

use crate::support::home::Home;

const EVERYTHING: &str = r#"
[[collection]]
name = "address"
[collection.fields]
street = { type = "string", required = true }
number = { type = "integer", required = true }
city   = { type = "string" }

[[collection]]
name = "people"
[collection.fields]
first_name = { type = "string" }
last_name  = { type = "string" }
note       = { type = "string" }
count      = { type = "integer" }
score      = { type = "float" }
is_known   = { type = "boolean" }
born       = { type = "date" }
met        = { type = "datetime" }
address    = { type = "integer", references = "address", on_delete = "restrict" }
"#;

/// Texts that break careless readers, each as it stands in JSON.
const TEXTS: [&str; 16] = [
    r#""""#,
    r#""'""#,
    r#""=1+1""#,
    r#""'=1""#,
    r#""''-x""#,
    r#""@a""#,
    r#""\ta""#,
    r#""\ra""#,
    r#""a,b;c""#,
    r#""\"quoted\"""#,
    r#""line\nbreak\r\n""#,
    r#"" spaces ""#,
    r#""日本\ud83d\ude00é""#,
    r#""TRUE""#,
    r#""12""#,
    "null",
];

fn filled(records: usize) -> Arc<Home> {
    let home = Home::new(EVERYTHING);
    let server = home.serve();
    let mut client = server.client();
    for number in 0..5 {
        let body = format!(r#"POST /address/ {{"street":"rue {number}","number":{number},"city":null}}"#);
        client.ask(&body).created_id();
    }
    let mut dice = Dice::new(3);
    for _ in 0..records {
        let mut one = |choices: &[&str]| (*dice.pick(choices)).to_owned();
        let (first, last, note) = (one(&TEXTS), one(&TEXTS), one(&TEXTS));
        let count = one(&["null", "0", "-1", "9223372036854775807", "-9223372036854775808"]);
        let score = one(&["null", "0.1", "1e300", "-2.5e-10", "3"]);
        let known = one(&["null", "true", "false"]);
        let born = one(&["null", "\"0001-01-01\"", "\"9999-12-31\"", "\"2024-02-29\""]);
        let met = one(&["null", "\"2027-01-31T12:00:00Z\"", "\"0001-01-01T00:00:00.000001Z\""]);
        let address = one(&["null", "1", "5"]);
        let body = format!(
            r#"POST /people/ {{"first_name":{first},"last_name":{last},"note":{note},"count":{count},"score":{score},"is_known":{known},"born":{born},"met":{met},"address":{address}}}"#
        );
        client.ask(&body).created_id();
    }
    // Ids have gaps.
    assert_eq!(server.status("DELETE /people/3/"), 200);
    server.stop()
}

fn export(home: &Home, collection: &str, name: &str, more: &[&str]) -> Vec<u8> {
    let mut arguments = vec!["export", collection, "--to", name];
    arguments.extend(more);
    home.run(&arguments).exits(0);
    fs::read(home.path(name)).unwrap()
}

/// Takes a file of one store into another.
fn import(from: &Home, name: &str, into: &Home, collection: &str, more: &[&str]) {
    let file = from.path(name);
    let mut arguments = vec!["import", file.to_str().unwrap(), "--into", collection];
    arguments.extend(more);
    into.run(&arguments).exits(0);
}

#[test]
fn csv_for_a_spreadsheet_or_not_and_json_lines_come_back_byte_for_byte() {
    let home = filled(300);
    let digest = home.run(&["verify"]).exits(0).stdout;
    for (ending, more) in [("csv", &[][..]), ("csv", &["--spreadsheet"]), ("jsonl", &[])] {
        let other = Home::new(EVERYTHING);
        let name = |collection: &str| format!("{collection}{}.{ending}", more.len());
        for collection in ["address", "people"] {
            let name = name(collection);
            let before = export(&home, collection, &name, more);
            import(&home, &name, &other, collection, more);
            assert!(export(&other, collection, &name, more) == before, "{name}");
        }
        assert_eq!(other.run(&["verify"]).exits(0).stdout, digest, "{ending} {more:?}");
    }
}

#[test]
fn cards_come_back_but_for_their_ids_and_what_they_cannot_say() {
    let home = Home::new(EVERYTHING);
    let server = home.serve();
    let mut client = server.client();
    client.ask(r#"POST /address/ {"street":"quai de Valmy","number":45,"city":"Paris"}"#).created_id();
    for (first, last, note) in [
        ("Ada", "Lovelace; née Byron", "a, b\\nc"),
        ("日本", "é", "x".repeat(200).as_str()),
        ("\\\\n", ":;,", " spaces "),
    ] {
        let body = format!(
            r#"POST /people/ {{"first_name":"{first}","last_name":"{last}","note":"{note}","born":"1815-12-10","address":1}}"#
        );
        client.ask(&body).created_id();
    }
    server.stop();
    for version in ["3.0", "4.0"] {
        let name = format!("people{}.vcf", version.len() + usize::from(version == "4.0"));
        let before = export(&home, "people", &name, &["--vcard", version]);
        let other = Home::new(EVERYTHING);
        import(&home, &name, &other, "people", &[]);
        let after = export(&other, "people", &name, &["--vcard", version]);
        let without_ids = |cards: &[u8]| {
            let text = String::from_utf8(cards.to_vec()).unwrap();
            text.lines().filter(|line| !line.starts_with("UID:")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(before.starts_with(b"BEGIN:VCARD\r\n"));
        assert_eq!(without_ids(&after), without_ids(&before));
        // Taken back into its own store, a card is the record that it was, by its id.
        let again = home.run(&["import", &name, "--into", "people", "--match", "id"]).exits(0);
        assert_eq!(again.stdout, "read 3: created 0, updated 0, unchanged 3\n");
    }
}
