//! A second opinion on statements: they hold words of SQL, names of the catalog and places for values, and nothing
//! else.

use carnet::catalog::Catalog;
use carnet::catalog::date::Datetime;
use carnet::catalog::field::{Field, Literal};

/// Every bare word that a statement may have.
const WORDS: [&str; 70] = [
    "SELECT",
    "count",
    "FROM",
    "WHERE",
    "AND",
    "OR",
    "IS",
    "NULL",
    "FALSE",
    "TRUE",
    "ORDER",
    "BY",
    "LIMIT",
    "OFFSET",
    "LEFT",
    "JOIN",
    "ON",
    "id",
    "one",
    "p",
    "v",
    "m",
    "number",
    "_carnet_commits",
    "octet_length",
    "CREATE",
    "TABLE",
    "INDEX",
    "UNIQUE",
    "INTEGER",
    "TEXT",
    "REAL",
    "PRIMARY",
    "KEY",
    "AUTOINCREMENT",
    "NOT",
    "CHECK",
    "STRICT",
    "IN",
    "BETWEEN",
    "e308",
    "REFERENCES",
    "DELETE",
    "RESTRICT",
    "SET",
    "CASCADE",
    "t",
    "ANY",
    "bigint",
    "UPDATE",
    "INSERT",
    "INTO",
    "VALUES",
    "max",
    "AS",
    "FOR",
    "NO",
    "text",
    "COPY",
    "coalesce",
    "TO",
    "CONSTRAINT",
    "DEFAULT",
    "LIKE",
    "GLOB",
    "length",
    "substr",
    "date",
    "strftime",
    "julianday",
];

/// Every literal that no configuration declares.
const LITERALS: [&str; 10] = [
    "",
    "%_@_%",
    "http://",
    "https://",
    "0001-01-01",
    "01",
    "+1 month",
    "24",
    "%Y-%m-%dT%H:%M:%S",
    ".[0-9][0-9][0-9][0-9][0-9][0-9]Z",
];

/// Judges a statement whose values are bound at `mark` and a number.
pub(crate) fn judge(catalog: &Catalog, statement: &str, mark: char, values: usize) {
    let mut rest = statement;
    let mut highest = 0;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => identifier(catalog, rest),
            '\'' => literal(catalog, rest),
            mark_or_other if mark_or_other == mark => {
                let digits = run(&rest[1..], |c| c.is_ascii_digit());
                let place: usize =
                    rest[1..=digits].parse().unwrap_or_else(|_| panic!("a place: {statement}"));
                highest = highest.max(place);
                1 + digits
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let length = run(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                assert!(WORDS.contains(&&rest[..length]), "{}: {statement}", &rest[..length]);
                length
            }
            c if c.is_ascii_digit() => run(rest, |c| c.is_ascii_alphanumeric() || c == '.'),
            c if " ,()*=.<>+-|\n".contains(c) => 1,
            other => panic!("{other:?}: {statement}"),
        };
        rest = &rest[taken..];
    }
    assert_eq!(highest, values, "{statement}");
}

/// How long a quoted identifier is, which names something of the catalog.
fn identifier(catalog: &Catalog, text: &str) -> usize {
    let length = text[1..].find('"').unwrap_or_else(|| panic!("no end: {text}")) + 2;
    let name = &text[1..length - 1];
    let is_name = |name: &str| {
        let in_collection = |collection: &carnet::catalog::collection::Collection| {
            collection.name() == name || collection.find_field(name).is_some()
        };
        catalog.collections().iter().any(in_collection)
    };
    // `things.name,size unique` is the name of an index.
    let is_index = || {
        let name = name.strip_suffix(" unique").unwrap_or(name);
        name.split_once('.').is_some_and(|(table, fields)| is_name(table) && fields.split(',').all(is_name))
    };
    // `nick max_length 40` is the name of a rule.
    let is_rule = || {
        let keys = ["format ", "choices ", "max_length "];
        name.split_once(' ')
            .is_some_and(|(field, rule)| is_name(field) && keys.iter().any(|key| rule.starts_with(key)))
    };
    assert!(is_name(name) || is_index() || is_rule(), "{name} is not in the catalog");
    length
}

/// How long a literal is, which is one of ours or declared: a choice, or a default.
fn literal(catalog: &Catalog, text: &str) -> usize {
    let mut length = 1;
    while let Some(end) = text[length..].find('\'') {
        length += end + 1;
        if !text[length..].starts_with('\'') {
            break;
        }
        length += 1;
    }
    let said = text[1..length - 1].replace("''", "'");
    let is_of = |field: &Field| {
        let default = match field.default() {
            Some(Literal::Text(text)) => Some(text),
            _ => None,
        };
        let is_moment = |text: &String| Datetime::parse(text).is_some_and(|it| it.full_text() == said);
        field.rules().choices.contains(&said) || default.is_some_and(|text| *text == said || is_moment(text))
    };
    let mut fields = catalog.collections().iter().flat_map(|collection| collection.fields());
    assert!(LITERALS.contains(&said.as_str()) || fields.any(is_of), "a literal: {text}");
    length
}

fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}
