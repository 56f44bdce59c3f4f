//! A request's body: read within its limits, or got out of the way.

use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming, SizeHint};
use tokio::time::{Instant, timeout, timeout_at};

use super::capacity::Share;
use super::limits::{DISCARD_BYTES, DISCARD_TIME};
use super::refusal::Refusal;

/// So much of a body that is handed on piece by piece must arrive in the time that a whole one has.
const PIECE: usize = 1 << 20;

pub(super) enum Body {
    /// Not asked for yet; some of it may have arrived.
    Waiting(Incoming),
    Read(Bytes),
    /// It could not be read to its end, for the same reason whoever asks.
    Failed(Refusal),
}

impl Body {
    pub(super) fn new(incoming: Incoming) -> Self {
        if incoming.is_end_stream() { Body::Read(Bytes::new()) } else { Body::Waiting(incoming) }
    }

    pub(super) fn is_of_unknown_length(&self) -> bool {
        self.incoming_size().upper().is_none()
    }

    /// What is known about the length of what is still to be read.
    pub(super) fn incoming_size(&self) -> SizeHint {
        match self {
            Body::Waiting(incoming) => incoming.size_hint(),
            Body::Read(_) | Body::Failed(_) => SizeHint::with_exact(0),
        }
    }

    pub(super) fn as_read(&self) -> Option<&Bytes> {
        match self {
            Body::Read(bytes) => Some(bytes),
            Body::Waiting(_) | Body::Failed(_) => None,
        }
    }

    pub(super) fn is_unread(&self) -> bool {
        !matches!(self, Body::Read(_))
    }

    pub(super) async fn read(
        &mut self,
        limit: usize,
        time: Duration,
        share: Share<'_>,
    ) -> Result<Bytes, Refusal> {
        let outcome = match self {
            Body::Read(bytes) => return Ok(bytes.clone()),
            Body::Failed(refusal) => return Err(*refusal),
            Body::Waiting(incoming) => {
                timeout(time, read(incoming, limit, share)).await.unwrap_or(Err(Refusal::BodyTooSlow))
            }
        };
        self.end(outcome)
    }

    /// Reads to the end within the same limits, and keeps nothing.
    pub(super) async fn skip(&mut self, limit: usize, time: Duration) -> Result<(), Refusal> {
        let outcome = match self {
            Body::Read(_) => return Ok(()),
            Body::Failed(refusal) => return Err(*refusal),
            Body::Waiting(incoming) => {
                timeout(time, swallow(incoming, limit)).await.unwrap_or(Err(Refusal::BodyTooSlow))
            }
        };
        self.end(outcome.map(|()| Bytes::new())).map(drop)
    }

    /// Hands on what arrives, up to this many bytes, each MiB of them within this time. The inner error is that of
    /// whoever takes it, after which the rest stays unread.
    pub(super) async fn pour(
        &mut self,
        limit: usize,
        time: Duration,
        take: impl FnMut(Bytes) -> io::Result<()>,
    ) -> Result<io::Result<()>, Refusal> {
        let outcome = match self {
            Body::Read(bytes) => {
                let mut take = take;
                return Ok(take(bytes.clone()));
            }
            Body::Failed(refusal) => return Err(*refusal),
            Body::Waiting(incoming) => pour(incoming, limit, time, take).await,
        };
        match outcome {
            Ok(Err(error)) => Ok(Err(error)),
            Ok(Ok(())) => self.end(Ok(Bytes::new())).map(|_| Ok(())),
            Err(refusal) => self.end(Err(refusal)).map(|_| Ok(())),
        }
    }

    /// Keeps what came of it, for whoever asks again.
    fn end(&mut self, outcome: Result<Bytes, Refusal>) -> Result<Bytes, Refusal> {
        *self = match &outcome {
            Ok(bytes) => Body::Read(bytes.clone()),
            Err(refusal) => Body::Failed(*refusal),
        };
        outcome
    }

    /// Swallows what nobody asked for if that is soon done; answers whether nothing is left.
    pub(super) async fn settle(&mut self, is_awaited: bool) -> bool {
        let incoming = match self {
            Body::Read(_) => return true,
            Body::Failed(_) => return false,
            Body::Waiting(incoming) => incoming,
        };
        let is_too_long = incoming.size_hint().lower() > DISCARD_BYTES as u64;
        if is_awaited || is_too_long {
            return false;
        }
        let swallowed = matches!(timeout(DISCARD_TIME, swallow(incoming, DISCARD_BYTES)).await, Ok(Ok(())));
        if swallowed {
            *self = Body::Read(Bytes::new());
        }
        swallowed
    }
}

/// Reads to the end, keeping no more than has arrived, whatever length was announced.
async fn read(incoming: &mut Incoming, limit: usize, mut share: Share<'_>) -> Result<Bytes, Refusal> {
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|_| Refusal::BodyBroken)?;
        // Trailers mean nothing here.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if first.len() + joined.len() + data.len() > limit {
            return Err(Refusal::BodyTooLarge { limit });
        }
        // Only what waits for more is counted: a body that is whole is on its way out again.
        if !incoming.is_end_stream() && !share.take(data.len()) {
            return Err(Refusal::Overloaded);
        }
        // Most bodies come in one piece, which is handed on without a copy.
        if joined.is_empty() && first.is_empty() {
            first = data;
            continue;
        }
        joined.extend_from_slice(&first);
        joined.extend_from_slice(&data);
        first.clear();
    }
    if joined.is_empty() { Ok(first) } else { Ok(joined.freeze()) }
}

async fn pour(
    incoming: &mut Incoming,
    limit: usize,
    time: Duration,
    mut take: impl FnMut(Bytes) -> io::Result<()>,
) -> Result<io::Result<()>, Refusal> {
    let (mut poured, mut late) = (0, Instant::now() + time);
    loop {
        let frame = timeout_at(late, incoming.frame()).await.map_err(|_| Refusal::BodyTooSlow)?;
        let Some(frame) = frame else { return Ok(Ok(())) };
        let Ok(data) = frame.map_err(|_| Refusal::BodyBroken)?.into_data() else { continue };
        if data.len() > limit - poured {
            return Err(Refusal::BodyTooLarge { limit });
        }
        if poured / PIECE != (poured + data.len()) / PIECE {
            late = Instant::now() + time;
        }
        poured += data.len();
        if let Err(error) = take(data) {
            return Ok(Err(error));
        }
    }
}

async fn swallow(incoming: &mut Incoming, limit: usize) -> Result<(), Refusal> {
    let mut swallowed = 0;
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|_| Refusal::BodyBroken)?;
        swallowed += frame.data_ref().map_or(0, Bytes::len);
        if swallowed > limit {
            return Err(Refusal::BodyTooLarge { limit });
        }
    }
    Ok(())
}
