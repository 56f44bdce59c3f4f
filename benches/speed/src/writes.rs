//! Writes: on copies of the databases, each server in turn, and afterwards a count whether all that was
//! acknowledged is there.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use dev::dice::Dice;
use rusqlite::Connection;

use crate::Bench;
use crate::batches::{self, Written};
use crate::fill::{self, pocketbase_id};
use crate::http;
use crate::load::{self, Limit, Outcome, Plan};
use crate::machine;
use crate::process::{Server, Who};
use crate::reads::{self, HOT_IDS, turn};
use crate::results::{Results, Sample};
use crate::rows::Book;
use crate::substance::{self, Ask, Page};

pub(crate) const CREATE_64: &str = "create, 64 clients";
pub(crate) const CREATES: [(&str, usize); 4] =
    [("create, 1 client", 1), ("create, 16 clients", 16), (CREATE_64, 64), ("create, 256 clients", 256)];
pub(crate) const UPDATE: &str = "update, 64 clients";
pub(crate) const DELETE: &str = "delete, 64 clients";
pub(crate) const MIXED: &str = "mixed 90/10, 64 clients";
pub(crate) const ALONE: &str = "create, 16 clients alone";
pub(crate) const BESIDE: &str = "create, 16 clients beside saturating readers";
/// Syncs in a second, of the disk itself.
pub(crate) const SYNCS: &str = "fdatasync of 4 KiB, per second";

/// Users in the databases that are written to.
pub(crate) const USERS: u64 = 100_000;
const WRITERS: usize = 16;
/// At most so many records are deleted in one slice: they run out.
pub(crate) const DELETIONS: u64 = 4_000;

/// A server, and how many users it must have.
struct Writer {
    server: Server,
    users: u64,
}

pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    let others = [UPDATE, MIXED, ALONE, BESIDE, DELETE];
    let others = others.iter().chain(&batches::LINES);
    if !CREATES.iter().map(|(line, _)| line).chain(others).any(|line| bench.options.wants(line)) {
        return Ok(());
    }
    let filled =
        bench.filled.iter().find(|filled| filled.book.users == USERS).context("no database to write to")?;
    let book = filled.book;
    let alone = bench.scratch.join("one-commit.db");
    let carnet = bench.scratch.join("carnet.db");
    for copy in [&alone, &carnet] {
        fill::copy(&filled.carnet, copy)?;
    }
    let mut writers = vec![Writer { server: Server::carnet(&bench.options, &carnet)?, users: book.users }];
    if CREATES.iter().any(|(line, _)| bench.options.wants(line)) {
        writers.push(Writer { server: Server::one_commit(&bench.options, &alone)?, users: book.users });
    }
    if let (Some(program), Some(from)) = (&bench.options.pocketbase, &filled.pocketbase) {
        let directory = bench.scratch.join("pocketbase");
        fill::copy(from, &directory)?;
        let server = Server::pocketbase(&bench.options, program, &directory)?;
        writers.push(Writer { server, users: book.users });
    }

    let created = Arc::new(AtomicU64::new(0));
    for (line, clients) in CREATES.into_iter().filter(|(line, _)| bench.options.wants(line)) {
        eprintln!("{line}");
        for round in 0..bench.options.rounds {
            let rate = machine::syncs_per_second(&bench.options.data, Duration::from_millis(300))?;
            results.add_figure((SYNCS, 0, Who::Disk), rate);
            for writer in &mut writers {
                let plan = creates(writer.server.who, book, Arc::clone(&created));
                writer.create(results, (line, clients), round, bench, &*plan)?;
            }
        }
        check_totals(results, line, &writers, &alone)?;
    }
    writers.retain(|writer| writer.server.who != Who::OneCommit);
    let Writer { server, users } = &mut writers[0];
    let written = Written { node: server, book, created: Arc::clone(&created) };
    *users += batches::measure(&bench.options, results, &written, |clients, limit, plan, seed| {
        turn(server, clients, limit, plan, seed)
    })?;
    check_totals(results, batches::BATCHES, &writers[..1], &alone)?;

    for (line, share) in [(UPDATE, 100), (MIXED, 10)] {
        if bench.options.wants(line) {
            eprintln!("{line}");
            check_update(results, line, &writers, book)?;
            let plans: Vec<Box<Plan>> =
                writers.iter().map(|writer| changes(writer.server.who, book, share)).collect();
            for round in 0..bench.options.rounds {
                for (writer, plan) in writers.iter().zip(&plans) {
                    let limit = Limit::After(bench.options.slice());
                    let sample = turn(&writer.server, reads::CLIENTS, limit, &**plan, round as u64)?;
                    results.add((line, USERS, writer.server.who), sample);
                }
            }
        }
    }
    if bench.options.wants(ALONE) || bench.options.wants(BESIDE) {
        eprintln!("{BESIDE}");
        for round in 0..bench.options.rounds {
            for writer in &mut writers {
                let plan = creates(writer.server.who, book, Arc::clone(&created));
                writer.create(results, (ALONE, WRITERS), round, bench, &*plan)?;
                let address = writer.server.address;
                let reads = reads::asks(reads::FETCH, book).into_iter();
                let reads = load::any_of(reads.map(|ask| ask.request(writer.server.who)).collect());
                let create = || writer.create(results, (BESIDE, WRITERS), round, bench, &*plan);
                beside(address, reads::CLIENTS, &*reads, create)?;
            }
        }
        check_totals(results, BESIDE, &writers, &alone)?;
    }
    if bench.options.wants(DELETE) {
        eprintln!("{DELETE}");
        let count = DELETIONS.min(book.users / (2 * bench.options.rounds as u64));
        let plans: Vec<Box<Plan>> = writers.iter().map(|writer| deletions(writer.server.who, book)).collect();
        for round in 0..bench.options.rounds {
            for (writer, plan) in writers.iter_mut().zip(&plans) {
                let sample =
                    turn(&writer.server, reads::CLIENTS, Limit::Requests(count), &**plan, round as u64)?;
                writer.users -= sample.load.requests - sample.load.failures;
                results.add((DELETE, USERS, writer.server.who), sample);
            }
        }
        check_totals(results, DELETE, &writers, &alone)?;
    }
    writers.into_iter().try_for_each(|writer| writer.server.stop())
}

