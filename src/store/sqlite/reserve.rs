//! The reserve: a file beside the database whose bytes are of no use but to be given back where the disk is full.
//!
//! SQLite needs room to open a file after a clean stop, to store a key, and to copy the log into the database, without
//! which the log keeps all the room it has. The file is made shorter by as much as is missing, and whole again once
//! nobody misses the room. It is not in the lock file: people and scripts take what is in that for a process id.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::place;

const SUFFIX: &str = ".reserve";
/// How long the file is.
const WHOLE: u64 = 1 << 20;
/// What starts and commands take at a time, until there is enough: an index of the log is 32 KiB, a stored key less
/// than 64 KiB of the log.
const STEP: u64 = 64 << 10;
/// What copying the log leaves to starts and commands.
const FOR_KEYS: u64 = 4 * STEP;
/// It is made whole only where so much is free besides, so that it never is what fills a disk.
const AMPLE: u64 = 2 << 20;
/// SQLite writes one byte into each of these pages of the index and takes the page for allocated.
const INDEX_PAGE: u64 = 4_096;

/// Does the work. Where there is no room for it, gives a part of the reserve back and does it again, until it is done
/// or nothing is left to give.
pub(super) fn with_room<T, E>(
    database: &Path,
    lacks_room: impl Fn(&E) -> bool,
    mut work: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    loop {
        match work() {
            Err(error) if lacks_room(&error) && give_back(database, STEP) => {}
            done => return done,
        }
    }
}

/// Sees that there is room for an index before SQLite makes one, where blocks are smaller than its pages. It would not
/// notice that there is none, and touching the page would end the process by a signal.
pub(super) fn give_back_for_index(database: &Path) {
    let path = place::beside(database, SUFFIX);
    let found = rustix::fs::statvfs(place::folder(&path));
    if found.is_ok_and(|found| found.f_frsize < INDEX_PAGE) && !has_room(&path, STEP) {
        give_back(database, STEP);
    }
}

/// Gives back what it takes to make the database so many bytes longer, if that leaves enough; says whether it did.
pub(super) fn give_back_for_growth(database: &Path, growth: u64) -> bool {
    let bytes = growth.next_multiple_of(STEP).max(STEP);
    bytes_left(database).is_some_and(|left| left >= bytes + FOR_KEYS) && give_back(database, bytes)
}

/// How much of it there is; none without such a file. One that is a link or longer than ours was made by somebody else.
pub(super) fn bytes_left(database: &Path) -> Option<u64> {
    let found = fs::symlink_metadata(place::beside(database, SUFFIX)).ok()?;
    (found.is_file() && found.len() <= WHOLE).then_some(found.len())
}

/// Makes it whole again, if there is ample room; says whether it was short before and is not any more.
pub(super) fn fill(database: &Path) -> bool {
    let path = place::beside(database, SUFFIX);
    let there = bytes_left(database);
    let missing = WHOLE - there.unwrap_or(0);
    let is_strange = there.is_none() && fs::symlink_metadata(&path).is_ok();
    if missing == 0 || is_strange || !has_room(&path, missing + AMPLE) {
        return false;
    }
    let Ok(file) = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path) else {
        return false;
    };
    // Written, because a file that is only long takes no room.
    let zeros = [0; STEP as usize];
    let mut steps = (WHOLE - missing..WHOLE).step_by(zeros.len());
    let filled =
        steps.try_for_each(|at| file.write_all_at(&zeros[..zeros.len().min((WHOLE - at) as usize)], at));
    if filled.is_err() {
        // There was less room than the system had said: a quota, or somebody was faster.
        let _ = file.set_len(WHOLE - missing);
    }
    filled.is_ok()
}

/// Makes it so much shorter; says whether there was anything to give.
fn give_back(database: &Path, bytes: u64) -> bool {
    let Some(left @ 1..) = bytes_left(database) else { return false };
    let path = place::beside(database, SUFFIX);
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return false };
    // Some file systems hand the room on only once it is known on disk that it is free.
    file.set_len(left.saturating_sub(bytes)).and_then(|()| file.sync_all()).is_ok()
}

/// Whether so much is free where this file stands, by what the system says.
pub(super) fn has_room(path: &Path, bytes: u64) -> bool {
    rustix::fs::statvfs(place::folder(path))
        .is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) >= bytes)
}
