//! The clients of a history: they write and read at once, and note what they saw and when.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Instant;

use dev::answer::Answer;
use dev::client::Client;
use dev::dice::Dice;
use dev::request::Request;
use serde_json::{Value, json};

use super::checker::{History, Note, Read, Scope, Span, State, Total, Writer};
use super::{ALL_STILL, KINDS, STILL};
use crate::support::exchange::id_of;
use crate::support::server::Server;

/// Who takes part, and for how long.
pub(super) struct MigrationPlan {
    pub(super) writers: usize,
    pub(super) readers: usize,
    /// How many writes each writer does.
    pub(super) writes: usize,
    /// Whether each kind is asked for only once a part of the writes is done.
    pub(super) new_filters_late: bool,
}

/// What the clients of one history share.
struct Shared<'a> {
    plan: &'a MigrationPlan,
    /// Every record that a writer has heard of, and whose it is.
    known: Mutex<Vec<(usize, i64)>>,
    done: AtomicUsize,
    history: Mutex<History>,
}

/// Lets the clients loose on servers of one store that have just started, each on the next of them.
pub(super) fn record(servers: &[Server], seed: u64, plan: &MigrationPlan) -> History {
    let shared = Shared {
        plan,
        known: Mutex::default(),
        done: AtomicUsize::new(0),
        history: Mutex::new(History::default()),
    };
    let start = Barrier::new(plan.writers + plan.readers);
    let mut dice = Dice::new(seed);
    std::thread::scope(|scope| {
        let (shared, start) = (&shared, &start);
        let mut writers = Vec::new();
        for number in 0..plan.writers {
            let client = servers[number % servers.len()].client();
            let dice = Dice::new(seed << 8 | number as u64);
            writers.push(scope.spawn(move || {
                start.wait();
                WritingClient { number, client, dice, shared, state: State::new(), seq: 0 }.work()
            }));
        }
        for number in 0..plan.readers {
            let client = servers[number % servers.len()].client();
            let dice = Dice::new(dice.below(1 << 30) as u64);
            scope.spawn(move || {
                start.wait();
                ReadingClient { client, dice, shared }.work();
            });
        }
        let writers: Vec<Writer> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        shared.history.lock().unwrap().writers = writers;
    });
    shared.history.into_inner().unwrap()
}

/// Sends a request; between the two instants lies the moment at which it took effect.
fn timed(client: &mut Client, request: &Request) -> (Span, Answer) {
    let began = Instant::now();
    let answer = client.try_send(request).unwrap_or_else(|error| panic!("{request:?}: {error}"));
    (Span { began, ended: Instant::now() }, answer)
}

struct WritingClient<'a> {
    number: usize,
    client: Client,
    dice: Dice,
    shared: &'a Shared<'a>,
    state: State,
    seq: i64,
}

impl WritingClient<'_> {
    /// One record for good, whose number is raised; others come and go. Between the creation of a record and
    /// the next deletion the number is raised, so that no state comes twice.
    fn work(mut self) -> Writer {
        let mut done = vec![self.create()];
        let lasting = *self.state.keys().next().unwrap();
        let mut has_just_raised = false;
        while done.len() < self.shared.plan.writes {
            let passing: Vec<i64> = self.state.keys().copied().filter(|id| *id != lasting).collect();
            let step = match self.dice.below(8) {
                0 | 1 => {
                    has_just_raised = false;
                    self.create()
                }
                2 if !passing.is_empty() => {
                    let id = *self.dice.pick(&passing);
                    self.update(id)
                }
                3..=5 if has_just_raised && !passing.is_empty() => {
                    let id = *self.dice.pick(&passing);
                    has_just_raised = false;
                    self.delete(id)
                }
                _ => {
                    has_just_raised = true;
                    self.update(lasting)
                }
            };
            done.push(step);
            self.shared.done.fetch_add(1, Ordering::Relaxed);
        }
        self.shared.done.fetch_add(1, Ordering::Relaxed);
        Writer { done }
    }

    fn note(&mut self) -> (Note, Value) {
        self.seq += 1;
        let kind = match self.dice.below(KINDS.len() + 2) {
            0 => None,
            1 => Some(String::new()),
            place => Some(KINDS[place - 2].to_owned()),
        };
        // Blocks grow and shrink, now and then beyond what almost no memory holds.
        let pad = if self.dice.once_in(12) { self.dice.below(20_000) } else { self.dice.below(60) };
        let note = Note { kind, seq: self.seq, pad };
        let body = json!({"kind": note.kind, "seq": note.seq, "pad": "x".repeat(pad)});
        (note, body)
    }

    fn create(&mut self) -> (Span, State) {
        let (note, mut body) = self.note();
        body["owner"] = json!(format!("w{}", self.number));
        body["zone"] = json!("z");
        let (span, answer) = timed(&mut self.client, &Request::new("POST /notes/").json(body.to_string()));
        let id = answer.created_id();
        self.shared.known.lock().unwrap().push((self.number, id));
        self.state.insert(id, note);
        (span, self.state.clone())
    }

    fn update(&mut self, id: i64) -> (Span, State) {
        let (note, body) = self.note();
        let request = Request::new(&format!("PUT /notes/{id}/")).json(body.to_string());
        let (span, answer) = timed(&mut self.client, &request);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(note_of(&answer.json()), note, "{answer:?}");
        self.state.insert(id, note);
        (span, self.state.clone())
    }

    fn delete(&mut self, id: i64) -> (Span, State) {
        let (span, answer) = timed(&mut self.client, &Request::new(&format!("DELETE /notes/{id}/")));
        assert_eq!(answer.status, 200, "{answer:?}");
        self.state.remove(&id);
        (span, self.state.clone())
    }
}

