//! T4: clients do what they like to a few records, and a checker looks for an order in which it could have happened.
//!
//! Each record is a register for itself (`register.rs`): created, read, updated with and without `If-Match`, deleted,
//! and seen in lists or not. Lists over all counters must be of moments of which one came first (`snapshots.rs`). What
//! has no answer may have been done at any time after it was sent, or never. Transfers between counters, which are
//! batches, must never show half (`transfers.rs`).

mod clients;
mod history;
mod register;
mod snapshots;
mod transfers;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::bail;
use dev::dice::Dice;
use parking_lot::RwLock;

use crate::options::{Engine, Options};
use crate::outcome::Outcome;
use crate::proxy;
use crate::scratch::Scratch;
use crate::server::Server;
use crate::store::Store;
use history::History;
use register::Verdict;

/// For the control: how old an answer may be that a cache gives.
const STALE: Duration = Duration::from_millis(50);
/// How small memory is in every second history, so that blocks come and go.
const MEMORIES: [&str; 2] = ["64MiB", "64KiB"];

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let kind = options.kind_or("plain");
    if !["plain", "kills", "transfers"].contains(&kind) {
        bail!("histories are of kind plain, kills or transfers, not {kind}");
    }
    let mut scratch = Scratch::new(options)?;
    let mut store = Store::new(options, &scratch, false)?;
    let nodes = if options.engine == Engine::Postgres { 2 } else { 1 };
    let mut outcome = Outcome::default();
    for number in 0..options.count {
        let seed = options.seed.wrapping_mul(1_000_003).wrapping_add(number as u64);
        store.configure(MEMORIES[number % MEMORIES.len()], 0)?;
        if number > 0 {
            store.renew()?;
        }
        let history = match one(options, &store, nodes, seed) {
            Ok(history) => history,
            Err(error) => {
                outcome.failure = Some(error);
                break;
            }
        };
        let faults = judge(&history, &mut outcome);
        let found = !faults.is_empty();
        let place = |fault| format!("history {number} (seed {seed}): {fault}");
        outcome.violations.extend(faults.into_iter().map(place));
        if found {
            if !options.is_control {
                std::fs::write(scratch.path("history"), format!("{history:#?}"))?;
                scratch.keep();
            }
            break;
        }
    }
    Ok(outcome)
}

/// Starts the servers, and lets the clients loose.
fn one(options: &Options, store: &Store, nodes: usize, seed: u64) -> anyhow::Result<History> {
    let kind = options.kind_or("plain");
    let mut servers = (0..nodes).map(|_| store.launch().serve()).collect::<anyhow::Result<Vec<Server>>>()?;
    let mut addresses: Vec<SocketAddr> = servers.iter().map(|server| server.address).collect();
    if options.is_control && kind != "transfers" {
        addresses.push(proxy::start(addresses[0], proxy::Error::IsStale(STALE))?);
    }
    let addresses = RwLock::new(addresses);
    let meanwhile = &mut |is_over: &dyn Fn() -> bool, addresses: &RwLock<Vec<SocketAddr>>| match kind {
        "plain" => Ok(0),
        _ => kill_some(store, &mut servers, seed, is_over, addresses),
    };
    match kind {
        "transfers" => transfers::record(seed, options.operations, &addresses, meanwhile, options.is_control),
        _ => clients::record(seed, options.operations, &addresses, meanwhile),
    }
}

/// Counts what there was, and answers everything that cannot have been.
fn judge(history: &History, outcome: &mut Outcome) -> Vec<String> {
    for (what, number) in [
        ("histories", 1),
        ("operations", history.operations),
        ("without an answer", history.unknown),
        ("kills", history.kills),
        ("lists", history.lists),
        ("snapshots", history.snapshots.len()),
        ("records", history.records.len()),
    ] {
        outcome.count(what, number);
    }
    let mut faults = history.faults.clone();
    faults.extend(snapshots::check(&history.snapshots));
    for (id, operations) in &history.records {
        match register::check(operations, &history.kinds) {
            Verdict::Fits => {}
            Verdict::NoOrder(words) => {
                faults.push(format!("NO ORDER of what was done to record {id}: {words}"));
            }
            Verdict::Undecided => outcome.count("records undecided", 1),
        }
    }
    faults
}

/// Kills one server after the other, and starts it again on the same data, until the clients are done.
fn kill_some(
    store: &Store,
    servers: &mut [Server],
    seed: u64,
    is_over: &dyn Fn() -> bool,
    addresses: &RwLock<Vec<SocketAddr>>,
) -> anyhow::Result<usize> {
    let mut dice = Dice::new(seed);
    let mut kills = 0;
    loop {
        let until = Instant::now() + Duration::from_millis(300 + dice.below(900) as u64);
        while Instant::now() < until {
            if is_over() {
                return Ok(kills);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let place = dice.below(servers.len());
        servers[place].kill();
        servers[place] = store.launch().serve()?;
        addresses.write()[place] = servers[place].address;
        kills += 1;
    }
}
