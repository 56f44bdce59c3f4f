//! One command, run to its end: how long it takes, and how much memory at the most.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::ensure;

/// What a command took.
pub(super) struct Ran {
    pub(super) seconds: f64,
    /// The most resident memory, in MiB.
    pub(super) peak: f64,
}

/// How often its memory is looked at. The system remembers the peak; only what comes after the last look is missed.
const LOOK: Duration = Duration::from_millis(5);

pub(super) fn run(mut command: Command, log: &Path) -> anyhow::Result<Ran> {
    let output = File::create(log)?;
    command.stdout(output.try_clone()?).stderr(output);
    let began = Instant::now();
    let mut child = command.spawn()?;
    let mut peak = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = peak.max(peak_of(child.id()).unwrap_or(0.0));
        std::thread::park_timeout(LOOK);
    };
    let seconds = began.elapsed().as_secs_f64();
    ensure!(status.success(), "{command:?} ended with {status}: {}", std::fs::read_to_string(log)?);
    Ok(Ran { seconds, peak })
}

fn peak_of(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1_024.0)
}
