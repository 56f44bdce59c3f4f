//! What orders, words and sets of conditions cost those who write, and those who read beside them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::{Context, ensure};
use dev::process::carnet;

use super::{MILLION, await_words};
use crate::Bench;
use crate::fill::{self, Filled};
use crate::http;
use crate::load::{self, Limit, Plan};
use crate::process::{Server, Who};
use crate::reads::{self, CLIENTS, HOT_IDS, turn};
use crate::results::{Results, Sample};
use crate::rows::{Book, LETTERS, RARE_LETTERS, spelled};
use crate::substance::{self, Ask, Page};
use crate::writes::{USERS, beside, creates};

pub(crate) const CREATE_WITHOUT: &str = "create, 64 clients, nothing searchable or sorted";
pub(crate) const CREATE_WITH: &str = "create, 64 clients, an order, words and 16 conditions in use";
pub(crate) const FETCH_WITHOUT: &str = "fetches beside 1,000 updates a second, no orders";
pub(crate) const FETCH_WITH: &str = "fetches beside 1,000 updates a second, four orders";
pub(crate) const LINES: [&str; 4] = [CREATE_WITHOUT, CREATE_WITH, FETCH_WITHOUT, FETCH_WITH];

/// All of them have both names, and an update of both moves the record in each.
const ORDERS: [&str; 4] =
    ["sort=last_name", "sort=first_name", "sort=last_name,first_name", "sort=first_name,last_name"];
const UPDATES_A_SECOND: u32 = 1_000;

pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    let wants = |lines: [&str; 2]| lines.iter().any(|line| bench.options.wants(line));
    let up_to = |most: u64| bench.filled.iter().rfind(|filled| filled.book.users <= most);
    if wants([CREATE_WITHOUT, CREATE_WITH]) {
        eprintln!("{CREATE_WITH}");
        create(bench, results, up_to(USERS).context("no database to write to")?)?;
    }
    if wants([FETCH_WITHOUT, FETCH_WITH]) {
        eprintln!("{FETCH_WITH}");
        fetch(bench, results, up_to(MILLION).context("no database to write to")?)?;
    }
    Ok(())
}

fn create(bench: &Bench, results: &mut Results, filled: &Filled) -> anyhow::Result<()> {
    let [plain, used] = ["plain.db", "used.db"].map(|name| bench.scratch.join(name));
    fill::copy(&filled.carnet, &plain)?;
    fill::copy(&filled.carnet, &used)?;
    let config = bench.scratch.join("plain.toml");
    let mut init = carnet(&bench.options.carnet, &["init"]);
    ensure!(init.arg(&config).output()?.status.success(), "carnet init has failed");
    let text = std::fs::read_to_string(&config)?;
    std::fs::write(&config, text.replace(", searchable = true", ""))?;
    let servers = [
        (CREATE_WITHOUT, Server::carnet_by(&bench.options, &plain, &config)?, Vec::new()),
        (CREATE_WITH, Server::carnet(&bench.options, &used)?, in_use(filled.book)),
    ];
    let created = Arc::new(AtomicU64::new(0));
    let mut expected = [filled.book.users; 2];
    for round in 0..bench.options.rounds as u64 {
        for ((line, server, queries), users) in servers.iter().zip(&mut expected) {
            // The first time what is asked for is made, the second time it is known.
            for _ in 0..2 {
                ask(server, queries)?;
            }
            let plan = creates(Who::Carnet, filled.book, Arc::clone(&created));
            let sample = turn(server, CLIENTS, Limit::After(bench.options.slice()), &*plan, round)?;
            *users += sample.load.requests - sample.load.failures;
            results.add((line, filled.book.users, Who::Carnet), sample);
        }
    }
    for ((line, server, _), users) in servers.into_iter().zip(expected) {
        let total = Ask::Page(Page::default()).answer(&server)?.total.unwrap_or_default();
        if total != users {
            let reason = format!("{total} users are stored, {users} were acknowledged");
            results.refuse((line, filled.book.users, Who::Carnet), reason);
        }
        server.stop()?;
    }
    Ok(())
}

/// Queries that need an order, the words, and 16 sets of conditions.
fn in_use(book: Book) -> Vec<String> {
    let ranges = (1..=8).map(|part| format!("address.gte={}", book.addresses() / 10 * part));
    let prefixes = LETTERS.iter().take(8).map(|letter| format!("last_name.prefix={letter}"));
    let others = ["sort=last_name", "search=aei"].map(str::to_owned);
    others.into_iter().chain(ranges).chain(prefixes).collect()
}

fn fetch(bench: &Bench, results: &mut Results, filled: &Filled) -> anyhow::Result<()> {
    let users = filled.book.users;
    let [without, with] = ["without.db", "with.db"].map(|name| bench.scratch.join(name));
    fill::copy(&filled.carnet, &without)?;
    fill::copy(&filled.carnet, &with)?;
    let servers = [
        (FETCH_WITHOUT, Server::carnet(&bench.options, &without)?, Vec::new()),
        (FETCH_WITH, Server::carnet(&bench.options, &with)?, ORDERS.map(str::to_owned).to_vec()),
    ];
    let fetches = reads::asks(reads::FETCH, filled.book).into_iter();
    let fetches = load::any_of(fetches.map(|ask| ask.request(Who::Carnet)).collect());
    let slice = bench.options.slice();
    for (_, server, _) in &servers {
        await_words(server);
        turn(server, 2, Limit::After(slice / 2), &*fetches, 0)?;
    }
    for round in 1..=bench.options.rounds as u64 {
        for (line, server, orders) in &servers {
            ask(server, orders)?;
            let updates = load::paced(moves(filled.book), UPDATES_A_SECOND);
            let fetch = || turn(server, CLIENTS, Limit::After(slice), &*fetches, round);
            let (updated, sample) = beside(server.address, reads::CLIENTS, &*updates, fetch)?;
            // The processor time is also that of the updates.
            results.add((line, users, Who::Carnet), Sample { cpu_seconds: f64::NAN, ..sample });
            let rate = updated.requests as f64 / updated.seconds;
            if rate < 0.9 * f64::from(UPDATES_A_SECOND) {
                results.refuse((line, users, Who::Carnet), format!("only {rate:.0} updates a second"));
            }
        }
    }
    servers.into_iter().try_for_each(|(_, server, _)| server.stop())
}

/// Updates of hot records that give them other names.
fn moves(book: Book) -> Box<Plan> {
    let users = book.sample(HOT_IDS);
    Box::new(move |dice, buffer| {
        let (first, last) = (dice.below(1_000), spelled(dice.below(10_000_000) as u64, RARE_LETTERS));
        let body = format!(r#"{{"first_name":"Given{first:03}","last_name":"{last}"}}"#);
        let target = format!("/users/{}/", users[dice.below(users.len())].id);
        buffer.extend_from_slice(&http::with_body("PUT", &target, &body));
        true
    })
}

fn ask(server: &Server, queries: &[String]) -> anyhow::Result<()> {
    queries.iter().try_for_each(|query| {
        let request = http::plain("GET", &format!("/users/?{query}"));
        substance::fetch(server.address, &request).map(drop)
    })
}
