//! No files of these folders import each other in a circle.
//!
//! An import leads to the file that defines what is imported: one that only hands it on is not in between. So a parent
//! may show what its children define, and a child may take it from there; but where a parent uses a child, the child
//! uses nothing that the parent defines.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::repository::{code, files, none};

/// The modules whose files are looked at, with all that is below them.
const FOLDERS: [&str; 2] = ["http", "store"];

/// A source file as a module: `["store", "sqlite"]` for `src/store/sqlite.rs`.
type Module = Vec<String>;

/// What a file says about others.
struct Source {
    /// What it imports, or names by a path, as it is written.
    uses: Vec<String>,
    /// What it imports by this name, and whoever imports it from here has from there.
    imported: BTreeMap<String, String>,
    children: BTreeSet<String>,
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut found: Vec<Vec<Module>> = Vec::new();
    for folder in FOLDERS {
        let sources = sources(folder);
        let graph: BTreeMap<&Module, BTreeSet<Module>> =
            sources.iter().map(|(module, source)| (module, imports(&sources, module, source))).collect();
        found.extend(graph.keys().filter_map(|module| circle(&graph, module)));
    }
    found.sort_by_key(Vec::len);
    // A long circle around a short one says nothing new.
    let mut shortest: Vec<Vec<Module>> = Vec::new();
    for circle in found {
        if !shortest.iter().any(|known| known.iter().all(|module| circle.contains(module))) {
            shortest.push(circle);
        }
    }
    let words = |circle: &Vec<Module>| {
        let names = circle.iter().chain(circle.first()).map(|module| module.join("/"));
        names.collect::<Vec<_>>().join(" uses ")
    };
    none(&shortest.iter().map(words).collect::<Vec<_>>());
}

fn sources(folder: &str) -> BTreeMap<Module, Source> {
    let below = files(&format!("src/{folder}"), ".rs").into_iter().chain([format!("src/{folder}.rs")]);
    let sources = below.filter(|path| !path.ends_with("/tests.rs")).map(|path| {
        let name = path.strip_prefix("src/").unwrap().strip_suffix(".rs").unwrap();
        let text = code(&path);
        // Tests may use whatever they like.
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        (name.split('/').map(str::to_owned).collect(), source(text))
    });
    sources.collect()
}

fn source(text: &str) -> Source {
    let (mut rest, mut imports) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((before, tree)) = line.trim_start().split_once("use ").filter(|(before, _)| {
            before.is_empty() || before.starts_with("pub ") || before.starts_with("pub(")
        }) else {
            // Who may use something is not what it uses.
            let end = line.find("pub(in ").and_then(|at| Some(at + line[at..].find(')')?));
            rest.push_str(end.map_or(line, |end| &line[end..]));
            rest.push('\n');
            continue;
        };
        let mut tree = tree.to_owned();
        while !tree.contains(';') {
            tree.push_str(lines.next().expect("the end of an import").trim());
        }
        imports.extend(leaves(tree.trim_end_matches(';')).into_iter().map(|path| (!before.is_empty(), path)));
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: BTreeSet<&str> = rest.split(|c| !is_part(c)).collect();
    let children: BTreeSet<String> = rest
        .lines()
        .filter_map(|line| line.strip_suffix(';')?.rsplit_once("mod ").map(|(_, name)| name.to_owned()))
        .collect();
    let mut uses: Vec<String> = rest
        .split(|c: char| !is_part(c) && c != ':')
        .filter(|path| path.split("::").next().is_some_and(|first| is_path(first, &children)))
        .filter(|path| path.contains("::"))
        .map(str::to_owned)
        .collect();
    let name = |path: &str| path.rsplit("::").next().unwrap().to_owned();
    // What is only handed on is not used here.
    let used = imports.iter().filter(|(is_public, path)| !is_public || words.contains(name(path).as_str()));
    uses.extend(used.map(|(_, path)| path.clone()));
    let imported = imports.into_iter().map(|(_, path)| (name(&path), path)).collect();
    Source { uses, imported, children }
}

