//! T8: three times as many requests as can be answered, by the clock. What is answered stays what can be answered, the
//! rest is told to come back, memory does not grow, and afterwards everything is as before.

use std::time::Duration;

use anyhow::bail;

use crate::cores;
use crate::crowd::{Arrivals, Crowd, Report, percentile};
use crate::options::{Options, USAGE};
use crate::outcome::Outcome;
use crate::scratch::Scratch;
use crate::server::Server;
use crate::store::Store;

/// Connections at the peak. In the flood there are as many as the server answers in half a second: a request that waits
/// behind all others is answered in time, and it is `max_connections` that sees to it that there are no more of them.
const PEAK: usize = 64;
const QUEUE_SECONDS: f64 = 0.5;
/// Peak and flood take turns, and the middle of their ratios counts: no machine is equally fast for a minute.
const TURNS: u32 = 5;
/// A gentle load: this share of the peak.
const GENTLE: f64 = 0.3;
/// What must be left of the peak, and by how much memory may grow.
const SHARE: f64 = 0.8;
const GROWTH_KIB: u64 = 64 * 1_024;

/// The kind of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One record by its id.
    Reads,
    /// Lists that the database has to count.
    Lists,
    /// Creates.
    Writes,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let kind = match options.kind_or("writes") {
        "reads" => Kind::Reads,
        "lists" => Kind::Lists,
        "writes" => Kind::Writes,
        kind => bail!("there is no kind {kind} of overload; {USAGE}"),
    };
    let scratch = Scratch::new(options)?;
    let store = Store::new(options, &scratch, false)?;
    let server = cores::apart(|| store.launch().serve())?;
    let mut outcome = Outcome::default();
    fill(&server)?;
    let length = Duration::from_secs(options.count as u64);
    let mut crowd = Crowd::new(server.address)?;
    let ask =
        |crowd: &mut Crowd, arrivals, length| crowd.run(arrivals, length, |number| request(kind, number));
    ask(&mut crowd, Arrivals::Closed(PEAK), length / 4)?;
    let first = ask(&mut crowd, Arrivals::Closed(PEAK), length / 4)?;
    let connections = ((first.goodput() * QUEUE_SECONDS) as usize).clamp(PEAK, 9_000);
    crowd.settle(connections - PEAK, &request(kind, 1))?;
    let gently = Arrivals::Open { rate: first.goodput() * GENTLE };
    let before = ask(&mut crowd, gently, length / 4)?;
    let memory = resident(&server)?;
    let (mut peaks, mut floods, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let peak = ask(&mut crowd, Arrivals::Closed(PEAK), length / TURNS / 2)?;
        let flood = Arrivals::Open { rate: peak.goodput() * 3.0 };
        let over = ask(&mut crowd, flood, length / TURNS)?;
        shares.push(over.goodput() / peak.goodput());
        peaks.push(peak);
        floods.push(over);
    }
    let grown = resident(&server)?.saturating_sub(memory);
    let after = ask(&mut crowd, gently, length / 4)?;
    shares.sort_by(f64::total_cmp);
    let share = shares[shares.len() / 2];
    let (peak, over) = (Report::of(peaks), Report::of(floods));
    outcome.count("connections", connections);
    for (what, report) in [("peak", &peak), ("before", &before), ("at 3 times", &over), ("after", &after)] {
        outcome.remarks.push(told(what, report));
    }
    let shares: Vec<String> = shares.iter().map(|share| format!("{share:.2}")).collect();
    outcome.remarks.push(format!("goodput of the peak {}", shares.join(" ")));
    outcome.remarks.push(format!("memory {} MiB and {} MiB more", memory / 1_024, grown / 1_024));
    let mut wrong = |words: String| outcome.violations.push(words);
    if share < SHARE {
        wrong(format!("GOODPUT: {share:.2} of the peak"));
    }
    if grown > GROWTH_KIB {
        wrong(format!("MEMORY: {grown} KiB more"));
    }
    for report in [&peak, &before, &over, &after] {
        if let Some(other) = &report.first_other {
            wrong(format!("ANOTHER ANSWER, {} times: {other}", report.others));
        }
    }
    if after.goodput() < before.goodput() * SHARE || !after.refused.is_empty() {
        wrong(format!("NOT AS BEFORE: {} and {}", told("before", &before), told("after", &after)));
    }
    server.stop()?;
    Ok(outcome)
}

fn told(what: &str, report: &Report) -> String {
    format!(
        "{what} {:.0}/s (p50 {} ms, p99 {} ms), {} told to come back (p99 {} ms), {} unsent, {} broken",
        report.goodput(),
        percentile(&report.served, 0.5).as_millis(),
        percentile(&report.served, 0.99).as_millis(),
        report.refused.len(),
        percentile(&report.refused, 0.99).as_millis(),
        report.unsent,
        report.broken
    )
}

/// Some records to read.
fn fill(server: &Server) -> anyhow::Result<()> {
    let mut crowd = Crowd::new(server.address)?;
    crowd.run(Arrivals::Closed(PEAK), Duration::from_millis(700), |number| request(Kind::Writes, number))?;
    Ok(())
}

fn request(kind: Kind, number: u64) -> Vec<u8> {
    let host = "Host: 127.0.0.1\r\n";
    match kind {
        Kind::Reads => format!("GET /users/{}/ HTTP/1.1\r\n{host}\r\n", 1 + number % 50),
        // No set is kept of what nobody has asked for before.
        Kind::Lists => format!("GET /users/?first_name=f{number}&last_name=l{number} HTTP/1.1\r\n{host}\r\n"),
        Kind::Writes => {
            let body = format!(r#"{{"first_name":"n{number}","last_name":"Doe"}}"#);
            format!(
                "POST /users/ HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
        }
    }
    .into_bytes()
}

/// The memory of the server, in KiB.
pub(crate) fn resident(server: &Server) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.unwrap_or_default().trim().trim_end_matches(" kB").parse()?)
}
