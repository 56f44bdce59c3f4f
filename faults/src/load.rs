//! The clients: writers and readers at once, each on a connection of its own, until the server is gone or they are told
//! to stop.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Scope;
use std::time::Duration;

use dev::client::{Client, Failure};
use dev::dice::Dice;
use dev::request::Request;
use parking_lot::Mutex;

use crate::ledger::{Deed, Ledger, Place, Verdict, Write};
use crate::values::{Collection, Values};

pub(crate) const WRITERS: usize = 32;
pub(crate) const READERS: usize = 8;
const PAUSE: Duration = Duration::from_millis(10);

/// How a client goes on after a request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterSilence {
    /// The server is gone for this round.
    Ends,
    /// The server stays; what is behind it comes back.
    GoesOn,
}

/// What the clients of one round share.
pub(crate) struct Load<'a> {
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) ledger: &'a Mutex<Ledger>,
    /// Begins every token of this round, which is unlike all others on this database.
    pub(crate) label: String,
    pub(crate) seed: u64,
    /// How long the note of a user is at the most.
    pub(crate) pad: usize,
    /// Whether users refer to addresses.
    pub(crate) refers: bool,
    pub(crate) after_silence: AfterSilence,
    pub(crate) is_over: AtomicBool,
    /// From now on an answer proves nothing: it may have overtaken the power cut.
    pub(crate) acks_are_void: AtomicBool,
    pub(crate) reads: AtomicUsize,
    /// Addresses that were seen, for whoever wants to live there.
    pub(crate) known_addresses: Mutex<Vec<i64>>,
    /// Requests whose connection ended without an answer.
    pub(crate) failures: Mutex<Vec<(Option<Write>, Failure)>>,
}

impl<'a> Load<'a> {
    pub(crate) fn new(
        addresses: Vec<SocketAddr>,
        ledger: &'a Mutex<Ledger>,
        label: String,
        seed: u64,
    ) -> Load<'a> {
        let known = ledger
            .lock()
            .records
            .iter()
            .filter(|(_, states)| !states.contains(&None))
            .map(|(place, _)| *place)
            .collect::<Vec<_>>();
        let live =
            known.iter().filter(|(collection, _)| *collection == Collection::Address).map(|(_, id)| *id);
        Load {
            addresses,
            ledger,
            label,
            seed,
            pad: 0,
            refers: true,
            after_silence: AfterSilence::Ends,
            is_over: AtomicBool::new(false),
            acks_are_void: AtomicBool::new(false),
            reads: AtomicUsize::new(0),
            known_addresses: Mutex::new(live.collect()),
            failures: Mutex::default(),
        }
    }

    /// Lets all clients loose.
    pub(crate) fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        for number in 0..WRITERS {
            let mine = self.share_of(number);
            scope.spawn(move || {
                Writer { load: self, number, dice: self.dice(number), mine, written: 0 }.work()
            });
        }
        for number in WRITERS..WRITERS + READERS {
            scope.spawn(move || self.read(number));
        }
    }

    fn dice(&self, number: usize) -> Dice {
        Dice::new(self.seed << 8 | number as u64)
    }

    fn client(&self, number: usize) -> Client {
        Client::new(self.addresses[number % self.addresses.len()])
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The records of earlier rounds that one writer may change: no two writers have the same, and what is in doubt
    /// nobody.
    fn share_of(&self, writer: usize) -> Vec<Place> {
        let ledger = self.ledger.lock();
        let settled = ledger.records.iter().filter(|(_, states)| matches!(states[..], [Some(_)]));
        let mine = settled.map(|(place, _)| *place).filter(|(_, id)| *id as usize % WRITERS == writer);
        mine.take(400).collect()
    }

    /// One request that changes nothing. False when the server is gone.
    fn look(&self, client: &mut Client, dice: &mut Dice) -> bool {
        let target = match dice.below(4) {
            0 => format!("/users/?offset={}&count=5", dice.below(2_000)),
            1 => match self.known_addresses.lock().as_slice() {
                [] => "/address/?count=5".into(),
                known => format!("/users/?address={}&count=5", dice.pick(known)),
            },
            2 => format!("/address/{}/", 1 + dice.below(2_000)),
            _ => format!("/users/{}/", 1 + dice.below(5_000)),
        };
        let request = Request::new(&format!("GET {target}"));
        match client.attempt(&request) {
            Ok(answer) => {
                self.reads.fetch_add(1, Ordering::Relaxed);
                if answer.status >= 500 {
                    std::thread::sleep(PAUSE);
                }
                if ![200, 404].contains(&answer.status)
                    && (answer.status < 500
                        || self.after_silence == AfterSilence::Ends
                            && !self.acks_are_void.load(Ordering::SeqCst))
                {
                    let words = format!("GET {}: {} {}", request.target(), answer.status, answer.excerpt());
                    self.ledger.lock().violations.push(words);
                }
                true
            }
            Err(failure) => self.silence(None, failure),
        }
    }

    fn read(&self, number: usize) {
        let (mut client, mut dice) = (self.client(number), self.dice(number));
        while !self.is_over() && self.look(&mut client, &mut dice) {}
    }

    /// Notes a request without an answer; says whether the client goes on.
    fn silence(&self, write: Option<&Write>, failure: Failure) -> bool {
        if self.after_silence == AfterSilence::Ends {
            self.failures.lock().push((write.cloned(), failure));
            return false;
        }
        std::thread::sleep(PAUSE);
        true
    }
}

