//! The container image can be built: from the files that `deploy/Dockerfile.dockerignore` lets in, the program
//! compiles.
//!
//! No container engine is needed. The files are copied as an engine would hand them to the build, and checked there.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use super::repository::{read, root};

/// The patterns of an ignore file, as Docker reads them: the last one that matches a path or a folder above it decides.
struct Ignored {
    patterns: Vec<Pattern>,
}

struct Pattern {
    is_exception: bool,
    parts: Vec<String>,
}

impl Ignored {
    fn parse(text: &str) -> Ignored {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let patterns = lines.map(|line| {
            assert!(!line.contains(['[', '\\']), "this test does not know what {line} means");
            let (is_exception, path) = match line.strip_prefix('!') {
                Some(path) => (true, path),
                None => (false, line),
            };
            let parts = path.trim_matches('/').split('/').map(str::to_owned).collect();
            Pattern { is_exception, parts }
        });
        Ignored { patterns: patterns.collect() }
    }

    fn lets_in(&self, path: &[String]) -> bool {
        let matches = |pattern: &&Pattern| (1..=path.len()).any(|end| fits(&pattern.parts, &path[..end]));
        self.patterns.iter().rev().find(matches).is_none_or(|pattern| pattern.is_exception)
    }

    /// Whether something below a folder may be let in, though the folder is not.
    fn reaches_into(&self, folder: &[String]) -> bool {
        let is_below = |pattern: &Pattern| {
            let common = pattern.parts.len().min(folder.len());
            pattern.parts.contains(&"**".to_owned()) || fits(&pattern.parts[..common], &folder[..common])
        };
        self.patterns.iter().any(|pattern| pattern.is_exception && is_below(pattern))
    }

    /// Every file that is let in, by its path from the root.
    fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders: Vec<Vec<String>> = vec![Vec::new()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(root().join(folder.join("/"))).unwrap() {
                let entry = entry.unwrap();
                let path = [folder.clone(), vec![entry.file_name().into_string().unwrap()]].concat();
                let is_let_in = self.lets_in(&path);
                if entry.path().is_dir() {
                    if is_let_in || self.reaches_into(&path) {
                        folders.push(path);
                    }
                } else if is_let_in {
                    found.push(path.join("/"));
                }
            }
        }
        found.sort();
        found
    }
}

/// Whether the parts of a pattern are those of a path, with `**` for any number of them.
fn fits(pattern: &[String], path: &[String]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((first, rest)) if first == "**" => (0..=path.len()).any(|taken| fits(rest, &path[taken..])),
        Some((first, rest)) => path
            .split_first()
            .is_some_and(|(name, below)| is_like(first.as_bytes(), name.as_bytes()) && fits(rest, below)),
    }
}

/// Whether a name is like a pattern, with `*` for any characters and `?` for one.
fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|taken| is_like(rest, &name[taken..])),
        Some((wanted, rest)) => name
            .split_first()
            .is_some_and(|(found, below)| (*wanted == b'?' || wanted == found) && is_like(rest, below)),
    }
}

/// What cargo and rustup need of the environment.
const KEPT: [&str; 6] = ["PATH", "HOME", "TMPDIR", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];

/// A copy is as old as its file: what was checked before is not checked again.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
    let modified = fs::metadata(from).unwrap().modified().unwrap();
    File::options().write(true).open(to).unwrap().set_modified(modified).unwrap();
}

#[test]
fn the_image_is_built_from_the_files_that_are_let_in() {
    let context = tempfile::tempdir().unwrap();
    for file in Ignored::parse(&read("deploy/Dockerfile.dockerignore")).files() {
        copy(&root().join(&file), &context.path().join(&file));
    }
    assert!(read("deploy/Dockerfile").contains("\nRUN cargo build --release --locked\n"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let checked = Command::new(env!("CARGO"))
        .args(["check", "--locked", "--offline"])
        .current_dir(context.path())
        // Without what cargo tells tests about the package: the copy must have it from its own files.
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| KEPT.iter().any(|kept| name == kept)))
        // Dependencies are those that the tests were built with.
        .env("CARGO_TARGET_DIR", target)
        // It does nothing but give the copy a name of its own there: otherwise the package itself would be built anew.
        .env("RUSTC_WORKSPACE_WRAPPER", "/usr/bin/env")
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn patterns_are_read_as_docker_reads_them() {
    let lets_in = |patterns: &str, path: &str| {
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        Ignored::parse(patterns).lets_in(&path)
    };
    assert!(lets_in("", "a"));
    assert!(!lets_in("# all\n*", "a/b"));
    assert!(lets_in("*\n!src", "src/store/sql.rs"));
    assert!(!lets_in("*\n!src\nsrc/*.md", "src/notes.md"));
    assert!(lets_in("*\n!src\nsrc/*.md", "src/store/notes.md"));
    assert!(!lets_in("*\n!src\n**/*.md", "src/store/notes.md"));
    assert!(!lets_in("!src\n*", "src"));
    assert!(lets_in("*\n!a/b?", "a/bc/d") && !lets_in("*\n!a/b?", "a/b"));
}
