//! What clients were told while servers failed under them, and whether it is true afterwards.
//!
//! Every create has a name of its own. An answer of 2xx is a promise; 503 says whether nothing was changed or
//! nobody knows; there is no other answer, and none takes for ever. Every second client gives its requests keys, and
//! sends each again until it is done: for them nothing stays unknown.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use dev::answer::Answer;
use dev::client::Client;
use dev::dice::Dice;
use dev::request::Request;
use dev::waiting::SAFETY_NET;

use crate::support::server::Server;

/// No request waits longer, whatever the database does. The server's own deadlines are well below.
const DEADLINE: Duration = Duration::from_secs(30);
/// How long a client that was told to come back waits for the end of it all.
const PAUSE: Duration = Duration::from_millis(20);

/// The last names under which a record may be found; `None` stands for not found.
type Possible = Vec<Option<String>>;

/// What all clients know together.
#[derive(Default)]
pub(super) struct Ledger {
    /// By first name, which is the client's own.
    records: Mutex<BTreeMap<String, Possible>>,
    is_over: Mutex<bool>,
    end: Condvar,
    acknowledged: AtomicUsize,
    refused: AtomicUsize,
    unknown: AtomicUsize,
    looks: AtomicUsize,
    /// Requests that were sent again and had been done before.
    repeated: AtomicUsize,
    // What any total must lie between.
    creates_begun: AtomicI64,
    creates_done: AtomicI64,
    deletes_begun: AtomicI64,
    deletes_done: AtomicI64,
}

/// What became of a request.
#[derive(Debug, PartialEq)]
enum Outcome {
    Done,
    Nothing,
    Unknown,
}

impl Ledger {
    /// Lets clients write and read through these nodes until `meanwhile` is over.
    pub(super) fn load<T>(&self, nodes: &[Server], clients: usize, meanwhile: impl FnOnce() -> T) -> T {
        *self.is_over.lock().unwrap() = false;
        let begun = self.acknowledged();
        std::thread::scope(|scope| {
            for number in 0..clients {
                let mut writer = Writer {
                    ledger: self,
                    clients: nodes.iter().map(Server::client).collect(),
                    dice: Dice::new(number as u64 + 1),
                    label: format!("b{begun}c{number}"),
                    sent: (number % 2 == 0).then_some(0),
                };
                scope.spawn(move || self.last(|| writer.work()));
            }
            for node in nodes {
                let mut client = node.client();
                scope.spawn(move || self.last(|| self.look(&mut client)));
            }
            let end = End(self);
            let outcome = meanwhile();
            drop(end);
            outcome
        })
    }

    /// Does something again and again until it is over. Who fails ends it: nobody need wait any more.
    fn last(&self, mut step: impl FnMut()) {
        let _end = End(self);
        while !*self.is_over.lock().unwrap() {
            step();
        }
    }

    fn pause(&self) {
        let is_over = self.is_over.lock().unwrap();
        drop(self.end.wait_timeout_while(is_over, PAUSE, |is_over| !*is_over).unwrap());
    }

    pub(super) fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Waits until so many more writes were acknowledged; how long that took.
    #[track_caller]
    pub(super) fn wait_for(&self, more: usize) -> Duration {
        let (began, goal) = (Instant::now(), self.acknowledged() + more);
        while self.acknowledged() < goal {
            assert!(began.elapsed() < SAFETY_NET, "only {} of {goal} writes", self.acknowledged());
            assert!(!*self.is_over.lock().unwrap(), "a client has given up");
            self.pause();
        }
        began.elapsed()
    }

    /// Asks until the answer has this status; every other one is a 503 that says when to come back. How long it took.
    #[track_caller]
    pub(super) fn until(&self, node: &Server, request: &str, status: u16) -> Duration {
        let (mut client, request, began) = (node.client(), Request::text(request), Instant::now());
        loop {
            let asked = Instant::now();
            let answer = client.send(&request);
            if self.judge(&request, asked, &answer, status) == Outcome::Done {
                return began.elapsed();
            }
            assert!(began.elapsed() < SAFETY_NET, "{request:?} is still not answered {status}: {answer:?}");
            self.pause();
        }
    }

