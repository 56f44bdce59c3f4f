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
