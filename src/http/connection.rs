//! One connection: its state, and the task that serves its requests one after the other.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::limits::HEAD_BYTES;
use super::pulse::{Phase, Pulse};
use super::request_id::Share;
use super::server::Server;
use super::socket::Socket;
use super::{Answer, exchange};
use crate::observe::Event;

/// What the connection's task, its requests and the sweep share.
pub(super) struct Connection {
    pub(super) server: Arc<Server>,
    pub(super) peer: IpAddr,
    /// Our own end: the host of a request that names none.
    pub(super) local: SocketAddr,
    /// There are too many connections; this one is only told so.
    pub(super) is_unwelcome: bool,
    pub(super) request_ids: Share,
    pulse: Pulse,
    is_cut: AtomicBool,
    has_unread_bytes: AtomicBool,
    /// The task's waker, which stays the same for its life.
    waker: OnceLock<Waker>,
}

impl Connection {
    pub(super) fn new(server: Arc<Server>, peer: SocketAddr, local: SocketAddr, is_unwelcome: bool) -> Self {
        let phase = if is_unwelcome { Phase::Unwelcome } else { Phase::Fresh };
        Connection {
            pulse: Pulse::new(phase, server.sweep()),
            peer: peer.ip().to_canonical(),
            local,
            is_unwelcome,
            request_ids: Share::default(),
            server,
            is_cut: AtomicBool::new(false),
            has_unread_bytes: AtomicBool::new(false),
            waker: OnceLock::new(),
        }
    }

    pub(super) fn pulse(&self) -> &Pulse {
        &self.pulse
    }

    pub(super) fn phase(&self) -> Phase {
        self.pulse.phase()
    }

    /// Notes that the connection does something else from now on.
    pub(super) fn enter(&self, phase: Phase) {
        // An unwelcome one has its short time for everything together.
        if !self.is_unwelcome {
            self.pulse.set(phase, self.server.sweep());
        }
    }

    /// Notes that the client may be sending a body that nobody will read.
    pub(super) fn leave_bytes_unread(&self) {
        self.has_unread_bytes.store(true, Relaxed);
    }

    /// Whether closing at once could cost the client the answer: it may still be sending a body,
    /// or the rest of a head that could not be read.
    pub(super) fn must_linger(&self) -> bool {
        let is_in_head = matches!(self.phase(), Phase::Fresh | Phase::Head | Phase::Unwelcome);
        is_in_head || self.has_unread_bytes.load(Relaxed)
    }

    /// Ends the connection, whatever it is doing.
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Relaxed);
        self.wake();
    }

    /// Has the task look at the state of things.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }
}

/// Serves the connection until either side closes it, it is cut, or the server stops.
pub(super) async fn run<A: Answer>(connection: Arc<Connection>, answer: Arc<A>, stream: TcpStream) {
    let socket = Socket::new(stream, Arc::clone(&connection));
    // One count of references for each connection: a count that all connections share would be
    // fought over by all cores.
    let shared = Arc::new((Arc::clone(&connection), answer));
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move {
            let (connection, answer) = &*shared;
            let response = exchange::answer(connection, &**answer, request).await;
            Ok::<_, Infallible>(response)
        }
    });
    let mut protocol = pin!(
        http1::Builder::new()
            // The sweep does this, see `pulse.rs`.
            .header_read_timeout(None)
            // A client may close its sending side after the request and still get its answer;
            // and a write that has begun is not given up because its client went away.
            .half_close(true)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(socket), service)
    );
    let mut is_told_to_finish = false;
    let ended = poll_fn(|context| {
        connection.waker.get_or_init(|| context.waker().clone());
        if connection.is_cut.load(Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let outcome = protocol.as_mut().poll(context);
        let must_tell = outcome.is_pending()
            && !is_told_to_finish
            && connection.server.is_stopping()
            && connection.phase() != Phase::Fresh;
        if !must_tell {
            return outcome;
        }
        is_told_to_finish = true;
        protocol.as_mut().graceful_shutdown();
        protocol.as_mut().poll(context)
    })
    .await;
    if let Err(error) = ended {
        let text = format!("a connection failed: {error}");
        connection.server.observer.report(Event::Detail(&text));
    }
}
