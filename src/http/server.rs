//! Accepting connections, looking after them, and stopping without losing an answer.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::answer::Answer;
use super::connection::Connection;
use super::limits::{Settings, UNWELCOME_CONNECTIONS};
use super::phase::PhaseTimeouts;
use super::protocol;
use super::shared::Shared;
use super::throttled_log::ThrottledLog;
use super::tls::Tls;
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
    let server = Arc::new(Server::new(Shared::new(settings, tls, observer)));
    let work = async {
        server.accept_until(listener, &answer, stop).await;
        server.drain().await
    };
    tokio::select! {
        cut = work => cut,
        never = server.sweep_forever() => match never {},
    }
}

/// The open connections, and what they share.
struct Server {
    shared: Arc<Shared>,
    timeouts: PhaseTimeouts,
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
}

/// A connection's place among the open ones, given back when its task ends in any way.
struct Place {
    server: Arc<Server>,
    key: u64,
}

impl Server {
    fn new(shared: Shared) -> Self {
        Server {
            timeouts: PhaseTimeouts::new(&shared.settings),
            shared: Arc::new(shared),
            open: Mutex::default(),
            all_closed: Notify::new(),
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
                        self.shared.observer.report(Event::AcceptFailed { cause: &cause });
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
        let limit = self.shared.settings.max_connections;
        let mut open = self.open.lock();
        let is_unwelcome = open.connections.len() - open.unwelcome >= limit;
        if is_unwelcome {
            self.shared.observer.connection_refused();
            if let Some(count) = open.refused.count() {
                self.shared.observer.report(Event::ConnectionsRefused { count, limit });
            }
            if open.unwelcome >= UNWELCOME_CONNECTIONS {
                return;
            }
            open.unwelcome += 1;
        }
        let key = open.next_key;
        open.next_key += 1;
        let connection = Connection::new(Arc::clone(&self.shared), peer, local, is_unwelcome);
        let connection = Arc::new(connection);
        open.connections.insert(key, Arc::clone(&connection));
        self.shared.observer.connections_are(open.connections.len());
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
            let sweep = self.shared.next_sweep();
            let stopping = self.shared.stopping();
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
        self.shared.stop();
        let connections = {
            let open = self.open.lock();
            open.connections.values().for_each(|each| each.wake());
            open.connections.len()
        };
        self.shared.observer.report(Event::Stopping { connections });
        let _ = timeout(self.shared.settings.drain, self.until_all_closed()).await;
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
        self.server.shared.observer.connections_are(open.connections.len());
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
