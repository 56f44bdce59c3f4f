//! T8: thousands of connections that rest, and some that do not: the former cost little memory, and the latter no time.

use std::time::Duration;

use crate::cores;
use crate::crowd::{Arrivals, Crowd, Report, percentile};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::overload::resident;
use crate::scratch::Scratch;
use crate::store::Store;

const ACTIVE: usize = 200;
const LIVE: &[u8] = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
/// So much of all, and for each connection, in KiB; and so many times the time of an answer.
const MOST: u64 = 300 * 1_024;
const EACH: f64 = 20.0;
const SLOWER: f64 = 2.0;

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let scratch = Scratch::new(options)?;
    let store = Store::new(options, &scratch, false)?;
    // Room for both.
    let config = &store.launch().config;
    let text = std::fs::read_to_string(config)?;
    let limit = options.count + 2 * ACTIVE;
    std::fs::write(config, text.replace("[server]\n", &format!("[server]\nmax_connections = {limit}\n")))?;
    let server = cores::apart(|| store.launch().serve())?;
    let mut outcome = Outcome::default();
    let length = Duration::from_secs(4);
    let mut active = Crowd::new(server.address)?;
    let ask = |crowd: &mut Crowd, connections, length| -> anyhow::Result<Report> {
        crowd.run(Arrivals::Closed(connections), length, |_| LIVE.to_vec())
    };
    ask(&mut active, ACTIVE, length)?;
    let without = ask(&mut active, ACTIVE, length)?;
    let before = resident(&server)?;
    let mut resting = Crowd::new(server.address)?;
    let answered = resting.settle(options.count, LIVE)?;
    let with = ask(&mut active, ACTIVE, length)?;
    let after = resident(&server)?;
    let each = after.saturating_sub(before) as f64 / options.count as f64;
    outcome.count("resting connections", options.count);
    outcome.count("of them answered once", answered);
    outcome.remarks.push(format!("{} MiB, {each:.1} KiB for each", after / 1_024));
    let (p99_without, p99_with) = (percentile(&without.served, 0.99), percentile(&with.served, 0.99));
    outcome.remarks.push(format!(
        "{ACTIVE} active: {:.0}/s and p99 {} µs without, {:.0}/s and p99 {} µs with",
        without.goodput(),
        p99_without.as_micros(),
        with.goodput(),
        p99_with.as_micros()
    ));
    if answered < options.count || with.broken + with.others + with.refused.len() > 0 {
        outcome.violations.push(format!("not all were answered: {:?}", with.first_other));
    }
    if after > MOST || each > EACH {
        outcome.violations.push(format!("MEMORY: {after} KiB, {each:.1} for each"));
    }
    if p99_with.as_secs_f64() > p99_without.as_secs_f64() * SLOWER {
        outcome.violations.push(format!("SLOWER: p99 {p99_with:?} instead of {p99_without:?}"));
    }
    drop(resting);
    server.stop()?;
    Ok(outcome)
}
