//! `carnet copy` killed on its way: the target is as it was, or whole; and the copy can be made again.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use dev::dice::Dice;

use crate::dump::Dump;
use crate::files;
use crate::ledger::Ledger;
use crate::scratch::Scratch;
use crate::store::Store;

/// From what a kill of the server left.
pub(super) fn kill_one(
    store: &Store,
    scratch: &Scratch,
    dice: &mut Dice,
    ledger: &mut Ledger,
) -> anyhow::Result<()> {
    let Some(source) = store.look(scratch)? else { return Ok(()) };
    let target = scratch.path("target.db");
    files::remove(&target)?;
    let (from, to) = (store.launch().database.clone(), format!("sqlite:{}", target.display()));
    let copy = || {
        let mut command = std::process::Command::new(&store.launch().binary);
        command.arg("copy").arg("--config").arg(&store.launch().config).args(["--from", &from, "--to", &to]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut child = copy().spawn().context("cannot start carnet copy")?;
    std::thread::sleep(Duration::from_micros(dice.below(250_000) as u64));
    child.kill()?;
    child.wait()?;
    let after_kill = target_now(scratch, ledger, "after the kill")?;
    let is_whole = !after_kill.records.is_empty();
    if is_whole && after_kill.records != source.records {
        ledger.violations.push(format!(
            "A PART OF A COPY: {} of {} records",
            after_kill.records.len(),
            source.records.len()
        ));
    }
    let again = copy().status()?;
    // A whole one is not copied over.
    if again.success() == is_whole && !source.records.is_empty() {
        ledger.violations.push(format!(
            "the copy after the kill ended with {again}, and the target was {}",
            if is_whole { "whole" } else { "empty" }
        ));
    }
    if target_now(scratch, ledger, "copied again")?.records != source.records {
        ledger.violations.push("the copy is not what was copied".into());
    }
    Ok(())
}

fn target_now(scratch: &Scratch, ledger: &mut Ledger, when: &str) -> anyhow::Result<Dump> {
    let target = scratch.path("target.db");
    if !target.exists() {
        return Ok(Dump::default());
    }
    let dump = files::look(&target, &scratch.path("copy-of-target"))?;
    ledger.violations.extend(dump.faults.iter().map(|fault| format!("{when}: {fault}")));
    Ok(dump)
}
