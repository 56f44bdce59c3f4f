//! The reference pages name everything there is: commands, options, URLs, statuses, errors, metrics.

use std::collections::BTreeSet;

use dev::configs;

use super::repository::{code, files, none, read};
use crate::support::home::Home;
use crate::support::server::Server;

/// The commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// The options in a help text, long and short.
fn options(help: &str) -> Vec<String> {
    let listed = help.split("\nOptions:\n").nth(1).unwrap_or_default();
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let words = listed.split(|c: char| c.is_whitespace() || c == ',');
    let options = words.filter(|word| word.starts_with('-') && word.len() > 1);
    options.map(str::to_owned).collect()
}

#[test]
fn every_command_and_option_is_in_the_page_of_the_command_line() {
    let page = read("docs/cli.md");
    let home = Home::empty();
    let mut complaints = Vec::new();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = waiting.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = home.run_bare(&arguments).exits(0).stdout;
        for option in options(&help) {
            if !page.contains(&format!("`{option}")) {
                complaints.push(format!("docs/cli.md has no {option} of `carnet {}`", command.join(" ")));
            }
        }
        for name in commands(&help) {
            seen += 1;
            let deeper = [command.clone(), vec![name]].concat();
            let is_help = deeper.last().unwrap() == "help";
            if !is_help || command.is_empty() {
                let whole = format!("`carnet {}", deeper.join(" "));
                if !page.contains(&whole) {
                    complaints.push(format!("docs/cli.md has no {whole}`"));
                }
            }
            if !is_help {
                waiting.push(deeper);
            }
        }
    }
    assert!(seen > 8, "the help is read wrongly: {seen} commands");
    none(&complaints);
}

#[test]
fn every_variable_is_in_the_pages() {
    let source = code("src/cli.rs");
    let names = source.match_indices("CARNET_").map(|(at, _)| {
        let rest = &source[at..];
        &rest[..rest.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap()]
    });
    let names: BTreeSet<&str> = names.collect();
    assert!(names.len() >= 5, "{names:?}");
    for page in ["docs/cli.md", "docs/configuration.md"] {
        for name in &names {
            assert!(read(page).contains(&format!("`{name}`")), "{page} has no {name}");
        }
    }
}

#[test]
fn every_url_is_in_the_page_of_the_api() {
    let (source, page) = (code("src/api/route.rs"), read("docs/api.md"));
    let section = page.split("\n## Endpoints\n").nth(1).expect("the section of endpoints");
    let rows: String =
        section.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| `")).collect();
    let labels = source.split("impl Labels").nth(1).expect("the path templates");
    let literals = labels.split('"').skip(1).step_by(2).filter(|text| text.starts_with('/'));
    let templates: BTreeSet<String> =
        literals.map(|text| text.replace("{name}", "<resource_name>")).collect();
    assert!(templates.contains("/<resource_name>/<id>/"), "{templates:?}");
    for template in templates {
        assert!(rows.contains(&format!("`{template}`")), "docs/api.md has no endpoint {template}");
    }
}

/// The rows of the table of errors: status and message.
fn error_rows() -> Vec<(u16, String)> {
    let page = read("docs/api.md");
    let section = page.split("\n## Errors\n").nth(1).expect("the section of errors");
    let rows = section.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| "));
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let status = cells[0].trim_start_matches("| ").parse().ok()?;
        Some((status, cells[1].trim_matches('`').to_owned()))
    })
    .collect()
}

#[test]
fn the_table_of_errors_has_every_status_and_no_other() {
    let source = code("src/api/error/status.rs");
    // Each type of problem begins with its status.
    let kinds = source.split("kind(").map(|row| row.trim_start().split(',').next().unwrap());
    let chosen: BTreeSet<u16> = kinds.filter_map(|status| status.parse().ok()).collect();
    let documented: BTreeSet<u16> = error_rows().into_iter().map(|(status, _)| status).collect();
    assert_eq!(chosen, documented);
}

/// A message with every `{…}` in it the same, so that a page may call a value as it likes.
fn shape(message: &str) -> String {
    let mut parts = message.split('{');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |shape, part| shape + "{}" + part.split_once('}').unwrap_or(("", part)).1)
}

