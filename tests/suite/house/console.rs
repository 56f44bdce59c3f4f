//! What the policy of the console's page forbids, and a browser would only say at run time.

use super::repository::{files, none, read};

/// The lines of the console's templates that hold one of these.
fn holding(what: &[&str]) -> Vec<String> {
    let templates = files("console/js", ".js").into_iter().chain(["console/index.html".to_owned()]);
    let mut found = Vec::new();
    for path in templates {
        for (place, line) in read(&path).lines().enumerate() {
            if what.iter().any(|one| line.contains(one)) {
                found.push(format!("{path}:{}: {}", place + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn no_template_of_the_console_carries_a_style_or_a_script_of_its_own() {
    none(&holding(&["style=", "onclick=", "onload=", "<style", "javascript:"]));
    // It would find one: the page links to its styles and to its script.
    assert!(!holding(&["<script", "rel=\"stylesheet\""]).is_empty());
}

#[test]
fn no_text_becomes_markup_in_the_console() {
    none(&holding(&["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"]));
}