fn note_of(record: &Value) -> Note {
    Note {
        kind: record["kind"].as_str().map(str::to_owned),
        seq: record["seq"].as_i64().unwrap(),
        pad: record["pad"].as_str().map_or(0, str::len),
    }
}

struct ReadingClient<'a> {
    client: Client,
    dice: Dice,
    shared: &'a Shared<'a>,
}

impl ReadingClient<'_> {
    fn work(mut self) {
        let all = self.shared.plan.writers * self.shared.plan.writes;
        let mut number = 0;
        loop {
            let done = self.shared.done.load(Ordering::Relaxed);
            self.read(done * KINDS.len() / all);
            number += 1;
            if done >= all && number >= 30 {
                return;
            }
        }
    }

    fn read(&mut self, progress: usize) {
        let kinds =
            if self.shared.plan.new_filters_late { (progress + 1).min(KINDS.len()) } else { KINDS.len() };
        let kind = KINDS[self.dice.below(kinds)];
        let writer = self.dice.below(self.shared.plan.writers);
        let deep = ALL_STILL - 10;
        let deep_of_kind = STILL - 5;
        match self.dice.below(24) {
            0 if self.dice.once_in(6) => self.list("", 0, ALL_STILL, Scope::All),
            0..=4 => self.list("", deep, 10, Scope::All),
            5 | 6 => self.list("zone=z&", deep, 10, Scope::All),
            7..=9 => self.list(&format!("kind={kind}&"), deep_of_kind, 5, Scope::Kind(kind.into())),
            10 | 11 => {
                self.list(&format!("kind={kind}&zone=z&"), deep_of_kind, 5, Scope::Kind(kind.into()));
            }
            12 => self.list("kind=&", 0, 0, Scope::Kind(String::new())),
            13 => self.list("zone=z&kind=&", 0, 0, Scope::Kind(String::new())),
            14 | 15 => self.list(&format!("owner=w{writer}&"), 0, 0, Scope::Owner(writer)),
            16 => {
                let scope = Scope::OwnerAndKind(writer, kind.into());
                self.list(&format!("owner=w{writer}&kind={kind}&"), 0, 0, scope);
            }
            17 => self.first_page(),
            18 => self.window(),
            _ => self.fetch(),
        }
    }

    /// A list from an offset to its end: so many records that nobody changes, then all others.
    fn list(&mut self, filters: &str, offset: usize, still: usize, scope: Scope) {
        let asked = format!("GET /notes/?{filters}offset={offset}");
        let (span, page) = self.page(&asked);
        let records = page["object_list"].as_array().unwrap();
        self.expect(
            total_of(&page) == offset + records.len(),
            &asked,
            "the total is not what is shown",
            &page,
        );
        self.expect(are_ascending(records), &asked, "the ids do not ascend", &page);
        let (unchanged, others) = records.split_at(still.min(records.len()));
        let are_still = unchanged.len() == still && unchanged.iter().all(|record| record["owner"] == "still");
        let seqs: Vec<i64> = unchanged.iter().map(|record| record["seq"].as_i64().unwrap()).collect();
        let step = if still == 5 { KINDS.len() as i64 } else { 1 };
        let are_neighbours = seqs.windows(2).all(|pair| pair[1] == pair[0] + step);
        self.expect(are_still && are_neighbours, &asked, "the unchanged are not those of this page", &page);
        let mut shown: BTreeMap<usize, State> = BTreeMap::new();
        for record in others {
            let owner = record["owner"].as_str().and_then(|owner| owner.strip_prefix('w')?.parse().ok());
            match owner {
                Some(owner) => {
                    shown.entry(owner).or_default().insert(id_of(record), note_of(record));
                }
                None => self.expect(false, &asked, "an unchanged record among the others", record),
            }
        }
        self.shared.history.lock().unwrap().reads.push(Read { span, scope, shown, asked });
    }

    fn first_page(&mut self) {
        let asked = "GET /notes/?count=20";
        let (span, page) = self.page(asked);
        let seqs =
            page["object_list"].as_array().unwrap().iter().map(|record| record["seq"].as_i64().unwrap());
        self.expect(seqs.eq(0..20), asked, "not the first page", &page);
        self.total(span, asked, &page);
    }

    /// A few records in the middle of those that change.
    fn window(&mut self) {
        let offset = ALL_STILL + self.dice.below(2 * self.shared.plan.writers);
        let asked = format!("GET /notes/?offset={offset}&count=3");
        let (span, page) = self.page(&asked);
        let records = page["object_list"].as_array().unwrap();
        let expected = total_of(&page).saturating_sub(offset).min(3);
        self.expect(records.len() == expected, &asked, "the page is not as long as its total says", &page);
        self.expect(are_ascending(records), &asked, "the ids do not ascend", &page);
        self.total(span, &asked, &page);
        for record in records {
            let writer = record["owner"].as_str().unwrap()[1..].parse().unwrap();
            let (id, note) = (id_of(record), note_of(record));
            let shown = BTreeMap::from([(writer, State::from([(id, note)]))]);
            let (scope, asked) = (Scope::Record(writer, id), asked.clone());
            self.shared.history.lock().unwrap().reads.push(Read { span, scope, shown, asked });
        }
    }

    fn fetch(&mut self) {
        let (writer, id) = {
            let known = self.shared.known.lock().unwrap();
            if known.is_empty() {
                return;
            }
            // Mostly a late one: those are about to go.
            let late = known.len().saturating_sub(8);
            let place = if self.dice.once_in(2) { self.dice.below(known.len()) } else { late };
            known[place]
        };
        let asked = format!("GET /notes/{id}/");
        let (span, answer) = timed(&mut self.client, &Request::new(&asked));
        let shown = match answer.status {
            200 => BTreeMap::from([(writer, State::from([(id, note_of(&answer.json()))]))]),
            404 => BTreeMap::new(),
            _ => panic!("{asked}: {answer:?}"),
        };
        let scope = Scope::Record(writer, id);
        self.shared.history.lock().unwrap().reads.push(Read { span, scope, shown, asked });
    }

    fn page(&mut self, asked: &str) -> (Span, Value) {
        let (span, answer) = timed(&mut self.client, &Request::new(asked));
        assert_eq!(answer.status, 200, "{asked}: {answer:?}");
        (span, answer.json())
    }

    fn total(&self, span: Span, asked: &str, page: &Value) {
        let total = total_of(page);
        self.expect(total >= ALL_STILL, asked, "the total is too small", page);
        let number = total.saturating_sub(ALL_STILL);
        self.shared.history.lock().unwrap().totals.push(Total { span, number });
    }

    fn expect(&self, is_so: bool, asked: &str, words: &str, page: &Value) {
        if !is_so {
            let page: String = page.to_string().chars().take(3_000).collect();
            self.shared.history.lock().unwrap().faults.push(format!("{asked}: {words}: {page}"));
        }
    }
}

fn total_of(page: &Value) -> usize {
    page["meta"]["total_count"].as_u64().unwrap() as usize
}

fn are_ascending(records: &[Value]) -> bool {
    records.windows(2).all(|pair| id_of(&pair[0]) < id_of(&pair[1]))
}
