//! Reads: every size is up at once, and carnet and plain SQL get their slices in turn.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::pgbench::{self, Job, Until};
use super::{Bench, Filled};
use crate::http;
use crate::load::{self, Limit, Plan};
use crate::process::{Server, Who};
use crate::queries::{self, COLD, SORTED_COLD, SORTED_DEEP};
use crate::reads::{CLIENTS, COMPARED, FETCH, FEW, FIRST, LINES, MEMORY_AFTER, asks, spaced};
use crate::results::Results;
use crate::substance::{self, Ask, PAGE, Page, Substance};

/// One size's part in a line.
struct Part<'a> {
    filled: &'a Filled,
    carnet: &'a Server,
    plan: Box<Plan>,
    job: Job,
    pair: (usize, usize),
}

pub(super) fn measure(bench: &Bench<'_>, results: &mut Results) -> anyhow::Result<()> {
    if [COLD, SORTED_COLD].iter().any(|line| bench.options.wants(line)) {
        cold(bench, results)?;
    }
    let lines = LINES.into_iter().chain([SORTED_DEEP]);
    let lines: Vec<&'static str> = lines.filter(|line| bench.options.wants(line)).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let carnets = bench
        .filled
        .iter()
        .map(|filled| bench.carnet(&filled.database))
        .collect::<anyhow::Result<Vec<_>>>()?;
    carnets.iter().for_each(queries::await_words);
    for line in lines {
        eprintln!("{line}");
        measure_line(bench, results, &carnets, line)?;
    }
    for (filled, carnet) in bench.filled.iter().zip(&carnets) {
        results.add_figure((MEMORY_AFTER, filled.book.users, Who::Carnet), carnet.memory()?.own);
    }
    carnets.into_iter().try_for_each(Server::stop)
}

/// Pages of which no record was read since the start.
fn cold(bench: &Bench<'_>, results: &mut Results) -> anyhow::Result<()> {
    eprintln!("{SORTED_COLD}");
    for filled in &bench.filled {
        for round in 0..bench.options.rounds as u64 {
            let node = bench.carnet(&filled.database)?;
            queries::await_words(&node);
            let order = http::plain("GET", "/users/?sort=last_name&count=1");
            substance::fetch(node.address, &order)?;
            for (line, requests) in queries::cold(filled.book) {
                let once = Limit::Requests(requests.len() as u64);
                let sample = bench.turn(&[&node], CLIENTS, once, &*load::each_of(requests), round)?;
                results.add((line, filled.book.users, Who::Carnet), sample);
            }
            node.stop()?;
        }
    }
    Ok(())
}

fn measure_line(
    bench: &Bench<'_>,
    results: &mut Results,
    carnets: &[Server],
    line: &'static str,
) -> anyhow::Result<()> {
    let slice = bench.options.slice();
    let mut parts = Vec::new();
    for (filled, carnet) in bench.filled.iter().zip(carnets) {
        let asks = asks(line, filled.book);
        let mut longest = Duration::ZERO;
        for ask in spaced(&asks, COMPARED) {
            let began = Instant::now();
            let plain = plain(bench, filled, ask)?;
            longest = longest.max(began.elapsed());
            let own = ask.answer(carnet)?;
            if own != plain {
                let reason = format!("asked for {ask:?}: carnet says {own:?}, plain SQL {plain:?}");
                results.refuse((line, filled.book.users, Who::Carnet), reason);
            }
        }
        let plan = load::any_of(asks.iter().map(|ask| ask.request(Who::Carnet)).collect());
        // Everything was asked for twice, so that memory holds what it wants to, before anything counts.
        let requests: Vec<Vec<u8>> = asks.iter().map(|ask| ask.request(Who::Carnet)).collect();
        let twice = Limit::Requests(2 * requests.len().max(CLIENTS) as u64);
        bench.turn(&[carnet], CLIENTS, twice, &*load::each_of(requests), 0)?;
        let is_quick = matches!(line, FETCH | FEW) || (line == FIRST && filled.book.users <= 1_000);
        let job = Job::new(&filled.database, pgbench::read(line, filled.book), is_quick);
        // What is in flight at the end of a slice must not take longer than the slice.
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let fitting = slice.as_secs_f64() * cores / longest.as_secs_f64();
        let most = if line == FETCH { CLIENTS } else { (fitting as usize).clamp(2, CLIENTS) };
        let pair = job.best(bench, most)?;
        parts.push(Part { filled, carnet, plan, job, pair });
    }
    for round in 1..=bench.options.rounds as u64 {
        for Part { filled, carnet, plan, job, pair } in &parts {
            let users = filled.book.users;
            let sample = bench.turn(&[carnet], CLIENTS, Limit::After(slice), &**plan, round)?;
            results.add((line, users, Who::Carnet), sample);
            let sample = job.run(bench, *pair, &Until::Seconds(seconds(slice)), round)?;
            results.add((line, users, Who::Pgbench), sample);
        }
    }
    Ok(())
}

/// pgbench counts in whole seconds.
pub(super) fn seconds(slice: Duration) -> u64 {
    slice.as_secs().max(1)
}

/// What plain SQL says to the same question.
fn plain(bench: &Bench<'_>, filled: &Filled, ask: &Ask) -> anyhow::Result<Substance> {
    let columns = "SELECT id, first_name, last_name FROM users";
    let script = match ask {
        Ask::One(id) => format!("{columns} WHERE id = {id};"),
        Ask::Page(Page { offset, sort, filters }) => {
            let by = sort.map_or("id", |_| pgbench::BY_LAST_NAME);
            let mut condition = String::new();
            for (field, value) in filters {
                condition.push_str(if condition.is_empty() { " WHERE " } else { " AND " });
                condition.push_str(&format!("{field} = '{value}' AND {}", pgbench::short(field)));
            }
            format!(
                "SELECT count(*) FROM users{condition};\n\
                 {columns}{condition} ORDER BY {by} LIMIT {PAGE} OFFSET {offset};"
            )
        }
    };
    let text = bench.cluster.sql(&filled.database, &script)?;
    let mut lines = text.lines();
    let total = match ask {
        Ask::One(_) => None,
        Ask::Page(_) => Some(lines.next().context("no total")?.parse()?),
    };
    let record = |line: &str| {
        let mut columns = line.split('|').map(str::to_owned);
        let id = columns.next().and_then(|id| id.parse().ok())?;
        Some((id, columns.next()?, columns.next()?))
    };
    let records = lines.map(|line| record(line).with_context(|| format!("not a user: {line}")));
    Ok(Substance { total, records: records.collect::<anyhow::Result<_>>()? })
}
