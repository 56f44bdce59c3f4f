//! Sizes, counts and times that requests and connections must stay within.

use std::time::Duration;

use ipnet::IpNet;

/// How much of a request's head is kept in memory, URL and header fields together, and how many fields it may have:
/// as many as the HTTP library reads.
pub(super) const HEAD_BYTES: usize = 64 * 1024;
pub(super) const HEAD_FIELDS: usize = 100;

/// How much of a body that nobody read is swallowed to keep the connection usable, and for how
/// long; beyond that it is closed.
pub(super) const DISCARD_BYTES: usize = 64 * 1024;
pub(super) const DISCARD_TIME: Duration = Duration::from_secs(1);

/// How long a closing connection goes on swallowing what its client still sends. Closing a
/// socket with unread bytes resets it, and the client would lose the answer that explains why.
pub(super) const LINGER_TIME: Duration = Duration::from_secs(2);

/// How long a stopping server waits for the goodbye of a client that asks for nothing.
pub(super) const GOODBYE_TIME: Duration = Duration::from_secs(1);

/// HTTP/2, for each connection: how many requests at once, how long the header fields of each, how many bytes of a
/// body before we have taken some, and how many requests may be taken back before we end it.
pub(super) const H2_STREAMS: u32 = 100;
pub(super) const H2_HEADER_BYTES: u32 = 16 * 1024;
pub(super) const H2_WINDOW: u32 = 64 * 1024;
pub(super) const H2_RESETS: usize = 20;

/// Over the connection limit: how long one may take to ask, and how many may ask at once, before
/// connections are closed without a word.
pub(super) const UNWELCOME_TIME: Duration = Duration::from_secs(1);
pub(super) const UNWELCOME_CONNECTIONS: usize = 64;

/// How the server treats its clients.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The longest request body, in bytes.
    pub max_body: usize,
    /// The longest path and query together, in bytes.
    pub max_url: usize,
    /// How much of bodies that are not whole yet may be in memory at once, in bytes.
    pub max_bodies: usize,
    /// How much memory answers may take until their clients have taken them, in bytes.
    pub max_answers: usize,
    /// How much answers may take that are kept to be given again, in bytes.
    pub kept_answers: usize,
    /// How many requests may be answered at once, over all connections.
    pub max_requests: usize,
    /// How many connections may be open at once.
    pub max_connections: usize,
    /// How long a request's head may take to arrive, counted from its first byte, or from the
    /// start of a new connection.
    pub header_timeout: Duration,
    /// How long a connection may rest between two requests.
    pub idle_timeout: Duration,
    /// How long a request's body may take to arrive.
    pub body_timeout: Duration,
    /// How long a client may take none of an answer's bytes.
    pub write_timeout: Duration,
    /// How long a stopping server waits for the requests it is answering.
    pub drain: Duration,
    /// Whose `X-Forwarded-*` header fields are believed.
    pub trusted_proxies: Vec<IpNet>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_body: 1024 * 1024,
            max_url: 8 * 1024,
            max_bodies: 64 * 1024 * 1024,
            max_answers: 256 * 1024 * 1024,
            kept_answers: 0,
            max_requests: 10_000,
            max_connections: 10_000,
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(10),
            trusted_proxies: Vec::new(),
        }
    }
}
