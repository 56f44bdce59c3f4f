//! What the lock file must and must not hold.

use super::repository::{none, read};

/// What else is locked than the crates.
const OTHER_LOCKS: [&str; 4] = [
    "clients/react-admin/package-lock.json",
    "clients/tests/requirements.txt",
    "clients/typescript/package-lock.json",
    "e2e/package-lock.json",
];

/// Two copies of SQLite in one process cancel each other's locks on the same file.
#[test]
fn there_is_one_sqlite() {
    let copies = read("Cargo.lock").lines().filter(|line| *line == "name = \"libsqlite3-sys\"").count();
    assert_eq!(copies, 1);
}

/// Where packages are fetched from is the business of whoever fetches them.
#[test]
fn no_lock_file_names_a_registry() {
    let mut complaints = Vec::new();
    for path in OTHER_LOCKS {
        let text = read(path);
        // Each package is held to what it was, by its hash.
        assert!(text.contains("sha512-") || text.contains("--hash=sha256:"), "{path}");
        let is_address = |line: &&str| line.contains("\"resolved\"") || line.contains("index-url");
        complaints.extend(text.lines().filter(is_address).map(|line| format!("{path}: {line}")));
    }
    none(&complaints);
}