/// The messages in the code: the string literals of the functions that word errors.
fn worded() -> BTreeSet<String> {
    let files = [
        "src/api/error/messages.rs",
        "src/api/error/query.rs",
        "src/api/error/batch.rs",
        // An import says it, too.
        "src/record/fault.rs",
    ];
    let source = files.map(code).concat();
    let functions = [
        "fn row(&self)",
        "fn query_message(",
        "fn listing_message(",
        "fn rule_message(",
        "fn batch_message(",
        "fn item_message(",
        "fn draft_message(",
        "fn store_row(",
        "fn refusal_row(",
        "fn not_unique(",
    ];
    let mut messages = BTreeSet::new();
    for name in functions {
        let body = source.split(name).nth(1).unwrap_or_else(|| panic!("{name} is gone"));
        // A function ends where the next begins.
        let body = body.split("fn ").next().unwrap();
        for literal in body.split('"').skip(1).step_by(2) {
            // `\` at the end of a line: the text goes on with the next word.
            let joined: Vec<&str> = literal.split("\\\n").map(str::trim_start).collect();
            let message = joined.concat();
            if message.contains(' ') {
                messages.insert(shape(&message));
            }
        }
    }
    assert!(messages.len() > 20, "{messages:#?}");
    messages
}

#[test]
fn the_table_of_errors_has_every_message_and_no_other() {
    let documented: BTreeSet<String> = error_rows().iter().map(|(_, message)| shape(message)).collect();
    let worded = worded();
    let missing = worded.difference(&documented).map(|message| format!("docs/api.md lacks: {message}"));
    let invented = documented.difference(&worded).map(|message| format!("nobody says: {message}"));
    none(&missing.chain(invented).collect::<Vec<_>>());
}

#[test]
fn every_type_of_problem_is_in_the_page_of_the_api_and_no_other() {
    let document = Server::start(&configs::built_in()).ask("GET /openapi.json").json();
    let described: BTreeSet<(String, String)> = document["x-problems"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, kind)| (name.clone(), kind["status"].to_string()))
        .collect();
    let page = read("docs/api.md");
    let section = page.split("\n| `type` ends in |").nth(1).expect("the table of types");
    let rows = section.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| `"));
    let documented: BTreeSet<(String, String)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            (cells[1].to_owned(), cells[2].to_owned())
        })
        .collect();
    assert_eq!(described, documented);
}

#[test]
fn every_metric_is_in_the_page_of_operations_and_no_other() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    let answer = server.ask("GET /metrics");
    let types = answer.body_text().lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let served: BTreeSet<(String, String)> = types
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, kind)| (name.into(), kind.into()))
        .collect();
    let page = read("docs/operations.md");
    let section = page.split("\n## Metrics\n").nth(1).expect("the section of metrics");
    let rows = section.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| `"));
    let documented: BTreeSet<(String, String)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            (cells[1].to_owned(), cells[2].to_owned())
        })
        .collect();
    assert_eq!(served, documented);
}

#[test]
fn every_event_of_the_log_is_in_the_page_of_operations() {
    let source = code("src/observe/event.rs");
    let names = source.split("fn kind(&self)").nth(1).expect("the names of the events");
    let page = read("docs/operations.md");
    let section = page.split("\n## Log\n").nth(1).expect("the section of the log");
    let section = section.split("\n## ").next().unwrap();
    let reporters: Vec<String> = files("src", ".rs")
        .iter()
        .filter(|path| !path.starts_with("src/observe/"))
        .map(|path| code(path))
        .collect();
    let mut complaints = Vec::new();
    for arm in names.split("fn ").next().unwrap().split("Event::").skip(1) {
        let variant = arm.split(|c: char| !c.is_alphanumeric()).next().unwrap();
        let name = arm.split('"').nth(1).unwrap();
        // What nothing reports yet is no business of the page.
        let needle = format!("Event::{variant}");
        let is_reported = reporters.iter().any(|text| text.contains(&needle));
        if is_reported != section.contains(&format!("`{name}`")) && name != "request" {
            complaints.push(format!("`{name}` is reported: {is_reported}; the page says otherwise"));
        }
    }
    none(&complaints);
}
