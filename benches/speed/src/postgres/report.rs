//! The report on the engine for many nodes.

use super::cluster::Cluster;
use super::{Bench, starts, tools, writes};
use crate::batches::LINES as LINES_OF_BATCHES;
use crate::goals::{self, Goal, Row, TEN_MILLION};
use crate::machine;
use crate::options::Options;
use crate::process::Who::{Carnet, Disk, Pgbench};
use crate::queries::{COLD, SORTED_COLD, SORTED_DEEP};
use crate::reads::{DEEP, FETCH, FIRST, LINES, MEMORY_AFTER};
use crate::report::{Place, Table, clients, latency, publish, resident, shown, shown_ratio, users};
use crate::results::{Measure, Results};
use crate::writes::{CREATE_64, CREATES, DELETE, MIXED, SYNCS, UPDATE, USERS};

const PLACE: Place = Place {
    begin: "<!-- measured on PostgreSQL: begin, written by ./bench --engine postgres --write-docs -->",
    end: "<!-- measured on PostgreSQL: end -->",
    file: "results-postgres",
};
/// What the server is set to, as it says itself.
const SETTINGS: &str =
    "SELECT string_agg(name || ' ' || current_setting(name), ', ' ORDER BY name) FROM pg_settings
  WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size');";

pub(super) fn describe(options: &Options, cluster: &Cluster) -> anyhow::Result<String> {
    let version = cluster.sql("postgres", "SHOW server_version;")?;
    let settings = cluster.sql("postgres", SETTINGS)?;
    let facts = machine::describe(options);
    let facts = facts.lines().filter(|line| !line.starts_with("- PocketBase")).collect::<Vec<_>>().join("\n");
    Ok(format!(
        "{facts}\n- PostgreSQL: {}, over a socket of the file system; {}",
        version.trim(),
        settings.trim()
    ))
}

pub(super) fn write(bench: &Bench<'_>, machine: &str, results: &Results) -> anyhow::Result<()> {
    let largest = bench.filled.last().map_or(0, |filled| filled.book.users);
    let tables = vec![
        ("Goals on PostgreSQL", goals::judge(rows(bench, results, largest), largest)),
        ("Reads on PostgreSQL", reads_table(results)),
        ("Writes on PostgreSQL, on a database of 100 k users", writes_table(results)),
        ("Beside other tools, on a database of 100 k users", tools_table(results)),
        ("Starts and memory on PostgreSQL", starts_table(results)),
    ];
    publish(bench.options, &PLACE, machine, tables, results, None)
}

fn rows(bench: &Bench<'_>, results: &Results, largest: u64) -> Vec<Row> {
    let fetch = |size: u64| {
        let key = |who| (FETCH, size, who);
        (format!("{}:", users(size)), results.ratio(key(Carnet), key(Pgbench), Measure::Rate))
    };
    let depth = |measure| {
        let ratio = results.ratio((DEEP, largest, Carnet), (FIRST, largest, Carnet), measure);
        vec![(format!("{}:", users(largest)), ratio)]
    };
    let sorted = |line, other| {
        let ratio = results.ratio((line, largest, Carnet), (other, largest, Carnet), Measure::BothCpu);
        vec![(format!("{}:", users(largest)), ratio)]
    };
    let ratio = |line, other, measure| {
        vec![(String::new(), results.ratio((line, USERS, Carnet), (other, USERS, Carnet), measure))]
    };
    let key = |who| (CREATE_64, USERS, who);
    let creates = results.ratio(key(Carnet), key(Pgbench), Measure::Rate);
    vec![
        Row {
            measure: "fetch one, requests per second / point reads of pgbench, prepared, per second",
            goal: Goal::AtLeast(0.5),
            users: None,
            measured: bench.filled.iter().map(|filled| fetch(filled.book.users)).collect(),
        },
        Row {
            measure: "page at 90 % depth of 10 M / first page of 10 M, CPU of carnet and PostgreSQL per request",
            goal: Goal::AtMost(2.0),
            users: Some(TEN_MILLION),
            measured: depth(Measure::BothCpu),
        },
        Row {
            measure: "page at 90 % depth of 10 M / first page of 10 M, p50",
            goal: Goal::AtMost(2.0),
            users: Some(TEN_MILLION),
            measured: depth(Measure::P50),
        },
        Row {
            measure: "page at 90 % depth of 10 M sorted by `last_name` / unsorted, CPU of both per request",
            goal: Goal::AtMost(2.0),
            users: Some(TEN_MILLION),
            measured: sorted(SORTED_DEEP, DEEP),
        },
        Row {
            measure: "the same, its records not in memory",
            goal: Goal::AtMost(10.0),
            users: Some(TEN_MILLION),
            measured: sorted(SORTED_COLD, COLD),
        },
        Row {
            measure: "durable creates at 64 clients / single-row inserts of pgbench at 64 clients, per second",
            goal: Goal::AtLeast(1.0),
            users: None,
            measured: vec![(String::new(), creates)],
        },
        goals::batched(results),
        goals::waiting_for_batches(results),
        Row {
            measure: "updates beside a tool that locks and then updates / beside one that updates, per second",
            goal: Goal::AtLeast(0.7),
            users: None,
            measured: ratio(tools::BESIDE_LOCKS, tools::BESIDE_UPDATES, Measure::Rate),
        },
        Row {
            measure: "fetch one after 60,000 commits under an open snapshot / before, p50",
            goal: Goal::AtMost(1.3),
            users: None,
            measured: ratio(tools::FETCH_AFTER, tools::FETCH_BEFORE, Measure::P50),
        },
        Row {
            measure: "create after 60,000 commits under an open snapshot / before, p50",
            goal: Goal::AtMost(1.3),
            users: None,
            measured: ratio(tools::CREATE_AFTER, tools::CREATE_BEFORE, Measure::P50),
        },
    ]
}

