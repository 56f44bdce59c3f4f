//! What the scripts build goes where cargo is told to put it, however it is told.

use std::process::Command;

use super::repository::{none, read, root};

/// Every script that uses something that was built.
const SCRIPTS: [&str; 7] =
    ["bench", "clients/check", "deploy/release", "deploy/sbom", "faults/run", "fuzz/run", "test"];

#[test]
fn the_folder_is_the_one_that_cargo_is_told() {
    for variable in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"] {
        let said = Command::new(root().join("tests/target-folder"))
            .env_remove("CARGO_TARGET_DIR")
            .env(variable, "/elsewhere/built")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "/elsewhere/built\n", "{variable}");
    }
}

#[test]
fn every_script_asks_for_the_folder() {
    let mut complaints = Vec::new();
    for path in SCRIPTS {
        let text = read(path);
        let guesses = ["CARGO_TARGET_DIR:-", "--target-dir", " target/debug", "/target/debug", "\"target/"];
        complaints.extend(
            guesses.iter().filter(|guess| text.contains(*guess)).map(|guess| format!("{path} has {guess}")),
        );
    }
    none(&complaints);
}
