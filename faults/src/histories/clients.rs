//! The clients of a history: each does one operation after the other, and notes what it asked, what it was told, and
//! when.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use dev::answer::Answer;
use dev::client::{Client, Failure};
use dev::dice::Dice;
use dev::request::Request;
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};

use super::history::{Absence, History};
use super::register::{Kind, Operation, Token, What};
use super::snapshots::Snapshot;

const CLIENTS: usize = 16;
/// Records that are only ever updated from what was seen, each time to the next number.
const COUNTERS: usize = 10;
/// Places for records that come and go, and are updated blindly.
const PLACES: usize = 10;
const KINDS: usize = 3;
/// Before a client whose server is away asks again.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) type Meanwhile<'a> =
    &'a mut (dyn FnMut(&dyn Fn() -> bool, &RwLock<Vec<SocketAddr>>) -> anyhow::Result<usize> + Send);

struct Shared<'a> {
    began: Instant,
    addresses: &'a RwLock<Vec<SocketAddr>>,
    history: Mutex<History>,
    counters: Vec<i64>,
    places: Mutex<Vec<Option<i64>>>,
    left: AtomicUsize,
}

pub(super) fn record(
    seed: u64,
    operations: usize,
    addresses: &RwLock<Vec<SocketAddr>>,
    meanwhile: Meanwhile<'_>,
) -> anyhow::Result<History> {
    let mut shared = Shared {
        began: Instant::now(),
        addresses,
        history: Mutex::default(),
        counters: Vec::new(),
        places: Mutex::new(vec![None; PLACES]),
        left: AtomicUsize::new(CLIENTS),
    };
    for _ in 0..COUNTERS {
        let mut first = Doer::new(&shared, 0, seed);
        let id = first.create("counter").context("a counter cannot be created")?;
        shared.counters.push(id);
    }
    let shared = &shared;
    let kills = std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            scope.spawn(move || {
                let mut doer = Doer::new(shared, number, seed);
                (0..operations).for_each(|_| doer.step());
                shared.left.fetch_sub(1, Ordering::SeqCst);
            });
        }
        meanwhile(&|| shared.left.load(Ordering::SeqCst) == 0, addresses)
    })?;
    let mut history = std::mem::take(&mut *shared.history.lock());
    history.kills = kills;
    history.settle(&shared.counters);
    Ok(history)
}

/// One client.
struct Doer<'a> {
    shared: &'a Shared<'a>,
    number: usize,
    client: Client,
    address: SocketAddr,
    dice: Dice,
    /// What it last saw of a record: its tag, its token, its number.
    seen: HashMap<i64, (String, Token, i64)>,
}

/// A request with its times, and its answer where there was one.
struct Told {
    sent: u64,
    answered: u64,
    answer: Option<Answer>,
    was_sent: bool,
}

