//! What the page about security says is held by a test is held by a test.

use std::collections::BTreeSet;

use super::repository::{none, read, root};

/// The tests that a page names, as `api::access::a_key_given_twice_is_refused`.
fn named(page: &str) -> BTreeSet<String> {
    let quoted = page.split('`').skip(1).step_by(2);
    let is_test = |text: &&str| {
        let rooms = ["api::", "cli::", "store::", "robustness::", "house::"];
        rooms.iter().any(|room| text.starts_with(room))
    };
    quoted.filter(is_test).map(str::to_owned).collect()
}

#[test]
fn every_test_that_is_named_exists() {
    let named = named(&read("docs/security.md"));
    assert!(named.len() > 25, "{named:?}");
    let mut complaints = Vec::new();
    for test in named {
        let path = |text: &str| format!("tests/suite/{}.rs", text.replace("::", "/"));
        // A whole file, or one function of it.
        if root().join(path(&test)).is_file() {
            continue;
        }
        let (file, function) = test.rsplit_once("::").unwrap();
        // Some have more attributes than the one.
        let is_there =
            root().join(path(file)).is_file() && read(&path(file)).contains(&format!("]\nfn {function}()"));
        if !is_there {
            complaints.push(format!("docs/security.md names {test}"));
        }
    }
    none(&complaints);
}

#[test]
fn every_risk_and_every_requirement_has_its_place() {
    let page = read("docs/security.md");
    for number in 1..=10 {
        assert_eq!(page.matches(&format!("\n### API{number}: ")).count(), 1, "API{number}");
    }
    for number in 1..=15 {
        assert_eq!(page.matches(&format!("\n- **R{number}, ")).count(), 1, "R{number}");
    }
}

#[test]
fn every_fuzz_target_that_is_named_exists() {
    let targets = read("fuzz/src/lib.rs");
    for page in ["docs/security.md", "docs/reliability.md"] {
        let text = read(page);
        for part in text.split("fuzz target").skip(1) {
            let name = part.split('`').nth(1).unwrap();
            assert!(targets.contains(&format!("(\"{name}\", targets::{name}::run)")), "{page}: {name}");
        }
    }
}
