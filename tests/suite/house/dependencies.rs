//! What the lock file must and must not hold.

use super::repository::read;

/// Two copies of SQLite in one process cancel each other's locks on the same file.
#[test]
fn there_is_one_sqlite() {
    let copies = read("Cargo.lock").lines().filter(|line| *line == "name = \"libsqlite3-sys\"").count();
    assert_eq!(copies, 1);
}
