//! Every file says first what it is, and holds one idea.

use super::repository::{files, none, read};

#[test]
fn every_source_file_begins_with_what_it_is() {
    let mut complaints = Vec::new();
    let all = ["src", "tests/suite", "dev/src", "faults/src"].iter().flat_map(|folder| files(folder, ".rs"));
    for path in all {
        let text = read(&path);
        let first = text.lines().next().unwrap_or_default();
        let said = first.strip_prefix("//! ").unwrap_or_default();
        // A heading is no sentence: somebody who opens the file wants to know whether to read on.
        if said.split_whitespace().count() < 3 {
            complaints.push(format!("{path} begins with {first:?}"));
        }
    }
    none(&complaints);
}

/// Past this a file usually holds two ideas.
const MOST_LINES: usize = 384;

#[test]
fn no_file_of_the_product_is_long() {
    let mut complaints = Vec::new();
    for path in files("src", ".rs") {
        let lines = read(&path).lines().count();
        if lines > MOST_LINES {
            complaints.push(format!("{path} has {lines} lines; {MOST_LINES} are the most"));
        }
    }
    none(&complaints);
}