fn is_path(first: &str, children: &BTreeSet<String>) -> bool {
    matches!(first, "crate" | "super" | "self") || children.contains(first)
}

/// The paths of an import: `a::b` and `a::c` for `a::{b, c}`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap().trim();
        return vec![path.strip_suffix("::self").or(path.strip_suffix("::*")).unwrap_or(path).to_owned()];
    };
    let body = &rest[..rest.rfind('}').expect("a bracket that ends")];
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in body.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(c);
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(|part| leaves(&format!("{}{part}", prefix.trim_start()))).collect()
}

/// The other files of the folder that a file uses.
fn imports(sources: &BTreeMap<Module, Source>, module: &Module, source: &Source) -> BTreeSet<Module> {
    let found = source.uses.iter().filter_map(|path| home(sources, module, path));
    found.filter(|found| found != module).collect()
}

/// The file that defines what a path means, written in this module.
fn home(sources: &BTreeMap<Module, Source>, module: &Module, path: &str) -> Option<Module> {
    let parts: Vec<&str> = path.split("::").collect();
    let above = parts.iter().take_while(|part| **part == "super").count();
    let (mut at, rest) = match parts[0] {
        "crate" => (Module::new(), &parts[1..]),
        "self" => (module.clone(), &parts[1..]),
        "super" => (module[..module.len() - above].to_vec(), &parts[above..]),
        first if sources[module].children.contains(first) => (module.clone(), parts.as_slice()),
        _ => return None,
    };
    for part in rest {
        let below = [at.as_slice(), &[(*part).to_owned()]].concat();
        if sources.contains_key(&below) {
            at = below;
            continue;
        }
        let shown = sources.get(&at).filter(|_| at != *module).and_then(|source| source.imported.get(*part));
        return shown
            .and_then(|path| home(sources, &at, path))
            .or_else(|| sources.contains_key(&at).then_some(at));
    }
    sources.contains_key(&at).then_some(at)
}

/// The shortest way from a file back to itself.
fn circle(graph: &BTreeMap<&Module, BTreeSet<Module>>, start: &Module) -> Option<Vec<Module>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in &graph[way.last().unwrap()] {
            if next == start {
                return Some(way.into_iter().cloned().collect());
            }
            if seen.insert(next) {
                ways.push_back([way.as_slice(), &[next]].concat());
            }
        }
    }
    None
}

#[test]
fn an_import_leads_to_the_file_that_defines_it() {
    let text = "mod child;\nmod other;\n\npub use child::{Shown, deep::{A as B, self}};\n\
         use super::above::C;\npub(in crate::no::import) fn f() { other::call(); crate::far::d() }\n";
    let parent = source(text);
    assert_eq!(parent.uses, ["other::call", "crate::far::d", "super::above::C"]);
    let module = |path: &str| path.split('/').map(str::to_owned).collect::<Module>();
    let texts = [
        ("a/parent", text),
        ("a/parent/child", "use super::other::*;\n"),
        ("a/parent/other", "use super::{Shown,\n    f};\n"),
        ("a/above", ""),
    ];
    let sources: BTreeMap<Module, Source> =
        texts.into_iter().map(|(path, text)| (module(path), source(text))).collect();
    let graph: BTreeMap<&Module, BTreeSet<Module>> =
        sources.iter().map(|(module, source)| (module, imports(&sources, module, source))).collect();
    let other = module("a/parent/other");
    assert_eq!(graph[&other], BTreeSet::from([module("a/parent"), module("a/parent/child")]));
    // The parent shows the child and does not use it; it uses the other, which uses what it defines.
    assert_eq!(circle(&graph, &module("a/above")), None);
    assert_eq!(circle(&graph, &module("a/parent")), Some(vec![module("a/parent"), other.clone()]));
    assert_eq!(circle(&graph, &module("a/parent/child")), Some(vec![module("a/parent/child"), other]));
}
