//! The report: tables on standard output, the same as Markdown, everything as JSON, a plot, and on request the
//! measured section of `docs/performance.md`.

use std::fmt::Write;
use std::fs;

use anyhow::Context;
use serde_json::json;

use crate::Bench;
use crate::batches;
use crate::goals;
use crate::options::Options;
use crate::plot;
use crate::process::Who::{self, Bare, BareHead, Carnet, CarnetAnew, Disk, OneCommit, PocketBase, Sqlite};
use crate::queries::{self, first_asks};
use crate::reads;
use crate::results::{Key, Measure, Results, Spread};
use crate::starts;
use crate::writes;

/// Where a report goes.
pub(crate) struct Place {
    /// The section of `docs/performance.md` lies between these.
    pub(crate) begin: &'static str,
    pub(crate) end: &'static str,
    /// How the files of results begin.
    pub(crate) file: &'static str,
}

const SQLITE: Place = Place {
    begin: "<!-- measured: begin, written by ./bench --write-docs -->",
    end: "<!-- measured: end -->",
    file: "results",
};

pub(crate) fn write(bench: &Bench, machine: &str, results: &Results) -> anyhow::Result<()> {
    let plot = plot::svg(results);
    if let Some(plot) = &plot {
        fs::write(bench.options.data.join("cost.svg"), plot)?;
    }
    publish(&bench.options, &SQLITE, machine, tables(bench, results), results, plot.as_deref())
}

/// Prints the tables and writes them where they belong.
pub(crate) fn publish(
    options: &Options,
    place: &Place,
    machine: &str,
    tables: Vec<(&'static str, Table)>,
    results: &Results,
    plot: Option<&str>,
) -> anyhow::Result<()> {
    let mut text = format!("{machine}\n");
    for (title, table) in tables.into_iter().filter(|(_, table)| !table.rows.is_empty()) {
        let _ = write!(text, "\n### {title}\n\n{table}");
    }
    let refused: Vec<String> = results
        .refusals()
        .map(|((line, size, who), reason)| {
            format!("- {line}, {} users, {}: {reason}", users(*size), who.name())
        })
        .collect();
    if !refused.is_empty() {
        let _ = write!(text, "\n### No ratio, because the answers differ\n\n{}\n", refused.join("\n"));
    }
    println!("\n{text}");

    let data = &options.data;
    fs::write(data.join(format!("{}.md", place.file)), &text)?;
    let facts: Vec<&str> = machine.lines().map(|line| line.trim_start_matches("- ")).collect();
    let mut document = results.to_json();
    document["run"] = json!(facts);
    fs::write(data.join(format!("{}.json", place.file)), serde_json::to_string_pretty(&document)?)?;
    eprintln!("written: {}.md and .json in {}", place.file, data.display());
    if options.writes_docs {
        write_docs(options, place, &text, plot)?;
    }
    Ok(())
}

/// Replaces the text between the markers.
fn write_docs(options: &Options, place: &Place, section: &str, plot: Option<&str>) -> anyhow::Result<()> {
    let Place { begin, end, .. } = place;
    let path = options.source.join("docs/performance.md");
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page.split_once(begin).context("docs/performance.md has lost its markers")?;
    let (_, after) = rest.split_once(end).context("docs/performance.md has lost its markers")?;
    let mut text = format!("{before}{begin}\n\n{section}\n");
    if let Some(plot) = plot {
        fs::write(path.with_extension("svg"), plot)?;
        text.push_str("![CPU time per request against the number of records](performance.svg)\n\n");
    }
    text.push_str(end);
    text.push_str(after);
    fs::write(&path, text)?;
    eprintln!("written: docs/performance.md");
    Ok(())
}

fn tables(bench: &Bench, results: &Results) -> Vec<(&'static str, Table)> {
    vec![
        ("Goals", goals::table(bench, results)),
        ("Reads", reads_table(results)),
        ("Writes, on a database of 100 k users", writes_table(results)),
        ("Queries for the first time, walks, and beside writes", queries::report::table(results)),
        ("Starts and memory", starts_table(results)),
    ]
}

fn reads_table(results: &Results) -> Table {
    let mut table = Table::new(&[
        "line",
        "users",
        "carnet, CPU µs",
        "bare hyper, CPU µs",
        "carnet / bare",
        "bare with header fields, CPU µs",
        "carnet / bare with header fields",
        "carnet asked anew, CPU µs",
        "the same / bare",
        "PocketBase, CPU µs",
        "PocketBase / carnet asked anew",
        "p50, p99 ms: carnet",
        "bare hyper",
        "PocketBase",
        "RSS MiB: carnet",
        "PocketBase",
        "clients: carnet, PocketBase",
    ]);
    for line in reads::LINES.into_iter().chain(queries::LINES) {
        for size in results.sizes(line) {
            let key = |who| (line, size, who);
            let cpu = |who| shown(results.spread(key(who), Measure::Cpu));
            let ratio = |above, below| shown_ratio(results, key(above), key(below), Measure::Cpu);
            table.add([
                line.to_owned(),
                users(size),
                cpu(Carnet),
                cpu(Bare),
                ratio(Carnet, Bare),
                cpu(BareHead),
                ratio(Carnet, BareHead),
                cpu(CarnetAnew),
                ratio(CarnetAnew, Bare),
                cpu(PocketBase),
                ratio(PocketBase, CarnetAnew),
                latency(results, key(Carnet)),
                latency(results, key(Bare)),
                latency(results, key(PocketBase)),
                resident(results, key(Carnet)),
                resident(results, key(PocketBase)),
                [Carnet, PocketBase].map(|who| clients(results, key(who))).join(", "),
            ]);
        }
    }
    table
}

fn writes_table(results: &Results) -> Table {
    let mut table = Table::new(&[
        "line",
        "carnet, per s",
        "one commit each, per s",
        "PocketBase, per s",
        "carnet / one commit each",
        "carnet / PocketBase",
        "carnet, CPU µs",
        "PocketBase, CPU µs",
        "p50, p99 ms: carnet",
        "one commit each",
        "PocketBase",
        "RSS MiB: carnet",
        "PocketBase",
    ]);
    let lines = writes::CREATES.map(|(line, _)| line).into_iter();
    let lines = lines.chain(batches::LINES);
    let lines = lines.chain([writes::ALONE, writes::BESIDE, writes::UPDATE, writes::DELETE, writes::MIXED]);
    for line in lines.filter(|line| !results.sizes(line).is_empty()) {
        let key = |who| (line, writes::USERS, who);
        let rate = |who| shown(results.spread(key(who), Measure::Rate));
        let ratio = |below| shown_ratio(results, key(Carnet), key(below), Measure::Rate);
        table.add([
            line.to_owned(),
            rate(Carnet),
            rate(OneCommit),
            rate(PocketBase),
            ratio(OneCommit),
            ratio(PocketBase),
            shown(results.spread(key(Carnet), Measure::Cpu)),
            shown(results.spread(key(PocketBase), Measure::Cpu)),
            latency(results, key(Carnet)),
            latency(results, key(OneCommit)),
            latency(results, key(PocketBase)),
            resident(results, key(Carnet)),
            resident(results, key(PocketBase)),
        ]);
    }
    table
}

fn starts_table(results: &Results) -> Table {
    let mut table = Table::new(&["what", "users", "carnet", "compared with", "", "ratio"]);
    let mut add = |line: &'static str, other: Who| {
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
    };
    for line in starts::LINES {
        add(line, if line == starts::FIRST_ASK { Sqlite } else { PocketBase });
    }
    first_asks::BESIDE_SQLITE.into_iter().chain(first_asks::BYTES).for_each(|line| add(line, Sqlite));
    add(reads::MEMORY_AFTER, PocketBase);
    add(writes::SYNCS, Disk);
    table
}

