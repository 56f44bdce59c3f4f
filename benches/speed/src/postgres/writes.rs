//! Writes: carnet on a copy of a database, plain SQL on a twin of the table in it, in turn; afterwards a count
//! whether all that was acknowledged is there. At the end a second node joins.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::Context;

use super::Bench;
use super::pgbench::{self, Job, Until};
use super::reads::seconds;
use crate::batches::{self, Written};
use crate::load::{self, Limit, Plan};
use crate::machine;
use crate::process::{Server, Who};
use crate::reads::{self, CLIENTS};
use crate::results::{Measure, Results};
use crate::rows::Book;
use crate::substance::{Ask, Page};
use crate::writes::{
    CREATE_64, CREATES, DELETE, DELETIONS, MIXED, SYNCS, UPDATE, USERS, changes, creates, deletions,
};

pub(super) const CREATE_2: &str = "create, 64 clients over two nodes";
pub(super) const FETCH_1: &str = "fetch one, 64 clients, one node";
pub(super) const FETCH_2: &str = "fetch one, 64 clients over two nodes";

const DATABASE: &str = "written";
/// As many threads of pgbench as were best with many clients, on two cores and on more.
pub(super) const THREADS: usize = 2;

/// The same columns and indexes, without triggers. The identity goes on where the rows end.
pub(super) const TWIN: &str = "\
CREATE SCHEMA plain;
CREATE TABLE plain.address (LIKE address INCLUDING ALL);
CREATE TABLE plain.users (LIKE users INCLUDING ALL);
INSERT INTO plain.address SELECT * FROM address;
INSERT INTO plain.users SELECT * FROM users;
ALTER TABLE plain.users ADD FOREIGN KEY (address) REFERENCES plain.address (id);
SELECT setval(pg_get_serial_sequence('plain.users', 'id'), max(id)) FROM plain.users;
VACUUM ANALYZE;
CHECKPOINT;
";

/// The servers, and how many users each must have.
struct Field<'a> {
    bench: &'a Bench<'a>,
    book: Book,
    nodes: Vec<Server>,
    users: u64,
    plain_users: u64,
}

pub(super) fn measure(bench: &Bench<'_>, results: &mut Results) -> anyhow::Result<()> {
    let options = bench.options;
    let lines = CREATES.iter().map(|(line, _)| line).chain(&[UPDATE, MIXED, DELETE, CREATE_2, FETCH_2]);
    let lines = lines.chain(&batches::LINES);
    if !lines.into_iter().any(|line| options.wants(line)) {
        return Ok(());
    }
    let filled =
        bench.filled.iter().find(|filled| filled.book.users == USERS).context("nothing to write to")?;
    let book = filled.book;
    bench.cluster.sql("postgres", &format!("CREATE DATABASE {DATABASE} TEMPLATE {}", filled.database))?;
    bench.cluster.sql(DATABASE, TWIN)?;
    let nodes = vec![bench.carnet(DATABASE)?];
    let mut field = Field { bench, book, nodes, users: book.users, plain_users: book.users };
    let created = Arc::new(AtomicU64::new(0));
    let create = || creates(Who::Carnet, book, Arc::clone(&created));
    let insert = Job::new(DATABASE, pgbench::create(book), true);

    for (line, clients) in CREATES.into_iter().filter(|(line, _)| options.wants(line)) {
        field.compare(results, (line, clients), &*create(), &insert, 1)?;
    }
    let written = Written { node: &field.nodes[0], book, created: Arc::clone(&created) };
    field.users += batches::measure(options, results, &written, |clients, limit, plan, seed| {
        bench.turn(&[written.node], clients, limit, plan, seed)
    })?;
    field.check(results, batches::BATCHES)?;
    let update = Job::new(DATABASE, pgbench::update(book), true);
    if options.wants(UPDATE) {
        field.compare(results, (UPDATE, CLIENTS), &*changes(Who::Carnet, book, 100), &update, 0)?;
    }
    if options.wants(MIXED) {
        let scripts = vec![(pgbench::fetch_plain(book), 9), (pgbench::update(book), 1)];
        let mixed = Job { scripts, ..update };
        field.compare(results, (MIXED, CLIENTS), &*changes(Who::Carnet, book, 10), &mixed, 0)?;
    }
    if options.wants(DELETE) {
        field.delete(results)?;
    }
    if options.wants(CREATE_2) || options.wants(FETCH_2) {
        field.nodes.push(bench.carnet(DATABASE)?);
        field.two_nodes(results, &*create(), &insert)?;
    }
    field.nodes.into_iter().try_for_each(Server::stop)
}

