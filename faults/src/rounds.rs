//! One store that is broken again and again: started, checked against what the clients know, broken, looked at.

use std::time::Duration;

use dev::dice::Dice;
use parking_lot::Mutex;

use crate::check;
use crate::dump::Dump;
use crate::ledger::Ledger;
use crate::load::Load;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::retry;
use crate::scratch::Scratch;
use crate::server::Server;
use crate::store::Store;

/// How often the same data is broken and opened again before new data is begun.
const ROUNDS_A_STORE: usize = 20;

pub(crate) struct Rounds<'a> {
    pub(crate) options: &'a Options,
    pub(crate) scratch: Scratch,
    pub(crate) store: Store,
    pub(crate) ledger: Mutex<Ledger>,
    pub(crate) dice: Dice,
    pub(crate) outcome: Outcome,
    pub(crate) ready: Vec<Duration>,
}

impl<'a> Rounds<'a> {
    pub(crate) fn new(options: &'a Options, scratch: Scratch, store: Store) -> Rounds<'a> {
        let dice = Dice::new(options.seed);
        let (ledger, outcome, ready) = (Mutex::default(), Outcome::default(), Vec::new());
        Rounds { options, scratch, store, ledger, dice, outcome, ready }
    }

    /// The clients of one round.
    pub(crate) fn load(&self, round: usize, server: &Server) -> Load<'_> {
        let seed = self.options.seed.wrapping_mul(1_000_003).wrapping_add(round as u64);
        Load::new(vec![server.address], &self.ledger, format!("s{}r{round}", self.options.seed), seed)
    }

    /// Whether this round begins with new data.
    pub(crate) fn is_time_to_renew(round: usize) -> bool {
        round > 0 && round.is_multiple_of(ROUNDS_A_STORE)
    }

    /// Begins with new data.
    pub(crate) fn renew(&mut self) -> anyhow::Result<()> {
        self.ledger = Mutex::default();
        self.store.renew()
    }

    pub(crate) fn has_violations(&self) -> bool {
        !self.ledger.lock().violations.is_empty()
    }

    pub(crate) fn violation(&self, words: String) {
        self.ledger.lock().violations.push(words);
    }

    /// Starts a server and checks what it shows. One that does not start is a violation, and then there is none.
    pub(crate) fn start(&mut self) -> anyhow::Result<Option<Server>> {
        let server = match self.store.launch().serve() {
            Ok(server) => server,
            Err(error) => {
                self.violation(format!("NO START: {error:#}"));
                return Ok(None);
            }
        };
        self.ready.push(server.ready_after);
        self.check(&server)?;
        Ok((!self.has_violations()).then_some(server))
    }

    /// What the server shows against what the clients know; then everything that is in doubt once more.
    pub(crate) fn check(&mut self, server: &Server) -> anyhow::Result<()> {
        let mut ledger = self.ledger.lock();
        let dump = Dump::of_server(server.address)?;
        self.outcome.count("unknown and done", check::compare(&mut ledger, &dump));
        self.outcome.count("records checked", dump.records.len());
        let step = ledger.records.len() / 50;
        check::fetches(&mut ledger, server.address, step)?;
        if self.options.retries && !ledger.open.is_empty() && ledger.violations.is_empty() {
            let (sent, repeated) = retry::all(&mut ledger, server.address, &dump)?;
            self.outcome.count("sent again", sent);
            self.outcome.count("answered as before", repeated);
            check::compare(&mut ledger, &Dump::of_server(server.address)?);
        }
        ledger.open.clear();
        Ok(())
    }

    /// The data itself, while no server has it.
    pub(crate) fn look(&mut self) -> anyhow::Result<()> {
        if let Some(dump) = self.store.look(&self.scratch)? {
            let done = check::compare(&mut self.ledger.lock(), &dump);
            self.outcome.count("unknown and done", done);
        }
        Ok(())
    }

    /// The last look at one store: started, checked, stopped in peace, and looked at again.
    pub(crate) fn close(&mut self) -> anyhow::Result<()> {
        if !self.has_violations()
            && self.outcome.failure.is_none()
            && let Some(server) = self.start()?
        {
            server.stop()?;
            self.look()?;
        }
        let mut ledger = self.ledger.lock();
        for (what, number) in
            [("acked", ledger.acked), ("refused", ledger.refused), ("unknown", ledger.unknown)]
        {
            self.outcome.count(what, number);
        }
        self.outcome.violations.append(&mut ledger.violations);
        if !self.outcome.violations.is_empty() && !self.options.is_control {
            std::fs::write(self.scratch.path("client.log"), ledger.journal.join("\n"))?;
            self.store.save(&self.scratch)?;
            self.scratch.keep();
        }
        Ok(())
    }

    /// Whether to go on after this round: not after a violation, nor where the harness itself cannot.
    pub(crate) fn goes_on(&mut self, round: anyhow::Result<()>) -> bool {
        if let Err(error) = round {
            self.outcome.failure = Some(error);
            self.scratch.keep();
        }
        self.outcome.failure.is_none() && !self.has_violations()
    }

    /// What was seen in all rounds.
    pub(crate) fn end(mut self) -> Outcome {
        self.outcome.times("ready again", self.ready);
        self.outcome
    }
}
