//! A file as the body of a request: read in pieces by a thread that may wait for a disk, sent as the server takes them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout};

/// How much is read at a time.
const PIECE: usize = 64 << 10;
/// How many pieces are read ahead.
const AHEAD: usize = 4;
/// How long a server is waited for that was asked whether it wants the file; some never say.
const PERMISSION: Duration = Duration::from_secs(1);

/// A file to be sent from its beginning, as long as it is now.
pub struct Upload {
    file: File,
    length: u64,
    on_sent: Box<dyn FnMut(u64) + Send>,
}

impl Upload {
    /// `on_sent` is called with the length of each piece as it goes out.
    pub fn new(file: File, on_sent: impl FnMut(u64) + Send + 'static) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length, on_sent: Box::new(on_sent) })
    }

    pub fn length(&self) -> u64 {
        self.length
    }
}

/// When something moved last between a client and its server.
pub(super) struct Movement(Mutex<Instant>);

impl Movement {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    pub(super) fn note(&self) {
        *self.0.lock() = Instant::now();
    }

    pub(super) fn last(&self) -> Instant {
        *self.0.lock()
    }
}

/// The body of a request.
pub(super) struct Outgoing {
    left: u64,
    file: Option<Sending>,
}

struct Sending {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    /// Ends when the file may be sent.
    permission: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    movement: Arc<Movement>,
    on_sent: Box<dyn FnMut(u64) + Send>,
}

impl Outgoing {
    pub(super) fn nothing() -> Self {
        Self { left: 0, file: None }
    }

    pub(super) fn file(upload: Upload, wanted: &Arc<Notify>, movement: &Arc<Movement>) -> Self {
        let Upload { file, length, on_sent } = upload;
        let (sender, pieces) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || read(&file, length, &sender));
        let wanted = Arc::clone(wanted);
        let permission = Box::pin(async move {
            let _ = timeout(PERMISSION, wanted.notified()).await;
        });
        let movement = Arc::clone(movement);
        Self { left: length, file: Some(Sending { pieces, permission: Some(permission), movement, on_sent }) }
    }
}

/// Reads until all is read, something fails, or nobody takes it any more.
fn read(file: &File, length: u64, sender: &mpsc::Sender<io::Result<Bytes>>) {
    let mut at = 0;
    while at < length {
        let mut piece = vec![0; PIECE.min(usize::try_from(length - at).unwrap_or(PIECE))];
        let read = file.read_exact_at(&mut piece, at).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::other("the file became shorter while it was sent"),
            _ => error,
        });
        at += piece.len() as u64;
        let is_read = read.is_ok();
        if sender.blocking_send(read.map(|()| piece.into())).is_err() || !is_read {
            return;
        }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Self { left, file } = &mut *self;
        let Some(sending) = file else { return Poll::Ready(None) };
        if let Some(permission) = &mut sending.permission {
            ready!(permission.as_mut().poll(context));
            sending.permission = None;
        }
        let piece = match ready!(sending.pieces.poll_recv(context)) {
            Some(Ok(piece)) => piece,
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None => return Poll::Ready(None),
        };
        *left = left.saturating_sub(piece.len() as u64);
        sending.movement.note();
        (sending.on_sent)(piece.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
