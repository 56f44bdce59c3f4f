//! Programs of the system that a harness cannot do without: found, installed where nobody need be asked, or named.

use std::process::{Command, Stdio};

use crate::outcome::CannotRun;

/// Sees to it that a program is there, by the Debian package that has it.
pub(crate) fn need(tool: &str, package: &str) -> anyhow::Result<()> {
    let is_there =
        || Command::new("sh").args(["-c", &format!("command -v {tool}")]).stdout(Stdio::null()).status();
    if is_there()?.success() {
        return Ok(());
    }
    let install = format!(
        "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends {package}"
    );
    let installed =
        Command::new("sh").args(["-c", &install]).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !installed.success() || !is_there()?.success() {
        return Err(CannotRun(format!(
            "{tool} is not there, and cannot be installed (Debian: apt-get install {package})"
        ))
        .into());
    }
    Ok(())
}
