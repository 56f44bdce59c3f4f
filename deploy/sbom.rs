//! The bill of materials of a release: `CycloneDX` from what cargo says, `metadata` on standard input and `tree` in a file.
//!
//! The first knows licences and kinds, the second what is really compiled: features that only tests ask for bring
//! packages into the first that no release has.
//!
//! Everything that is compiled for the program or while it is compiled, with version, licence and hash; and what is
//! compiled in without being a package of cargo's: the vendored script of the console. No date and no random
//! number: the same sources give the same bytes. `deploy/sbom` runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{Read, Write};

use serde_json::{Value, json};

/// How a package comes into the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Its code is in it.
    Linked,
    /// Its code runs while the program is compiled.
    BuildOnly,
}

fn main() -> Result<(), Box<dyn Error>> {
    let tree = std::env::args_os().nth(1).ok_or("usage: sbom TREE <METADATA")?;
    let mut metadata = String::new();
    std::io::stdin().read_to_string(&mut metadata)?;
    let (lock, tree) = (std::fs::read_to_string("Cargo.lock")?, std::fs::read_to_string(tree)?);
    let document = bill(&serde_json::from_str(&metadata)?, &lock, &tree)?;
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// The document.
pub(crate) fn bill(metadata: &Value, lock: &str, tree: &str) -> Result<Value, Box<dyn Error>> {
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let root = text(&metadata["resolve"]["root"]);
    let compiled: BTreeSet<(&str, &str)> = tree.lines().filter_map(compiled).collect();
    let mut parts = parts(root, &nodes, &packages);
    parts.retain(|id, _| {
        let package = packages.get(id).map(|package| (text(&package["name"]), text(&package["version"])));
        package.is_some_and(|package| compiled.contains(&package))
    });
    if parts.len() != compiled.len() {
        return Err("a package is compiled that cargo does not describe".into());
    }
    let hashes = hashes(lock)?;

    let mut components = Vec::new();
    for (id, part) in &parts {
        let package = packages.get(id).ok_or("a package that cargo does not describe")?;
        if *id != root {
            components.push(component(package, *part, &hashes)?);
        }
    }
    components.extend(vendored()?);
    let reference = |component: &Value| text(&component["bom-ref"]).to_owned();
    components.sort_by_key(reference);
    let own = packages.get(root).ok_or("a program that cargo does not describe")?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": purl(own),
            "name": own["name"],
            "version": own["version"],
            "description": own["description"],
            "licenses": [{ "expression": own["license"] }],
            "purl": purl(own),
        } },
        "components": components,
        "dependencies": dependencies(&parts, &nodes, &packages),
    }))
}

/// A line of `cargo tree`: `tokio v1.54.1`.
fn compiled(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(" v")?;
    Some((name, rest.split(' ').next()?))
}

/// Every package that a release may need, from the program on. What only tests need is not among them.
fn parts<'a>(
    root: &'a str,
    nodes: &BTreeMap<&str, &'a Value>,
    packages: &BTreeMap<&str, &Value>,
) -> BTreeMap<&'a str, Part> {
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    let mut waiting = vec![(root, Part::Linked)];
    while let Some((id, part)) = waiting.pop() {
        let is_macro = packages.get(id).is_some_and(|package| is_macro(package));
        let part = if is_macro { Part::BuildOnly } else { part };
        // Linked counts for more, and takes everything below along.
        if parts.get(id).is_some_and(|known| *known == part || *known == Part::Linked) {
            continue;
        }
        parts.insert(id, part);
        for dependency in nodes.get(id).into_iter().flat_map(|node| list(&node["deps"])) {
            let kinds: BTreeSet<&str> =
                list(&dependency["dep_kinds"]).map(|kind| text(&kind["kind"])).collect();
            let id = text(&dependency["pkg"]);
            if kinds.contains("") {
                waiting.push((id, part));
            } else if kinds.contains("build") {
                waiting.push((id, Part::BuildOnly));
            }
        }
    }
    parts
}

fn is_macro(package: &Value) -> bool {
    list(&package["targets"]).any(|target| list(&target["kind"]).any(|kind| kind == "proc-macro"))
}

fn component(
    package: &Value,
    part: Part,
    hashes: &BTreeMap<(String, String), String>,
) -> Result<Value, Box<dyn Error>> {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let hash = hashes.get(&(name.to_owned(), version.to_owned()));
    let hash = hash.ok_or_else(|| format!("{name} {version} has no checksum in Cargo.lock"))?;
    // The old way to write OR, which is no expression of SPDX.
    let licence = text(&package["license"]).replace('/', " OR ");
    if licence.is_empty() {
        return Err(format!("{name} {version} has no licence").into());
    }
    Ok(json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "scope": if part == Part::Linked { "required" } else { "excluded" },
        "hashes": [{ "alg": "SHA-256", "content": hash }],
        "licenses": [{ "expression": licence }],
        "purl": purl(package),
    }))
}

/// The checksums of the lock file.
fn hashes(lock: &str) -> Result<BTreeMap<(String, String), String>, Box<dyn Error>> {
    let lock: toml::Table = lock.parse()?;
    let packages = lock.get("package").and_then(|packages| packages.as_array()).ok_or("no packages")?;
    let text = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let entry =
        |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.iter().filter_map(entry).collect())
}

/// What `console/vendor/` holds: the first line of its script names the packages, `SHA256SUMS` its hash.
fn vendored() -> Result<Vec<Value>, Box<dyn Error>> {
    let sums = std::fs::read_to_string("console/vendor/SHA256SUMS")?;
    let script =
        sums.lines().find_map(|line| line.split_once("  ").filter(|(_, file)| file.ends_with(".js")));
    let (hash, file) = script.ok_or("no script in SHA256SUMS")?;
    let text = std::fs::read_to_string(format!("console/vendor/{file}"))?;
    let names = text.lines().next().and_then(|line| line.strip_prefix("// ")?.split(':').next());
    let of_each = |named: &str| {
        let (name, version) = named.split_once(' ').ok_or("a package without a version")?;
        let purl = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
        let licence = if name == "htm" { "Apache-2.0" } else { "MIT" };
        Ok(json!({
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            "scope": "required",
            // Of the one script that they were put together in.
            "hashes": [{ "alg": "SHA-256", "content": hash }],
            "licenses": [{ "expression": licence }],
            "purl": purl,
        }))
    };
    names.ok_or("a script that does not say what it is")?.split(", ").map(of_each).collect()
}

fn dependencies(
    parts: &BTreeMap<&str, Part>,
    nodes: &BTreeMap<&str, &Value>,
    packages: &BTreeMap<&str, &Value>,
) -> Vec<Value> {
    let name = |id: &str| packages.get(id).map(|package| purl(package)).unwrap_or_default();
    let below = |id: &str| -> BTreeSet<String> {
        let needed = nodes
            .get(id)
            .into_iter()
            .flat_map(|node| list(&node["deps"]))
            .filter(|dependency| list(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev"));
        let needed = needed.map(|dependency| text(&dependency["pkg"])).filter(|id| parts.contains_key(id));
        needed.map(name).collect()
    };
    let mut all: Vec<Value> =
        parts.keys().map(|id| json!({ "ref": name(id), "dependsOn": below(id) })).collect();
    all.sort_by_key(|entry| text(&entry["ref"]).to_owned());
    all
}

fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
