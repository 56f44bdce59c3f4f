//! One connection: the state that its task, its requests and the sweep share.

use std::future::{Future, poll_fn};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};

use hyper::Version;
use parking_lot::Mutex;

use super::date;
use super::delivery::Deliveries;
use super::forwarded;
use super::framing::Framing;
use super::phase::{Phase, PhaseClock};
use super::request_id::Share;
use super::shared::Shared;
use super::window::Window;

/// What the connection's task, its requests and the sweep share.
pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    pub(super) peer: IpAddr,
    /// Our own end: the host of a request that names none.
    pub(super) local: SocketAddr,
    /// There are too many connections; this one is only told so.
    pub(super) is_unwelcome: bool,
    pub(super) request_ids: Share,
    /// Where one request ends and the next begins; of HTTP/1 only.
    pub(super) framing: Mutex<Framing>,
    clock: PhaseClock,
    /// It does not speak TLS where we do; it is only told so.
    is_plain: AtomicBool,
    /// There where it speaks HTTP/2.
    deliveries: OnceLock<Mutex<Deliveries>>,
    /// The sweep has cut it.
    is_cut: AtomicBool,
    /// The server has no more time for anybody.
    is_ended: AtomicBool,
    has_unread_bytes: AtomicBool,
    /// A kept answer is on its way, of which the HTTP library knows nothing.
    is_delivering: AtomicBool,
    /// An answer is streamed; of HTTP/1 only.
    is_streaming: AtomicBool,
    /// The end of a stream is the end of the connection: its client is of HTTP/1.0.
    ends_with_stream: AtomicBool,
    /// The task's waker, which stays the same for its life.
    waker: OnceLock<Waker>,
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>, peer: SocketAddr, local: SocketAddr, is_unwelcome: bool) -> Self {
        let phase = if is_unwelcome { Phase::Unwelcome } else { Phase::Fresh };
        Connection {
            clock: PhaseClock::new(phase, shared.sweep()),
            peer: peer.ip().to_canonical(),
            local,
            is_unwelcome,
            request_ids: Share::default(),
            framing: Mutex::default(),
            is_plain: AtomicBool::new(false),
            deliveries: OnceLock::new(),
            shared,
            is_cut: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            has_unread_bytes: AtomicBool::new(false),
            is_delivering: AtomicBool::new(false),
            is_streaming: AtomicBool::new(false),
            ends_with_stream: AtomicBool::new(false),
            waker: OnceLock::new(),
        }
    }

    pub(super) fn clock(&self) -> &PhaseClock {
        &self.clock
    }

    pub(super) fn phase(&self) -> Phase {
        self.clock.phase()
    }

    /// Notes that the connection does something else from now on.
    pub(super) fn enter(&self, phase: Phase) {
        // An unwelcome one has its short time for everything together.
        if !self.is_unwelcome {
            self.clock.set(phase, self.shared.sweep());
        }
    }

    /// Who the peer is, where it is a proxy whose words about its clients are believed.
    pub(super) fn believed_peer(&self) -> Option<IpAddr> {
        Some(self.peer).filter(|peer| forwarded::is_trusted(&self.shared.settings.trusted_proxies, *peer))
    }

    /// Notes that an answer is made, and everything of it that could be sent has been.
    pub(super) fn rest(&self) {
        let is_streaming = self.is_streaming.load(Relaxed);
        self.enter(if is_streaming { Phase::Answering } else { Phase::Idle });
    }

    /// Notes that a kept answer is on its way, or has gone.
    pub(super) fn set_delivering(&self, is_delivering: bool) {
        self.is_delivering.store(is_delivering, Relaxed);
    }

    /// Notes that an answer is streamed from now on. In HTTP/2 deliveries say so.
    pub(super) fn begin_stream(&self, version: Version) {
        if !self.speaks_http_2() {
            self.is_streaming.store(true, Relaxed);
            self.ends_with_stream.store(version == Version::HTTP_10, Relaxed);
        }
    }

    pub(super) fn end_stream(&self) {
        // One whose last bytes are not taken is still stuck.
        if self.is_streaming.swap(false, Relaxed) && self.phase() == Phase::Answering {
            self.enter(Phase::Idle);
        }
    }

    /// Whether a client could take a part of an answer for all of it when the connection is closed.
    pub(super) fn ends_with_stream(&self) -> bool {
        self.ends_with_stream.load(Relaxed)
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

    /// Notes that the client does not speak TLS.
    pub(super) fn note_plain(&self) {
        self.is_plain.store(true, Relaxed);
    }

    /// Whether the client does not speak TLS where we do.
    pub(super) fn lacks_tls(&self) -> bool {
        self.is_plain.load(Relaxed)
    }

    /// Notes that many requests may be answered at once.
    pub(super) fn speak_http_2(&self) {
        self.deliveries();
    }

    pub(super) fn speaks_http_2(&self) -> bool {
        self.deliveries.get().is_some()
    }

    fn deliveries(&self) -> &Mutex<Deliveries> {
        self.deliveries.get_or_init(Mutex::default)
    }

    /// Notes one more request of many; answers its number.
    pub(super) fn begin_delivery(&self) -> u64 {
        let mut deliveries = self.deliveries().lock();
        // Within the lock: the end of another request must not say that nothing is under way.
        self.enter(Phase::Answering);
        deliveries.begin()
    }

    /// Notes that a piece of its answer went.
    pub(super) fn note_piece(&self, number: u64) {
        self.deliveries().lock().note_piece(number, self.shared.sweep());
    }

    /// Notes that its answer is streamed.
    pub(super) fn note_stream(&self, number: u64, window: Window) {
        self.deliveries().lock().note_stream(number, window);
    }

    pub(super) fn end_delivery(&self, number: u64) {
        let mut deliveries = self.deliveries().lock();
        if deliveries.end(number) {
            self.enter(Phase::Idle);
        }
    }

    /// Whether an answer on this connection has made no headway for more than this many sweeps. The socket of a
    /// connection with one answer at a time shows it by itself.
    pub(super) fn is_stuck(&self, sweep: u64, timeout: u64) -> bool {
        self.deliveries.get().is_some_and(|deliveries| deliveries.lock().are_stuck(sweep, timeout))
    }

    /// Lets the HTTP library serve the connection until its end, unless it is cut; tells it to finish when the server
    /// stops.
    pub(super) async fn drive<P: Future>(
        &self,
        mut protocol: Pin<&mut P>,
        finish: impl Fn(Pin<&mut P>),
    ) -> Option<P::Output> {
        let mut is_told_to_finish = false;
        let work = poll_fn(|context| {
            let outcome = protocol.as_mut().poll(context);
            if outcome.is_pending() && !is_told_to_finish && self.must_finish() {
                is_told_to_finish = true;
                finish(protocol.as_mut());
                return protocol.as_mut().poll(context);
            }
            outcome
        });
        self.until_cut(work).await
    }

    /// Whether the server stops and this connection is to end with the request that it has, if it has one. One that
    /// has had no request may have one on its way; and of one whose next request has begun, the HTTP library may have
    /// read all of it and not looked at it yet: told to finish, it would throw it away.
    fn must_finish(&self) -> bool {
        self.shared.stopping().is_some()
            && !self.is_delivering.load(Relaxed)
            && !matches!(self.phase(), Phase::Fresh | Phase::Head)
    }

    /// Waits for something as long as the connection is not cut, and the clock shows what an answer can say: the HTTP
    /// library would panic where it does not.
    pub(super) async fn until_cut<F: Future + Unpin>(&self, mut work: F) -> Option<F::Output> {
        poll_fn(|context| {
            if self.is_cut(context.waker()) {
                return Poll::Ready(None);
            }
            if !date::is_known() {
                self.shared.complain_of_clock();
                return Poll::Ready(None);
            }
            Pin::new(&mut work).poll(context).map(Some)
        })
        .await
    }

    /// Whether it is cut; if not, whom to wake when it is.
    fn is_cut(&self, waker: &Waker) -> bool {
        self.waker.get_or_init(|| waker.clone());
        // A request may have come after the sweep had looked, and whoever has a request is answered.
        if self.is_cut.load(Relaxed) && self.phase() == Phase::Answering && !self.speaks_http_2() {
            self.is_cut.store(false, Relaxed);
        }
        self.is_cut.load(Relaxed) || self.is_ended.load(Relaxed)
    }

    /// Ends the connection, unless a request comes right now.
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Relaxed);
        self.wake();
    }

    /// Ends the connection, whatever it is doing.
    pub(super) fn end(&self) {
        self.is_ended.store(true, Relaxed);
        self.wake();
    }

    /// Has the task look at the state of things.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }
}
