//! Backups and restores that are broken: the backup is absent or whole, the store old or new; and either can be done
//! again.

use std::path::{Path, PathBuf};

use super::{A_ROUND, Trials, timed};
use crate::dump::Dump;
use crate::files;

impl Trials<'_> {
    /// Backups of what a fault of the server left. Says how many.
    pub(super) fn backups(&mut self) -> anyhow::Result<usize> {
        let Some(source) = self.store.look(self.scratch)? else { return Ok(0) };
        let made = self.folder.join("made.db");
        let database = self.store.launch().database.clone();
        let backup = |trials: &Self| trials.command(&["backup", &made.to_string_lossy()], &database);
        remove_backup(&made)?;
        let (ended, taken) = timed(&mut backup(self))?;
        self.is_whole(&made, &source, &format!("a backup that ended with {ended}"))?;
        for _ in 0..A_ROUND {
            remove_backup(&made)?;
            self.sync()?;
            let has_ended = self.break_off(&mut backup(self), taken)?;
            let is_there = made.exists();
            if has_ended && !is_there {
                self.violation("LOST: a backup that ended well is not there".into());
            }
            self.effective += usize::from(is_there);
            if is_there {
                self.is_whole(&made, &source, "after the fault")?;
                let verified = self.command(&["verify", &made.to_string_lossy()], &database).status()?;
                if !verified.success() || !checksum(&made).exists() {
                    self.violation(format!("a backup without its checksum: verify ended with {verified}"));
                }
            }
            // A whole one is not written over.
            let again = backup(self).status()?;
            if again.success() == is_there {
                self.violation(format!("the backup after the fault ended with {again}"));
            }
            self.is_whole(&made, &source, "made again")?;
            if !is_there && partial(&made).exists() {
                self.violation("what the broken backup left is still there".into());
            }
            self.is_whole(&self.store.file(), &source, "the store itself")?;
        }
        remove_backup(&made)?;
        Ok(A_ROUND)
    }

    /// Restores of the backup of the round before into a copy of what a fault of the server left. Says how many; the
    /// first round only makes the backup.
    pub(super) fn restores(&mut self) -> anyhow::Result<usize> {
        let Some(old) = self.store.look(self.scratch)? else { return Ok(0) };
        let (kept, folder) = (self.scratch.path("kept.db"), self.folder.join("restored"));
        let mut broken = 0;
        if kept.exists() {
            let new = files::look(&kept, &self.scratch.path("copy-of-backup"))?;
            let place = folder.join("book.db");
            let database = format!("sqlite:{}", place.display());
            let restore =
                |trials: &Self| trials.command(&["restore", &kept.to_string_lossy(), "--replace"], &database);
            self.prepare(&folder, &place)?;
            let (ended, taken) = timed(&mut restore(self))?;
            self.is_whole(&place, &new, &format!("a restore that ended with {ended}"))?;
            for _ in 0..A_ROUND {
                self.prepare(&folder, &place)?;
                let has_ended = self.break_off(&mut restore(self), taken)?;
                let found = self.look(&place, "after the fault")?;
                self.effective += usize::from(found.records == new.records);
                if found.records != new.records && (has_ended || found.records != old.records) {
                    let [found, old, new] = [&found, &old, &new].map(|dump| dump.records.len());
                    let what = if has_ended { "LOST" } else { "NEITHER OLD NOR NEW" };
                    self.violation(format!("{what}: {found} records, of {old} and {new}"));
                }
                let again = restore(self).status()?;
                self.is_whole(&place, &new, &format!("restored again, which ended with {again}"))?;
                broken += 1;
            }
            std::fs::remove_dir_all(&folder)?;
        }
        remove_backup(&kept)?;
        let database = &self.store.launch().database;
        self.command(&["backup", &kept.to_string_lossy()], database).status()?;
        self.is_whole(&kept, &old, "the backup for the next round")?;
        Ok(broken)
    }

    /// A copy of what a fault of the server left, alone in a folder.
    pub(super) fn prepare(&self, folder: &Path, place: &Path) -> anyhow::Result<()> {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir(folder)?;
        files::copy(&self.store.file(), place)?;
        self.sync()
    }

    pub(super) fn look(&mut self, path: &Path, when: &str) -> anyhow::Result<Dump> {
        let dump = match path.exists() {
            true => files::look(path, &self.scratch.path("copy-of-made"))?,
            false => Dump::default(),
        };
        self.violations.extend(dump.faults.iter().map(|fault| format!("{when}: {fault}")));
        Ok(dump)
    }

    /// It must hold what was backed up.
    fn is_whole(&mut self, path: &Path, wanted: &Dump, when: &str) -> anyhow::Result<()> {
        let found = self.look(path, when)?;
        if !path.exists() || found.records != wanted.records {
            let (found, wanted) = (found.records.len(), wanted.records.len());
            self.violation(format!("NOT WHOLE, {when}: {found} of {wanted} records"));
        }
        Ok(())
    }
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
