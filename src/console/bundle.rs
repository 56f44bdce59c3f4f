//! Puts the files of `console/` together: one page, one script. Shared with `build.rs`, so it knows nothing else.
//!
//! The sources are ES modules with relative imports. Here they become one file: each module once, below those that
//! it imports, without its `import` lines and without the word `export`. Their top-level names must differ, which the
//! browser sees to: a name declared twice is a syntax error. A whole graph in one request is why this is done. Comments
//! stay behind: they would be a fifth of what is sent.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// What a browser asks for. The build names the content: other bytes, another build.
pub(crate) struct Bundle {
    pub(crate) build: String,
    pub(crate) page: String,
    pub(crate) script: String,
    pub(crate) licences: String,
}

/// The styles, in the order in which they are put together: a later one may say what an earlier one leaves open.
const STYLES: [&str; 5] = ["base", "frame", "list", "record", "pages"];

/// Stands in the page for the build.
const BUILD: &str = "{build}";

/// Reads a folder like `console/`.
pub(crate) fn bundle(folder: &Path) -> Result<Bundle> {
    let read = |name: &str| fs::read_to_string(folder.join(name));
    let styles: Result<String> = STYLES.iter().map(|name| read(&format!("css/{name}.css"))).collect();
    let style = styles?.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
    let mut script = format!("const APP_CSS = `{style}`;\n");
    add(&folder.join("js"), "main.js", &mut Vec::new(), &mut script)?;
    let licences = read("vendor/LICENSES.txt")?;
    let template = read("index.html")?;
    let content = [template.as_str(), &script, &licences].concat();
    let build = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(content.as_bytes()));
    Ok(Bundle { page: template.replace(BUILD, &build), build, script, licences })
}

/// Adds a module, below those that it imports.
fn add(folder: &Path, name: &str, added: &mut Vec<String>, script: &mut String) -> Result<()> {
    if added.iter().any(|known| known == name) {
        return Ok(());
    }
    added.push(name.to_owned());
    let text = fs::read_to_string(folder.join(name))
        .map_err(|error| Error::new(error.kind(), format!("{name}: {error}")))?;
    let mut code = String::new();
    let mut import = String::new();
    for line in text.lines() {
        if import.is_empty() && !line.starts_with("import ") {
            code.push_str(line.strip_prefix("export ").unwrap_or(line));
            code.push('\n');
            continue;
        }
        import.push_str(line);
        if line.ends_with(';') {
            let path = import.rsplit('\'').nth(1).filter(|_| !import.contains(" as ")).ok_or_else(|| {
                Error::new(ErrorKind::InvalidData, format!("{name}: write it plainly: {import}"))
            })?;
            add(folder, path.strip_prefix("./").unwrap_or(path), added, script)?;
            import.clear();
        }
    }
    // What others wrote comes with its licence, as it is.
    let is_ours = !name.contains("vendor/");
    script.push_str(&if is_ours { without_comments(&code) } else { code });
    Ok(())
}

/// Without lines of `//` and without what stands between `/**` and `*/`. No text of the console has those.
fn without_comments(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((before, comment)) = rest.split_once("/**") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    kept.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect()
}
