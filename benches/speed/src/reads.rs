//! Reads: every size and every server is up at once, and each gets its slice in turn, so that ratios between
//! servers and between sizes come from neighbouring moments.

use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Bench;
use crate::fill::Filled;
use crate::http;
use crate::load::{self, Limit, Plan};
use crate::process::{Server, Who};
use crate::queries;
use crate::results::{Measure, Results, Sample};
use crate::rows::{Book, COMMON_FIRST_NAME, COMMON_LAST_NAME};
use crate::substance::{self, Ask, PAGE, Page};

pub(crate) const FETCH: &str = "fetch one";
pub(crate) const FIRST: &str = "first page";
pub(crate) const DEEP: &str = "page at 90 % depth";
pub(crate) const FEW: &str = "filter, few matches";
pub(crate) const MANY: &str = "filter, many matches";
pub(crate) const TWO: &str = "two filters";
pub(crate) const LINES: [&str; 6] = [FETCH, FIRST, DEEP, FEW, MANY, TWO];

/// Own memory of the servers after all the reads, in MiB.
pub(crate) const MEMORY_AFTER: &str = "own memory after the reads, MiB";

pub(crate) const HOT_IDS: usize = 10_000;
/// Different rare names that are asked for.
pub(crate) const HOT_NAMES: usize = 1_000;
/// How far pages of one line lie apart at most, in records.
pub(crate) const WINDOW: u64 = 10_000;
pub(crate) const CLIENTS: usize = 64;
/// Answers that are compared before a line is measured.
pub(crate) const COMPARED: usize = 8;
/// Answers among which the body of the bare server is chosen, and how long that may take.
const SAMPLED_BODIES: usize = 1_000;
const SAMPLING: Duration = Duration::from_secs(2);
/// Bodies of the bare server and of carnet may differ by this much on average.
const BODY_TOLERANCE: f64 = 0.05;

/// The servers of one size.
struct Field<'a> {
    filled: &'a Filled,
    carnet: Server,
    pocketbase: Option<Server>,
}

/// One server's part in a line.
struct Part<'a> {
    server: &'a Server,
    who: Who,
    users: u64,
    clients: usize,
    plan: Box<Plan>,
}

pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    let lines = LINES.into_iter().chain(queries::LINES);
    let lines: Vec<&'static str> = lines.filter(|line| bench.options.wants(line)).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let fields =
        bench.filled.iter().map(|filled| start(bench, filled)).collect::<anyhow::Result<Vec<_>>>()?;
    for line in lines {
        eprintln!("{line}");
        measure_line(bench, results, &fields, line)?;
    }
    for field in &fields {
        for server in [Some(&field.carnet), field.pocketbase.as_ref()].into_iter().flatten() {
            results.add_figure((MEMORY_AFTER, field.filled.book.users, server.who), server.memory()?.own);
        }
    }
    fields.into_iter().try_for_each(|field| {
        field.carnet.stop()?;
        field.pocketbase.map_or(Ok(()), Server::stop)
    })
}

/// Drives a server for one slice.
pub(crate) fn turn(
    server: &Server,
    clients: usize,
    limit: Limit<'_>,
    plan: &Plan,
    seed: u64,
) -> anyhow::Result<Sample> {
    let before = server.cpu()?;
    let load = load::drive(server.address, clients, limit, plan, seed)?;
    let cpu_seconds = server.cpu()? - before;
    Ok(Sample { load, clients, cpu_seconds, database_seconds: 0.0, resident: server.memory()?.resident })
}

fn start<'a>(bench: &Bench, filled: &'a Filled) -> anyhow::Result<Field<'a>> {
    let carnet = Server::carnet(&bench.options, &filled.carnet)?;
    queries::await_words(&carnet);
    let pocketbase = match (&bench.options.pocketbase, &filled.pocketbase) {
        (Some(program), Some(directory)) => Some(Server::pocketbase(&bench.options, program, directory)?),
        _ => None,
    };
    Ok(Field { filled, carnet, pocketbase })
}

