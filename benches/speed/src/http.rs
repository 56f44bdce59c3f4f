//! HTTP/1.1 as a client needs it here: requests as bytes, made once and sent often, and one answer fetched.

use std::net::SocketAddr;
use std::time::Duration;

use dev::answer::Answer;
use dev::client::Client;

/// No answer takes longer than this, unless something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A request without a body.
pub(crate) fn plain(method: &str, target: &str) -> Vec<u8> {
    format!("{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").into_bytes()
}

pub(crate) fn with_body(method: &str, target: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends one request, with a body in the answer, on a connection of its own.
pub(crate) fn exchange(address: SocketAddr, request: &[u8]) -> std::io::Result<Answer> {
    Client::new(address).exchange(request, "GET")
}

/// The lines of an answer's head, without the status and without what every server writes by itself.
pub(crate) fn head(answer: &Answer) -> String {
    let own = |name: &str| ["content-length", "date"].iter().any(|own| name.eq_ignore_ascii_case(own));
    let lines = answer.headers.iter().filter(|(name, _)| !own(name));
    lines.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
}
