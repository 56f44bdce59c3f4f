//! The configuration in force, written as TOML: every default spelled out, and read back as the same.

use super::{Config, backup, log, server};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::catalog::field::{Field, Literal};

/// The whole configuration, in the order and form of the documentation.
pub(super) fn write(config: &Config) -> String {
    let mut file = String::new();
    let mut lines = Lines::new();
    server::write(config, &mut lines);
    table(&mut file, "[server]", &lines);
    let parameter = quoted(&config.api.access_parameter);
    let unknown = config.api.unknown_keys_per_minute.to_string();
    table(&mut file, "[access]", &[("parameter", parameter), ("unknown_keys_per_minute", unknown)]);
    let level = quoted(config.log.level.name());
    let format = quoted(log::format_name(config.log.format));
    table(&mut file, "[log]", &[("level", level), ("format", format)]);
    if let Some(schedule) = &config.backup {
        table(&mut file, "[backup]", &backup::lines(schedule));
    }
    for declared in config.catalog.collections() {
        collection(&mut file, &config.catalog, declared);
    }
    file
}

fn collection(file: &mut String, catalog: &Catalog, collection: &Collection) {
    let fields = collection.fields();
    let unique = collection.unique().iter().map(|rule| list(rule.iter().map(|&place| fields[place].name())));
    let mut head = vec![
        ("name", quoted(collection.name())),
        ("show_id", collection.shows_id().to_string()),
        ("unique", format!("[{}]", unique.collect::<Vec<_>>().join(", "))),
        ("list_verbs", verbs(collection.list_verbs())),
        ("unique_verbs", verbs(collection.unique_verbs())),
    ];
    let wording = collection.wording();
    let said = [
        ("label", &wording.label),
        ("help", &wording.help),
        ("title", &collection.title().map(str::to_owned)),
    ];
    head.extend(said.into_iter().filter_map(|(key, text)| Some((key, quoted(text.as_deref()?)))));
    table(file, "[[collection]]", &head);
    let declared: Vec<(&str, String)> = fields.iter().map(|one| (one.name(), field(catalog, one))).collect();
    table(file, "[collection.fields]", &declared);
    if let Some(pages) = collection.pagination() {
        let lines = [
            ("page_size", pages.page_size.to_string()),
            ("offset_key", quoted(&pages.offset_key)),
            ("count_key", quoted(&pages.count_key)),
        ];
        table(file, "[collection.pagination]", &lines);
    }
    let (authentication, authorization) = match collection.admission() {
        Admission::Open => (false, false),
        Admission::Identified => (true, false),
        Admission::KnownOnly => (true, true),
    };
    let lines =
        [("authentication", authentication.to_string()), ("authorization", authorization.to_string())];
    table(file, "[collection.access]", &lines);
    if let Some(limit) = collection.rate_limit() {
        let lines = [("quota", limit.quota.to_string()), ("interval", limit.interval_seconds.to_string())];
        table(file, "[collection.rate_limit]", &lines);
    }
}

fn field(catalog: &Catalog, field: &Field) -> String {
    let mut text = format!("{{ type = {}, required = {}", quoted(field.kind().name()), field.is_required());
    if let Some(reference) = field.reference() {
        let target = quoted(catalog.at(reference.target).name());
        let rule = quoted(reference.on_delete.name());
        text.push_str(&format!(", references = {target}, on_delete = {rule}"));
    }
    // Most fields are neither.
    for (key, is_set) in [("keep_order", field.keeps_order()), ("searchable", field.is_searchable())] {
        if is_set {
            text.push_str(&format!(", {key} = true"));
        }
    }
    let rules = field.rules();
    let wording = field.wording();
    let said = [
        ("format", rules.format.map(|format| quoted(format.name()))),
        ("choices", (!rules.choices.is_empty()).then(|| list(rules.choices.iter().map(String::as_str)))),
        ("max_length", rules.max_length.map(|most| most.to_string())),
        ("vcard", field.card_property().map(|property| quoted(&property.to_string()))),
        ("label", wording.label.as_deref().map(quoted)),
        ("help", wording.help.as_deref().map(quoted)),
    ];
    for (key, value) in said {
        text.extend(value.map(|value| format!(", {key} = {value}")));
    }
    let default = field.default().map(|default| match default {
        Literal::Text(text) | Literal::Bare(text) => quoted(text),
        Literal::Integer(integer) => integer.to_string(),
        Literal::Float(float) => format!("{float:?}"),
        Literal::Boolean(boolean) => boolean.to_string(),
    });
    text.extend(default.map(|default| format!(", default = {default}")));
    text.push_str(" }");
    text
}

fn verbs(verbs: &[Verb]) -> String {
    list(verbs.iter().map(|verb| verb.name()))
}

/// Keys with their values as TOML.
pub(super) type Lines = Vec<(&'static str, String)>;

/// Stands for the key of a line that is a comment.
pub(super) const COMMENT: &str = "#";

/// A heading and its lines, the values below each other.
fn table(file: &mut String, heading: &str, lines: &[(&str, String)]) {
    if !file.is_empty() {
        file.push('\n');
    }
    file.push_str(heading);
    file.push('\n');
    let width = lines.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    for (key, value) in lines {
        let line = match *key {
            COMMENT => format!("# {value}\n"),
            key => format!("{key:width$} = {value}\n"),
        };
        file.push_str(&line);
    }
}

pub(super) fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = texts.map(quoted).collect();
    format!("[{}]", quoted.join(", "))
}

/// A text as a basic string of TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
