//! Transfers between counters, each a batch that names what was seen of both: every list shows the same sum. In the
//! control the two updates are sent one after the other.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use dev::answer::Answer;
use dev::client::{Client, Failure};
use dev::dice::Dice;
use dev::request::Request;
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};

use super::clients::{Meanwhile, pick};
use super::history::History;

const CLIENTS: usize = 16;
const COUNTERS: usize = 4;
/// What each of them has at first.
const EACH: i64 = 100;
/// Before a client whose server is away asks again.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn record(
    seed: u64,
    operations: usize,
    addresses: &RwLock<Vec<SocketAddr>>,
    meanwhile: Meanwhile<'_>,
    is_control: bool,
) -> anyhow::Result<History> {
    let history = Mutex::new(History::default());
    let doer = |number: usize, counters: Vec<i64>| Doer {
        history: &history,
        addresses,
        number,
        client: Client::new(pick(addresses, number)),
        address: pick(addresses, number),
        dice: Dice::new(seed << 8 | number as u64),
        counters,
    };
    let mut first = doer(0, Vec::new());
    for _ in 0..COUNTERS {
        let body = json!({"role": "counter", "kind": "k0", "token": "0", "seq": EACH});
        let answer = first.ask(&Request::new("POST /things/").json(body.to_string()));
        let id = answer.and_then(|answer| answer.location_id()).context("a counter cannot be created")?;
        first.counters.push(id);
    }
    let (left, done) = (AtomicUsize::new(CLIENTS), AtomicUsize::new(0));
    let kills = std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let mut doer = doer(number, first.counters.clone());
            let (left, done) = (&left, &done);
            scope.spawn(move || {
                for _ in 0..operations {
                    if doer.dice.below(3) == 0 {
                        doer.list();
                    } else if doer.transfer(is_control) {
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
                left.fetch_sub(1, Ordering::SeqCst);
            });
        }
        meanwhile(&|| left.load(Ordering::SeqCst) == 0, addresses)
    })?;
    first.list();
    ensure!(done.into_inner() > 0, "no transfer was done");
    let mut history = std::mem::take(&mut *history.lock());
    history.kills = kills;
    Ok(history)
}

/// One client.
struct Doer<'a> {
    history: &'a Mutex<History>,
    addresses: &'a RwLock<Vec<SocketAddr>>,
    number: usize,
    client: Client,
    address: SocketAddr,
    dice: Dice,
    counters: Vec<i64>,
}

impl Doer<'_> {
    /// Asks, and where no answer comes, goes on with whatever server is there now.
    fn ask(&mut self, request: &Request) -> Option<Answer> {
        let address = pick(self.addresses, self.number);
        if address != self.address {
            (self.address, self.client) = (address, Client::new(address));
        }
        let outcome = self.client.attempt(request);
        let was_sent = !matches!(outcome, Err(Failure::Unsent(_)));
        let answer = outcome.ok().filter(|answer| answer.status < 500);
        let mut history = self.history.lock();
        history.operations += 1;
        if answer.is_none() {
            history.unknown += usize::from(was_sent);
            drop(history);
            std::thread::sleep(PAUSE);
        }
        answer
    }

    fn fault(&self, words: String) {
        self.history.lock().faults.push(words);
    }

    /// Takes something from one counter and gives it to another; says whether it was done.
    fn transfer(&mut self, is_control: bool) -> bool {
        let from = self.dice.below(COUNTERS);
        let to = (from + 1 + self.dice.below(COUNTERS - 1)) % COUNTERS;
        let amount = 1 + self.dice.below(9) as i64;
        let mut items: Vec<Value> = Vec::new();
        for (place, change) in [(from, -amount), (to, amount)] {
            let path = format!("/things/{}/", self.counters[place]);
            let Some(answer) = self.ask(&Request::new(&format!("GET {path}"))) else { return false };
            let (seq, tag) =
                (answer.try_json().ok().and_then(|it| it["seq"].as_i64()), answer.header("etag"));
            let (Some(seq), Some(tag)) = (seq, tag) else {
                self.fault(format!("GET {path}: {} {}", answer.status, answer.excerpt()));
                return false;
            };
            items
                .push(json!({"method": "PUT", "path": path, "body": {"seq": seq + change}, "if_match": tag}));
        }
        let requests: Vec<Request> = match is_control {
            false => vec![Request::new("POST /_/batch/").json(json!({ "requests": items }).to_string())],
            true => items.iter().filter_map(alone).collect(),
        };
        let mut is_done = false;
        for request in requests {
            match self.ask(&request) {
                Some(answer) if answer.status == 200 => is_done = true,
                Some(answer) if answer.status == 412 => {}
                Some(answer) => self.fault(format!("a transfer: {} {}", answer.status, answer.excerpt())),
                None => {}
            }
        }
        is_done
    }

    /// Looks at all counters at once, in one order or another.
    fn list(&mut self) {
        let order = *self.dice.pick(&["", "&sort=seq", "&sort=-seq"]);
        let Some(answer) = self.ask(&Request::new(&format!("GET /things/?role=counter{order}"))) else {
            return;
        };
        self.history.lock().lists += 1;
        let page = answer.try_json().unwrap_or_default();
        let shown = page["object_list"].as_array().map_or(&[][..], Vec::as_slice);
        let seqs: Vec<i64> = shown.iter().filter_map(|record| record["seq"].as_i64()).collect();
        let is_sorted = match order {
            "&sort=seq" => seqs.is_sorted(),
            "&sort=-seq" => seqs.iter().rev().is_sorted(),
            _ => true,
        };
        if seqs.len() != COUNTERS || seqs.iter().sum::<i64>() != EACH * COUNTERS as i64 || !is_sorted {
            self.fault(format!("a list of all counters{order} shows {seqs:?}: {}", answer.status));
        }
    }
}

/// An item as a request of its own.
fn alone(item: &Value) -> Option<Request> {
    let (path, tag) = (item["path"].as_str()?, item["if_match"].as_str()?);
    Some(Request::new(&format!("PUT {path}")).header("If-Match", tag).json(item["body"].to_string()))
}