pub(crate) fn shown_ratio(results: &Results, above: Key, below: Key, measure: Measure) -> String {
    let is_measured = !results.samples(above).is_empty() && !results.samples(below).is_empty();
    if is_measured && results.is_refused(above, below) {
        return "refused".to_owned();
    }
    shown(results.ratio(above, below, measure))
}

pub(crate) fn latency(results: &Results, key: Key) -> String {
    let (p50, p99) = (results.spread(key, Measure::P50), results.spread(key, Measure::P99));
    p50.zip(p99).map_or(String::new(), |(p50, p99)| format!("{}, {}", number(p50.median), number(p99.median)))
}

pub(crate) fn clients(results: &Results, key: Key) -> String {
    results.samples(key).last().map_or("–".to_owned(), |sample| sample.clients.to_string())
}

pub(crate) fn resident(results: &Results, key: Key) -> String {
    results.samples(key).last().map_or(String::new(), |sample| number(sample.resident))
}

pub(crate) fn shown(spread: Option<Spread>) -> String {
    spread.map_or(String::new(), show)
}

/// Median, and least and greatest.
pub(crate) fn show(spread: Spread) -> String {
    format!("{} ({}–{})", number(spread.median), number(spread.least), number(spread.greatest))
}

/// Three digits that mean something.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => {
            let digits = format!("{value:.0}");
            let mut grouped = String::new();
            for (position, digit) in digits.chars().enumerate() {
                if position > 0 && (digits.len() - position) % 3 == 0 {
                    grouped.push(',');
                }
                grouped.push(digit);
            }
            grouped
        }
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// `1 k`, `10 M`.
pub(crate) fn users(size: u64) -> String {
    match size {
        0 => "–".to_owned(),
        size if size >= 1_000_000 => format!("{} M", size / 1_000_000),
        size if size >= 1_000 => format!("{} k", size / 1_000),
        size => size.to_string(),
    }
}

/// A Markdown table that can be read as text, too.
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Table { head: head.iter().map(|&text| text.to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn add<const COLUMNS: usize>(&mut self, row: [String; COLUMNS]) {
        self.add_row(row.into());
    }

    pub(crate) fn add_row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        for (position, row) in rows().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                write!(formatter, "| {cell:width$} ")?;
            }
            formatter.write_str("|\n")?;
            if position == 0 {
                for width in &widths {
                    write!(formatter, "|{}", "-".repeat(width + 2))?;
                }
                formatter.write_str("|\n")?;
            }
        }
        Ok(())
    }
}
