//! The first time that something is asked for after a start: orders are made, sets learned, words looked up, and
//! records read. Files are in the system's cache.

use std::fs::File;
use std::time::Instant;

use anyhow::Context;
use dev::dice::Dice;
use rusqlite::{Connection, OpenFlags};

use super::{COLD, MILLION, RANGE, SORTED_COLD, asks, await_words, cold, tenth};
use crate::Bench;
use crate::fill::Filled;
use crate::http;
use crate::load::{self, Limit};
use crate::process::{Server, Who};
use crate::reads::{CLIENTS, COMPARED, spaced, turn};
use crate::results::Results;
use crate::rows::{Book, COMMON_FIRST_NAME, COMMON_LAST_NAME, LETTERS, spelled};
use crate::substance::{self, Ask, Page};

pub(crate) const MAKE: &str = "making an order of last names, ms";
pub(crate) const RANGE_FIRST: &str = "first ask of a range with many matches, ms";
pub(crate) const PREFIX_NEW: &str = "first ask of a prefix, by id, ms";
/// Figures, each beside what SQLite itself takes.
pub(crate) const BESIDE_SQLITE: [&str; 3] = [MAKE, RANGE_FIRST, PREFIX_NEW];
pub(crate) const BYTES_ONE: &str = "order by last_name, bytes a record";
pub(crate) const BYTES_TWO: &str = "order by last_name,first_name, bytes a record";
pub(crate) const BYTES: [&str; 2] = [BYTES_ONE, BYTES_TWO];

pub(crate) const PREFIX_FIRST: &str = "prefix of the sort field, first ask";
pub(crate) const PREFIX_KNOWN: &str = "prefix of the sort field, known";
pub(crate) const THREE_LETTERS: &str = "search of three letters, first ask";
pub(crate) const TWO_WORDS: &str = "search of two words, first ask";
pub(crate) const TYPO: &str = "search with a typo, first ask";
/// Loads, by one client but for those of records that are not in memory.
pub(crate) const LOADS: [&str; 7] =
    [COLD, SORTED_COLD, PREFIX_FIRST, PREFIX_KNOWN, THREE_LETTERS, TWO_WORDS, TYPO];

/// Different words that are searched for, and typos among them.
const SEARCHES: usize = 1_000;
const TYPOS: usize = 200;
/// Different beginnings of the sort field.
const PREFIXES: usize = 200;

/// A server that has just been started, and the same file read by SQLite itself.
struct Asking<'a> {
    results: &'a mut Results,
    book: Book,
    server: Server,
    sqlite: Connection,
}

pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    let mut lines = BESIDE_SQLITE.into_iter().chain(BYTES).chain(LOADS);
    if !lines.any(|line| bench.options.wants(line)) {
        return Ok(());
    }
    eprintln!("first asks");
    // Fewer records are sorted for each request, and nothing is made.
    for filled in bench.filled.iter().filter(|filled| filled.book.users > 1_000) {
        std::io::copy(&mut File::open(&filled.carnet)?, &mut std::io::sink())?;
        for _ in 0..bench.options.rounds {
            round(bench, results, filled)?;
        }
    }
    Ok(())
}

