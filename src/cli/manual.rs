//! `carnet completions` and `carnet man`: both made from the same table as `--help`.

use std::path::Path;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

use super::terminal;

pub(super) fn completions(shell: Shell, mut command: Command) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "carnet", &mut text);
    terminal::say(&String::from_utf8_lossy(&text))?;
    Ok(())
}

/// One page to standard output, or all of them into a folder.
pub(super) fn pages(folder: Option<&Path>, command: Command) -> anyhow::Result<()> {
    match folder {
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text)?;
            terminal::say(&String::from_utf8_lossy(&text))?;
        }
        Some(folder) => clap_mangen::generate_to(command, folder)
            .with_context(|| format!("the manual cannot be written into {}", folder.display()))?,
    }
    Ok(())
}
