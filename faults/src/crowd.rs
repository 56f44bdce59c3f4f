//! Many connections on one thread: clients that send as soon as they are answered, or by the clock, whatever the server
//! does.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use anyhow::Context;
use dev::answer::Answer;
use rustix::event::{Timespec, epoll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// An answer that comes later than this serves nobody.
pub(crate) const USEFUL: Duration = Duration::from_secs(1);

/// When requests are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrivals {
    /// On so many connections, each the next one once it has its answer.
    Closed(usize),
    /// So many a second by the clock, on the connections that are open and free.
    Open { rate: f64 },
}

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// From the request to its answer: answers that did what was asked, and those that told to come back.
    pub(crate) served: Vec<Duration>,
    pub(crate) refused: Vec<Duration>,
    /// Answers of any other kind, the first of them in words.
    pub(crate) others: usize,
    pub(crate) first_other: Option<String>,
    /// Connections that broke with a request on them, and requests for which there was no connection.
    pub(crate) broken: usize,
    pub(crate) unsent: usize,
    pub(crate) elapsed: Duration,
}

impl Report {
    /// All of them as one.
    pub(crate) fn of(reports: Vec<Report>) -> Report {
        let mut whole = Report::default();
        for report in reports {
            whole.served.extend(report.served);
            whole.refused.extend(report.refused);
            whole.others += report.others;
            whole.first_other = whole.first_other.or(report.first_other);
            whole.broken += report.broken;
            whole.unsent += report.unsent;
            whole.elapsed += report.elapsed;
        }
        whole
    }

    /// Answers a second that came while they were still of use.
    pub(crate) fn goodput(&self) -> f64 {
        let useful = self.served.iter().filter(|time| **time <= USEFUL).count();
        useful as f64 / self.elapsed.as_secs_f64()
    }
}

/// The time that so many of a hundred do not exceed.
pub(crate) fn percentile(times: &[Duration], share: f64) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(((times.len().saturating_sub(1)) as f64 * share) as usize).copied().unwrap_or_default()
}

struct Connection {
    stream: Option<TcpStream>,
    read: Vec<u8>,
    due: Option<Instant>,
}

pub(crate) struct Crowd {
    address: SocketAddr,
    poll: OwnedFd,
    connections: Vec<Connection>,
    free: Vec<usize>,
}

