//! T2b: every system call on the files is recorded, and thousands of disks that a power cut could have left are built
//! from them.
//!
//! On such a disk is what was synced before the cut, and of what was written since then nothing, everything, a
//! beginning, any part, or any sectors. Each is opened, looked through, and compared with what clients had been told
//! before that moment.

mod disk;
mod record;
mod trace;

use std::path::PathBuf;

use anyhow::{Context, bail};
use dev::dice::Dice;

use crate::check;
use crate::files;
use crate::options::{Engine, Options};
use crate::outcome::{CannotRun, Outcome};
use crate::scratch::Scratch;
use crate::tools::need;
use disk::{Disk, Syncs};
use record::Recording;
use trace::Event;

/// How many states are built from one recording.
const STATES_A_RECORDING: usize = 2_000;
const THREADS: usize = 2;

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    if options.engine == Engine::Postgres {
        bail!("replay wants --engine sqlite");
    }
    need("strace", "strace")?;
    let tried = std::process::Command::new("strace")
        .args(["-D", "-f", "--seccomp-bpf", "--trace=fsync", "-o", "/dev/null", "true"])
        .status();
    if !tried.is_ok_and(|status| status.success()) {
        return Err(CannotRun("strace may not trace here".into()).into());
    }
    let syncs = match (options.is_control, options.kind_or("log")) {
        (false, _) => Syncs::Count,
        (true, "log") => Syncs::NotOfTheLog,
        (true, "all") => Syncs::Never,
        (true, kind) => bail!("the control ignores the syncs of kind log or all, not {kind}"),
    };
    let mut scratch = Scratch::new(options)?;
    let mut outcome = Outcome::default();
    for (number, first) in (0..options.count).step_by(STATES_A_RECORDING).enumerate() {
        let states = STATES_A_RECORDING.min(options.count - first);
        let recording = record::make(options, &scratch, number)?;
        outcome.count("recordings", 1);
        outcome.count(
            "writes to files",
            recording.events.iter().filter(|event| matches!(event, Event::Write { .. })).count(),
        );
        outcome.count(
            "syncs",
            recording.events.iter().filter(|event| matches!(event, Event::Synced { .. })).count(),
        );
        outcome.count(
            "acks",
            recording.events.iter().filter(|event| matches!(event, Event::Answer { .. })).count(),
        );
        let seed = options.seed.wrapping_mul(1_009).wrapping_add(number as u64);
        let points = crash_points(seed, states, &recording);
        let found: Vec<anyhow::Result<Found>> = std::thread::scope(|scope| {
            let parts = points.chunks(points.len().div_ceil(THREADS).max(1));
            let threads: Vec<_> = parts
                .map(|part| {
                    let (recording, scratch) = (&recording, &scratch);
                    scope.spawn(move || look_at(part, recording, syncs, seed, scratch))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")))
                .collect()
        });
        for found in found {
            let found = found?;
            outcome.count("states", found.states);
            outcome.count("states with a loss", found.lost);
            outcome.count("corrupt states", found.corrupt);
            outcome.violations.extend(found.violations);
        }
        if !outcome.violations.is_empty() {
            break;
        }
    }
    if !outcome.violations.is_empty() && !options.is_control {
        scratch.keep();
    }
    Ok(outcome)
}

/// When the power fails, in order: anywhere, and every second time right after somebody was told something.
fn crash_points(seed: u64, states: usize, recording: &Recording) -> Vec<(usize, u64)> {
    let mut dice = Dice::new(seed);
    let answers: Vec<usize> = (0..recording.events.len())
        .filter(|place| matches!(recording.events[*place], Event::Answer { .. }))
        .collect();
    let mut points: Vec<(usize, u64)> = (0..states as u64)
        .map(|number| match answers.is_empty() || dice.once_in(2) {
            true => (dice.below(recording.events.len() + 1), number),
            false => (dice.pick(&answers) + 1, number),
        })
        .collect();
    points.sort_unstable();
    points
}

#[derive(Debug, Default)]
struct Found {
    states: usize,
    lost: usize,
    corrupt: usize,
    violations: Vec<String>,
}

fn look_at(
    points: &[(usize, u64)],
    recording: &Recording,
    syncs: Syncs,
    seed: u64,
    scratch: &Scratch,
) -> anyhow::Result<Found> {
    let mut found = Found::default();
    let Some((first, _)) = points.first() else { return Ok(found) };
    let folder = state_folder(*first, scratch)?;
    let mut disk = Disk::new(syncs);
    let mut at = 0;
    for (point, number) in points {
        while at < *point {
            disk.apply(&recording.events[at]);
            at += 1;
        }
        let mut dice = Dice::new(seed << 20 | number);
        let (path, how) = disk.leave(&folder, &mut dice)?;
        let mut ledger = recording.known_after(*point);
        let dump = files::open(&path)?;
        check::compare(&mut ledger, &dump);
        found.states += 1;
        found.corrupt += usize::from(ledger.violations.iter().any(|words| words.starts_with("CORRUPT")));
        found.lost += usize::from(ledger.violations.iter().any(|words| words.starts_with("LOST")));
        let told = ledger.violations.iter().take(3);
        found.violations.extend(told.map(|words| format!("state {number} at event {point}, {how}: {words}")));
    }
    std::fs::remove_dir_all(&folder).context("cannot remove the states")?;
    Ok(found)
}

/// In memory where there is room, since every state is opened once.
fn state_folder(first: usize, scratch: &Scratch) -> anyhow::Result<PathBuf> {
    let name = format!("carnet-faults-states.{}.{first}", std::process::id());
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory.join(name) } else { scratch.path(&name) };
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
