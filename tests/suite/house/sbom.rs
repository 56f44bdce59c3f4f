//! The bill of materials names everything that a release is made of, and says the same each time.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::packages::{locked, metadata, packages};
use super::repository::{read, root};

#[path = "../../../deploy/sbom.rs"]
#[expect(dead_code, reason = "as a program it reads its own input")]
mod program;

/// What cargo itself says that a release needs: normal and build dependencies, of this machine.
fn tree() -> String {
    let said = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap()
}

/// The names and versions in it, without our own.
fn needed(tree: &str) -> BTreeSet<(String, String)> {
    let words = tree.lines().filter(|line| !line.is_empty()).map(|line| line.split(' ').collect::<Vec<_>>());
    let all = words.map(|words| (words[0].to_owned(), words[1].trim_start_matches('v').to_owned()));
    all.filter(|(name, _)| name != "carnet").collect()
}

/// The bill, as `deploy/sbom` prints it. The program reads from where it stands, which is the root for tests, too.
fn bill(tree: &str) -> String {
    let bill = program::bill(metadata(), &read("Cargo.lock"), tree).unwrap();
    serde_json::to_string_pretty(&bill).unwrap()
}

#[test]
fn the_bill_of_materials_is_whole_and_the_same_each_time() {
    let tree = tree();
    let written = bill(&tree);
    assert_eq!(written, bill(&tree));
    let bill: Value = serde_json::from_str(&written).unwrap();
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&"CycloneDX".into(), &"1.6".into()));
    assert_eq!(bill["metadata"]["component"]["version"], env!("CARGO_PKG_VERSION"));

    let checksums: BTreeMap<(String, String), Option<String>> =
        locked().into_iter().map(|package| ((package.name, package.version), package.checksum)).collect();
    let licences: BTreeMap<(&str, &str), &str> = packages()
        .iter()
        .map(|package| ((text(package, "name"), text(package, "version")), text(package, "license")))
        .collect();
    let mut listed = BTreeSet::new();
    for component in bill["components"].as_array().unwrap() {
        let (name, version) = (text(component, "name"), text(component, "version"));
        let hash = component["hashes"][0]["content"].as_str().unwrap();
        let licence = component["licenses"][0]["expression"].as_str().unwrap();
        assert_eq!(component["hashes"][0]["alg"], "SHA-256");
        if text(component, "purl").starts_with("pkg:npm/") {
            assert!(read("console/vendor/SHA256SUMS").contains(hash), "{name}");
            assert!(read("console/vendor/LICENSES.txt").contains(&format!("{name} {version}\n")), "{name}");
            continue;
        }
        assert_eq!(text(component, "purl"), format!("pkg:cargo/{name}@{version}"));
        let key = (name.to_owned(), version.to_owned());
        assert_eq!(checksums[&key].as_deref(), Some(hash), "{name}");
        assert_eq!(licences[&(name, version)].replace('/', " OR "), licence, "{name}");
        assert!(listed.insert(key), "{name} {version} is listed twice");
    }
    assert_eq!(listed, needed(&tree));
    assert!(listed.len() > 50 && listed.len() < packages().len(), "tests need more than a release");

    // What is in the program, and what only runs while it is compiled.
    for (name, scope) in
        [("tokio", "required"), ("libsqlite3-sys", "required"), ("cc", "excluded"), ("quote", "excluded")]
    {
        let component = bill["components"].as_array().unwrap().iter().find(|it| it["name"] == name);
        assert_eq!(component.unwrap()["scope"], scope, "{name}");
    }

    let references: BTreeSet<&str> =
        bill["components"].as_array().unwrap().iter().map(|it| text(it, "bom-ref")).collect();
    for entry in bill["dependencies"].as_array().unwrap() {
        let own = text(&bill["metadata"]["component"], "bom-ref");
        assert!(references.contains(text(entry, "ref")) || text(entry, "ref") == own);
        let below = entry["dependsOn"].as_array().unwrap();
        assert!(below.iter().all(|one| references.contains(one.as_str().unwrap())), "{entry}");
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}
