//! HTTP/1.1 and HTTP/2, over TCP or TLS: requests within their limits in, responses out.
//!
//! [`serve`] owns the sockets, the limits and the stop; what a request means is for the one
//! [`Answer`] it is given, which sees no HTTP library. Nothing here knows collections or records.

mod body;
mod capacity;
mod chunks;
mod compression;
mod connection;
mod content;
mod date;
mod delivery;
mod exchange;
mod forwarded;
mod framing;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod host;
mod limits;
pub mod path;
mod phase;
mod protocol;
pub mod query;
mod raw_response;
mod request;
mod request_id;
pub mod response;
mod server;
mod smuggling_guard;
mod socket;
mod target;
#[cfg(test)]
mod tests;
mod throttled_log;
pub mod tls;

use std::borrow::Cow;
use std::future::Future;

pub use bytes::Bytes;
pub use capacity::Room;
pub use compression::Coding;
pub use content::{Content, Outgoing, Piece};
pub use hyper::header::{self, HeaderName, HeaderValue};
pub use hyper::{HeaderMap, Method, StatusCode};
pub use limits::Settings;
pub use request::Request;
pub use server::serve;

/// An answer: its whole body is known before the first byte is sent.
pub type Response = hyper::Response<Content>;

/// Why the HTTP layer itself says no; the status and the words are the answerer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Path and query together are longer than this many bytes (414).
    UrlTooLong { limit: usize },
    /// The head is longer than this many bytes (431).
    HeadTooLarge { limit: usize },
    /// The head has more header fields than this (431).
    TooManyFields { limit: usize },
    /// The URL has a character that must be encoded (400).
    BadTarget { byte: u8 },
    /// No `Host`, more than one, or one that names no host (400).
    BadHost,
    /// The body is longer than this many bytes (413).
    BodyTooLarge { limit: usize },
    /// The body did not arrive in time (408).
    BodyTooSlow,
    /// The head did not arrive in time (408).
    HeadTooSlow,
    /// The body's length is announced twice, by `Content-Length` and by chunks (400).
    TwoLengths,
    /// The body is wrapped in more than chunks (400).
    UnknownCoding,
    /// The client does not speak TLS on a port that does (400).
    NotEncrypted,
    /// The body ended early or its chunks make no sense (400).
    BodyBroken,
    /// As many connections are open as may be (503).
    TooManyConnections,
    /// As many requests, or as many bytes of bodies, are taken on as may be (503).
    Overloaded,
    /// As many bytes of answers are on their way out as may be (503).
    NoRoom,
    /// The answerer panicked (500).
    Panicked,
}

/// What the server calls for each request.
pub trait Answer: Send + Sync + 'static {
    /// Answers a request.
    ///
    /// A body that is left unread is dealt with afterwards; a panic becomes
    /// [`Refusal::Panicked`].
    fn answer(&self, request: &mut Request) -> impl Future<Output = Response> + Send;

    /// Words a refusal; of nothing where the request never became one.
    fn refuse(&self, refusal: Refusal, of: Option<&Request>) -> Response;

    /// Marks an answer, whoever gave it, before it is sent.
    fn mark(&self, _request: &Request, _response: &mut Response) {}

    /// The path of a request as a log line may show it: without what may be a secret.
    fn loggable_path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(path)
    }
}

/// Who sends a request, once that is known.
pub trait Caller: Send + Sync {
    /// What log lines call them.
    fn name(&self) -> &str;
}