    /// What an answer means to the one who gets it.
    #[track_caller]
    fn judge(&self, request: &Request, began: Instant, answer: &Answer, done: u16) -> Outcome {
        let took = began.elapsed();
        assert!(took < DEADLINE, "{request:?} took {took:?}: {answer:?}");
        // A node may still have the request in hand that a client sends again.
        let is_under_way = answer.status == 409 && answer.error().contains("still under way");
        assert!(is_under_way || [done, 503].contains(&answer.status), "{request:?}: {answer:?}");
        assert!(answer.status == done || answer.header("Retry-After").is_some(), "{answer:?}");
        if answer.status == done {
            return Outcome::Done;
        }
        if answer.error().contains("Nothing was changed") { Outcome::Nothing } else { Outcome::Unknown }
    }

    fn count(&self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Done => &self.acknowledged,
            Outcome::Nothing => &self.refused,
            Outcome::Unknown => &self.unknown,
        };
        counter.fetch_add(1, Ordering::SeqCst);
    }

    /// A total does not contradict what was acknowledged.
    fn look(&self, client: &mut Client) {
        let least = self.creates_done.load(Ordering::SeqCst);
        let most = self.deletes_done.load(Ordering::SeqCst);
        let request = Request::new("GET /users/?count=1");
        let began = Instant::now();
        let answer = client.send(&request);
        if self.judge(&request, began, &answer, 200) != Outcome::Done {
            return self.pause();
        }
        let least = least - self.deletes_begun.load(Ordering::SeqCst);
        let most = self.creates_begun.load(Ordering::SeqCst) - most;
        let total = answer.json()["meta"]["total_count"].as_i64().unwrap();
        assert!((least..=most).contains(&total), "a total of {total}, where there were {least} to {most}");
        self.looks.fetch_add(1, Ordering::SeqCst);
    }

    /// Compares every record with what its client knows, through each node.
    #[track_caller]
    pub(super) fn holds(&self, nodes: &[Server]) {
        for node in nodes {
            self.until(node, "GET /users/", 200);
            let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let mut client = node.client();
            for offset in (0..).step_by(1000) {
                let page = client.ask(&format!("GET /users/?count=1000&offset={offset}")).json();
                let records = page["object_list"].as_array().unwrap();
                for record in records {
                    let text = |field: &str| record[field].as_str().unwrap().to_owned();
                    found.entry(text("first_name")).or_default().push(text("last_name"));
                }
                if records.is_empty() {
                    break;
                }
            }
            let mut records = self.records.lock().unwrap();
            let mut faults = Vec::new();
            for (name, states) in &found {
                match records.get(name) {
                    None => faults.push(format!("{name} was never sent")),
                    Some(_) if states.len() > 1 => faults.push(format!("{name} is there {states:?}")),
                    Some(_) => {}
                }
            }
            for (name, possible) in records.iter_mut() {
                let state = found.get(name).map(|states| states[0].clone());
                if !possible.contains(&state) {
                    faults.push(format!("{name} is {state:?}, none of {possible:?}"));
                }
                // What was unknown is known now, to every node alike.
                *possible = vec![state];
            }
            let shown: Vec<&String> = faults.iter().take(10).collect();
            assert!(faults.is_empty(), "{} of {}: {shown:#?}", faults.len(), records.len());
        }
    }

    /// How much was tried.
    pub(super) fn figures(&self) -> String {
        let [acknowledged, refused, unknown, repeated, looks] =
            [&self.acknowledged, &self.refused, &self.unknown, &self.repeated, &self.looks]
                .map(|it| it.load(Ordering::SeqCst));
        format!(
            "{acknowledged} writes acknowledged, {refused} refused, {unknown} unknown, {repeated} repeated, {looks} totals"
        )
    }
}

/// Ends the load, also when whoever holds this has failed.
struct End<'a>(&'a Ledger);

impl Drop for End<'_> {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap() = true;
        self.0.end.notify_all();
    }
}

struct Writer<'a> {
    ledger: &'a Ledger,
    clients: Vec<Client>,
    dice: Dice,
    label: String,
    /// How many requests with keys were sent so far; `None` for a client that has no keys.
    sent: Option<usize>,
}

