//! An answer out of the response cache on its way to the client, past the HTTP library.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::AsyncWrite;

use super::caller::Caller;
use super::connection::Connection;
use super::date;
use super::response_cache::CachedResponse;
use super::room::Room;
use crate::observe::{Outcome, RequestReport};

/// An answer on its way.
pub(super) struct CachedDelivery {
    response: Arc<CachedResponse>,
    /// The fields that are another for each request.
    own: Vec<u8>,
    /// How many bytes have gone.
    sent: usize,
    /// What it takes while the client does not take it.
    room: Option<Room>,
}

impl CachedDelivery {
    /// Takes an answer on its way, and reports it. `None` where the clock shows no moment that an answer can name.
    pub(super) fn begin(response: Arc<CachedResponse>, connection: &Connection) -> Option<Self> {
        let began = Instant::now();
        let now = date::now()?;
        let shared = &*connection.shared;
        let id = shared.request_ids.next(&connection.request_ids);
        let own =
            [b"x-request-id: ", id.as_str().as_bytes(), b"\r\ndate: ", now.as_bytes(), b"\r\n"].concat();
        let caller = response.caller.as_deref();
        if let Some(caller) = caller {
            caller.repeats();
        }
        connection.rest();
        connection.set_delivering(true);
        let outcome = Outcome { method: "GET", status: 200, duration: began.elapsed() };
        shared.observer.cache_hit();
        shared.observer.report_request(response.route, outcome, |outcome| RequestReport {
            outcome,
            id: id.as_str(),
            path: &response.path,
            key: caller.map(Caller::name),
            bytes: response.body_length as u64,
            client: response.client.unwrap_or(connection.peer),
        });
        Some(Self { response, own, sent: 0, room: None })
    }

    /// Sends what is left.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        mut stream: Pin<&mut (impl AsyncWrite + Unpin)>,
        connection: &Arc<Connection>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut slices = [&*self.response.head, &self.own, &self.response.rest].map(IoSlice::new);
            let mut left = &mut slices[..];
            IoSlice::advance_slices(&mut left, self.sent);
            let is_written = left.is_empty();
            let written = if is_written {
                // What is encrypted may not have gone yet.
                stream.as_mut().poll_flush(context).map_ok(|()| 0)
            } else {
                stream.as_mut().poll_write_vectored(context, left)
            };
            if written.is_pending() && self.room.is_none() {
                self.room = Some(Room::of(connection, self.response.bytes() + self.own.len()));
            }
            match ready!(written)? {
                _ if is_written => return Poll::Ready(Ok(())),
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                length => self.sent += length,
            }
        }
    }
}
