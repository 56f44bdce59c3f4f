//! Documents can be reviewed line by line: prose is wrapped, and the map stays short.

use super::repository::{PAGES, files, none, read};

const WIDEST: usize = 120;

/// Whether a line could have been wrapped: no row of a table, no picture, and not one long word.
fn is_prose(line: &str) -> bool {
    let text = line.trim_start();
    let is_code = line.len() - text.len() >= 4;
    !is_code && !text.starts_with(['|', '<']) && !text.starts_with("![") && text.contains(' ')
}

#[test]
fn prose_is_wrapped() {
    let decisions = files("docs/decisions", ".md");
    let mut complaints = Vec::new();
    for page in PAGES.into_iter().chain(decisions.iter().map(String::as_str)) {
        let mut is_code = false;
        for (number, line) in read(page).lines().enumerate() {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
            } else if !is_code && is_prose(line) && line.chars().count() > WIDEST {
                complaints.push(format!("{page}:{} is longer than {WIDEST} columns", number + 1));
            }
        }
    }
    none(&complaints);
}

#[test]
fn the_map_is_short() {
    let lines = read("ARCHITECTURE.md").lines().count();
    assert!(lines <= 300, "{lines} lines");
}
