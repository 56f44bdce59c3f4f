//! What is on a disk, and what is still on its way there, by what was written and synced; and what a power cut may
//! leave of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dev::dice::Dice;

use super::trace::Event;

/// What a disk writes as a whole or not at all.
const SECTOR: usize = 512;

/// Which syncs are believed. The others make the controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syncs {
    Count,
    /// As with `synchronous=NORMAL`, which does not sync the log at a commit; more than that, since it does before the
    /// log is copied back.
    NotOfTheLog,
    /// As with `synchronous=OFF`.
    Never,
}

#[derive(Clone, Debug)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Cut { length: usize },
}

#[derive(Debug, Default)]
struct File {
    on_disk: Vec<u8>,
    /// Since then, in order.
    pending: Vec<Change>,
    /// For each sync that is under way, how many of the pending changes it is for.
    syncing: BTreeMap<u32, usize>,
}

#[derive(Debug)]
pub(super) struct Disk {
    files: BTreeMap<String, File>,
    syncs: Syncs,
}

impl Disk {
    pub(super) fn new(syncs: Syncs) -> Disk {
        Disk { files: BTreeMap::new(), syncs }
    }

    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::Made { file } => {
                self.files.entry(file.clone()).or_default();
            }
            Event::Write { file, at, bytes } => {
                let change = Change::Write { at: *at, bytes: bytes.clone() };
                self.files.entry(file.clone()).or_default().pending.push(change);
            }
            Event::Cut { file, length } => {
                self.files.entry(file.clone()).or_default().pending.push(Change::Cut { length: *length });
            }
            Event::Syncing { file, thread } => {
                let file = self.files.entry(file.clone()).or_default();
                file.syncing.insert(*thread, file.pending.len());
            }
            Event::Synced { file: name, thread } => {
                let file = self.files.entry(name.clone()).or_default();
                let count = file.syncing.remove(thread).unwrap_or(0);
                let is_believed = match self.syncs {
                    Syncs::Count => true,
                    Syncs::NotOfTheLog => name != "-wal",
                    Syncs::Never => false,
                };
                if is_believed {
                    for change in file.pending.drain(..count).collect::<Vec<_>>() {
                        change.apply(&mut file.on_disk);
                    }
                    file.syncing.values_mut().for_each(|others| *others = others.saturating_sub(count));
                }
            }
            Event::Removed { file } => {
                self.files.remove(file);
            }
            Event::Answer { .. } => {}
        }
    }

    /// Writes the files as a cut of the power may leave them now; answers where, and how it was chosen.
    pub(super) fn leave(&self, folder: &Path, dice: &mut Dice) -> std::io::Result<(PathBuf, String)> {
        let path = folder.join("state.db");
        let mut how = Vec::new();
        for ending in ["", "-wal", "-journal", "-shm"] {
            let target = folder.join(format!("state.db{ending}"));
            match self.files.get(ending) {
                Some(file) => {
                    let (content, words) = file.after_cut(dice);
                    how.push(format!("database{ending}: {words} of {}", file.pending.len()));
                    std::fs::write(target, content)?;
                }
                None if target.exists() => std::fs::remove_file(target)?,
                None => {}
            }
        }
        Ok((path, how.join(", ")))
    }
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write { at, bytes } => put(content, *at, bytes),
            Change::Cut { length } => content.resize(*length, 0),
        }
    }
}

fn put(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if content.len() < at + bytes.len() {
        content.resize(at + bytes.len(), 0);
    }
    content[at..at + bytes.len()].copy_from_slice(bytes);
}

impl File {
    fn after_cut(&self, dice: &mut Dice) -> (Vec<u8>, &'static str) {
        let mut content = self.on_disk.clone();
        let all = self.pending.len();
        let words = match dice.below(5) {
            0 => "nothing",
            1 => {
                self.pending.iter().for_each(|change| change.apply(&mut content));
                "everything"
            }
            2 => {
                self.pending.iter().take(dice.below(all + 1)).for_each(|change| change.apply(&mut content));
                "a beginning"
            }
            3 => {
                let chosen = self.pending.iter().filter(|_| dice.once_in(2));
                chosen.for_each(|change| change.apply(&mut content));
                "a part"
            }
            _ => {
                for change in &self.pending {
                    match change {
                        Change::Write { at, bytes } => torn(&mut content, *at, bytes, dice),
                        Change::Cut { .. } if dice.once_in(2) => change.apply(&mut content),
                        Change::Cut { .. } => {}
                    }
                }
                "sectors"
            }
        };
        (content, words)
    }
}

/// Some sectors of a write.
fn torn(content: &mut Vec<u8>, at: usize, bytes: &[u8], dice: &mut Dice) {
    let mut from = 0;
    while from < bytes.len() {
        let to = bytes.len().min((at + from) / SECTOR * SECTOR + SECTOR - at);
        if dice.once_in(2) {
            put(content, at + from, &bytes[from..to]);
        }
        from = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(at: usize, bytes: &[u8]) -> Event {
        Event::Write { file: String::new(), at, bytes: bytes.to_vec() }
    }

    fn events() -> [Event; 5] {
        let file = String::new;
        [
            write(0, b"aaaa"),
            Event::Syncing { file: file(), thread: 1 },
            write(4, b"bbbb"),
            Event::Synced { file: file(), thread: 1 },
            Event::Cut { file: file(), length: 2 },
        ]
    }

    #[test]
    fn a_sync_is_for_what_was_written_before_it_began() {
        let mut disk = Disk::new(Syncs::Count);
        events().iter().for_each(|event| disk.apply(event));
        let file = &disk.files[""];
        assert_eq!((file.on_disk.as_slice(), file.pending.len()), (&b"aaaa"[..], 2));
        let mut dice = Dice::new(1);
        let left: std::collections::BTreeSet<Vec<u8>> =
            (0..200).map(|_| file.after_cut(&mut dice).0).collect();
        assert!(
            left.contains(&b"aaaa"[..]) && left.contains(&b"aa"[..]) && left.contains(&b"aaaabbbb"[..]),
            "{left:?}"
        );
        assert!(left.iter().all(|content| content.starts_with(b"aa")), "{left:?}");
    }

    #[test]
    fn a_sync_that_is_not_believed_leaves_nothing_for_sure() {
        let mut disk = Disk::new(Syncs::Never);
        events().iter().for_each(|event| disk.apply(event));
        assert_eq!((disk.files[""].on_disk.len(), disk.files[""].pending.len()), (0, 3));
    }
}