impl Writer<'_> {
    /// One record: created, changed, sometimes deleted, each by any node.
    fn work(&mut self) {
        let ledger = self.ledger;
        let name = format!("{}n{}", self.label, ledger.creates_begun.fetch_add(1, Ordering::SeqCst));
        let body = format!(r#"{{"first_name":"{name}","last_name":"new"}}"#);
        self.set(&name, vec![None, Some("new".into())]);
        let (outcome, answer) = self.send(&Request::new("POST /users/").json(body), 201);
        match outcome {
            Outcome::Done => self.set(&name, vec![Some("new".into())]),
            Outcome::Nothing => self.set(&name, vec![None]),
            Outcome::Unknown => {}
        }
        if outcome == Outcome::Done {
            ledger.creates_done.fetch_add(1, Ordering::SeqCst);
            self.change(&name, answer.created_id());
        }
    }

    fn change(&mut self, name: &str, id: i64) {
        let ledger = self.ledger;
        let both = vec![Some("new".into()), Some("changed".into())];
        self.set(name, both.clone());
        let update = Request::new(&format!("PUT /users/{id}/")).json(r#"{"last_name":"changed"}"#);
        let (outcome, _) = self.send(&update, 200);
        let now = match outcome {
            Outcome::Done => vec![Some("changed".to_owned())],
            Outcome::Nothing => vec![Some("new".to_owned())],
            Outcome::Unknown => both,
        };
        self.set(name, now.clone());
        self.read(name, id, &now);
        if !self.dice.once_in(3) {
            return;
        }
        ledger.deletes_begun.fetch_add(1, Ordering::SeqCst);
        self.set(name, [now.clone(), vec![None]].concat());
        let (outcome, _) = self.send(&Request::new(&format!("DELETE /users/{id}/")), 200);
        match outcome {
            Outcome::Done => {
                ledger.deletes_done.fetch_add(1, Ordering::SeqCst);
                self.set(name, vec![None]);
                self.read(name, id, &vec![None]);
            }
            Outcome::Nothing => self.set(name, now),
            Outcome::Unknown => {}
        }
    }

    fn set(&self, name: &str, possible: Possible) {
        self.ledger.records.lock().unwrap().insert(name.to_owned(), possible);
    }

    fn send(&mut self, request: &Request, done: u16) -> (Outcome, Answer) {
        let Some(sent) = &mut self.sent else { return self.send_once(request, done) };
        *sent += 1;
        let request = request.clone().key(&format!("{} {sent}", self.label));
        let began = Instant::now();
        loop {
            let (outcome, answer) = self.send_once(&request, done);
            if outcome == Outcome::Done {
                let is_repeated = answer.header("Idempotency-Replayed").is_some();
                self.ledger.repeated.fetch_add(usize::from(is_repeated), Ordering::SeqCst);
                return (outcome, answer);
            }
            assert!(began.elapsed() < SAFETY_NET, "{request:?} is still not done: {answer:?}");
        }
    }

    fn send_once(&mut self, request: &Request, done: u16) -> (Outcome, Answer) {
        let client = self.dice.below(self.clients.len());
        let began = Instant::now();
        let answer = self.clients[client].send(request);
        let outcome = self.ledger.judge(request, began, &answer, done);
        self.ledger.count(&outcome);
        if outcome != Outcome::Done {
            self.ledger.pause();
        }
        (outcome, answer)
    }

    /// Whoever asks now is shown what is known to be.
    fn read(&mut self, name: &str, id: i64, possible: &Possible) {
        let client = self.dice.below(self.clients.len());
        let request = Request::new(&format!("GET /users/{id}/"));
        let began = Instant::now();
        let answer = self.clients[client].send(&request);
        let done = if answer.status == 404 { 404 } else { 200 };
        if self.ledger.judge(&request, began, &answer, done) == Outcome::Done {
            let state = (done == 200).then(|| answer.json()["last_name"].as_str().unwrap().to_owned());
            assert!(possible.contains(&state), "{name} is {state:?}, none of {possible:?}");
        }
    }
}
