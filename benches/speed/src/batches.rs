//! Batches, on either engine: how many records they store beside single creates, and how long who reads waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::http;
use crate::load::{self, Limit, Plan};
use crate::options::Options;
use crate::process::{Server, Who};
use crate::reads::{self, CLIENTS};
use crate::results::{Results, Sample};
use crate::rows::Book;
use crate::writes::{self, USERS};

/// Records, not requests.
pub(crate) const BATCHES: &str = "batches of 100 creates, 16 clients, in records";
pub(crate) const SINGLES: &str = "create, 64 clients, in turns with batches";
pub(crate) const FETCH_ALONE: &str = "fetch one, 64 clients, in turns with batches";
pub(crate) const FETCH_BESIDE: &str = "fetch one, 64 clients beside batches of 1000";
pub(crate) const LINES: [&str; 4] = [BATCHES, SINGLES, FETCH_ALONE, FETCH_BESIDE];

/// How many creates a batch has, and by how many clients they are sent.
const SMALL: (u64, usize) = (100, 16);
/// The same, of those that keep the writer busy.
const LARGE: (u64, usize) = (1_000, 4);

/// A database of [`USERS`] users that is written to.
pub(crate) struct Written<'a> {
    pub(crate) node: &'a Server,
    pub(crate) book: Book,
    pub(crate) created: Arc<AtomicU64>,
}

/// Measures all lines in turns; answers how many users there are more.
pub(crate) fn measure(
    options: &Options,
    results: &mut Results,
    written: &Written<'_>,
    turn: impl Fn(usize, Limit<'_>, &Plan, u64) -> anyhow::Result<Sample>,
) -> anyhow::Result<u64> {
    if !LINES.iter().any(|line| options.wants(line)) {
        return Ok(0);
    }
    eprintln!("{BATCHES}");
    let Written { node, book, created } = written;
    let slice = Limit::After(options.slice());
    let single = writes::creates(Who::Carnet, *book, Arc::clone(created));
    let (small, large) = (batches(*book, SMALL.0, created), batches(*book, LARGE.0, created));
    let fetches = reads::asks(reads::FETCH, *book).into_iter().map(|ask| ask.request(Who::Carnet));
    // None is answered as it was before: beside batches none could be.
    let fetch = load::anew(load::any_of(fetches.collect()));
    let mut made = 0;
    let mut add = |line, sample| results.add((line, USERS, Who::Carnet), sample);
    for round in 0..options.rounds as u64 {
        let sample = turn(CLIENTS, slice, &*single, round)?;
        made += sample.load.requests - sample.load.failures;
        add(SINGLES, sample);
        let mut sample = turn(SMALL.1, slice, &*small, round)?;
        made += SMALL.0 * (sample.load.requests - sample.load.failures);
        sample.load.requests *= SMALL.0;
        add(BATCHES, sample);
        add(FETCH_ALONE, turn(CLIENTS, slice, &*fetch, round)?);
        let (batches, sample) =
            writes::beside(node.address, LARGE.1, &*large, || turn(CLIENTS, slice, &*fetch, round))?;
        made += LARGE.0 * batches.requests;
        // The processor time is that of the batches, too.
        add(FETCH_BESIDE, Sample { cpu_seconds: f64::NAN, database_seconds: f64::NAN, ..sample });
    }
    Ok(made)
}

/// Batches of so many creates of users that nobody else creates.
fn batches(book: Book, items: u64, created: &Arc<AtomicU64>) -> Box<Plan> {
    let created = Arc::clone(created);
    Box::new(move |_dice, buffer| {
        let first = created.fetch_add(items, Ordering::Relaxed);
        let items = (first..first + items).map(|number| {
            let body = writes::new_user(number, &(number % book.addresses() + 1).to_string());
            format!(r#"{{"method":"POST","path":"/users/","body":{body}}}"#)
        });
        let body = format!(r#"{{"requests":[{}]}}"#, items.collect::<Vec<_>>().join(","));
        buffer.extend_from_slice(&http::with_body("POST", "/_/batch/", &body));
        true
    })
}
