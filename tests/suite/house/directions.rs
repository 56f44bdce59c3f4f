//! Which module uses which, and which words belong to one module alone.
//!
//! The table is the one in ARCHITECTURE.md, so the page cannot say something else than what is held.

use std::collections::BTreeMap;

use super::repository::{code, files, none, read};

/// What a module may use, by the table of ARCHITECTURE.md.
fn allowed() -> BTreeMap<String, Vec<String>> {
    let page = read("ARCHITECTURE.md");
    let section = page.split("\n## Which module may use which\n").nth(1).expect("the section of the table");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let module: Vec<String> = names(cells[1]);
        (module[0].clone(), names(cells[2]))
    })
    .collect()
}

/// The module of a source file: `src/store.rs` and `src/store/sql.rs` are of `store`.
fn module(path: &str) -> &str {
    let path = path.strip_prefix("src/").unwrap();
    path.split(['/', '.']).next().unwrap()
}

/// What follows each `crate::` of a text, up to where the path ends.
fn crate_paths(text: &str) -> Vec<&str> {
    let starts = text.match_indices("crate::").filter(|(at, _)| {
        // `$crate::` and `other_crate::` are not ours.
        !text[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '$')
    });
    starts
        .map(|(at, found)| {
            let rest = &text[at + found.len()..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect()
}

/// Whether a word stands in a text, not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Tests may name what the code itself may not.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Complains about every source file outside of `home` whose code has one of these words.
#[track_caller]
fn only_in(home: impl Fn(&str) -> bool, words: &[&str]) {
    let outside = files("src", ".rs").into_iter().filter(|path| !home(path) && !is_test(path));
    let complaints: Vec<String> = outside
        .flat_map(|path| {
            let text = code(&path);
            let found = words.iter().filter(|word| has_word(&text, word));
            found.map(|word| format!("{path} names {word}")).collect::<Vec<_>>()
        })
        .collect();
    none(&complaints);
}

#[test]
fn every_module_uses_only_what_the_table_allows() {
    let allowed = allowed();
    let mut complaints = Vec::new();
    for path in files("src", ".rs") {
        let module = module(&path);
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(may_use) = allowed.get(module) else {
            complaints.push(format!("{path} is in a module that ARCHITECTURE.md does not have"));
            continue;
        };
        for used in crate_paths(&code(&path)) {
            let used = used.split("::").next().unwrap();
            if used.is_empty() {
                complaints.push(format!("{path} has `crate::{{…}}`: write one `use` for each module"));
            } else if used != module && !may_use.iter().any(|allowed| allowed == used) {
                complaints.push(format!("{path} uses {used}, and {module} may not"));
            }
        }
    }
    none(&complaints);
}

#[test]
fn the_table_allows_nothing_that_nobody_uses() {
    for (room_of_table, may_use) in allowed() {
        let own: Vec<String> =
            files("src", ".rs").into_iter().filter(|path| module(path) == room_of_table).collect();
        assert!(!own.is_empty(), "there is no module {room_of_table}");
        for used in may_use {
            let is_used = own.iter().any(|path| {
                crate_paths(&code(path)).iter().any(|path| path.split("::").next() == Some(used.as_str()))
            });
            assert!(is_used, "{room_of_table} does not use {used}: take it out of the table");
        }
    }
}

#[test]
fn the_configuration_takes_from_other_modules_their_settings_and_no_more() {
    let mut complaints = Vec::new();
    for path in files("src", ".rs").iter().filter(|path| module(path) == "config") {
        let text = code(path);
        for used in crate_paths(&text) {
            let settings = ["store::url", "store::OpenSettings", "store::Schedule"];
            if used.starts_with("store") && !settings.iter().any(|of| used.starts_with(of)) {
                complaints.push(format!("{path} uses {used}"));
            }
        }
        for module in ["http", "api"] {
            for (at, _) in text.match_indices(&format!(" {module}::")) {
                if !text[at..].starts_with(&format!(" {module}::Settings")) {
                    complaints.push(format!("{path} uses more of {module} than its settings"));
                }
            }
        }
    }
    none(&complaints);
}

#[test]
fn only_http_names_the_http_library() {
    only_in(|path| module(path) == "http", &["hyper", "hyper_util", "http_body_util"]);
}

/// No request makes a server call anybody: `deny.toml` says so.
#[test]
fn only_a_command_calls_a_server() {
    only_in(|path| path == "src/http/client.rs", &["hyper::client"]);
    only_in(|path| path == "src/cli/import/server.rs", &["http::client"]);
}

#[test]
fn only_the_engine_names_its_driver() {
    only_in(|path| path.starts_with("src/store/sqlite"), &["rusqlite", "libsqlite3_sys"]);
    only_in(|path| path.starts_with("src/store/postgres"), &["tokio_postgres"]);
}

#[test]
fn only_who_talks_over_sockets_names_the_library_of_tls() {
    only_in(
        |path| path.starts_with("src/store/postgres") || module(path) == "http",
        &["rustls", "tokio_rustls"],
    );
}

#[test]
fn only_the_store_speaks_sql() {
    let statements = [
        "SELECT",
        "INSERT INTO",
        "DELETE FROM",
        "CREATE TABLE",
        "CREATE INDEX",
        "ALTER TABLE",
        "DROP TABLE",
        "PRAGMA",
        "BEGIN IMMEDIATE",
    ];
    only_in(|path| module(path) == "store", &statements);
}

#[test]
fn only_the_command_line_reads_the_environment() {
    only_in(|path| path == "src/cli/environment.rs", &["std::env", "env::var", "env::vars"]);
}

#[test]
fn only_one_file_chooses_the_status_of_an_error() {
    let mut complaints = Vec::new();
    for path in files("src", ".rs") {
        if path == "src/api/error/messages.rs" || is_test(&path) {
            continue;
        }
        let text = code(&path);
        for (at, _) in text.match_indices("StatusCode::") {
            let name = &text[at + "StatusCode::".len()..];
            let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
            if !["OK", "CREATED", "ACCEPTED", "NO_CONTENT", "NOT_MODIFIED", "SEE_OTHER"]
                .contains(&&name[..end])
            {
                complaints.push(format!("{path} answers {}", &name[..end]));
            }
        }
    }
    none(&complaints);
}

#[test]
fn a_path_into_the_crate_is_found_wherever_it_stands() {
    let text = "use crate::store::url::A;\nlet x = crate::http::MAX;\nother_crate::no; pub(in crate::store)";
    assert_eq!(crate_paths(text), ["store::url::A", "http::MAX", "store"]);
    assert!(has_word("use hyper::x", "hyper") && !has_word("hyperbole", "hyper"));
}