struct Writer<'a> {
    load: &'a Load<'a>,
    number: usize,
    dice: Dice,
    /// The records that nobody else writes to.
    mine: Vec<Place>,
    written: usize,
}

impl Writer<'_> {
    fn work(mut self) {
        let mut client = self.load.client(self.number);
        while !self.load.is_over() {
            let goes_on = match self.next() {
                Some(write) => self.write(&mut client, &write),
                None => self.load.look(&mut client, &mut self.dice),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Of a hundred requests 43 create a user, 13 an address, 9 are batches, 20 update, 5 delete, the rest reads.
    fn next(&mut self) -> Option<Write> {
        self.written += 1;
        let token = format!("{}w{}n{}", self.load.label, self.number, self.written);
        let (collection, deed) = match self.dice.below(100) {
            0..43 => (Collection::Users, Deed::Create),
            43..56 => (Collection::Address, Deed::Create),
            56..65 => (Collection::Address, Deed::Batch(1 + self.dice.below(49))),
            65..85 if !self.mine.is_empty() => {
                let (collection, id) = *self.dice.pick(&self.mine);
                (collection, Deed::Update(id))
            }
            85..90 if !self.mine.is_empty() => {
                let place = self.dice.below(self.mine.len());
                let (collection, id) = self.mine.swap_remove(place);
                (collection, Deed::Delete(id))
            }
            _ => return None,
        };
        let values = (!matches!(deed, Deed::Delete(_))).then(|| self.values(collection, token.clone()));
        Some(Write { collection, deed, values, key: token })
    }

    fn values(&mut self, collection: Collection, token: String) -> Values {
        if collection == Collection::Address {
            return Values { token, address: None, pad: 0 };
        }
        let pad = if self.load.pad == 0 { 0 } else { self.dice.below(self.load.pad) };
        let known = self.load.known_addresses.lock();
        let lives = self.load.refers && !known.is_empty() && self.dice.once_in(2);
        Values { token, address: lives.then(|| *self.dice.pick(&known)), pad }
    }

    fn write(&mut self, client: &mut Client, write: &Write) -> bool {
        let load = self.load;
        load.ledger.lock().begin(write);
        let outcome = client.attempt(&write.request());
        // Who is told that the store is away comes back a little later.
        if outcome.as_ref().is_ok_and(|answer| answer.status >= 500) {
            std::thread::sleep(PAUSE);
        }
        let mut ledger = load.ledger.lock();
        match outcome {
            // One open write for each record at the most: sent again, they could not be put in order.
            Ok(_) if load.acks_are_void.load(Ordering::SeqCst) => {
                ledger.unanswered();
                self.mine.retain(|place| Some(*place) != write.place());
            }
            Ok(answer) => match ledger.answered(write, &answer) {
                Verdict::Acked => {
                    for (collection, id) in write.made(&answer).unwrap_or_default() {
                        self.mine.push((collection, id));
                        if collection == Collection::Address {
                            load.known_addresses.lock().push(id);
                        }
                    }
                }
                Verdict::Refused if matches!(write.deed, Deed::Delete(_)) => self.mine.extend(write.place()),
                Verdict::Refused => {}
                Verdict::Unknown => self.mine.retain(|place| Some(*place) != write.place()),
            },
            Err(Failure::Unsent(error)) => {
                ledger.unsent(write);
                drop(ledger);
                return load.silence(None, Failure::Unsent(error));
            }
            Err(failure) => {
                ledger.unanswered();
                drop(ledger);
                self.mine.retain(|place| Some(*place) != write.place());
                return load.silence(Some(write), failure);
            }
        }
        true
    }
}