impl<'a> Doer<'a> {
    fn new(shared: &'a Shared<'a>, number: usize, seed: u64) -> Doer<'a> {
        let address = pick(shared.addresses, number);
        let dice = Dice::new(seed << 8 | number as u64);
        Doer { shared, number, client: Client::new(address), address, dice, seen: HashMap::new() }
    }

    fn step(&mut self) {
        let counter = *self.dice.pick(&self.shared.counters);
        let place = self.dice.below(PLACES);
        let register = self.shared.places.lock()[place];
        self.shared.history.lock().operations += 1;
        match (self.dice.below(100), register) {
            (0..20, _) => self.fetch(counter),
            (20..42, _) => self.swap(counter, "counter"),
            (42..60, Some(id)) => self.fetch(id),
            (60..72, Some(id)) => self.put(id),
            (72..80, Some(id)) => self.swap(id, "register"),
            (80..81, Some(id)) => {
                if self.delete(id) {
                    let mut places = self.shared.places.lock();
                    if places[place] == Some(id) {
                        places[place] = None;
                    }
                }
            }
            (81..91, _) => self.list_of_kind(),
            (91..98, _) => self.list_of_counters(),
            (_, None) => {
                if let Some(id) = self.create("register") {
                    self.shared.places.lock()[place] = Some(id);
                }
            }
            (_, Some(id)) => self.fetch(id),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.shared.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Asks, and where no answer comes, goes on with whatever server is there now.
    fn ask(&mut self, request: &Request) -> Told {
        let address = pick(self.shared.addresses, self.number);
        if address != self.address {
            (self.address, self.client) = (address, Client::new(address));
        }
        let sent = self.now();
        let outcome = self.client.attempt(request);
        let answered = self.now();
        let was_sent = !matches!(outcome, Err(Failure::Unsent(_)));
        let answer = outcome.ok().filter(|answer| answer.status < 500);
        if answer.is_none() {
            self.shared.history.lock().unknown += usize::from(was_sent);
            std::thread::sleep(PAUSE);
        }
        Told { sent, answered, answer, was_sent }
    }

    fn note(&self, id: i64, what: What, told: &Told) {
        if !told.was_sent {
            return;
        }
        let answered = told.answer.is_some().then_some(told.answered);
        let operation = Operation { what, sent: told.sent, answered };
        self.shared.history.lock().records.entry(id).or_default().push(operation);
    }

    fn fault(&self, words: String) {
        self.shared.history.lock().faults.push(words);
    }

    /// Content that nobody has written before, and its token.
    fn content(&mut self, role: &str, seq: i64) -> (Token, Value) {
        let kind = self.dice.below(KINDS);
        let token = self.shared.history.lock().token(kind as Kind);
        (token, json!({"role": role, "kind": format!("k{kind}"), "token": token.to_string(), "seq": seq}))
    }

    fn create(&mut self, role: &str) -> Option<i64> {
        let (token, body) = self.content(role, 0);
        let told = self.ask(&Request::new("POST /things/").json(body.to_string()));
        let Some(answer) = &told.answer else {
            if told.was_sent {
                self.shared.history.lock().open_creates.insert(token, told.sent);
            }
            return None;
        };
        let id = answer.location_id().filter(|_| answer.status == 201);
        match id {
            Some(id) => self.note(id, What::Create(token), &told),
            None => self.fault(format!("a create is answered {} {}", answer.status, answer.excerpt())),
        }
        id
    }

    fn fetch(&mut self, id: i64) {
        let told = self.ask(&Request::new(&format!("GET /things/{id}/")));
        let Some(answer) = &told.answer else { return };
        match answer.status {
            200 => {
                if let Some(token) = self.remember(id, answer) {
                    self.note(id, What::Seen(token), &told);
                }
            }
            404 => self.note(id, What::NotThere, &told),
            _ => self.fault(format!("GET of {id}: {} {}", answer.status, answer.excerpt())),
        }
    }

    /// The token of a shown record; its tag is kept for the next swap.
    fn remember(&mut self, id: i64, answer: &Answer) -> Option<Token> {
        let shown = answer.try_json().ok().and_then(|record| thing(&record));
        let (Some((_, token, seq)), Some(tag)) =
            (shown.filter(|(shown, _, _)| *shown == id), answer.header("etag"))
        else {
            self.fault(format!("{id} is shown as {}", answer.excerpt()));
            return None;
        };
        self.seen.insert(id, (tag.to_owned(), token, seq));
        Some(token)
    }

    fn put(&mut self, id: i64) {
        let (token, body) = self.content("register", 0);
        let told = self.ask(&Request::new(&format!("PUT /things/{id}/")).json(body.to_string()));
        self.written(id, What::Put(token), token, &told);
    }

    /// An update of what was seen; first a look, where nothing was.
    fn swap(&mut self, id: i64, role: &str) {
        let Some((tag, seen, seq)) = self.seen.get(&id).cloned() else {
            return self.fetch(id);
        };
        let (new, body) = self.content(role, seq + 1);
        let request =
            Request::new(&format!("PUT /things/{id}/")).header("If-Match", &tag).json(body.to_string());
        let told = self.ask(&request);
        match told.answer.as_ref().map(|answer| answer.status) {
            Some(412) => {
                self.seen.remove(&id);
                self.note(id, What::SwapRefused { seen }, &told);
            }
            _ => self.written(id, What::Swap { seen, new }, new, &told),
        }
    }

    fn written(&mut self, id: i64, what: What, token: Token, told: &Told) {
        let Some(answer) = &told.answer else {
            self.seen.remove(&id);
            return self.note(id, what, told);
        };
        match answer.status {
            200 => {
                if self.remember(id, answer).is_some_and(|shown| shown != token) {
                    self.fault(format!(
                        "an update of {id} with {token} is answered with {}",
                        answer.excerpt()
                    ));
                }
                self.note(id, what, told);
            }
            404 => self.note(id, What::NotThere, told),
            _ => self.fault(format!("an update of {id} is answered {} {}", answer.status, answer.excerpt())),
        }
    }

    fn delete(&mut self, id: i64) -> bool {
        let told = self.ask(&Request::new(&format!("DELETE /things/{id}/")));
        match told.answer.as_ref().map(|answer| answer.status) {
            None | Some(200) => self.note(id, What::Delete, &told),
            Some(404) => self.note(id, What::NotThere, &told),
            Some(status) => self.fault(format!("a deletion of {id} is answered {status}")),
        }
        told.answer.is_some()
    }

    /// The records of a list that is as long as it says, with its times.
    fn list(&mut self, filter: &str) -> Option<(Told, Vec<Thing>)> {
        let told = self.ask(&Request::new(&format!("GET /things/?{filter}")));
        let answer = told.answer.as_ref()?;
        self.shared.history.lock().lists += 1;
        let page = answer.try_json().ok().filter(|_| answer.status == 200);
        let shown: Option<Vec<_>> =
            page.as_ref().and_then(|page| page["object_list"].as_array()?.iter().map(thing).collect());
        let total = page.as_ref().and_then(|page| page["meta"]["total_count"].as_u64());
        match shown.filter(|shown| total == Some(shown.len() as u64)) {
            Some(shown) => Some((told, shown)),
            None => {
                self.fault(format!("a list of {filter}: {} {}", answer.status, answer.excerpt()));
                None
            }
        }
    }

    fn list_of_kind(&mut self) {
        let kind = self.dice.below(KINDS);
        let Some((told, shown)) = self.list(&format!("role=register&kind=k{kind}")) else { return };
        for (id, token, _) in &shown {
            self.note(*id, What::Seen(*token), &told);
        }
        let shown = shown.iter().map(|(id, _, _)| *id).collect();
        let absence = Absence { kind: kind as Kind, sent: told.sent, answered: told.answered, shown };
        self.shared.history.lock().absences.push(absence);
    }

    fn list_of_counters(&mut self) {
        let Some((told, shown)) = self.list("role=counter") else { return };
        let ids: Vec<i64> = shown.iter().map(|(id, _, _)| *id).collect();
        if ids != self.shared.counters {
            return self.fault(format!("the list of all counters shows {ids:?}"));
        }
        for (id, token, _) in &shown {
            self.note(*id, What::Seen(*token), &told);
        }
        let seqs = shown.iter().map(|(_, _, seq)| *seq).collect();
        let snapshot = Snapshot { sent: told.sent, answered: told.answered, seqs };
        self.shared.history.lock().snapshots.push(snapshot);
    }
}

pub(super) fn pick(addresses: &RwLock<Vec<SocketAddr>>, number: usize) -> SocketAddr {
    let addresses = addresses.read();
    addresses[number % addresses.len()]
}

/// The id, token and number of a shown record.
type Thing = (i64, Token, i64);

fn thing(record: &Value) -> Option<Thing> {
    Some((record["id"].as_i64()?, record["token"].as_str()?.parse().ok()?, record["seq"].as_i64()?))
}