impl Writer {
    /// One slice of creates.
    fn create(
        &mut self,
        results: &mut Results,
        (line, clients): (&'static str, usize),
        round: usize,
        bench: &Bench,
        plan: &Plan,
    ) -> anyhow::Result<()> {
        let limit = Limit::After(bench.options.slice());
        let sample = turn(&self.server, clients, limit, plan, round as u64)?;
        self.users += sample.load.requests - sample.load.failures;
        // Beside readers the processor time is mostly theirs.
        let cpu_seconds = if line == BESIDE { f64::NAN } else { sample.cpu_seconds };
        results.add((line, USERS, self.server.who), Sample { cpu_seconds, ..sample });
        Ok(())
    }
}

/// Creates of users that nobody else creates.
pub(crate) fn creates(who: Who, book: Book, created: Arc<AtomicU64>) -> Box<Plan> {
    Box::new(move |_dice, buffer| {
        let number = created.fetch_add(1, Ordering::Relaxed);
        let address = number % book.addresses() + 1;
        let (target, address) = match who {
            Who::PocketBase => ("/api/collections/users/records", format!("\"{}\"", pocketbase_id(address))),
            _ => ("/users/", address.to_string()),
        };
        buffer.extend_from_slice(&http::with_body("POST", target, &new_user(number, &address)));
        true
    })
}

/// The body of a user that nobody else creates.
pub(crate) fn new_user(number: u64, address: &str) -> String {
    let first_name = format!("Given{:03}", number % 1_000);
    format!(r#"{{"first_name":"{first_name}","last_name":"New{number:07}","address":{address}}}"#)
}

/// Updates of hot records, so many in a hundred requests; the rest fetches them.
pub(crate) fn changes(who: Who, book: Book, share: usize) -> Box<Plan> {
    let users = book.sample(HOT_IDS);
    Box::new(move |dice, buffer| {
        let id = users[dice.below(users.len())].id;
        if dice.below(100) < share {
            buffer.extend_from_slice(&update(who, id, &format!("Given{:03}", dice.below(1_000))));
        } else {
            buffer.extend_from_slice(&Ask::One(id).request(who));
        }
        true
    })
}

fn update(who: Who, id: u64, first_name: &str) -> Vec<u8> {
    let body = format!(r#"{{"first_name":"{first_name}"}}"#);
    match who {
        Who::PocketBase => {
            http::with_body("PATCH", &format!("/api/collections/users/records/{}", pocketbase_id(id)), &body)
        }
        _ => http::with_body("PUT", &format!("/users/{id}/"), &body),
    }
}

/// Deletes every record once, in random order.
pub(crate) fn deletions(who: Who, book: Book) -> Box<Plan> {
    let mut ids: Vec<u64> = book.ids().collect();
    Dice::new(book.users).shuffle(&mut ids);
    let next = AtomicU64::new(0);
    Box::new(move |_dice, buffer| {
        let Some(&id) = ids.get(next.fetch_add(1, Ordering::Relaxed) as usize) else {
            return false;
        };
        let target = match who {
            Who::PocketBase => format!("/api/collections/users/records/{}", pocketbase_id(id)),
            _ => format!("/users/{id}/"),
        };
        buffer.extend_from_slice(&http::plain("DELETE", &target));
        true
    })
}

/// Runs something while another thread asks the server for something else; answers what that was, too.
pub(crate) fn beside<T>(
    address: SocketAddr,
    clients: usize,
    others: &Plan,
    run: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(Outcome, T)> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| load::drive(address, clients, Limit::Told(&stop), others, 1));
        let outcome = run();
        stop.store(true, Ordering::Relaxed);
        let asked = asking.join().ok().context("the other thread panicked")??;
        let outcome = outcome?;
        anyhow::ensure!(asked.failures == 0, "another request failed: {}", asked.failure.unwrap_or_default());
        Ok((asked, outcome))
    })
}

/// All that was acknowledged is there, and nothing else.
fn check_totals(
    results: &mut Results,
    line: &'static str,
    writers: &[Writer],
    one_commit: &Path,
) -> anyhow::Result<()> {
    for Writer { server, users } in writers {
        let total = match server.who {
            Who::OneCommit => {
                let count = "SELECT count(*) FROM users";
                Connection::open(one_commit)?.query_row(count, [], |row| row.get::<_, i64>(0))? as u64
            }
            _ => Ask::Page(Page::default()).answer(server)?.total.unwrap_or_default(),
        };
        if total != *users {
            let reason = format!("{total} users are stored, {users} were acknowledged");
            results.refuse((line, USERS, server.who), reason);
        }
    }
    Ok(())
}

/// The same update leaves the same record behind.
fn check_update(
    results: &mut Results,
    line: &'static str,
    writers: &[Writer],
    book: Book,
) -> anyhow::Result<()> {
    let id = book.last_id;
    for Writer { server, .. } in writers {
        substance::fetch(server.address, &update(server.who, id, "Changed"))?;
    }
    let ask = Ask::One(id);
    for Writer { server, .. } in &writers[1..] {
        if let Some(reason) = substance::difference(&ask, &writers[0].server, server)? {
            results.refuse((line, USERS, server.who), reason);
        }
    }
    Ok(())
}
