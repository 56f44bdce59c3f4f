//! Wrong configurations: every problem at once, with its place, before the port opens.

use dev::configs;

use crate::support::home::Home;

/// `check` and `serve` both refuse with exit 2 and say these words; nothing is made.
#[track_caller]
fn problem(config: &str, words: &[&str]) {
    let home = Home::new(config);
    home.run(&["check"]).exits(2).says(words).says(&["book.toml"]);
    let start = home.refused_start().exits(2).says(words);
    assert!(start.stdout.is_empty(), "{start:?}");
    assert!(!home.has_store(), "a store was made");
}

/// One collection with these keys and these fields.
fn collection(keys: &str, fields: &str) -> String {
    format!("[[collection]]\nname = \"notes\"\n{keys}\n[collection.fields]\n{fields}\n")
}

const TEXT: &str = "text = { type = \"string\" }";

#[test]
fn what_is_not_toml_is_refused() {
    problem("[server\n", &[]);
    problem("this is no configuration", &[]);
}

#[test]
fn no_collection_at_all_is_refused() {
    problem("[server]\nlisten = \"127.0.0.1:0\"\n", &["collection"]);
}

#[test]
fn an_unknown_key_is_named() {
    problem(&collection("colour = 1", TEXT), &["colour"]);
    problem(&collection("", "text = { type = \"string\", lenght = 5 }"), &["lenght"]);
    problem(
        &format!("[server]\nlissten = \"127.0.0.1:0\"\n{}", collection("", TEXT)),
        &["lissten", "listen"],
    );
    problem(&format!("[sever]\n{}", collection("", TEXT)), &["sever"]);
}

#[test]
fn what_others_call_otherwise_is_told_as_it_is_called_here() {
    for (key, remedy) in [
        ("port = 9123", "`listen = \"127.0.0.1:9123\"`"),
        ("port = \"9123\"", "`listen = \"127.0.0.1:9123\"`"),
        ("host = \"0.0.0.0\"", "`listen = \"127.0.0.1:8080\"`"),
        ("url = \"x\"", "`database = \"sqlite:carnet.db\"`"),
        ("cert = \"x\"", "`tls_cert = \"FILE\"`"),
        ("log_level = \"debug\"", "under [log], write `level = \"debug\"`"),
    ] {
        problem(&format!("[server]\n{key}\n{}", collection("", TEXT)), &[remedy]);
    }
    // A start of this suite says where to listen by itself.
    let home = Home::new(&configs::with_server("listen = \"localhost:9123\""));
    home.run(&["check"]).exits(2).says(&["did you mean `127.0.0.1:9123`?", "book.toml"]);
    problem(&format!("port = 9123\n{}", collection("", TEXT)), &["under [server]", "127.0.0.1:9123"]);
    problem(&collection("methods = [\"GET\"]", TEXT), &["`list_verbs`", "`unique_verbs`"]);
    problem(&collection("", "text = { type = \"string\", nullable = true }"), &["`required = true`"]);
}

#[test]
fn an_unknown_type_or_rule_is_named() {
    problem(&collection("", "text = { type = \"text\" }"), &["text"]);
    problem(&configs::on_delete("explode"), &["explode"]);
    problem(&format!("[log]\nlevel = \"loud\"\n{}", collection("", TEXT)), &["loud"]);
    problem(&collection("list_verbs = [\"GET\", \"BREW\"]", TEXT), &["BREW"]);
}

#[test]
fn a_reference_must_be_to_a_collection_declared_above() {
    problem(&collection("", "other = { type = \"integer\", references = \"nothing\" }"), &["nothing"]);
    let below = format!(
        "{}{}",
        collection("", "other = { type = \"integer\", references = \"things\" }"),
        configs::kinds()
    );
    problem(&below, &["things"]);
    problem(&collection("", "other = { type = \"integer\", references = \"notes\" }"), &["notes"]);
    problem(
        &configs::built_in().replace("references = \"address\"", "references = \"adress\""),
        &["adress", "did you mean", "address"],
    );
}

#[test]
fn a_name_may_not_be_declared_twice() {
    problem(&format!("{}{}", collection("", TEXT), collection("", TEXT)), &["notes"]);
    problem(&collection("", &format!("{TEXT}\n{TEXT}")), &["text"]);
}

#[test]
fn reserved_names_are_refused() {
    for name in [
        "schema",
        "console",
        "livez",
        "readyz",
        "metrics",
        "_notes",
        "openapi.json",
        "favicon.ico",
        "robots.txt",
    ] {
        problem(&collection("", TEXT).replace("\"notes\"", &format!("\"{name}\"")), &[name]);
    }
}

#[test]
fn names_are_lower_case_letters_digits_and_underscores_of_at_most_63() {
    let long = "a".repeat(64);
    for name in ["Notes", "1notes", "my-notes", "my notes", "", "nötes", &long] {
        problem(&collection("", TEXT).replace("\"notes\"", &format!("\"{name}\"")), &[name]);
        problem(&collection("", &format!("\"{name}\" = {{ type = \"string\" }}")), &[name]);
    }
    let fits = "a".repeat(63);
    let config = collection("", &format!("{fits} = {{ type = \"string\" }}")).replace("notes", &fits);
    Home::new(&config).run(&["check"]).exits(0);
}

#[test]
fn a_field_may_not_be_called_like_something_else_in_a_query_or_an_answer() {
    let pages = "\n[collection.pagination]\npage_size = 5\n";
    for name in ["id", "ressource_uri", "accesskey"] {
        problem(&collection("", &format!("{name} = {{ type = \"string\" }}")), &[name]);
    }
    for name in ["offset", "count"] {
        problem(&(collection("", &format!("{name} = {{ type = \"integer\" }}")) + pages), &[name]);
    }
    let renamed = format!("{pages}offset_key = \"text\"\n");
    problem(&(collection("", TEXT) + &renamed), &["text"]);
}

#[test]
fn rules_that_cannot_hold_are_refused() {
    problem(&collection("unique = [[\"nothing\"]]", TEXT), &["nothing"]);
    problem(
        &configs::on_delete("set_null")
            .replace("type = \"integer\", references", "type = \"integer\", required = true, references"),
        &["set_null"],
    );
    problem(&(collection("", TEXT) + "[collection.pagination]\npage_size = 0\n"), &["page_size"]);
    problem(&(collection("", TEXT) + "[collection.access]\nauthorization = true\n"), &["authentication"]);
    problem(
        &(collection("", TEXT) + "[collection.rate_limit]\nquota = 5\ninterval = 5\n"),
        &["authentication"],
    );
    for interval in [0, 1_000_000_001, i64::MAX] {
        let limit = format!(
            "[collection.access]\nauthentication = true\n[collection.rate_limit]\nquota = 5\ninterval = {interval}\n"
        );
        problem(&(collection("", TEXT) + &limit), &["interval", &interval.to_string()]);
    }
}

#[test]
fn all_problems_are_reported_together_with_their_lines() {
    let config = "[server]
lissten = \"127.0.0.1:0\"

[[collection]]
name = \"schema\"
[collection.fields]
Text = { type = \"string\" }

[[collection]]
name = \"notes\"
[collection.fields]
other = { type = \"integer\", references = \"nothing\" }
";
    problem(config, &["lissten", "schema", "Text", "nothing", "2", "5", "7", "12"]);
}
