//! Beside other tools: their own writes to carnet's tables, carnet's beside theirs, and an open snapshot.

use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context;

use super::Bench;
use super::pgbench::{self, Job, Until};
use super::reads::seconds;
use super::writes::{THREADS, TWIN};
use crate::load::{self, Limit, Plan};
use crate::process::{Server, Who};
use crate::reads::{self, CLIENTS};
use crate::results::Results;
use crate::rows::Book;
use crate::substance::Ask;
use crate::writes::{USERS, changes, creates};

/// Inserts of another tool, one for each commit; beside them those into a table without triggers.
pub(super) const INSERTS: [(&str, usize); 2] =
    [("inserts of another tool, 64 clients", 64), ("inserts of another tool, 256 clients", 256)];
pub(super) const BESIDE_UPDATES: &str = "update, 64 clients, beside a tool that updates";
pub(super) const BESIDE_LOCKS: &str = "update, 64 clients, beside a tool that locks and then updates";
/// With an open snapshot: before and after so many commits.
pub(super) const FETCH_BEFORE: &str = "fetch one, 1 client, before 60,000 commits under an open snapshot";
pub(super) const FETCH_AFTER: &str = "fetch one, 1 client, after them";
pub(super) const CREATE_BEFORE: &str = "create, 1 client, before 60,000 commits under an open snapshot";
pub(super) const CREATE_AFTER: &str = "create, 1 client, after them";
const COMMITS: u64 = 60_000;

const DATABASE: &str = "beside";

struct Field<'a> {
    bench: &'a Bench<'a>,
    book: Book,
    node: Server,
}

pub(super) fn measure(bench: &Bench<'_>, results: &mut Results) -> anyhow::Result<()> {
    let wants = |lines: &[&str]| lines.iter().any(|line| bench.options.wants(line));
    let inserts = INSERTS.into_iter().filter(|(line, _)| wants(&[line])).collect::<Vec<_>>();
    let beside = wants(&[BESIDE_UPDATES, BESIDE_LOCKS]);
    let snapshot = wants(&[FETCH_BEFORE, FETCH_AFTER, CREATE_BEFORE, CREATE_AFTER]);
    if inserts.is_empty() && !beside && !snapshot {
        return Ok(());
    }
    let filled =
        bench.filled.iter().find(|filled| filled.book.users == USERS).context("nothing to write to")?;
    bench.cluster.sql("postgres", &format!("CREATE DATABASE {DATABASE} TEMPLATE {}", filled.database))?;
    bench.cluster.sql(DATABASE, TWIN)?;
    let field = Field { bench, book: filled.book, node: bench.carnet(DATABASE)? };
    for line in inserts {
        field.inserts(results, line)?;
    }
    if beside {
        field.beside(results)?;
    }
    if snapshot {
        field.snapshot(results)?;
    }
    field.node.stop()
}

/// The script for carnet's own table instead of its twin.
fn with_triggers(script: &str) -> Job {
    Job::new(DATABASE, script.replace("plain.", ""), true)
}

impl Field<'_> {
    fn inserts(&self, results: &mut Results, (line, clients): (&'static str, usize)) -> anyhow::Result<()> {
        eprintln!("{line}");
        let script = pgbench::create(self.book);
        let until = Until::Seconds(seconds(self.bench.options.slice()));
        for round in 0..self.bench.options.rounds as u64 {
            let pair = (clients, THREADS);
            let sample = with_triggers(&script).run(self.bench, pair, &until, round)?;
            results.add((line, USERS, Who::Carnet), sample);
            let plain = Job::new(DATABASE, script.clone(), true);
            results.add((line, USERS, Who::Pgbench), plain.run(self.bench, pair, &until, round)?);
        }
        Ok(())
    }

    /// The same updates of carnet beside one client of a tool, which changes the same records.
    fn beside(&self, results: &mut Results) -> anyhow::Result<()> {
        let update = pgbench::update(self.book);
        let (choice, statement) = update.split_once("UPDATE ").context("no update")?;
        let locking = format!(
            "{choice}BEGIN;\nSELECT first_name FROM plain.users WHERE id = :id FOR UPDATE;\nUPDATE {statement}COMMIT;\n"
        );
        let plan = changes(Who::Carnet, self.book, 100);
        let slice = self.bench.options.slice();
        eprintln!("{BESIDE_LOCKS}");
        for round in 0..self.bench.options.rounds as u64 {
            for (line, script) in [(BESIDE_UPDATES, &update), (BESIDE_LOCKS, &locking)] {
                let tool = with_triggers(script);
                let sample = std::thread::scope(|scope| {
                    let until = Until::Seconds(seconds(slice));
                    let tool = scope.spawn(move || tool.run(self.bench, (1, 1), &until, round));
                    let sample =
                        self.bench.turn(&[&self.node], CLIENTS, Limit::After(slice), &*plan, round)?;
                    tool.join().map_err(|_| anyhow::anyhow!("the tool panicked"))??;
                    anyhow::Ok(sample)
                })?;
                results.add((line, USERS, Who::Carnet), sample);
            }
        }
        Ok(())
    }

    fn snapshot(&self, results: &mut Results) -> anyhow::Result<()> {
        eprintln!("{FETCH_BEFORE}");
        let mut holder = self.hold()?;
        let fetches = reads::asks(reads::FETCH, self.book).into_iter();
        let fetches: Vec<Vec<u8>> =
            fetches.filter(|ask| matches!(ask, Ask::One(_))).map(|ask| ask.request(Who::Carnet)).collect();
        let twice = Limit::Requests(2 * fetches.len() as u64);
        self.bench.turn(&[&self.node], CLIENTS, twice, &*load::each_of(fetches.clone()), 0)?;
        let fetch = load::any_of(fetches);
        let create = creates(Who::Carnet, self.book, Arc::new(AtomicU64::new(1 << 40)));
        self.one_client(results, [(FETCH_BEFORE, &*fetch), (CREATE_BEFORE, &*create)])?;
        let commits = if self.bench.options.is_quick { COMMITS / 10 } else { COMMITS };
        let each = Until::Each { count: commits / CLIENTS as u64, first: 0 };
        with_triggers(&pgbench::create(self.book)).run(self.bench, (CLIENTS, THREADS), &each, 0)?;
        self.one_client(results, [(FETCH_AFTER, &*fetch), (CREATE_AFTER, &*create)])?;
        drop(holder.stdin.take());
        holder.wait()?;
        Ok(())
    }

    fn one_client(&self, results: &mut Results, lines: [(&'static str, &Plan); 2]) -> anyhow::Result<()> {
        let limit = Limit::After(self.bench.options.slice());
        for round in 0..self.bench.options.rounds as u64 {
            for (line, plan) in lines {
                let sample = self.bench.turn(&[&self.node], 1, limit, plan, round)?;
                results.add((line, USERS, Who::Carnet), sample);
            }
        }
        Ok(())
    }

    /// A session with a snapshot, which ends with its standard input.
    fn hold(&self) -> anyhow::Result<Child> {
        use std::io::{BufRead, BufReader, Write};
        let mut command = self.bench.cluster.program("psql", DATABASE);
        let mut child = command.args(["-XqAt"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.as_mut().context("no standard input")?;
        input.write_all(b"BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*) FROM address;\n")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
        Ok(child)
    }
}
