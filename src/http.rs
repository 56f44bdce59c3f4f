//! HTTP/1.1 and HTTP/2, over TCP or TLS: requests within their limits in, responses out.
//!
//! [`serve`] owns the sockets, the limits and the stop; what a request means is for the one
//! [`Answer`] it is given, which sees no HTTP library. Nothing here knows collections or records.

mod answer;
mod body;
mod cacheable;
mod cached_delivery;
mod caller;
mod capacity;
mod chunks;
pub mod client;
mod compression;
mod encoders;
mod connection;
mod content;
mod date;
mod delivery;
mod exchange;
mod forwarded;
mod framing;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod head;
mod head_scan;
mod host;
mod http1;
mod http2;
mod limits;
pub mod path;
mod phase;
mod protocol;
pub mod query;
mod raw_response;
mod refusal;
mod request;
mod request_id;
pub mod response;
mod response_cache;
mod room;
mod server;
mod shared;
mod smuggling_guard;
mod socket;
mod stream;
mod target;
#[cfg(test)]
mod tests;
mod throttled_log;
pub mod tls;
mod whole;
mod window;

pub use answer::Answer;
pub use bytes::Bytes;
pub use caller::Caller;
pub use content::Content;
pub use encoders::Coding;
pub use hyper::header::{self, HeaderName, HeaderValue};
pub use hyper::{HeaderMap, Method, StatusCode, Uri};
pub use limits::Settings;
pub use refusal::Refusal;
pub use request::Request;
pub use response::Response;
pub use room::Room;
pub use server::serve;
pub use stream::{Gone, StreamSender};
pub use whole::Piece;