impl Field<'_> {
    /// Carnet and plain SQL in turn; each request makes so many users.
    fn compare(
        &mut self,
        results: &mut Results,
        (line, clients): (&'static str, usize),
        plan: &Plan,
        job: &Job,
        made: u64,
    ) -> anyhow::Result<()> {
        eprintln!("{line}");
        let slice = self.bench.options.slice();
        for round in 0..self.bench.options.rounds as u64 {
            let rate = machine::syncs_per_second(&self.bench.options.data, Duration::from_millis(300))?;
            results.add_figure((SYNCS, 0, Who::Disk), rate);
            let nodes: Vec<&Server> = self.nodes.iter().collect();
            let sample = self.bench.turn(&nodes, clients, Limit::After(slice), plan, round)?;
            self.users += made * (sample.load.requests - sample.load.failures);
            results.add((line, USERS, Who::Carnet), sample);
            let pair = (clients, THREADS.min(clients));
            let sample = job.run(self.bench, pair, &Until::Seconds(seconds(slice)), round)?;
            self.plain_users += made * sample.load.requests;
            results.add((line, USERS, Who::Pgbench), sample);
        }
        self.check(results, line)
    }

    fn delete(&mut self, results: &mut Results) -> anyhow::Result<()> {
        eprintln!("{DELETE}");
        let rounds = self.bench.options.rounds as u64;
        let each = DELETIONS.min(self.book.users / (2 * rounds)) / CLIENTS as u64;
        let plan = deletions(Who::Carnet, self.book);
        let job = Job::new(DATABASE, pgbench::delete(self.book), true);
        for round in 0..rounds {
            let nodes: Vec<&Server> = self.nodes.iter().collect();
            let limit = Limit::Requests(each * CLIENTS as u64);
            let sample = self.bench.turn(&nodes, CLIENTS, limit, &*plan, round)?;
            self.users -= sample.load.requests - sample.load.failures;
            results.add((DELETE, USERS, Who::Carnet), sample);
            let until = Until::Each { count: each, first: round * each };
            let mut sample = job.run(self.bench, (CLIENTS, THREADS), &until, round)?;
            // One in ten was a hole: what counts is what was deleted.
            let left = self.stored("plain.users")?;
            sample.load.requests = self.plain_users - left;
            self.plain_users = left;
            results.add((DELETE, USERS, Who::Pgbench), sample);
        }
        self.check(results, DELETE)
    }

    /// The same through two nodes.
    fn two_nodes(&mut self, results: &mut Results, create: &Plan, insert: &Job) -> anyhow::Result<()> {
        self.compare(results, (CREATE_2, CLIENTS), create, insert, 1)?;
        let fetches = reads::asks(reads::FETCH, self.book).into_iter();
        // Some were deleted meanwhile.
        let mut left = Vec::new();
        for ask in fetches {
            if let Ask::One(id) = &ask {
                left.push((*id, ask.request(Who::Carnet)));
            }
        }
        let stored = self.bench.cluster.sql(DATABASE, "SELECT id FROM users")?;
        let stored: std::collections::HashSet<u64> =
            stored.lines().filter_map(|id| id.parse().ok()).collect();
        left.retain(|(id, _)| stored.contains(id));
        let requests: Vec<Vec<u8>> = left.into_iter().map(|(_, request)| request).collect();
        let slice = self.bench.options.slice();
        let nodes: Vec<&Server> = self.nodes.iter().collect();
        // Every node was asked for everything twice before anything counts.
        let twice = Limit::Requests(2 * requests.len() as u64);
        for node in &nodes {
            self.bench.turn(&[node], CLIENTS, twice, &*load::each_of(requests.clone()), 0)?;
        }
        let plan = load::any_of(requests);
        eprintln!("{FETCH_2}");
        for round in 0..self.bench.options.rounds as u64 {
            for (line, nodes) in [(FETCH_1, &nodes[..1]), (FETCH_2, &nodes[..])] {
                let sample = self.bench.turn(nodes, CLIENTS, Limit::After(slice), &*plan, round)?;
                results.add((line, USERS, Who::Carnet), sample);
            }
        }
        let key = |line| (line, USERS, Who::Carnet);
        let ratio = results.ratio(key(CREATE_2), key(CREATE_64), Measure::Rate);
        ratio.iter().for_each(|ratio| eprintln!("  two nodes / one: {:.2} of the creates", ratio.median));
        Ok(())
    }

    fn stored(&self, table: &str) -> anyhow::Result<u64> {
        Ok(self.bench.cluster.sql(DATABASE, &format!("SELECT count(*) FROM {table}"))?.trim().parse()?)
    }

    /// All that was acknowledged is there, and nothing else; and every node says so.
    fn check(&self, results: &mut Results, line: &'static str) -> anyhow::Result<()> {
        let ask = Ask::Page(Page::default());
        let mut totals = vec![(Who::Carnet, self.stored("users")?, self.users)];
        totals.push((Who::Pgbench, self.stored("plain.users")?, self.plain_users));
        for node in &self.nodes {
            totals.push((Who::Carnet, ask.answer(node)?.total.unwrap_or_default(), self.users));
        }
        for (who, total, expected) in totals {
            if total != expected {
                let reason = format!("{total} users are stored, {expected} were acknowledged");
                results.refuse((line, USERS, who), reason);
            }
        }
        Ok(())
    }
}
