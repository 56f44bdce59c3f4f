//! Every file that a document names is there, and every link leads somewhere.

use super::repository::{PAGES, files, none, read, root};

/// One page for each choice that somebody will question.
const DECISIONS: &str = "docs/decisions";

/// The pages that name files of the repository. Other pages name those of users, too.
const WITH_PATHS: [&str; 7] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/internals.md",
    "tests/README.md",
];

/// Files that the program makes or reads where it is used.
const OF_THE_USER: [&str; 1] = ["carnet.toml"];

/// The texts between single backticks, code blocks left out.
fn quoted(page: &str) -> Vec<String> {
    let prose: String = page.split("```").step_by(2).collect();
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a quoted text means a file or folder of the repository.
fn is_path(text: &str) -> bool {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
    let is_file = [".rs", ".md", ".toml", ".lock"].iter().any(|ending| text.ends_with(ending));
    let is_folder = text.ends_with('/') && !text.starts_with('/');
    is_plain && (is_file || is_folder) && !OF_THE_USER.contains(&text)
}

/// Where the headings of a page can be linked to.
fn anchors(page: &str) -> Vec<String> {
    let prose: String = page.split("```").step_by(2).collect();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_path_that_is_named_exists() {
    let mut complaints = Vec::new();
    for page in WITH_PATHS {
        for path in quoted(&read(page)).iter().filter(|text| is_path(text)) {
            let exists = [root().join(path), root().join("src").join(path)].iter().any(|path| path.exists());
            if !exists {
                complaints.push(format!("{page} names {path}"));
            }
        }
    }
    none(&complaints);
}

#[test]
fn every_link_leads_somewhere() {
    let mut complaints = Vec::new();
    let decisions = files(DECISIONS, ".md");
    for page in PAGES.into_iter().chain(decisions.iter().map(String::as_str)) {
        let text = read(page);
        let prose: String = text.split("```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target = root().join(folder).join(file);
            let target = if file.is_empty() { root().join(page) } else { target };
            let leads = target.is_file() && {
                let is_page = target.extension().is_some_and(|ending| ending == "md");
                anchor.is_empty()
                    || is_page
                        && anchors(&std::fs::read_to_string(&target).unwrap())
                            .iter()
                            .any(|known| known == anchor)
            };
            if !leads {
                complaints.push(format!("{page} links to {link}"));
            }
        }
    }
    none(&complaints);
}

#[test]
fn every_decision_is_in_the_list_of_decisions() {
    let list = read("docs/decisions/README.md");
    let mut complaints = Vec::new();
    for path in files(DECISIONS, ".md").iter().filter(|path| !path.ends_with("/README.md")) {
        let file = path.rsplit('/').next().unwrap();
        if !list.contains(&format!("]({file})")) {
            complaints.push(format!("docs/decisions/README.md does not list {file}"));
        }
    }
    none(&complaints);
}

#[test]
fn the_architecture_names_every_module_and_every_file_of_api_and_cli() {
    let page = read("ARCHITECTURE.md");
    let mut complaints = Vec::new();
    for file in files("src", ".rs") {
        let path = file.strip_prefix("src/").unwrap();
        let is_public_face = !path.contains('/') && path != "lib.rs" && path != "main.rs";
        let is_in_listed_folder = path.starts_with("api/") || path.starts_with("cli/");
        let is_listed = is_in_listed_folder && path.matches('/').count() == 1;
        if (is_public_face || is_listed) && !page.contains(&format!("`{path}`")) {
            complaints.push(format!("ARCHITECTURE.md does not name {path}"));
        }
    }
    none(&complaints);
}
