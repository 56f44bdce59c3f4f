//! T1: `kill -9` under load, again and again on the same data. Nothing acknowledged is lost, nothing doubled, nothing
//! half.

mod copies;
mod keys;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::commands::{self, Fault};
use crate::load::AfterSilence;
use crate::options::{Engine, Options, USAGE};
use crate::outcome::Outcome;
use crate::proxy;
use crate::rounds::Rounds;
use crate::scratch::Scratch;
use crate::store::Store;

/// How soon a node serves again once PostgreSQL is back.
const RECOVERY: Duration = Duration::from_secs(5);

/// What is going on when the kill comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Requests of all kinds.
    Load,
    /// A start that changes the stored tables.
    Start,
    /// `carnet keys` beside the server.
    Keys,
    /// So much writing that the log is copied back all the time.
    Checkpoint,
    /// A graceful stop.
    Stop,
    /// `carnet copy`.
    Copy,
    /// `carnet import`, `carnet backup` or `carnet restore`.
    Command(commands::Kind),
    /// Requests, and it is PostgreSQL that is killed.
    Server,
}

impl Kind {
    fn parse(options: &Options) -> anyhow::Result<Kind> {
        let kind = match options.kind_or("load") {
            "load" => Kind::Load,
            "start" => Kind::Start,
            "keys" => Kind::Keys,
            "checkpoint" => Kind::Checkpoint,
            "stop" => Kind::Stop,
            "copy" => Kind::Copy,
            "server" => Kind::Server,
            kind => match commands::Kind::parse(kind) {
                Some(command) => Kind::Command(command),
                None => bail!("there is no kind {kind} of kills; {USAGE}"),
            },
        };
        match (kind, options.engine) {
            (Kind::Server, Engine::Sqlite) => bail!("--kind server wants --engine postgres"),
            (Kind::Command(commands::Kind::Import), _) if !options.is_control => Ok(kind),
            (Kind::Copy | Kind::Command(_) | Kind::Checkpoint, Engine::Postgres) => {
                bail!("--kind {} wants --engine sqlite", options.kind_or("load"))
            }
            _ if options.is_control && kind != Kind::Load => bail!("the control is of --kind load"),
            _ => Ok(kind),
        }
    }
}

struct Kills<'a> {
    kind: Kind,
    rounds: Rounds<'a>,
    keys: keys::Keys,
    /// How many fields the configuration has got since the first start.
    added: usize,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let kind = Kind::parse(options)?;
    let scratch = Scratch::new(options)?;
    let store = Store::new(options, &scratch, kind == Kind::Server)?;
    let mut kills =
        Kills { kind, rounds: Rounds::new(options, scratch, store), keys: keys::Keys::default(), added: 0 };
    for round in 0..options.count {
        if Rounds::is_time_to_renew(round) {
            kills.rounds.close()?;
            kills.rounds.renew()?;
            kills.keys = keys::Keys::default();
            kills.added = 0;
            kills.rounds.store.configure("64MiB", 0)?;
        }
        let done = kills.round(round);
        if !kills.rounds.goes_on(done) {
            break;
        }
    }
    kills.rounds.close()?;
    Ok(kills.rounds.end())
}

impl Kills<'_> {
    /// Starts on what the last kill left, checks it, and kills again.
    fn round(&mut self, round: usize) -> anyhow::Result<()> {
        self.rounds.outcome.count("kills", 1);
        if self.kind == Kind::Start {
            self.kill_starts()?;
        }
        let Some(mut server) = self.rounds.start()? else { return Ok(()) };
        let faults = self.keys.check(self.rounds.store.launch(), server.address)?;
        faults.into_iter().for_each(|fault| self.rounds.violation(fault));
        let moment = Duration::from_millis(200 + self.rounds.dice.below(1_800) as u64);
        let mut dice = self.rounds.dice.clone();
        let mut load = self.rounds.load(round, &server);
        if self.rounds.options.is_control {
            load.addresses = vec![proxy::start(server.address, proxy::Error::AcksEarly)?];
        }
        load.pad = if self.kind == Kind::Checkpoint { 40_000 } else { 0 };
        if self.kind == Kind::Server {
            load.after_silence = AfterSilence::GoesOn;
        }
        let (kind, keys, store) = (self.kind, &mut self.keys, &self.rounds.store);
        let back = std::thread::scope(|scope| {
            load.start(scope);
            let began = Instant::now();
            let killed = (|| -> anyhow::Result<Option<Duration>> {
                match kind {
                    Kind::Keys => keys.kill_some(store.launch(), &mut dice, began + moment)?,
                    _ => std::thread::sleep(moment),
                }
                if kind == Kind::Stop {
                    server.ask_to_stop();
                    std::thread::sleep(Duration::from_millis(dice.below(60) as u64));
                }
                let Some(cluster) = store.cluster.as_ref().filter(|_| kind == Kind::Server) else {
                    server.kill();
                    return Ok(None);
                };
                cluster.kill();
                cluster.start_again();
                let back = server.until_ready(Duration::from_secs(30))?;
                std::thread::sleep(Duration::from_millis(100 + dice.below(300) as u64));
                Ok(Some(back))
            })();
            load.is_over.store(true, Ordering::Relaxed);
            killed
        })?;
        let reads = load.reads.load(Ordering::Relaxed);
        drop(load);
        self.rounds.dice = dice;
        self.rounds.outcome.count("reads", reads);
        if self.kind == Kind::Keys {
            self.rounds.outcome.count("key commands killed", std::mem::take(&mut self.keys.killed));
        }
        match back {
            // It was not ours that was killed: the same node must know everything.
            Some(back) => {
                self.rounds.ready.push(back);
                if back > RECOVERY {
                    self.rounds.violation(format!("it served again {back:?} after PostgreSQL was back"));
                }
                self.rounds.check(&server)?;
            }
            None => {
                drop(server);
                self.rounds.look()?;
            }
        }
        self.kill_commands()
    }

    /// Kills commands that want a store which nobody serves.
    fn kill_commands(&mut self) -> anyhow::Result<()> {
        match self.kind {
            Kind::Copy => {
                let Rounds { store, scratch, dice, ledger, outcome, .. } = &mut self.rounds;
                copies::kill_one(store, scratch, dice, ledger.get_mut())?;
                outcome.count("copies killed", 1);
                Ok(())
            }
            Kind::Command(kind) => commands::break_some(&mut self.rounds, kind, Fault::Kill),
            _ => Ok(()),
        }
    }

    /// Starts with one more field, and kills it while it starts, up to three times.
    fn kill_starts(&mut self) -> anyhow::Result<()> {
        self.added += 1;
        self.rounds.store.configure("64MiB", self.added)?;
        for _ in 0..1 + self.rounds.dice.below(3) {
            let mut child = self.rounds.store.launch().spawn();
            std::thread::sleep(Duration::from_micros(self.rounds.dice.below(60_000) as u64));
            child.kill();
            self.rounds.outcome.count("starts killed", 1);
            self.rounds.look()?;
        }
        Ok(())
    }
}
