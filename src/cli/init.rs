//! `carnet init`: writes the built-in configuration, commented.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::{WrongUsage, terminal};
use crate::config::{self, DEFAULT_FILE};

/// Where to write it: as an argument, or as other commands are told where to read it.
pub(super) struct Target {
    pub(super) argument: Option<PathBuf>,
    /// `--config`.
    pub(super) flag: Option<PathBuf>,
    /// `CARNET_CONFIG`.
    pub(super) variable: Option<PathBuf>,
}

pub(super) fn run(target: Target) -> anyhow::Result<()> {
    let Target { argument, flag, variable } = target;
    if let (Some(file), Some(flag)) = (&argument, &flag)
        && file != flag
    {
        let (file, flag) = (file.display(), flag.display());
        return Err(WrongUsage(format!("`init` writes one file: either {file}, or --config {flag}")).into());
    }
    let usual = variable.unwrap_or_else(|| DEFAULT_FILE.into());
    let file = argument.or(flag).unwrap_or_else(|| usual.clone());
    write(&file)?;
    // What other commands read by themselves needs no option.
    let option = if file == usual { String::new() } else { format!(" --config {}", quoted(&file)) };
    terminal::remark(&format!(
        "wrote {}; change it, look at it with `carnet check{option}`, serve it with `carnet{option}`",
        file.display()
    ));
    Ok(())
}

fn write(file: &Path) -> anyhow::Result<()> {
    let path = file.display();
    let written = OpenOptions::new().write(true).create_new(true).open(file);
    match written.and_then(|mut written| written.write_all(config::STARTER.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{path} exists and is left as it is; name another file, or remove that one first")
        }
        Err(error) => bail!("{path} cannot be written: {error}; {}", remedy(file, &error)),
    }
}

fn remedy(file: &Path, error: &io::Error) -> String {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match error.kind() {
        ErrorKind::NotFound => format!("create the folder first (mkdir -p {})", folder.display()),
        _ => "name a file in a folder that you may write to: carnet init FILE".to_owned(),
    }
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@%".contains(letter);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