impl Crowd {
    pub(crate) fn new(address: SocketAddr) -> anyhow::Result<Crowd> {
        // Each connection is a descriptor.
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
            .context("more files cannot be opened")?;
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Crowd { address, poll, connections: Vec::new(), free: Vec::new() })
    }

    /// Opens so many connections, and has each answered once, a few hundred at a time: one that says nothing for too
    /// long is closed. Answers how many were.
    pub(crate) fn settle(&mut self, number: usize, request: &[u8]) -> anyhow::Result<usize> {
        let (mut report, until) = (Report::default(), self.connections.len() + number);
        while self.connections.len() < until {
            let first = self.connections.len();
            self.open(256.min(until - first))?;
            let mut under_way = 0;
            for place in first..self.connections.len() {
                under_way += usize::from(self.send(place, request, Instant::now()));
            }
            self.free.truncate(self.free.len() - (self.connections.len() - first));
            let began = Instant::now();
            while under_way > 0 && began.elapsed() < 10 * USEFUL {
                under_way -= self.receive(&mut report)?;
            }
        }
        Ok(report.served.len())
    }

    /// Opens so many connections that nobody uses yet.
    pub(crate) fn open(&mut self, number: usize) -> anyhow::Result<()> {
        for _ in 0..number {
            let place = self.connections.len();
            self.connections.push(Connection { stream: None, read: Vec::new(), due: None });
            self.connect(place)?;
            self.free.push(place);
        }
        Ok(())
    }

    fn connect(&mut self, place: usize) -> anyhow::Result<()> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        epoll::add(&self.poll, &stream, epoll::EventData::new_u64(place as u64), epoll::EventFlags::IN)?;
        self.connections[place].stream = Some(stream);
        self.connections[place].read.clear();
        Ok(())
    }

    /// Sends requests for so long, then waits for the answers that are still on their way, a little.
    pub(crate) fn run(
        &mut self,
        arrivals: Arrivals,
        length: Duration,
        mut request: impl FnMut(u64) -> Vec<u8>,
    ) -> anyhow::Result<Report> {
        let began = Instant::now();
        let (mut report, mut number, mut under_way) = (Report::default(), 0, 0);
        if let Arrivals::Closed(connections) = arrivals {
            self.open(connections.saturating_sub(self.free.len()))?;
        }
        loop {
            let now = Instant::now();
            let is_over = now - began >= length;
            if is_over && (under_way == 0 || now - began > length + 3 * USEFUL) {
                break;
            }
            let due = match arrivals {
                _ if is_over => 0,
                Arrivals::Closed(connections) => connections - under_way,
                Arrivals::Open { rate } => ((now - began).as_secs_f64() * rate) as usize - number as usize,
            };
            for _ in 0..due {
                number += 1;
                let Some(place) = self.free.pop() else {
                    report.unsent += 1;
                    continue;
                };
                // From now on, not from when it was due: that this one thread is late is not the server's doing.
                if self.send(place, &request(number), Instant::now()) {
                    under_way += 1;
                } else {
                    report.broken += 1;
                    self.free.push(place);
                }
            }
            under_way -= self.receive(&mut report)?;
        }
        report.elapsed = length;
        // Who has not been answered until now never will be.
        for place in 0..self.connections.len() {
            if self.connections[place].due.take().is_some() {
                report.broken += 1;
                self.connections[place].stream = None;
                self.free.push(place);
            }
        }
        Ok(report)
    }

    fn send(&mut self, place: usize, bytes: &[u8], due: Instant) -> bool {
        if self.connections[place].stream.is_none() && self.connect(place).is_err() {
            return false;
        }
        let connection = &mut self.connections[place];
        // A request is a few hundred bytes: an empty connection takes it whole.
        let is_sent = connection.stream.as_mut().is_some_and(|stream| stream.write_all(bytes).is_ok());
        connection.due = is_sent.then_some(due);
        if !is_sent {
            connection.stream = None;
        }
        is_sent
    }

    /// Takes what has come; answers how many requests are over.
    fn receive(&mut self, report: &mut Report) -> anyhow::Result<usize> {
        let mut events = Vec::with_capacity(1_024);
        let wait = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        epoll::wait(&self.poll, rustix::buffer::spare_capacity(&mut events), Some(&wait))?;
        let mut over = 0;
        for event in &events {
            let place = event.data.u64() as usize;
            let connection = &mut self.connections[place];
            let Some(stream) = connection.stream.as_mut() else { continue };
            let mut piece = [0; 16_384];
            let is_open = loop {
                match stream.read(&mut piece) {
                    Ok(0) => break false,
                    Ok(count) => connection.read.extend_from_slice(&piece[..count]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break true,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break false,
                }
            };
            let answer = Answer::find(&connection.read, false).map_err(anyhow::Error::msg)?;
            if let Some((answer, length)) = answer {
                connection.read.drain(..length);
                if let Some(due) = connection.due.take() {
                    over += 1;
                    let time = due.elapsed();
                    match answer.status {
                        200 | 201 => report.served.push(time),
                        503 if answer.header("retry-after").is_some() => report.refused.push(time),
                        _ => {
                            report.others += 1;
                            report
                                .first_other
                                .get_or_insert_with(|| format!("{} {}", answer.status, answer.excerpt()));
                        }
                    }
                    self.free.push(place);
                }
            }
            if !is_open {
                let connection = &mut self.connections[place];
                connection.stream = None;
                connection.read.clear();
                if connection.due.take().is_some() {
                    over += 1;
                    report.broken += 1;
                    self.free.push(place);
                }
            }
        }
        Ok(over)
    }
}
