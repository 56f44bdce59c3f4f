//! `carnet import`, `carnet backup` and `carnet restore` broken on their way, by a kill or by a power cut, on what a
//! broken server left; and done again.

mod backups;
mod imports;

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use dev::dice::Dice;

use crate::cuts::Disk;
use crate::rounds::Rounds;
use crate::scratch::Scratch;
use crate::server::Launch;
use crate::store::Store;

/// So many of them on what one fault of the server left.
const A_ROUND: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Import,
    Backup,
    Restore,
}

/// What breaks them.
#[derive(Clone, Copy)]
pub(crate) enum Fault<'a> {
    Kill,
    Cut(&'a Disk),
}

/// Some of them in one round.
struct Trials<'a> {
    store: &'a Store,
    scratch: &'a Scratch,
    dice: &'a mut Dice,
    violations: &'a mut Vec<String>,
    fault: Fault<'a>,
    /// Where they write: what is lost in a power cut is there.
    folder: PathBuf,
    /// How many of them had left something by then.
    effective: usize,
}

impl Kind {
    pub(crate) fn parse(name: &str) -> Option<Kind> {
        match name {
            "import" => Some(Kind::Import),
            "backup" => Some(Kind::Backup),
            "restore" => Some(Kind::Restore),
            _ => None,
        }
    }
}

/// Breaks some commands of a kind while no server has the store, and counts them.
pub(crate) fn break_some(rounds: &mut Rounds<'_>, kind: Kind, fault: Fault<'_>) -> anyhow::Result<()> {
    let Rounds { store, scratch, dice, ledger, outcome, .. } = rounds;
    let folder = match fault {
        Fault::Kill => scratch.folder().to_owned(),
        Fault::Cut(disk) => disk.folder().to_owned(),
    };
    let violations = &mut ledger.get_mut().violations;
    let mut trials = Trials { store, scratch, dice, violations, fault, folder, effective: 0 };
    let broken = match kind {
        Kind::Import => trials.imports()?,
        Kind::Backup => trials.backups()?,
        Kind::Restore => trials.restores()?,
    };
    let effective = trials.effective;
    let what = match (kind, fault) {
        (Kind::Import, Fault::Kill) => "imports killed",
        (Kind::Backup, Fault::Kill) => "backups killed",
        (Kind::Restore, Fault::Kill) => "restores killed",
        (Kind::Import, Fault::Cut(_)) => "imports cut",
        (Kind::Backup, Fault::Cut(_)) => "backups cut",
        (Kind::Restore, Fault::Cut(_)) => "restores cut",
    };
    outcome.count(what, broken);
    outcome.count("of them with something done", effective);
    Ok(())
}

impl Trials<'_> {
    fn violation(&mut self, words: String) {
        self.violations.push(words);
    }

    /// A command on a database, which says nothing.
    fn command(&self, arguments: &[&str], database: &str) -> Command {
        let launch = Launch { database: database.to_owned(), ..self.store.launch().clone() };
        let mut command = launch.command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Starts a command and breaks it. Says whether it had ended well by then: what it has done must last.
    fn break_off(&mut self, command: &mut Command, taken: Duration) -> anyhow::Result<bool> {
        let mut child = command.spawn().context("cannot start carnet")?;
        let ended = match self.moment(taken)? {
            Some(moment) => {
                std::thread::sleep(moment);
                child.try_wait()?
            }
            None => Some(child.wait()?),
        };
        self.strike(|| Ok(child.kill().and_then(|()| child.wait().map(drop))?))?;
        Ok(ended.is_some_and(|status| status.success()))
    }

    /// When the fault comes: at any moment of the time that something takes, and every fourth time once it is over.
    fn moment(&mut self, taken: Duration) -> anyhow::Result<Option<Duration>> {
        let most = usize::try_from(taken.as_micros())?.max(1);
        let moment = Duration::from_micros(self.dice.below(most) as u64);
        Ok((!self.dice.once_in(4)).then_some(moment))
    }

    /// The fault; the process that it hits is gone afterwards, and the power is back.
    fn strike(&self, kill: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let Fault::Cut(disk) = self.fault else { return kill() };
        disk.cut()?;
        kill()?;
        disk.again()
    }

    /// What was prepared must not be lost with what is tried.
    fn sync(&self) -> anyhow::Result<()> {
        match self.fault {
            Fault::Kill => Ok(()),
            Fault::Cut(disk) => disk.sync(),
        }
    }
}

/// How a command ended when nobody broke it, and after how long.
fn timed(command: &mut Command) -> anyhow::Result<(ExitStatus, Duration)> {
    let began = Instant::now();
    Ok((command.status()?, began.elapsed()))
}
