//! A second opinion on statements: they hold words of SQL, names of the catalog and places for values, and nothing
//! else.

use carnet::catalog::Catalog;

/// Every bare word that a statement may have.
const WORDS: [&str; 61] = [
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
];

/// Judges a statement whose values are bound at `mark` and a number.
pub(crate) fn judge(catalog: &Catalog, statement: &str, mark: char, values: usize) {
    let mut rest = statement;
    let mut highest = 0;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => identifier(catalog, rest),
            // The only literal there is.
            '\'' => {
                assert!(rest.starts_with("''"), "a literal: {statement}");
                2
            }
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
            c if c.is_ascii_digit() => run(rest, |c| c.is_ascii_digit() || c == '.'),
            c if " ,()*=.<>+-\n".contains(c) => 1,
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
    assert!(is_name(name) || is_index(), "{name} is not in the catalog");
    length
}

fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}