fn measure_line(
    bench: &Bench,
    results: &mut Results,
    fields: &[Field<'_>],
    line: &'static str,
) -> anyhow::Result<()> {
    let slice = bench.options.slice();
    let bares = fields
        .iter()
        .map(|field| bares(bench, &field.carnet, &asks(line, field.filled.book)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut parts = Vec::new();
    for (field, [bare, bare_head]) in fields.iter().zip(&bares) {
        let users = field.filled.book.users;
        let asks = asks(line, field.filled.book);
        let sample: Vec<&Ask> = spaced(&asks, COMPARED).collect();
        let pocketbase = field.pocketbase.as_ref().filter(|_| !queries::ALONE.contains(&line));
        if let Some(pocketbase) = pocketbase {
            for ask in &sample {
                if let Some(reason) = substance::difference(ask, &field.carnet, pocketbase)? {
                    results.refuse((line, users, Who::PocketBase), reason);
                }
            }
        }
        let most = clients(&field.carnet, sample[0], slice)?;
        let carnet = Some((&field.carnet, Who::CarnetAnew));
        let others = [Some(&field.carnet), Some(bare), Some(bare_head), pocketbase];
        let others = others.map(|server| server.map(|server| (server, server.who)));
        for (server, who) in carnet.into_iter().chain(others.into_iter().flatten()) {
            let plan = load::any_of(asks.iter().map(|ask| ask.request(who)).collect());
            let plan = if who == Who::CarnetAnew { load::anew(plan) } else { plan };
            // Caches are warm, and a filter is known, before anything counts.
            turn(server, 2, Limit::After(slice / 2), &*plan, 0)?;
            let clients = match who {
                Who::PocketBase => cheapest(server, clients(server, sample[0], slice)?, slice, &*plan)?,
                _ => most,
            };
            parts.push(Part { server, who, users, clients, plan });
        }
    }
    for round in 1..=bench.options.rounds as u64 {
        for part in &parts {
            let sample = turn(part.server, part.clients, Limit::After(slice), &*part.plan, round)?;
            results.add((line, part.users, part.who), sample);
        }
    }
    for field in fields {
        let users = field.filled.book.users;
        let mean = |who| {
            let samples = results.samples((line, users, who)).iter();
            let sums = samples.fold((0, 0), |(bytes, requests), sample| {
                (bytes + sample.load.body_bytes, requests + sample.load.requests)
            });
            sums.0 as f64 / sums.1 as f64
        };
        let means = [Who::Bare, Who::BareHead].map(|who| (who, mean(Who::Carnet), mean(who)));
        for (who, carnet, bare) in means {
            if (carnet / bare - 1.0).abs() > BODY_TOLERANCE {
                let reason =
                    format!("carnet's bodies have {carnet:.0} bytes on average, the bare server's {bare:.0}");
                results.refuse((line, users, who), reason);
            }
        }
    }
    Ok(())
}

/// What a line asks for.
pub(crate) fn asks(line: &str, book: Book) -> Vec<Ask> {
    let page = |offset, filters: &[(&'static str, &str)]| {
        let filters = filters.iter().map(|(field, value)| (*field, (*value).to_owned())).collect();
        Ask::Page(Page { offset, filters, ..Page::default() })
    };
    let pages = |first: u64, records: u64| {
        (first / PAGE..).map(|number| number * PAGE).take((records / PAGE) as usize)
    };
    let (last_name, first_name) = (("last_name", COMMON_LAST_NAME), ("first_name", COMMON_FIRST_NAME));
    match line {
        FETCH => book.sample(HOT_IDS).into_iter().map(|user| Ask::One(user.id)).collect(),
        FIRST => vec![page(0, &[])],
        DEEP => {
            let window = WINDOW.min(book.users / 20);
            pages(book.users / 10 * 9, window).map(|offset| page(offset, &[])).collect()
        }
        FEW => {
            let mut names: Vec<String> =
                book.sample(2 * HOT_NAMES).into_iter().map(|user| user.last_name).collect();
            names.retain(|name| name != COMMON_LAST_NAME);
            names.sort();
            names.dedup();
            names.truncate(HOT_NAMES);
            names.iter().map(|name| page(0, &[("last_name", name)])).collect()
        }
        // Full pages only, so that every size answers as many records; the last page may be shorter.
        MANY => {
            pages(0, (book.users / 20).min(WINDOW / 5)).map(|offset| page(offset, &[last_name])).collect()
        }
        TWO => pages(0, (book.users / 100).clamp(PAGE, WINDOW / 5))
            .map(|offset| page(offset, &[first_name, last_name]))
            .collect(),
        _ => queries::asks(line, book),
    }
}

/// Bare servers with a body that carnet gave, without and with the header fields that it gave: of several answers
/// the one whose body is nearest to the mean length.
fn bares(bench: &Bench, carnet: &Server, asks: &[Ask]) -> anyhow::Result<[Server; 2]> {
    let began = Instant::now();
    let mut bodies = Vec::new();
    for ask in spaced(asks, SAMPLED_BODIES) {
        let request = ask.request(Who::Carnet);
        bodies.push((substance::fetch(carnet.address, &request)?, request));
        if began.elapsed() > SAMPLING {
            break;
        }
    }
    let mean = bodies.iter().map(|(body, _)| body.len()).sum::<usize>() / bodies.len();
    let nearest = bodies.iter().min_by_key(|(body, _)| body.len().abs_diff(mean));
    let (body, request) = nearest.context("nothing is asked")?;
    let (path, head) = (bench.scratch.join("body"), bench.scratch.join("head"));
    std::fs::write(&path, body)?;
    std::fs::write(&head, http::head(&http::exchange(carnet.address, request)?))?;
    Ok([Server::bare(&bench.options, &path, None)?, Server::bare(&bench.options, &path, Some(&head))?])
}

/// So many clients that the requests in flight at the end of a slice do not take longer than the slice.
fn clients(server: &Server, ask: &Ask, slice: Duration) -> anyhow::Result<usize> {
    let began = Instant::now();
    substance::fetch(server.address, &ask.request(server.who))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let fitting = slice.as_secs_f64() * cores / began.elapsed().as_secs_f64();
    Ok((fitting as usize).clamp(2, CLIENTS))
}

/// The number of clients at which a server needs the least processor time. PocketBase needs up to three times
/// more for a slow query when many are asked at once, which would flatter us.
fn cheapest(server: &Server, most: usize, slice: Duration, plan: &Plan) -> anyhow::Result<usize> {
    let mut best = (f64::INFINITY, most);
    for clients in [2, 8, CLIENTS].map(|clients| clients.min(most)) {
        let cost = turn(server, clients, Limit::After(slice / 2), plan, 0)?.measure(Measure::Cpu);
        if cost < best.0 {
            best = (cost, clients);
        }
    }
    Ok(best.1)
}

pub(crate) fn spaced<T>(items: &[T], wanted: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(wanted).max(1))
}
