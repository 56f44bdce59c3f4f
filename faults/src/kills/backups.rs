//! `carnet backup` and `carnet restore` killed on their way: the backup is absent or whole, the store old or new; and
//! either can be done again.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use dev::dice::Dice;

use crate::dump::Dump;
use crate::files;
use crate::ledger::Ledger;
use crate::scratch::Scratch;
use crate::store::Store;

/// So many of them on what one kill of the server left.
const A_ROUND: usize = 5;

/// Backups of what a kill of the server left. Says how many.
pub(super) fn kill_backups(
    store: &Store,
    scratch: &Scratch,
    dice: &mut Dice,
    ledger: &mut Ledger,
) -> anyhow::Result<usize> {
    let Some(source) = store.look(scratch)? else { return Ok(0) };
    let made = scratch.path("made.db");
    let backup = || command(store, "backup", &[&made], &store.launch().database);
    remove_backup(&made)?;
    let (ended, taken) = timed(&mut backup())?;
    whole(&made, &source, scratch, ledger, &format!("a backup that ended with {ended}"))?;
    for _ in 0..A_ROUND {
        remove_backup(&made)?;
        kill_within(&mut backup(), taken, dice)?;
        let is_there = made.exists();
        if is_there {
            whole(&made, &source, scratch, ledger, "after the kill")?;
            let verified = command(store, "verify", &[&made], &store.launch().database).status()?;
            if !verified.success() || !checksum(&made).exists() {
                ledger
                    .violations
                    .push(format!("a backup without its checksum: verify ended with {verified}"));
            }
        }
        // A whole one is not written over.
        let again = backup().status()?;
        if again.success() == is_there {
            ledger.violations.push(format!("the backup after the kill ended with {again}"));
        }
        whole(&made, &source, scratch, ledger, "made again")?;
        if !is_there && partial(&made).exists() {
            ledger.violations.push("what the killed backup left is still there".into());
        }
    }
    Ok(A_ROUND)
}

/// Restores of the backup of the round before into a copy of what a kill of the server left. Says how many; the first
/// round only makes the backup.
pub(super) fn kill_restores(
    store: &Store,
    scratch: &Scratch,
    dice: &mut Dice,
    ledger: &mut Ledger,
) -> anyhow::Result<usize> {
    let Some(old) = store.look(scratch)? else { return Ok(0) };
    let (kept, folder) = (scratch.path("kept.db"), scratch.path("restored"));
    let mut killed = 0;
    if kept.exists() {
        let new = files::look(&kept, &scratch.path("copy-of-backup"))?;
        let place = folder.join("book.db");
        let database = format!("sqlite:{}", place.display());
        let restore = || {
            let mut command = command(store, "restore", &[&kept], &database);
            command.arg("--replace");
            command
        };
        let prepare = || -> anyhow::Result<()> {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir(&folder)?;
            files::copy(&store.file(), &place)
        };
        prepare()?;
        let (ended, taken) = timed(&mut restore())?;
        whole(&place, &new, scratch, ledger, &format!("a restore that ended with {ended}"))?;
        for _ in 0..A_ROUND {
            prepare()?;
            kill_within(&mut restore(), taken, dice)?;
            let found = look(&place, scratch, ledger, "after the kill")?;
            if found.records != old.records && found.records != new.records {
                ledger.violations.push(format!(
                    "NEITHER OLD NOR NEW: {} records, of {} and {}",
                    found.records.len(),
                    old.records.len(),
                    new.records.len()
                ));
            }
            let again = restore().status()?;
            whole(&place, &new, scratch, ledger, &format!("restored again, which ended with {again}"))?;
            killed += 1;
        }
    }
    remove_backup(&kept)?;
    command(store, "backup", &[&kept], &store.launch().database).status()?;
    whole(&kept, &old, scratch, ledger, "the backup for the next round")?;
    Ok(killed)
}

fn command(store: &Store, name: &str, files: &[&Path], database: &str) -> Command {
    let mut command = Command::new(&store.launch().binary);
    command.arg(name).args(files).arg("--config").arg(&store.launch().config).args(["--database", database]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// How it ended when nobody killed it, and after how long.
fn timed(command: &mut Command) -> anyhow::Result<(ExitStatus, Duration)> {
    let began = Instant::now();
    Ok((command.status()?, began.elapsed()))
}

/// Kills it at any moment of the time that it takes.
fn kill_within(command: &mut Command, taken: Duration, dice: &mut Dice) -> anyhow::Result<()> {
    let mut child = command.spawn().context("cannot start carnet")?;
    let most = usize::try_from(taken.as_micros())?.max(1);
    std::thread::sleep(Duration::from_micros(dice.below(most) as u64));
    child.kill()?;
    child.wait()?;
    Ok(())
}

fn look(path: &Path, scratch: &Scratch, ledger: &mut Ledger, when: &str) -> anyhow::Result<Dump> {
    let dump =
        if path.exists() { files::look(path, &scratch.path("copy-of-made"))? } else { Dump::default() };
    ledger.violations.extend(dump.faults.iter().map(|fault| format!("{when}: {fault}")));
    Ok(dump)
}

/// It must hold what was backed up.
fn whole(
    path: &Path,
    wanted: &Dump,
    scratch: &Scratch,
    ledger: &mut Ledger,
    when: &str,
) -> anyhow::Result<()> {
    let found = look(path, scratch, ledger, when)?;
    if !path.exists() || found.records != wanted.records {
        let (found, wanted) = (found.records.len(), wanted.records.len());
        ledger.violations.push(format!("NOT WHOLE, {when}: {found} of {wanted} records"));
    }
    Ok(())
}

fn remove_backup(path: &Path) -> anyhow::Result<()> {
    files::remove(path)?;
    for beside in [checksum(path), partial(path)] {
        files::remove(&beside)?;
    }
    Ok(())
}

fn checksum(path: &Path) -> PathBuf {
    path.with_extension("db.sha256")
}

fn partial(path: &Path) -> PathBuf {
    path.with_extension("db.partial")
}
