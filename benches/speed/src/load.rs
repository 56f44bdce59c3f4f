//! The load generator: one thread, epoll, keep-alive connections that each wait for their answer before they
//! ask again. Every status is looked at.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dev::dice::Dice;
use dev::frame::Frame;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::http::PATIENCE;

/// A server that fails this often is not being measured.
const MOST_FAILURES: u64 = 100;

/// Writes the next request into the buffer; false when there is nothing left to ask.
pub(crate) type Plan = dyn Fn(&mut Dice, &mut Vec<u8>) -> bool + Sync;

/// When a load ends. Requests in flight are waited for.
#[derive(Clone, Copy)]
pub(crate) enum Limit<'a> {
    After(Duration),
    Requests(u64),
    Told(&'a AtomicBool),
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Outcome {
    pub(crate) requests: u64,
    pub(crate) failures: u64,
    /// What the first failure was.
    pub(crate) failure: Option<String>,
    pub(crate) seconds: f64,
    pub(crate) body_bytes: u64,
    /// In microseconds, ascending.
    pub(crate) latencies: Vec<u32>,
}

impl Outcome {
    /// The latency that so many of a thousand requests did not exceed, in milliseconds.
    pub(crate) fn permille(&self, rank: usize) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        let at = (self.latencies.len() * rank / 1_000).min(last);
        self.latencies.get(at).map_or(f64::NAN, |&micros| f64::from(micros) / 1_000.0)
    }

    fn fail(&mut self, what: impl FnOnce() -> String) {
        self.failures += 1;
        self.failure.get_or_insert_with(what);
    }
}

/// Asks random ones of these requests, for ever.
pub(crate) fn any_of(requests: Vec<Vec<u8>>) -> Box<Plan> {
    Box::new(move |dice, buffer| {
        buffer.extend_from_slice(&requests[dice.below(requests.len())]);
        true
    })
}

/// The same requests, each with a field that no other has.
pub(crate) fn anew(plan: Box<Plan>) -> Box<Plan> {
    let next = AtomicUsize::new(0);
    Box::new(move |dice, buffer| {
        let goes_on = plan(dice, buffer);
        // Before the empty line: these have no body.
        buffer.truncate(buffer.len().saturating_sub(2));
        buffer.extend_from_slice(
            format!("X-Turn: {}\r\n\r\n", next.fetch_add(1, Ordering::Relaxed)).as_bytes(),
        );
        goes_on
    })
}

/// Asks each of these requests in turn, for ever.
pub(crate) fn each_of(requests: Vec<Vec<u8>>) -> Box<Plan> {
    let next = AtomicUsize::new(0);
    Box::new(move |_dice, buffer| {
        let place = next.fetch_add(1, Ordering::Relaxed);
        buffer.extend_from_slice(&requests[place % requests.len()]);
        true
    })
}

/// The same requests, so many in a second at most.
pub(crate) fn paced(plan: Box<Plan>, per_second: u32) -> Box<Plan> {
    let (began, asked) = (Instant::now(), AtomicUsize::new(0));
    Box::new(move |dice, buffer| {
        let due = Duration::from_secs(asked.fetch_add(1, Ordering::Relaxed) as u64) / per_second;
        while let Some(early) = due.checked_sub(began.elapsed()).filter(|early| !early.is_zero()) {
            std::thread::park_timeout(early);
        }
        plan(dice, buffer)
    })
}

struct Client {
    stream: TcpStream,
    outgoing: Vec<u8>,
    sent: usize,
    incoming: Vec<u8>,
    asked: Instant,
    is_waiting: bool,
}

pub(crate) fn drive(
    address: SocketAddr,
    clients: usize,
    limit: Limit<'_>,
    plan: &Plan,
    seed: u64,
) -> anyhow::Result<Outcome> {
    drive_all(&[address], clients, limit, plan, seed)
}

