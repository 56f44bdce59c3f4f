//! What cargo and the lock files say about packages, read without a network.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::repository::{read, root};

/// One package of a `Cargo.lock`.
#[derive(Debug)]
pub(super) struct Locked {
    pub(super) name: String,
    pub(super) version: String,
    /// `None` for our own.
    pub(super) source: Option<String>,
    pub(super) checksum: Option<String>,
    /// Their names; with the version behind where there are several of a name.
    pub(super) dependencies: Vec<String>,
}

/// The packages of the lock file.
pub(super) fn locked() -> Vec<Locked> {
    let lock: toml::Table = read("Cargo.lock").parse().unwrap();
    let text = |package: &toml::Value, key: &str| {
        package.get(key).and_then(|value| value.as_str()).map(str::to_owned)
    };
    let packages = lock["package"].as_array().unwrap().iter();
    packages
        .map(|package| Locked {
            name: text(package, "name").unwrap(),
            version: text(package, "version").unwrap(),
            source: text(package, "source"),
            checksum: text(package, "checksum"),
            dependencies: package.get("dependencies").map(list).unwrap_or_default(),
        })
        .collect()
}

/// What `cargo metadata` says of the product, its tools, and everything that a build of them here may need.
pub(super) fn metadata() -> &'static Value {
    static METADATA: OnceLock<Value> = OnceLock::new();
    METADATA.get_or_init(|| {
        let version = Command::new("rustc").arg("-vV").output().unwrap();
        let version = String::from_utf8(version.stdout).unwrap();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        let said = Command::new(env!("CARGO"))
            .args(["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        serde_json::from_slice(&said.stdout).unwrap()
    })
}

/// The packages of [`metadata`].
pub(super) fn packages() -> &'static [Value] {
    metadata()["packages"].as_array().unwrap()
}

/// `deny.toml`: which licences, which build scripts, which copies.
pub(super) fn rules() -> toml::Table {
    read("deny.toml").parse().unwrap()
}

/// The texts of a list in a table.
pub(super) fn texts(texts: &toml::Value) -> BTreeSet<String> {
    list(texts).into_iter().collect()
}

fn list(texts: &toml::Value) -> Vec<String> {
    texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Whether an expression like `(MIT OR Apache-2.0) AND Unicode-3.0` can be met with these licences.
pub(super) fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    // The old way to write OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    words.reverse();
    let met = either(&mut words, allowed);
    assert!(words.is_empty(), "{expression}");
    met
}

fn either(words: &mut Vec<&str>, allowed: &BTreeSet<String>) -> bool {
    let mut met = both(words, allowed);
    while words.last() == Some(&"OR") {
        words.pop();
        met |= both(words, allowed);
    }
    met
}

fn both(words: &mut Vec<&str>, allowed: &BTreeSet<String>) -> bool {
    let mut met = one(words, allowed);
    while words.last() == Some(&"AND") {
        words.pop();
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Vec<&str>, allowed: &BTreeSet<String>) -> bool {
    let word = words.pop().expect("a licence");
    if word == "(" {
        let met = either(words, allowed);
        assert_eq!(words.pop(), Some(")"));
        return met;
    }
    if words.last() == Some(&"WITH") {
        words.pop();
        let exception = words.pop().expect("an exception");
        return allowed.contains(&format!("{word} WITH {exception}"));
    }
    allowed.contains(word)
}

#[test]
fn licences_are_weighed_as_they_are_written() {
    let allowed: BTreeSet<String> = ["MIT", "ISC"].map(str::to_owned).into();
    for met in
        ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR ISC) AND MIT", "Apache-2.0 WITH x OR MIT"]
    {
        assert!(is_met(met, &allowed), "{met}");
    }
    for not in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "MIT WITH x"] {
        assert!(!is_met(not, &allowed), "{not}");
    }
}
