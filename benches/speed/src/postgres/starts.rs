//! Starts: the first page, the moment from which pages cost the same at any depth, and the first ask of a filter.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::{Bench, Filled};
use crate::process::{Server, Who};
use crate::results::Results;
use crate::rows::COMMON_LAST_NAME;
use crate::starts::{FIRST_ASK, MEMORY, RESIDENT, START, first_page};
use crate::substance::{self, Ask, Page};

/// From the start of the process on.
pub(super) const KNOWN: &str = "start to the set of all ids, s";
pub(super) const LINES: [&str; 5] = [START, KNOWN, MEMORY, RESIDENT, FIRST_ASK];
/// How long the set of all ids may take.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn measure(bench: &Bench<'_>, results: &mut Results) -> anyhow::Result<()> {
    if !LINES.iter().any(|line| bench.options.wants(line)) {
        return Ok(());
    }
    eprintln!("starts");
    for filled in &bench.filled {
        for _ in 0..bench.options.rounds {
            start(bench, results, filled)?;
        }
    }
    Ok(())
}

fn start(bench: &Bench<'_>, results: &mut Results, filled: &Filled) -> anyhow::Result<()> {
    let users = filled.book.users;
    let server = bench.carnet(&filled.database)?;
    first_page(results, START, users, &server, users)?;
    results.add_figure((KNOWN, users, Who::Carnet), until_known(&server, filled)?);

    let filters = vec![("last_name", COMMON_LAST_NAME.to_owned())];
    let ask = Ask::Page(Page { filters, ..Page::default() });
    let began = Instant::now();
    substance::fetch(server.address, &ask.request(Who::Carnet))?;
    results.add_figure((FIRST_ASK, users, Who::Carnet), began.elapsed().as_secs_f64() * 1e3);
    let total = ask.answer(&server)?.total.unwrap_or_default();
    server.stop()?;

    let count = format!(
        "SELECT count(*) FROM users WHERE last_name = '{COMMON_LAST_NAME}' AND {};",
        super::pgbench::short("last_name")
    );
    let text = bench.cluster.sql(&filled.database, &format!("\\timing on\n{count}\n"))?;
    let mut lines = text.lines();
    let counted: u64 = lines.next().context("no count")?.parse()?;
    let time = lines.find_map(|line| line.strip_prefix("Time: ")?.split(' ').next()?.parse().ok());
    results.add_figure((FIRST_ASK, users, Who::Pgbench), time.context("psql told no time")?);
    if total != counted {
        let reason = format!("carnet says {total}, plain SQL counts {counted}");
        results.refuse((FIRST_ASK, users, Who::Carnet), reason);
    }
    Ok(())
}

/// Seconds from the start until the set of all users is in memory: it takes at least a bit for each id.
fn until_known(server: &Server, filled: &Filled) -> anyhow::Result<f64> {
    let least = filled.book.last_id as f64 / 8.0;
    loop {
        let bytes = server.metric("carnet_store_sets_bytes")?;
        let since = server.spawned.elapsed();
        if bytes >= least {
            return Ok(since.as_secs_f64());
        }
        if since > PATIENCE {
            bail!("the set of all ids was not there after {} s", PATIENCE.as_secs());
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