/// Drives several servers at once, each by its share of the clients.
pub(crate) fn drive_all(
    addresses: &[SocketAddr],
    clients: usize,
    limit: Limit<'_>,
    plan: &Plan,
    seed: u64,
) -> anyhow::Result<Outcome> {
    let mut dice = Dice::new(seed);
    let address = |key: usize| addresses[key % addresses.len()];
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(1_024);
    let mut outcome = Outcome::default();
    let mut open =
        (0..clients).map(|key| connect(&poll, address(key), key)).collect::<anyhow::Result<Vec<_>>>()?;
    let began = Instant::now();
    let mut asked = 0;
    let mut is_exhausted = false;
    let mut waiting = 0;
    let mut heard = began;
    let mut buffer = vec![0; 65_536];

    let may_ask = |asked: u64| match limit {
        Limit::After(duration) => began.elapsed() < duration,
        Limit::Requests(count) => asked < count,
        Limit::Told(stop) => !stop.load(Ordering::Relaxed),
    };
    for client in &mut open {
        if may_ask(asked) && !is_exhausted {
            is_exhausted = !client.ask(plan, &mut dice)?;
            asked += u64::from(client.is_waiting);
            waiting += usize::from(client.is_waiting);
        }
    }
    while waiting > 0 {
        poll.poll(&mut events, Some(Duration::from_secs(1))).or_else(interrupted)?;
        if events.is_empty() && heard.elapsed() > PATIENCE {
            bail!("{waiting} requests were not answered within {} seconds", PATIENCE.as_secs());
        }
        for event in &events {
            heard = Instant::now();
            let key = event.token().0;
            let client = &mut open[key];
            if event.is_writable() {
                client.flush()?;
            }
            if !client.is_waiting || !(event.is_readable() || event.is_read_closed() || event.is_error()) {
                continue;
            }
            let answered = match client.receive(&mut buffer) {
                Ok(None) => continue,
                Ok(Some(answer)) => {
                    outcome.requests += 1;
                    outcome.body_bytes += (answer.total_bytes - answer.head_bytes) as u64;
                    outcome
                        .latencies
                        .push(u32::try_from(client.asked.elapsed().as_micros()).unwrap_or(u32::MAX));
                    if !(200..300).contains(&answer.status) {
                        let text = String::from_utf8_lossy(&client.incoming).into_owned();
                        outcome.fail(|| text);
                    }
                    !answer.closes
                }
                Err(error) => {
                    outcome.fail(|| format!("{error:#}"));
                    false
                }
            };
            if outcome.failures > MOST_FAILURES {
                bail!("too many failures; the first: {}", outcome.failure.unwrap_or_default());
            }
            client.is_waiting = false;
            waiting -= 1;
            if !answered {
                *client = connect(&poll, address(key), key)?;
            }
            if may_ask(asked) && !is_exhausted {
                is_exhausted = !client.ask(plan, &mut dice)?;
                asked += u64::from(client.is_waiting);
                waiting += usize::from(client.is_waiting);
            }
        }
    }
    outcome.seconds = began.elapsed().as_secs_f64();
    outcome.latencies.sort_unstable();
    Ok(outcome)
}

fn connect(poll: &Poll, address: SocketAddr, key: usize) -> anyhow::Result<Client> {
    let stream = std::net::TcpStream::connect(address).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let mut stream = TcpStream::from_std(stream);
    poll.registry().register(&mut stream, Token(key), Interest::READABLE | Interest::WRITABLE)?;
    let (outgoing, incoming) = (Vec::with_capacity(1_024), Vec::with_capacity(16_384));
    Ok(Client { stream, outgoing, sent: 0, incoming, asked: Instant::now(), is_waiting: false })
}

fn interrupted(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

impl Client {
    /// False when the plan has nothing left.
    fn ask(&mut self, plan: &Plan, dice: &mut Dice) -> anyhow::Result<bool> {
        self.outgoing.clear();
        self.incoming.clear();
        self.sent = 0;
        if !plan(dice, &mut self.outgoing) {
            return Ok(false);
        }
        self.is_waiting = true;
        self.asked = Instant::now();
        self.flush()?;
        Ok(true)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        while self.sent < self.outgoing.len() {
            match self.stream.write(&self.outgoing[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // Heard of again when it is read.
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Reads what there is; answers the answer once it is complete.
    fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<Frame>> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => bail!("the server closed the connection"),
                Ok(count) => self.incoming.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            if let Some(answer) = Frame::find(&self.incoming, false).map_err(anyhow::Error::msg)? {
                return Ok(Some(answer));
            }
        }
    }
}
