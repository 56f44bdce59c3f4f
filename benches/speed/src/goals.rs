//! The goals, and what this run says about each.

use crate::Bench;
use crate::batches::{BATCHES, FETCH_ALONE, FETCH_BESIDE, SINGLES};
use crate::process::Who::{self, Bare, BareHead, Carnet, CarnetAnew, Disk, OneCommit, PocketBase, Sqlite};
use crate::queries;
use crate::reads::{DEEP, FETCH, FEW, FIRST, MANY, MEMORY_AFTER, TWO};
use crate::report::{Table, show, users};
use crate::results::{Measure, Results, Spread};
use crate::starts::{AFTER_KILL, FIRST_ASK, MEMORY, START};
use crate::writes::{ALONE, BESIDE, CREATE_64, SYNCS, USERS};

const MILLION: u64 = 1_000_000;
pub(crate) const TEN_MILLION: u64 = 10_000_000;
/// From so many syncs a second on, a disk counts as quiet.
const QUIET_DISK: f64 = 2_000.0;
/// The default of `[server] memory`, and what the process needs besides.
const MEMORY_LIMIT: f64 = 256.0 + 64.0;

/// Which side of the goal is the good one.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

pub(crate) struct Row {
    pub(crate) measure: &'static str,
    pub(crate) goal: Goal,
    /// The number of users that the goal is about, where it names one.
    pub(crate) users: Option<u64>,
    /// Each with where it was measured: a goal for several places is met when all meet it.
    pub(crate) measured: Vec<(String, Option<Spread>)>,
}

pub(crate) fn table(bench: &Bench, results: &Results) -> Table {
    let sizes: Vec<u64> = bench.filled.iter().map(|filled| filled.book.users).collect();
    let largest = sizes.last().copied().unwrap_or_default();
    let mut rows = rows(&sizes, results);
    rows.extend(queries::report::rows(&sizes, results));
    let mut table = judge(rows, largest);
    table.add(
        ["durable creates at 64 clients / TrailBase's", "≥ 1.5", "", "not part of this run"]
            .map(str::to_owned),
    );
    table
}

/// Which goals are met by a run whose largest database had so many users.
pub(crate) fn judge(rows: Vec<Row>, largest: u64) -> Table {
    let mut table = Table::new(&["measure", "goal", "measured", "met"]);
    for row in rows {
        let found: Vec<_> =
            row.measured.iter().filter_map(|(place, spread)| Some((place, (*spread)?))).collect();
        let is_met = |spread: &Spread| match row.goal {
            Goal::AtMost(limit) => spread.median <= limit,
            Goal::AtLeast(limit) => spread.median >= limit,
        };
        let measured = found.iter().map(|(place, spread)| format!("{place} {}", show(*spread)));
        let measured = measured.collect::<Vec<_>>().join("; ").trim().to_owned();
        let verdict = match () {
            () if found.is_empty() => "not measured",
            () if row.users.is_some_and(|users| users > largest) => "smaller size",
            () if !found.iter().all(|(_, spread)| is_met(spread)) => "**no**",
            () if found.len() < row.measured.len() => "so far",
            () => "yes",
        };
        let goal = match row.goal {
            Goal::AtMost(limit) => format!("≤ {limit}"),
            Goal::AtLeast(limit) => format!("≥ {limit}"),
        };
        table.add([row.measure.to_owned(), goal, measured, verdict.to_owned()]);
    }
    table
}

/// On either engine.
pub(crate) fn batched(results: &Results) -> Row {
    let ratio = results.ratio((BATCHES, USERS, Carnet), (SINGLES, USERS, Carnet), Measure::Rate);
    Row {
        measure: "batches of 100 creates by 16 clients, records per second / single creates by 64 clients",
        goal: Goal::AtLeast(2.0),
        users: None,
        measured: vec![(String::new(), ratio)],
    }
}

/// On either engine.
pub(crate) fn waiting_for_batches(results: &Results) -> Row {
    let ratio = results.ratio((FETCH_BESIDE, USERS, Carnet), (FETCH_ALONE, USERS, Carnet), Measure::P99);
    Row {
        measure: "p99 of fetches while batches of 1000 saturate the writer / alone",
        goal: Goal::AtMost(4.0),
        users: None,
        measured: vec![(String::new(), ratio)],
    }
}

