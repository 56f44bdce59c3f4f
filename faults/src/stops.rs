//! Graceful stops under load: every request that the server has taken is answered whole, and it ends well and in time.
//!
//! A client whose connection ends without an answer asks the system why. A server that closes a connection with
//! something unread in it, or that is sent something afterwards, makes the system say "reset"; one that has read the
//! request and drops it does not. The system may lose the bytes just while it closes the other end, and finds that out
//! when it sends them again: hence the patience.

use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dev::client::Failure;

use crate::ledger::Write;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::rounds::Rounds;
use crate::scratch::Scratch;
use crate::store::Store;

/// `[server] drain` of the configuration, and a little for a busy machine.
const DRAIN: Duration = Duration::from_secs(12);
/// For the system to say that a request was not taken. It sends bytes again that nobody has confirmed after 0.2
/// seconds, then 0.4.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let scratch = Scratch::new(options)?;
    let store = Store::new(options, &scratch, false)?;
    let mut rounds = Rounds::new(options, scratch, store);
    let mut times = Vec::new();
    for round in 0..options.count {
        if Rounds::is_time_to_renew(round) {
            rounds.close()?;
            rounds.renew()?;
        }
        let done = stop(&mut rounds, round, &mut times);
        if !rounds.goes_on(done) {
            break;
        }
    }
    rounds.close()?;
    rounds.outcome.times("stopped within", times);
    Ok(rounds.end())
}

fn stop(rounds: &mut Rounds<'_>, round: usize, times: &mut Vec<Duration>) -> anyhow::Result<()> {
    rounds.outcome.count("stops", 1);
    let Some(mut server) = rounds.start()? else { return Ok(()) };
    let moment = Duration::from_millis(200 + rounds.dice.below(800) as u64);
    let is_control = rounds.options.is_control;
    let load = rounds.load(round, &server);
    let (ended, took) = std::thread::scope(|scope| {
        load.start(scope);
        std::thread::sleep(moment);
        let began = Instant::now();
        let ended = if is_control {
            server.kill();
            None
        } else {
            server.ask_to_stop();
            server.wait(DRAIN)
        };
        let took = began.elapsed();
        load.is_over.store(true, Ordering::Relaxed);
        (ended, took)
    });
    times.push(took);
    if !is_control && ended.and_then(|status| status.code()) != Some(0) {
        rounds.violation(format!("told to stop, it ended after {took:?} with {ended:?}"));
    }
    let failures = std::mem::take(&mut *load.failures.lock());
    let reads = load.reads.load(Ordering::Relaxed);
    drop(load);
    rounds.outcome.count("reads", reads);
    let until = Instant::now() + LAST_WORDS;
    for (write, failure) in failures {
        judge(rounds, write, &failure, until)?;
    }
    drop(server);
    rounds.look()
}

fn judge(
    rounds: &mut Rounds<'_>,
    write: Option<Write>,
    failure: &Failure,
    until: Instant,
) -> anyhow::Result<()> {
    let (stream, is_wholly_sent, is_reset, cause) = match failure {
        Failure::Unsent(_) => return Ok(()),
        Failure::Torn(words) => {
            rounds.violation(format!("HALF AN ANSWER: {write:?}: {words}"));
            return Ok(());
        }
        Failure::Silent { stream, is_wholly_sent, is_reset, cause } => {
            (stream, *is_wholly_sent, *is_reset, cause)
        }
    };
    if is_wholly_sent && !is_reset && !is_reset_by(stream, until)? {
        rounds.violation(format!("DROPPED: it was read and not answered ({cause}): {write:?}"));
        return Ok(());
    }
    rounds.outcome.count("closed before they were read", 1);
    // So nothing of it can have been done.
    if let Some(write) = write {
        rounds.ledger.lock().unsent(&write);
    }
    Ok(())
}

/// Whether the system says by then that the other end has not taken what was sent.
fn is_reset_by(stream: &TcpStream, until: Instant) -> anyhow::Result<bool> {
    loop {
        if stream.take_error()?.is_some() {
            return Ok(true);
        }
        if Instant::now() > until {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
