//! `carnet init`: writes the built-in configuration, commented.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::terminal;
use crate::config;

pub(super) fn run(file: &Path) -> anyhow::Result<()> {
    let path = file.display();
    let mut written = match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(written) => written,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{path} exists and is left as it is; name another file, or remove that one first")
        }
        Err(error) => return Err(error).with_context(|| format!("{path} cannot be written")),
    };
    written.write_all(config::STARTER.as_bytes()).with_context(|| format!("{path} cannot be written"))?;
    terminal::remark(&format!(
        "wrote {path}; change it, look at it with `carnet check`, serve it with `carnet`"
    ));
    Ok(())
}