const HEAD: [&str; 11] = [
    "carnet, per s",
    "plain SQL, per s",
    "carnet / plain SQL",
    "CPU µs: carnet",
    "PostgreSQL behind carnet",
    "both",
    "PostgreSQL, plain SQL",
    "p50, p99 ms: carnet",
    "plain SQL",
    "RSS MiB: carnet",
    "clients: carnet, pgbench",
];

fn cells(results: &Results, line: &'static str, size: u64) -> [String; 11] {
    let key = |who| (line, size, who);
    let spread = |who, measure| shown(results.spread(key(who), measure));
    [
        spread(Carnet, Measure::Rate),
        spread(Pgbench, Measure::Rate),
        shown_ratio(results, key(Carnet), key(Pgbench), Measure::Rate),
        spread(Carnet, Measure::Cpu),
        spread(Carnet, Measure::DatabaseCpu),
        spread(Carnet, Measure::BothCpu),
        spread(Pgbench, Measure::DatabaseCpu),
        latency(results, key(Carnet)),
        latency(results, key(Pgbench)),
        resident(results, key(Carnet)),
        [Carnet, Pgbench].map(|who| clients(results, key(who))).join(", "),
    ]
}

fn reads_table(results: &Results) -> Table {
    let mut table = Table::new(&[&["line", "users"], &HEAD[..]].concat());
    for line in LINES.into_iter().chain([SORTED_DEEP, COLD, SORTED_COLD]) {
        for size in results.sizes(line) {
            let row: Vec<String> =
                [line.to_owned(), users(size)].into_iter().chain(cells(results, line, size)).collect();
            table.add_row(row);
        }
    }
    table
}

fn writes_table(results: &Results) -> Table {
    let mut table = Table::new(&[&["line"], &HEAD[..]].concat());
    let lines = CREATES.map(|(line, _)| line).into_iter();
    let others = [UPDATE, DELETE, MIXED, writes::CREATE_2, writes::FETCH_1, writes::FETCH_2];
    for line in lines.chain(LINES_OF_BATCHES).chain(others).filter(|line| !results.sizes(line).is_empty()) {
        table.add_row(std::iter::once(line.to_owned()).chain(cells(results, line, USERS)).collect());
    }
    table
}

/// The inserts are those of pgbench: into carnet's table, and into one without triggers.
fn tools_table(results: &Results) -> Table {
    let mut table = Table::new(&[&["line"], &HEAD[..]].concat());
    let inserts = tools::INSERTS.map(|(line, _)| line).into_iter();
    let others = [
        tools::BESIDE_UPDATES,
        tools::BESIDE_LOCKS,
        tools::FETCH_BEFORE,
        tools::FETCH_AFTER,
        tools::CREATE_BEFORE,
        tools::CREATE_AFTER,
    ];
    for line in inserts.chain(others).filter(|line| !results.sizes(line).is_empty()) {
        table.add_row(std::iter::once(line.to_owned()).chain(cells(results, line, USERS)).collect());
    }
    table
}

fn starts_table(results: &Results) -> Table {
    let mut table = Table::new(&["what", "users", "carnet", "compared with", "", "ratio"]);
    for (line, other) in
        starts::LINES.into_iter().chain([MEMORY_AFTER]).map(|line| (line, Pgbench)).chain([(SYNCS, Disk)])
    {
        for size in results.sizes(line) {
            let (own, other) = ((line, size, Carnet), (line, size, other));
            let found = results.figure(other);
            let ratio = match results.is_refused(own, other) {
                true => "refused".to_owned(),
                false => shown(results.figure_ratio(own, other)),
            };
            table.add([
                line.to_owned(),
                users(size),
                shown(results.figure(own)),
                found.map_or(String::new(), |_| other.2.name().to_owned()),
                shown(found),
                ratio,
            ]);
        }
    }
    table
}
