//! A key or a table that is given twice: TOML's own rule, told with both places.

use super::problem::Problem;
use super::syntax::{line_start, lines};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A key that is given twice, with the place where it was first.
pub(super) fn duplicate(text: &str, tree: &DeTable<'_>, span: Range<usize>) -> Problem {
    let name = &text[span.clone()];
    let start = line_start(text, span.start);
    let line = text[start..].lines().next().unwrap_or("").trim();
    let (message, remedy) = if line.starts_with("[collection.") {
        let message = format!("one collection has the table `{name}` twice");
        (message, "begin the next collection with `[[collection]]`")
    } else if line.starts_with('[') {
        let message = format!("the table `{name}` is given twice");
        (message, "write all its keys under one heading")
    } else {
        (format!("`{name}` is given twice"), "leave one of the two out, or rename it")
    };
    let first = if line.starts_with('[') {
        let headings = lines(&text[..start]).filter(|earlier| text[earlier.clone()].trim() == line);
        headings.last()
    } else {
        let is_inline = |at: usize| text[line_start(text, at)..at].contains('{');
        let mut earlier = Vec::new();
        places(tree, name, &mut earlier);
        earlier.retain(|place| {
            let is_near = !is_inline(span.start) || line_start(text, place.start) == start;
            place.end <= span.start && is_near && is_inline(place.start) == is_inline(span.start)
        });
        earlier.into_iter().max_by_key(|place| place.start)
    };
    Problem {
        label: Some("again here".to_owned()),
        related: first.map(|place| (place, "first here".to_owned())),
        ..Problem::at(span, message, remedy)
    }
}

/// Everywhere that a key of this name stands.
fn places(table: &DeTable<'_>, name: &str, found: &mut Vec<Range<usize>>) {
    for (key, value) in table {
        if key.get_ref() == name {
            found.push(key.span());
        }
        match value.get_ref() {
            DeValue::Table(inner) => places(inner, name, found),
            DeValue::Array(items) => {
                for inner in items.iter().filter_map(|item| item.get_ref().as_table()) {
                    places(inner, name, found);
                }
            }
            _ => {}
        }
    }
}
