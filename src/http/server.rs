//! Accepting connections, looking after them, and stopping without losing an answer.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::capacity::Capacity;
use super::compression::Compressors;
use super::connection::Connection;
use super::limits::{Settings, UNWELCOME_CONNECTIONS};
use super::phase::PhaseTimeouts;
use super::request_id::RequestIds;
use super::throttled_log::ThrottledLog;
use super::tls::Tls;
use super::{Answer, protocol};
use crate::observe::{Event, Observer};

/// How long the system gets to recover when it has no connection to give (no file descriptor, no
/// memory): asking again at once would only burn a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections of the listener until told to stop, then lets requests in flight finish.
///
/// Answers how many connections were cut because they had not finished within `settings.drain`.
pub async fn serve<A: Answer>(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    answer: Arc<A>,
    settings: Settings,
    observer: Arc<Observer>,
    stop: impl Future<Output = ()>,
) -> usize {
    let server = Arc::new(Server::new(settings, tls, observer));
    let work = async {
        server.accept_until(listener, &answer, stop).await;
        server.drain().await
    };
    tokio::select! {
        cut = work => cut,
        never = server.sweep_forever() => match never {},
    }
}

/// What all connections of one server share.
pub(super) struct Server {
    pub(super) settings: Settings,
    /// What connections are encrypted with, if they are.
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) observer: Arc<Observer>,
    pub(super) request_ids: RequestIds,
    pub(super) compressors: Compressors,
    pub(super) capacity: Capacity,
    timeouts: PhaseTimeouts,
    sweeps: AtomicU64,
    /// The sweep at which it began to stop.
    stopping: OnceLock<u64>,
    open: Mutex<Open>,
    /// Told whenever the last open connection closes.
    all_closed: Notify,
}

#[derive(Default)]
struct Open {
    connections: HashMap<u64, Arc<Connection>>,
    unwelcome: usize,
    next_key: u64,
    refused: ThrottledLog,
    accept_failed: ThrottledLog,
    clock: ThrottledLog,
}

/// A connection's place among the open ones, given back when its task ends in any way.
struct Place {
    server: Arc<Server>,
    key: u64,
}

impl Server {
    fn new(settings: Settings, tls: Option<Arc<Tls>>, observer: Arc<Observer>) -> Self {
        Server {
            timeouts: PhaseTimeouts::new(&settings),
            settings,
            tls,
            observer,
            request_ids: RequestIds::new(),
            compressors: Compressors::default(),
            capacity: Capacity::default(),
            sweeps: AtomicU64::new(0),
            stopping: OnceLock::new(),
            open: Mutex::default(),
            all_closed: Notify::new(),
        }
    }

    /// The number of sweeps so far: the clock that phases are measured with.
    pub(super) fn sweep(&self) -> u64 {
        self.sweeps.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.get().is_some()
    }

    /// Says, now and then, why connections are closed.
    pub(super) fn complain_of_clock(&self) {
        if self.open.lock().clock.count().is_some() {
            let words = "the clock of this machine shows no year from 1970 to 9999; connections are closed until it does";
            self.observer.report(Event::Warning(words));
        }
    }

    async fn accept_until<A: Answer>(
        self: &Arc<Self>,
        listener: TcpListener,
        answer: &Arc<A>,
        stop: impl Future<Output = ()>,
    ) {
        let mut stop = pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.admit(stream, peer, answer),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    let told = self.open.lock().accept_failed.count();
                    if told.is_some() {
                        let cause = error.to_string();
                        self.observer.report(Event::AcceptFailed { cause: &cause });
                    }
                    tokio::select! {
                        () = &mut stop => break,
                        () = sleep(ACCEPT_PAUSE) => {}
                    }
                }
            }
        }
        // Those that the system has accepted for us already would be reset by closing the listener.
        while let Some(Ok((stream, peer))) = listener.accept().now_or_never() {
            self.admit(stream, peer, answer);
        }
    }

    fn admit<A: Answer>(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, answer: &Arc<A>) {
        // A socket that fails here fails again when it is read, and is dealt with there.
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr() else {
            return;
        };
        let limit = self.settings.max_connections;
        let mut open = self.open.lock();
        let is_unwelcome = open.connections.len() - open.unwelcome >= limit;
        if is_unwelcome {
            self.observer.connection_refused();
            if let Some(count) = open.refused.count() {
                self.observer.report(Event::ConnectionsRefused { count, limit });
            }
            if open.unwelcome >= UNWELCOME_CONNECTIONS {
                return;
            }
            open.unwelcome += 1;
        }
        let key = open.next_key;
        open.next_key += 1;
        let connection = Connection::new(Arc::clone(self), peer, local, is_unwelcome);
        let connection = Arc::new(connection);
        open.connections.insert(key, Arc::clone(&connection));
        self.observer.connections_are(open.connections.len());
        drop(open);

        let place = Place { server: Arc::clone(self), key };
        let answer = Arc::clone(answer);
        tokio::spawn(async move {
            let _place = place;
            protocol::run(connection, answer, stream).await;
        });
    }

    /// Cuts the connections whose phase has lasted too long.
    async fn sweep_forever(&self) -> std::convert::Infallible {
        let mut ticks = interval(self.timeouts.sweep_interval());
        // After a pause of the whole process nobody is to blame for the sweeps that were missed.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let sweep = self.sweeps.fetch_add(1, Ordering::Relaxed) + 1;
            let stopping = self.stopping.get().copied();
            for connection in self.open.lock().connections.values() {
                let is_stuck = connection.is_stuck(sweep, self.timeouts.write_sweeps());
                if is_stuck || self.timeouts.is_over(connection.clock(), sweep, stopping) {
                    connection.cut();
                }
            }
        }
    }

    /// Tells all connections to finish, waits for them, and cuts those that do not.
    async fn drain(&self) -> usize {
        self.stopping.get_or_init(|| self.sweep());
        let connections = {
            let open = self.open.lock();
            open.connections.values().for_each(|each| each.wake());
            open.connections.len()
        };
        self.observer.report(Event::Stopping { connections });
        let _ = timeout(self.settings.drain, self.until_all_closed()).await;
        let open = self.open.lock();
        open.connections.values().for_each(|each| each.end());
        open.connections.len()
    }

    async fn until_all_closed(&self) {
        while !self.open.lock().connections.is_empty() {
            self.all_closed.notified().await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.server.open.lock();
        let left = open.connections.remove(&self.key);
        if left.is_some_and(|connection| connection.is_unwelcome) {
            open.unwelcome -= 1;
        }
        self.server.observer.connections_are(open.connections.len());
        if open.connections.is_empty() {
            self.server.all_closed.notify_one();
        }
    }
}

/// Whether only the connection that was about to be accepted is lost.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
