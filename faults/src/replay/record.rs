//! A recording: some clients at work on a traced server, and what each of them asked and was told, in order.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Context;
use dev::answer::Answer;
use dev::client::Client;
use dev::dice::Dice;

use super::trace::{self, Event};
use crate::http;
use crate::ledger::{Deed, Ledger, Place, Write};
use crate::options::Options;
use crate::scratch::Scratch;
use crate::store::Store;
use crate::values::{Collection, Values};

const CLIENTS: usize = 6;
const BURSTS: usize = 4;
const WRITES_A_BURST: usize = 14;
/// Long enough without a write for the log to be copied back and emptied.
const IDLE: Duration = Duration::from_millis(1_300);

#[derive(Debug)]
pub(super) struct Recording {
    pub(super) events: Vec<Event>,
    /// By the port of the client's end: its writes in order, each with its answer.
    told: HashMap<u16, Vec<(Write, Answer)>>,
}

pub(super) fn make(options: &Options, scratch: &Scratch, number: usize) -> anyhow::Result<Recording> {
    let mut store = Store::new(options, scratch, false)?;
    let trace = scratch.path(&format!("trace{number}"));
    let output = format!("--output={}", trace.display());
    store.launch_by(&[&trace::STRACE[..], &[output.as_str(), "--"]].concat());
    let mut server = store.launch().serve()?;
    let mut clients: Vec<Recorded> = (0..CLIENTS)
        .map(|place| Recorded {
            place,
            label: format!("s{}t{number}", options.seed),
            client: Client::new(server.address),
            dice: Dice::new(options.seed << 16 | (number * CLIENTS + place) as u64),
            mine: Vec::new(),
            told: Vec::new(),
        })
        .collect();
    for burst in 0..BURSTS {
        std::thread::scope(|scope| {
            let threads: Vec<_> = clients
                .iter_mut()
                .map(|client| scope.spawn(|| (0..WRITES_A_BURST).try_for_each(|_| client.write())))
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().unwrap_or_else(|_| anyhow::bail!("panicked")))
        })?;
        if burst + 1 < BURSTS {
            std::thread::sleep(IDLE);
        }
    }
    server.kill();
    let mut told = HashMap::new();
    for client in clients {
        told.insert(client.client.port().context("a client without a connection")?, client.told);
    }
    let text = std::fs::read_to_string(&trace).context("cannot read the trace")?;
    let events = trace::parse(&text, store.file().to_str().context("a path that is no text")?)?;
    if options.is_control || number > 0 {
        let _ = std::fs::remove_file(&trace);
    }
    let answers = events
        .iter()
        .filter(|event| matches!(event, Event::Answer { port } if told.contains_key(port)))
        .count();
    anyhow::ensure!(
        answers == CLIENTS * BURSTS * WRITES_A_BURST,
        "the trace has {answers} answers to the clients"
    );
    Ok(Recording { events, told })
}

impl Recording {
    /// What the clients know if the power fails before this event: what was answered is settled, what comes next is
    /// open.
    pub(super) fn known_after(&self, events: usize) -> Ledger {
        let mut answered: HashMap<u16, usize> = HashMap::new();
        for event in &self.events[..events] {
            if let Event::Answer { port } = event {
                *answered.entry(*port).or_default() += 1;
            }
        }
        let mut ledger = Ledger::default();
        for (port, told) in &self.told {
            let count = answered.get(port).copied().unwrap_or(0);
            for (write, answer) in &told[..count] {
                ledger.begin(write);
                ledger.answered(write, answer);
            }
            if let Some((write, _)) = told.get(count) {
                ledger.begin(write);
            }
        }
        ledger
    }
}

/// A client that waits for each answer, and notes it.
struct Recorded {
    place: usize,
    label: String,
    client: Client,
    dice: Dice,
    mine: Vec<Place>,
    told: Vec<(Write, Answer)>,
}

impl Recorded {
    fn write(&mut self) -> anyhow::Result<()> {
        let token = format!("{}w{}n{}", self.label, self.place, self.told.len());
        let (collection, deed) = match self.dice.below(10) {
            0..5 => (Collection::Users, Deed::Create),
            7..9 if !self.mine.is_empty() => {
                let (collection, id) = *self.dice.pick(&self.mine);
                (collection, Deed::Update(id))
            }
            9 if !self.mine.is_empty() => {
                let place = self.dice.below(self.mine.len());
                let (collection, id) = self.mine.swap_remove(place);
                (collection, Deed::Delete(id))
            }
            _ => (Collection::Address, Deed::Create),
        };
        let homes = self.mine.iter().filter(|(collection, _)| *collection == Collection::Address);
        let homes: Vec<i64> = homes.map(|(_, id)| *id).collect();
        let is_user = collection == Collection::Users;
        let address = (is_user && !homes.is_empty()).then(|| *self.dice.pick(&homes));
        let pad = if is_user { self.dice.below(600) } else { 0 };
        let values =
            (!matches!(deed, Deed::Delete(_))).then(|| Values { token: token.clone(), address, pad });
        let write = Write { collection, deed, values, key: token };
        let answer = http::ask(&mut self.client, &write.request())?;
        let created = answer.location_id().filter(|_| matches!(write.deed, Deed::Create));
        self.mine.extend(created.map(|id| (collection, id)));
        if answer.status == 409 {
            self.mine.extend(write.place());
        }
        anyhow::ensure!(answer.status != 404, "a client lost its connection to a 404: {write:?}");
        self.told.push((write, answer));
        Ok(())
    }
}
