//! Starts: how long until the first page is answered, also after `kill -9`, how much memory that takes, and
//! what the first question with a filter costs. Files are in the system's cache.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::ensure;
use rusqlite::{Connection, OpenFlags};

use crate::Bench;
use crate::fill::{self, Filled};
use crate::load::{self, Limit};
use crate::process::{Server, Who};
use crate::results::Results;
use crate::rows::COMMON_LAST_NAME;
use crate::substance::{self, Ask, Page};
use crate::writes;

pub(crate) const START: &str = "start to first page, s";
pub(crate) const AFTER_KILL: &str = "start after kill -9, s";
pub(crate) const MEMORY: &str = "own memory right after start, MiB";
pub(crate) const RESIDENT: &str = "resident memory right after start, MiB";
pub(crate) const FIRST_ASK: &str = "first ask of a filter with many matches, ms";
pub(crate) const LINES: [&str; 5] = [START, AFTER_KILL, MEMORY, RESIDENT, FIRST_ASK];

/// Clients that create while the server is killed.
const CLIENTS: usize = 16;

pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    if !LINES.iter().any(|line| bench.options.wants(line)) {
        return Ok(());
    }
    eprintln!("starts");
    for filled in &bench.filled {
        // A log of writes that the one before has left would be taken for its own.
        let directory = bench.scratch.join(format!("killed-{}", filled.book.users));
        std::fs::create_dir_all(&directory)?;
        let copy = directory.join("carnet.db");
        fill::copy(&filled.carnet, &copy)?;
        let mut expected = filled.book.users;
        for file in [Some(filled.carnet.clone()), filled.pocketbase.as_ref().map(|pb| pb.join("data.db"))] {
            file.map_or(Ok(0), |file| std::io::copy(&mut File::open(file)?, &mut std::io::sink()))?;
        }
        for _ in 0..bench.options.rounds {
            start_carnet(bench, results, filled)?;
            if let (Some(program), Some(directory)) = (&bench.options.pocketbase, &filled.pocketbase) {
                let server = Server::pocketbase(&bench.options, program, directory)?;
                first_page(results, START, filled.book.users, &server, filled.book.users)?;
                server.stop()?;
            }
            if bench.options.wants(AFTER_KILL) {
                expected = kill_and_start(bench, results, filled, &copy, expected)?;
            }
        }
        std::fs::remove_dir_all(&directory)?;
    }
    Ok(())
}

fn start_carnet(bench: &Bench, results: &mut Results, filled: &Filled) -> anyhow::Result<()> {
    let users = filled.book.users;
    let server = Server::carnet(&bench.options, &filled.carnet)?;
    first_page(results, START, users, &server, users)?;

    let filters = vec![("last_name", COMMON_LAST_NAME.to_owned())];
    let ask = Ask::Page(Page { filters, ..Page::default() });
    let began = Instant::now();
    substance::fetch(server.address, &ask.request(Who::Carnet))?;
    results.add_figure((FIRST_ASK, users, Who::Carnet), began.elapsed().as_secs_f64() * 1e3);
    let total = ask.answer(&server)?.total.unwrap_or_default();

    let connection = Connection::open_with_flags(&filled.carnet, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut count = connection.prepare("SELECT count(*) FROM users WHERE last_name = ?1")?;
    let began = Instant::now();
    let counted: i64 = count.query_row([COMMON_LAST_NAME], |row| row.get(0))?;
    results.add_figure((FIRST_ASK, users, Who::Sqlite), began.elapsed().as_secs_f64() * 1e3);
    if total != counted as u64 {
        let reason = format!("carnet says {total}, SQLite counts {counted}");
        results.refuse((FIRST_ASK, users, Who::Carnet), reason);
    }
    server.stop()
}

/// The time from the start of the process to its first page, and what memory that took.
pub(crate) fn first_page(
    results: &mut Results,
    line: &'static str,
    users: u64,
    server: &Server,
    expected: u64,
) -> anyhow::Result<()> {
    let total = Ask::Page(Page::default()).answer(server)?.total.unwrap_or_default();
    let seconds = server.spawned.elapsed().as_secs_f64();
    results.add_figure((line, users, server.who), seconds);
    if line == START {
        let memory = server.memory()?;
        results.add_figure((MEMORY, users, server.who), memory.own);
        results.add_figure((RESIDENT, users, server.who), memory.resident);
    }
    if total != expected {
        results.refuse((line, users, server.who), format!("{total} users instead of {expected}"));
    }
    Ok(())
}

/// Creates for a while, `kill -9`, and the start after it; answers how many users there are now.
fn kill_and_start(
    bench: &Bench,
    results: &mut Results,
    filled: &Filled,
    copy: &Path,
    users: u64,
) -> anyhow::Result<u64> {
    let server = Server::carnet(&bench.options, copy)?;
    let created = Arc::new(AtomicU64::new(users));
    let plan = writes::creates(Who::Carnet, filled.book, created);
    let limit = Limit::After(bench.options.slice().min(Duration::from_secs(1)));
    let load = load::drive(server.address, CLIENTS, limit, &*plan, 0)?;
    ensure!(load.failures == 0, "a create failed: {}", load.failure.unwrap_or_default());
    server.kill()?;
    let server = Server::carnet(&bench.options, copy)?;
    first_page(results, AFTER_KILL, filled.book.users, &server, users + load.requests)?;
    server.stop()?;
    Ok(users + load.requests)
}
