//! The files of the repository, as the house tests read them.

use std::fs;
use std::path::{Path, PathBuf};

/// Every document that people read.
pub(super) const PAGES: [&str; 26] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/getting-started.md",
    "docs/configuration.md",
    "docs/api.md",
    "docs/cli.md",
    "docs/console.md",
    "docs/data.md",
    "docs/clients.md",
    "clients/python/README.md",
    "clients/react-admin/README.md",
    "clients/typescript/README.md",
    "docs/access.md",
    "docs/operations.md",
    "docs/postgresql.md",
    "docs/failover.md",
    "deploy/README.md",
    "docs/decisions/README.md",
    "docs/internals.md",
    "docs/performance.md",
    "docs/security.md",
    "docs/reliability.md",
    "tests/README.md",
];

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file, by its path from the root.
#[track_caller]
pub(super) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file under a folder that ends like this, by its path from the root, in order. Packages that were installed
/// there are none of it.
pub(super) fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("node_modules") {
                    folders.push(path);
                }
            } else if path.to_str().unwrap().ends_with(ending) {
                found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "nothing in {folder} ends in {ending}");
    found
}

/// Every file of the repository that is called like this, by its path from the root, in order. What was built or
/// installed there is none of it.
pub(super) fn called(wanted: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() {
                if !["target", "node_modules", ".git"].contains(&name.as_str()) {
                    folders.push(entry.path());
                }
            } else if name == wanted {
                found.push(entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A source file without its comments.
pub(super) fn code(path: &str) -> String {
    let text = read(path);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Panics with all complaints at once.
#[track_caller]
pub(super) fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_page_is_on_the_list() {
    let mut listed = PAGES.to_vec();
    listed.sort_unstable();
    let folders = ["docs", "deploy", "tests"];
    let mut found: Vec<String> = folders.iter().flat_map(|folder| files(folder, ".md")).collect();
    // They have a list of their own, which is one of the pages.
    found.retain(|path| !path.starts_with("docs/decisions/") || path.ends_with("/README.md"));
    // Packages that were fetched have pages too, further down.
    let clients = fs::read_dir(root().join("clients")).unwrap();
    let clients = clients.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let clients = clients.map(|name| format!("clients/{name}/README.md"));
    found.extend(clients.filter(|path| root().join(path).is_file()));
    let at_the_root = fs::read_dir(root()).unwrap();
    let names = at_the_root.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    found.extend(names.filter(|name| name.ends_with(".md")));
    found.sort_unstable();
    assert_eq!(found, listed);
}
