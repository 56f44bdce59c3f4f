//! A body that is made while it is sent: what its producer hands over goes out at once, compressed where that was
//! agreed upon, and its producer waits while the client takes nothing.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::connection::Connection;
use super::encoders::{Coding, ENCODER_BYTES, Encoder};
use super::room::{Outgoing, Room};
use super::window::{Reserved, Window};

/// How much goes through a stream at once.
const PIECE: usize = 16 * 1024;

/// The producer's end. Dropped without [`StreamSender::finish`], it aborts the answer: the client sees that it has
/// only a part.
pub struct StreamSender {
    items: UnboundedSender<Item>,
    window: Window,
    connection: Arc<Connection>,
}

/// The client's end, as the body of an answer.
pub struct Stream {
    items: UnboundedReceiver<Item>,
    window: Window,
    connection: Arc<Connection>,
    encoder: Option<Encoder>,
    /// What went into the encoder and has not come out.
    encoding: Option<Reserved>,
    is_flushed: bool,
    /// What is taken for it beside what is on its way.
    pub(super) room: Option<Room>,
    sent: u64,
    is_whole: bool,
    on_end: Option<OnEnd>,
}

/// Called with the number of bytes that were sent.
type OnEnd = Box<dyn FnOnce(u64) + Send>;

enum Item {
    Piece(Bytes, Room, Reserved),
    End,
}

/// The client is gone: nobody takes what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// The producer of a body gave up before its end.
#[derive(Clone, Copy, Debug)]
pub struct Aborted;

/// Both ends of an answer on this connection.
pub(super) fn channel(connection: &Arc<Connection>) -> (StreamSender, Stream) {
    // Without a bound of its own: the window is one.
    let (sender, items) = mpsc::unbounded_channel();
    let window = Window::new(connection.shared.sweep());
    let stream = Stream {
        items,
        window: window.clone(),
        connection: Arc::clone(connection),
        encoder: None,
        encoding: None,
        is_flushed: true,
        room: None,
        sent: 0,
        is_whole: false,
        on_end: None,
    };
    (StreamSender { items: sender, window, connection: Arc::clone(connection) }, stream)
}

impl StreamSender {
    /// Sends these bytes, as soon as the client has taken enough of those before.
    pub async fn send(&self, mut bytes: Bytes) -> Result<(), Gone> {
        while !bytes.is_empty() {
            let piece = bytes.split_to(bytes.len().min(PIECE));
            let sweep = self.connection.shared.sweep();
            let reserved = self.window.reserve(piece.len(), sweep).await.ok_or(Gone)?;
            let room = Room::of(&self.connection, piece.len());
            self.items.send(Item::Piece(piece, room, reserved)).map_err(|_| Gone)?;
        }
        Ok(())
    }

    /// Ends the answer: it is whole.
    pub fn finish(self) {
        // Whoever is gone does not need to know.
        let _ = self.items.send(Item::End);
    }

    /// Returns when the client is gone. In HTTP/1 nobody knows that before something is sent to it.
    pub async fn closed(&self) {
        self.items.closed().await;
    }

    /// Returns when the server stops: an answer that has no end of its own ends now.
    pub async fn stopping(&self) {
        self.connection.shared.until_stopping().await;
    }
}

impl Stream {
    /// Has everything compressed from now on; answers whether that can be done.
    pub(super) fn compress(&mut self, coding: Coding) -> bool {
        self.encoder = Encoder::new(coding);
        self.encoder.is_some()
    }

    /// Has this called when the stream ends, in whatever way.
    pub(super) fn on_end(&mut self, on_end: impl FnOnce(u64) + Send + 'static) {
        self.on_end = Some(Box::new(on_end));
    }

    /// How much memory it keeps beside what is on its way.
    pub(super) fn holds(&self) -> usize {
        if self.encoder.is_some() { ENCODER_BYTES } else { 0 }
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    /// Whether everything has been handed over.
    pub(super) fn is_done(&self) -> bool {
        self.is_whole && self.encoder.is_none()
    }

    /// The next bytes to be sent; `None` behind the last.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Outgoing, Aborted>>> {
        loop {
            let item =
                if self.is_whole { Poll::Ready(Some(Item::End)) } else { self.items.poll_recv(context) };
            let encoded = match (item, &mut self.encoder) {
                (Poll::Ready(Some(Item::Piece(bytes, room, reserved))), None) => {
                    return Poll::Ready(Some(Ok(self.outgoing(bytes, room, Some(reserved)))));
                }
                (Poll::Ready(Some(Item::Piece(bytes, _, reserved))), Some(encoder)) => {
                    match &mut self.encoding {
                        Some(encoding) => encoding.merge(reserved),
                        None => self.encoding = Some(reserved),
                    }
                    self.is_flushed = false;
                    encoder.write(&bytes)
                }
                (Poll::Ready(Some(Item::End)), _) => {
                    self.is_whole = true;
                    let Some(encoder) = self.encoder.take() else { return Poll::Ready(None) };
                    encoder.finish()
                }
                // The producer is gone, and did not finish.
                (Poll::Ready(None), _) => None,
                // Nobody knows when there will be more: what there is must not wait for it.
                (Poll::Pending, Some(encoder)) if !self.is_flushed => {
                    self.is_flushed = true;
                    encoder.flush()
                }
                (Poll::Pending, _) => return Poll::Pending,
            };
            let Some(encoded) = encoded else { return Poll::Ready(Some(Err(Aborted))) };
            if !encoded.is_empty() {
                let room = Room::of(&self.connection, encoded.len());
                let reserved = self.encoding.take();
                return Poll::Ready(Some(Ok(self.outgoing(encoded.into(), room, reserved))));
            }
        }
    }

    fn outgoing(&mut self, bytes: Bytes, room: Room, reserved: Option<Reserved>) -> Outgoing {
        self.sent += bytes.len() as u64;
        Outgoing { bytes, _room: Some(room), _reserved: reserved }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.window.close();
        if let Some(on_end) = self.on_end.take() {
            on_end(self.sent);
        }
    }
}

impl fmt::Display for Aborted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the answer was given up before its end")
    }
}

impl std::error::Error for Aborted {}