fn round(bench: &Bench, results: &mut Results, filled: &Filled) -> anyhow::Result<()> {
    let server = Server::carnet(&bench.options, &filled.carnet)?;
    let sqlite = Connection::open_with_flags(&filled.carnet, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // Otherwise it would read the whole index for a LIKE.
    sqlite.pragma_update(None, "case_sensitive_like", true)?;
    let mut asking = Asking { results, book: filled.book, server, sqlite };
    asking.orders()?;
    asking.cold()?;
    asking.compare(RANGE_FIRST, range(filled.book))?;
    asking.prefixes()?;
    asking.searches()?;
    asking.server.stop()
}

/// The query, and the condition that says the same to SQLite.
fn range(book: Book) -> Vec<(Ask, String)> {
    let condition = format!("address <= {}", tenth(book));
    asks(RANGE, book).into_iter().take(1).map(|ask| (ask, condition.clone())).collect()
}

impl Asking<'_> {
    fn orders(&mut self) -> anyhow::Result<()> {
        // The words are an order, too.
        await_words(&self.server);
        let words = self.order_bytes()?;
        let began = Instant::now();
        self.ask("sort=last_name&count=1")?;
        self.figure(MAKE, Who::Carnet, milliseconds(began));
        let one = self.order_bytes()? - words;
        self.figure(BYTES_ONE, Who::Carnet, one / self.book.users as f64);
        // That of more does not fit into the default memory.
        if self.book.users <= MILLION {
            self.ask("sort=last_name,first_name&count=1")?;
            let two = self.order_bytes()? - words - one;
            self.figure(BYTES_TWO, Who::Carnet, two / self.book.users as f64);
        }

        let began = Instant::now();
        let count = read_in_order(&self.sqlite)?;
        let took = milliseconds(began);
        anyhow::ensure!(count == self.book.users, "SQLite has read {count} users");
        self.figure(MAKE, Who::Sqlite, took);
        Ok(())
    }

    /// Pages of which no record was read before.
    fn cold(&mut self) -> anyhow::Result<()> {
        for (line, requests) in cold(self.book) {
            self.load(line, CLIENTS, requests)?;
        }
        Ok(())
    }

    fn prefixes(&mut self) -> anyhow::Result<()> {
        // A range shows the same records, so that they are in memory, and the question alone is new.
        let texts =
            (0..PREFIXES as u64).map(|number| spelled(number * 1_000 / PREFIXES as u64, 3).to_lowercase());
        let texts: Vec<String> = texts.collect();
        let asked = |name: &str| {
            let target = |text: &String| {
                http::plain("GET", &format!("/users/?sort=last_name&last_name.{name}={text}"))
            };
            texts.iter().map(target).collect::<Vec<_>>()
        };
        let ranges = asked("gte");
        let thrice = Limit::Requests(3 * ranges.len() as u64);
        turn(&self.server, 1, thrice, &*load::each_of(ranges), 0)?;
        self.load(PREFIX_FIRST, 1, asked("prefix"))?;
        self.load(PREFIX_KNOWN, 1, asked("prefix"))?;

        let letters = LETTERS.map(|letter| {
            let filters = vec![("last_name.prefix", letter.to_string())];
            let condition = format!("last_name LIKE '{}%'", letter.to_ascii_uppercase());
            (Ask::Page(Page { filters, ..Page::default() }), condition)
        });
        self.compare(PREFIX_NEW, letters.into())
    }

    fn searches(&mut self) -> anyhow::Result<()> {
        let mut dice = Dice::new(self.book.users);
        let common = [COMMON_FIRST_NAME, COMMON_LAST_NAME].map(|name| name[..3].to_owned());
        let mut beginnings: Vec<String> = (0..1_000).map(|number| spelled(number, 3)).chain(common).collect();
        dice.shuffle(&mut beginnings);
        beginnings.truncate(SEARCHES);
        let users = self.book.sample(SEARCHES);
        let mut pairs: Vec<String> =
            users.iter().map(|user| format!("{}+{}", &user.last_name[..3], user.first_name)).collect();
        pairs.sort();
        pairs.dedup();
        dice.shuffle(&mut pairs);
        let rare = users.iter().filter(|user| user.last_name != COMMON_LAST_NAME).take(TYPOS);
        // No name has an `x`.
        let typos = rare.map(|user| format!("{}x{}", &user.last_name[..3], &user.last_name[4..])).collect();
        for (line, words) in [(THREE_LETTERS, beginnings), (TWO_WORDS, pairs), (TYPO, typos)] {
            let requests = words.iter().map(|words| http::plain("GET", &format!("/users/?search={words}")));
            self.load(line, 1, requests.collect())?;
            for words in spaced(&words, COMPARED) {
                if self.ask(&format!("search={words}"))? == 0 {
                    let reason = format!("{words} finds nobody");
                    self.results.refuse((line, self.book.users, Who::Carnet), reason);
                }
            }
        }
        Ok(())
    }

    /// Each question, and how long SQLite takes to count, in milliseconds on average.
    fn compare(&mut self, line: &'static str, questions: Vec<(Ask, String)>) -> anyhow::Result<()> {
        let (mut carnet, mut sqlite) = (0.0, 0.0);
        for (ask, condition) in &questions {
            let request = ask.request(Who::Carnet);
            let began = Instant::now();
            substance::fetch(self.server.address, &request)?;
            carnet += milliseconds(began);
            let mut count = self.sqlite.prepare(&format!("SELECT count(*) FROM users WHERE {condition}"))?;
            let began = Instant::now();
            let counted: i64 = count.query_row([], |row| row.get(0))?;
            sqlite += milliseconds(began);
            let total = ask.answer(&self.server)?.total.unwrap_or_default();
            if total != counted as u64 {
                let reason = format!("asked for {ask:?}: carnet says {total}, SQLite counts {counted}");
                self.results.refuse((line, self.book.users, Who::Carnet), reason);
            }
        }
        self.figure(line, Who::Carnet, carnet / questions.len() as f64);
        self.figure(line, Who::Sqlite, sqlite / questions.len() as f64);
        Ok(())
    }

    /// Asks each of these once.
    fn load(&mut self, line: &'static str, clients: usize, requests: Vec<Vec<u8>>) -> anyhow::Result<()> {
        let once = Limit::Requests(requests.len() as u64);
        let sample = turn(&self.server, clients, once, &*load::each_of(requests), 0)?;
        self.results.add((line, self.book.users, Who::Carnet), sample);
        Ok(())
    }

    /// How many users a query finds.
    fn ask(&self, query: &str) -> anyhow::Result<u64> {
        let body = substance::fetch(self.server.address, &http::plain("GET", &format!("/users/?{query}")))?;
        let body: serde_json::Value = serde_json::from_slice(&body)?;
        body["meta"]["total_count"].as_u64().context("no total")
    }

    fn order_bytes(&self) -> anyhow::Result<f64> {
        self.server.metric("carnet_store_orders_bytes")
    }

    fn figure(&mut self, line: &'static str, who: Who, value: f64) {
        self.results.add_figure((line, self.book.users, who), value);
    }
}

/// Reads what an order is made of, and answers how many records there are.
fn read_in_order(sqlite: &Connection) -> rusqlite::Result<u64> {
    let mut statement = sqlite.prepare("SELECT last_name, id FROM users ORDER BY last_name, id")?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        std::hint::black_box((row.get_ref(0)?, row.get_ref(1)?));
        count += 1;
    }
    Ok(count)
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}