fn rows(sizes: &[u64], results: &Results) -> Vec<Row> {
    use Goal::{AtLeast, AtMost};
    let largest = sizes.last().copied().unwrap_or_default();
    let cpu = |above, below| results.ratio(above, below, Measure::Cpu);
    let to_bare = |who: Who, bare: Who, line: &'static str, size: u64| {
        let place = format!("{line}, {}:", users(size));
        (place, cpu((line, size, who), (line, size, bare)))
    };
    let each_to_bare = |who: Who, bare: Who, lines: &[&'static str]| {
        let places = sizes.iter().flat_map(|&size| lines.iter().map(move |&line| (line, size)));
        places.map(|(line, size)| to_bare(who, bare, line, size)).collect()
    };
    let between = |line: &'static str, size: u64, base: &'static str, base_size: u64| {
        let place = format!("{} / {}:", users(size), users(base_size));
        (place, cpu((line, size, CarnetAnew), (base, base_size, CarnetAnew)))
    };
    let to_pocketbase = |line: &'static str| {
        let place = format!("{}:", users(largest.min(MILLION)));
        let size = largest.min(MILLION);
        vec![(place, cpu((line, size, PocketBase), (line, size, CarnetAnew)))]
    };
    let figure = |line: &'static str, size: u64, who: Who| {
        (format!("{}:", users(size)), results.figure((line, size, who)))
    };
    let rate = |who| {
        vec![(
            String::new(),
            results.ratio((CREATE_64, USERS, Carnet), (CREATE_64, USERS, who), Measure::Rate),
        )]
    };
    let is_quiet = results.figure((SYNCS, 0, Disk)).is_none_or(|syncs| syncs.median >= QUIET_DISK);
    let p99 = results.ratio((BESIDE, USERS, Carnet), (ALONE, USERS, Carnet), Measure::P99);
    vec![
        Row {
            measure: "fetch one of 10,000 ids that are asked for again and again, CPU per request / bare hyper with the same body",
            goal: AtMost(1.2),
            users: None,
            measured: each_to_bare(Carnet, Bare, &[FETCH]),
        },
        Row {
            measure: "the same / bare hyper with the same body and the same header fields",
            goal: AtMost(1.2),
            users: None,
            measured: each_to_bare(Carnet, BareHead, &[FETCH]),
        },
        Row {
            measure: "page at any depth, asked for again and again, CPU per request / bare hyper with the same body",
            goal: AtMost(1.35),
            users: None,
            measured: each_to_bare(Carnet, Bare, &[FIRST, DEEP]),
        },
        Row {
            measure: "the same / bare hyper with the same body and the same header fields",
            goal: AtMost(1.35),
            users: None,
            measured: each_to_bare(Carnet, BareHead, &[FIRST, DEEP]),
        },
        Row {
            measure: "page with one filter, asked for again and again, CPU per request / bare hyper with the same body",
            goal: AtMost(1.6),
            users: None,
            measured: each_to_bare(Carnet, Bare, &[FEW, MANY]),
        },
        Row {
            measure: "page with two filters, asked for again and again, CPU per request / bare hyper with the same body",
            goal: AtMost(1.8),
            users: None,
            measured: each_to_bare(Carnet, Bare, &[TWO]),
        },
        Row {
            measure: "fetch one, asked as nobody has asked before, CPU per request / bare hyper with the same body",
            goal: AtMost(1.2),
            users: None,
            measured: each_to_bare(CarnetAnew, Bare, &[FETCH]),
        },
        Row {
            measure: "page at any depth, asked as nobody has asked before, / bare hyper with the same body",
            goal: AtMost(1.35),
            users: None,
            measured: each_to_bare(CarnetAnew, Bare, &[FIRST, DEEP]),
        },
        Row {
            measure: "page with filters, asked as nobody has asked before, / bare hyper with the same body",
            goal: AtMost(1.6),
            users: None,
            measured: each_to_bare(CarnetAnew, Bare, &[FEW, MANY, TWO]),
        },
        Row {
            measure: "page at 90 % depth of 10 M with 10 % holes / first page of 1 k, CPU per request",
            goal: AtMost(1.25),
            users: Some(TEN_MILLION),
            measured: vec![between(DEEP, largest, FIRST, 1_000)],
        },
        Row {
            measure: "page of a filter with 10 % matches, 10 M / 1 k, CPU per request, once it is known",
            goal: AtMost(1.5),
            users: Some(TEN_MILLION),
            measured: vec![between(MANY, largest, MANY, 1_000)],
        },
        Row {
            measure: "the first time a filter is asked, at 1 M / plain `COUNT` by index, time",
            goal: AtMost(1.0),
            users: Some(MILLION),
            measured: vec![(
                format!("{}:", users(largest.min(MILLION))),
                results.figure_ratio(
                    (FIRST_ASK, largest.min(MILLION), Carnet),
                    (FIRST_ASK, largest.min(MILLION), Sqlite),
                ),
            )],
        },
        Row {
            measure: "two filters combined, 10 M / 1 M, CPU per request",
            goal: AtMost(2.0),
            users: Some(TEN_MILLION),
            measured: vec![between(TWO, largest, TWO, if largest > MILLION { MILLION } else { 1_000 })],
        },
        Row {
            measure: if is_quiet {
                "durable creates at 64 clients / one commit per request (the disk is quiet; a slow one: ≥ 7)"
            } else {
                "durable creates at 64 clients / one commit per request (the disk is slow; a quiet one: ≥ 2.5)"
            },
            goal: AtLeast(if is_quiet { 2.5 } else { 7.0 }),
            users: None,
            measured: rate(OneCommit),
        },
        Row {
            measure: "durable creates at 64 clients / PocketBase's (not durable) creates",
            goal: AtLeast(4.0),
            users: None,
            measured: rate(PocketBase),
        },
        batched(results),
        waiting_for_batches(results),
        Row {
            measure: "write p99 beside saturating readers / alone",
            goal: AtMost(3.0),
            users: None,
            measured: vec![(String::new(), p99)],
        },
        Row {
            measure: "fetch one of 1 M, requests per CPU second / PocketBase's",
            goal: AtLeast(15.0),
            users: Some(MILLION),
            measured: to_pocketbase(FETCH),
        },
        Row {
            measure: "first page of 1 M, requests per CPU second / PocketBase's",
            goal: AtLeast(5_000.0),
            users: Some(MILLION),
            measured: to_pocketbase(FIRST),
        },
        Row {
            measure: "page at 90 % depth of 1 M, requests per CPU second / PocketBase's",
            goal: AtLeast(10_000.0),
            users: Some(MILLION),
            measured: to_pocketbase(DEEP),
        },
        Row {
            measure: "own memory right after start, without the page cache, at 1 M, MiB",
            goal: AtMost(32.0),
            users: Some(MILLION),
            measured: vec![figure(MEMORY, largest.min(MILLION), Carnet)],
        },
        Row {
            measure: "own memory right after start, without the page cache, at 10 M, MiB",
            goal: AtMost(64.0),
            users: Some(TEN_MILLION),
            measured: vec![figure(MEMORY, TEN_MILLION, Carnet)],
        },
        Row {
            measure: "own memory after any load, MiB (`[server] memory`, 256, and 64 for the rest)",
            goal: AtMost(MEMORY_LIMIT),
            users: None,
            measured: sizes.iter().map(|&size| figure(MEMORY_AFTER, size, Carnet)).collect(),
        },
        Row {
            measure: "ready to serve after start with 10 M users, s",
            goal: AtMost(2.0),
            users: Some(TEN_MILLION),
            measured: vec![figure(START, largest, Carnet)],
        },
        Row {
            measure: "ready to serve after `kill -9` with 10 M users, s",
            goal: AtMost(2.0),
            users: Some(TEN_MILLION),
            measured: vec![figure(AFTER_KILL, largest, Carnet)],
        },
    ]
}
