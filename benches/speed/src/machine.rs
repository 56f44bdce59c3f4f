//! Where and with what the figures were taken.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::options::Options;

fn versions(lock: &str) -> BTreeMap<&str, &str> {
    lock.split("[[package]]")
        .filter_map(|package| {
            let field = |name: &str| package.lines().find_map(|line| line.strip_prefix(name));
            Some((field("name = ")?.trim_matches('"'), field("version = ")?.trim_matches('"')))
        })
        .collect()
}

/// The machine and the programs, one fact a line.
pub(crate) fn describe(options: &Options) -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or(String::new(), |(_, value)| value.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = after(&read("/proc/meminfo"), "MemTotal");
    let memory = memory.split(' ').next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or_default();
    let load = read("/proc/loadavg");
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    format!(
        "- command: `{}`\n- date: {}\n- carnet: {}\n- PocketBase: {}\n- hyper {}, tokio {}, SQLite {}\n\
         - machine: {} × {}, {:.0} GiB, Linux {}; the load generator runs on it too\n\
         - load average before the run: {load}",
        options.command,
        options.date,
        options.version,
        options.pocketbase.as_deref().map_or("left out".to_owned(), pocketbase_version),
        versions(include_str!("../../../Cargo.lock")).get("hyper").unwrap_or(&"-"),
        versions(include_str!("../../../Cargo.lock")).get("tokio").unwrap_or(&"-"),
        rusqlite::version(),
        cores,
        after(&read("/proc/cpuinfo"), "model name"),
        memory / 1_048_576.0,
        read("/proc/sys/kernel/osrelease").trim(),
    )
}

fn pocketbase_version(program: &Path) -> String {
    let output = std::process::Command::new(program).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.split_whitespace().last().unwrap_or("unknown").to_owned()
}

/// How often in a second this disk takes a page and says that it is safe.
pub(crate) fn syncs_per_second(directory: &Path, duration: Duration) -> anyhow::Result<f64> {
    let path = directory.join("sync-probe");
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(&path)?;
    file.write_all(&[0; 256 * 4_096])?;
    file.sync_all()?;
    let began = Instant::now();
    let mut count = 0;
    while began.elapsed() < duration {
        file.seek(SeekFrom::Start(count % 256 * 4_096))?;
        file.write_all(&[count as u8; 4_096])?;
        file.sync_data()?;
        count += 1;
    }
    let seconds = began.elapsed().as_secs_f64();
    fs::remove_file(path)?;
    Ok(count as f64 / seconds)
}
