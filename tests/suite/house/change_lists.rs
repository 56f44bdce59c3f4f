//! The change lists of `CONTRIBUTING.md` name every file that such a change touches, and no other.

use std::collections::BTreeSet;

use super::repository::{files, none, read, root};

/// How many files of `src` a new type of field may touch.
const MOST_OF_A_KIND: usize = 9;

/// The paths with this ending that one list names, those of `src` from there on.
fn listed(list: &str, ending: &str) -> BTreeSet<String> {
    let page = read("CONTRIBUTING.md");
    let begin = format!("\n- **{list}**");
    let (_, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("there is no list {list}"));
    let text = rest.split("\n- **").next().unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.ends_with(ending)).map(str::to_owned).collect()
}

/// The variants of an enum, in its order.
fn variants(path: &str, name: &str) -> Vec<String> {
    let text = read(path);
    let (_, rest) = text.split_once(&format!("pub enum {name}")).unwrap();
    let body = rest.split_once("{\n").unwrap().1.split("\n}").next().unwrap();
    let lines = body.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.map(|line| line.split(['(', ',']).next().unwrap().to_owned()).collect()
}

/// What of a file is not its tests.
fn code(path: &str) -> String {
    let is_tests = path.contains("/tests/") || path.ends_with("/tests.rs");
    if is_tests { String::new() } else { read(path).split("#[cfg(test)]").next().unwrap().to_owned() }
}

fn names_one_of(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| {
        let follows = |rest: &str| rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        text.split(word.as_str()).skip(1).any(|rest| !follows(rest))
    })
}

fn compare(list: &str, listed: &BTreeSet<String>, found: &BTreeSet<String>) {
    let missing = found.difference(listed).map(|path| format!("the list {list:?} lacks {path}"));
    let needless = listed.difference(found).map(|path| format!("the list {list:?} needs no {path}"));
    none(&missing.chain(needless).collect::<Vec<_>>());
}

#[test]
fn the_list_for_a_type_of_field_names_every_file_that_tells_types_apart() {
    let kinds = variants("src/catalog/field.rs", "FieldKind");
    let kinds: Vec<String> = kinds.iter().map(|kind| format!("FieldKind::{kind}")).collect();
    let of_no_kind = ["Null", "Garbled"];
    let values = variants("src/record/value.rs", "Value");
    let values = values.iter().filter(|value| !of_no_kind.contains(&value.as_str()));
    let values: Vec<String> =
        values.flat_map(|value| ["Value", "Cell"].map(|of| format!("{of}::{value}"))).collect();
    let mut found = BTreeSet::new();
    for path in files("src", ".rs") {
        let (text, path) = (code(&path), path.strip_prefix("src/").unwrap());
        // Elsewhere a `Value` is that of TOML or of a log line.
        let may_use_records = ["record", "store", "api"].iter().any(|module| path.starts_with(module));
        if names_one_of(&text, &kinds) || may_use_records && names_one_of(&text, &values) {
            found.insert(path.to_owned());
        }
    }
    let list = "A type of field";
    let listed: BTreeSet<String> =
        listed(list, ".rs").into_iter().filter(|path| root().join("src").join(path).is_file()).collect();
    compare(list, &listed, &found);
    assert!(found.len() <= MOST_OF_A_KIND, "a type of field touches {} files", found.len());
}

#[test]
fn the_list_for_a_type_of_field_names_every_file_of_the_console_that_tells_types_apart() {
    let kinds = ["string", "integer", "float", "boolean"].map(|kind| format!("'{kind}'"));
    let scripts = files("console/js", ".js").into_iter();
    let found: BTreeSet<String> = scripts
        .filter(|path| {
            read(path).lines().any(|line| line.to_lowercase().contains("kind") && names_one_of(line, &kinds))
        })
        .collect();
    let list = "A type of field";
    compare(list, &listed(list, ".js"), &found);
}

/// The settings of each part of the program, and the file that has them.
const PARTS: [(&str, &str); 3] =
    [("http", "http/limits.rs"), ("api", "api/settings.rs"), ("store", "store/settings.rs")];

#[test]
fn a_setting_of_the_server_is_in_its_table_in_the_starter_and_in_one_part() {
    let (table, starter) = (read("src/config/server.rs"), read("src/config/starter.toml"));
    let (mut complaints, mut count) = (Vec::new(), 0);
    let of_config: Vec<String> = files("src/config", ".rs");
    for row in table.lines().filter(|line| line.trim_start().starts_with("key(\"")) {
        let name = row.split('"').nth(1).unwrap();
        // Others than these are read, written and judged in a file of their own.
        let Some((_, place)) = row.split_once("&mut config.") else { continue };
        let (part, field) = place.split(')').next().unwrap().split_once('.').unwrap();
        let (_, file) = PARTS.iter().find(|(name, _)| *name == part).unwrap();
        count += 1;
        if !read(&format!("src/{file}")).contains(&format!("    pub {field}: ")) {
            complaints.push(format!("{file} has no {field}"));
        }
        if !starter.contains(&format!("\n#{name} = ")) {
            complaints.push(format!("the starter has no {name}"));
        }
        let elsewhere = of_config.iter().filter(|path| *path != "src/config/server.rs");
        let elsewhere = elsewhere.filter(|path| code(path).contains(&format!("\"{name}\"")));
        complaints.extend(elsewhere.map(|path| format!("{path} knows {name}")));
        if read("src/cli/serve.rs").contains(&format!("{field}: config")) {
            complaints.push(format!("serve hands {name} on by itself"));
        }
    }
    assert!(count >= 15, "the table is not where it was");
    none(&complaints);
    let list = "A setting of `[server]`";
    let named: BTreeSet<String> = listed(list, ".rs").into_iter().chain(listed(list, "r.toml")).collect();
    let files = PARTS.map(|(_, file)| file).into_iter().chain(["config/server.rs", "config/starter.toml"]);
    compare(list, &named, &files.map(str::to_owned).collect());
}
