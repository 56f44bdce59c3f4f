//! Event: everything the server can report, with its level, its words and its fields.
//!
//! To change what a log line says, change it here. Keys, bodies and query strings never appear.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// How important a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As a setting: nothing is written. No event has it.
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

/// How a request ended: what is counted of it.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    pub method: &'a str,
    pub status: u16,
    pub duration: Duration,
}

impl Outcome<'_> {
    /// Reads are by far the most, and tell the operator the least: a line for each would cost a tenth of
    /// the server's speed.
    pub(super) fn level(&self) -> Level {
        let went_well = self.status < 400;
        if went_well && matches!(self.method, "GET" | "HEAD") { Level::Debug } else { Level::Info }
    }
}

/// One answered request.
#[derive(Clone, Copy, Debug)]
pub struct RequestReport<'a> {
    pub outcome: Outcome<'a>,
    pub id: &'a str,
    /// The path alone, without what may be a secret in it: access keys travel in the query string.
    pub path: &'a str,
    /// The name of the access key that the caller is known by.
    pub key: Option<&'a str>,
    /// Bytes of the answer's body.
    pub bytes: u64,
    pub client: IpAddr,
}

/// Something worth telling.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Connections are accepted from now on.
    Listening { address: SocketAddr },
    /// The server was told to stop; this many connections are still open.
    Stopping { connections: usize },
    /// The server has stopped; this many connections did not finish in time.
    Stopped { cut: usize },
    /// A request was answered.
    Request(RequestReport<'a>),
    /// A bug: some code panicked. The process lives on.
    Panic { location: &'a str, text: &'a str },
    /// The store failed in a way that is nobody's request's fault.
    StoreBroken { cause: &'a str },
    /// Writes are refused until further notice, while reads go on.
    WritesRefused { cause: &'a str },
    /// Writes are taken again.
    WritesResumed,
    /// The disk is full, and room was taken from the reserve; so much is left of it.
    ReserveUsed { bytes_left: u64 },
    /// The reserve is whole again.
    ReserveFilled,
    /// No server takes writes; reads and writes are refused until one does.
    DatabaseLost { cause: &'a str },
    /// A server takes writes again.
    DatabaseFound,
    /// Nobody can say whether these writes were committed; their clients have been told so.
    OutcomeUnknown { writes: usize, cause: &'a str },
    /// The access keys were read anew.
    KeysReloaded { keys: usize },
    /// Somebody with the access key named `by` made one, in the request `id`.
    KeyCreated { name: &'a str, is_admin: bool, by: &'a str, id: &'a str },
    /// Somebody with the access key named `by` gave one a new secret, in the request `id`.
    KeyRotated { name: &'a str, by: &'a str, id: &'a str },
    /// Somebody with the access key named `by` revoked one, in the request `id`.
    KeyRevoked { name: &'a str, by: &'a str, id: &'a str },
    /// An address has presented more unknown access keys than are listened to in a minute.
    UnknownKeysRefused { client: IpAddr, limit: u32 },
    /// New connections are encrypted with the certificate that is in its file now.
    CertificateReloaded,
    /// The files of certificate and key cannot be used; the old ones are kept.
    CertificateKept { cause: &'a str },
    /// This many connections were turned away because `limit` are open.
    ConnectionsRefused { count: u64, limit: usize },
    /// The system would not hand out a new connection.
    AcceptFailed { cause: &'a str },
    /// Something the operator should change.
    Warning(&'a str),
    /// Something good to know.
    Notice(&'a str),
    /// Something good to know while looking for a fault.
    Detail(&'a str),
}

/// One value in an event; rendering escapes and shortens what may come from outside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// Our own words, with nothing in them to escape.
    Own(&'static str),
    /// A text of any origin: a cause, a name.
    Text(&'a str),
    /// What a client put into the first line of its request.
    Target(&'a str),
    Number(u64),
    Truth(bool),
    Milliseconds(Duration),
    Client(IpAddr),
    Socket(SocketAddr),
}

/// A named value, and whether the event's message has said it already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) key: &'static str,
    pub(super) value: Value<'a>,
    pub(super) is_said: bool,
}

impl<'a> Event<'a> {
    /// The level at which it is reported.
    pub fn level(&self) -> Level {
        match self {
            Event::Panic { .. } | Event::StoreBroken { .. } => Level::Error,
            Event::WritesRefused { .. }
            | Event::ReserveUsed { .. }
            | Event::DatabaseLost { .. }
            | Event::OutcomeUnknown { .. }
            | Event::UnknownKeysRefused { .. }
            | Event::CertificateKept { .. }
            | Event::ConnectionsRefused { .. }
            | Event::AcceptFailed { .. }
            | Event::Warning(_) => Level::Warn,
            Event::Listening { .. }
            | Event::Stopping { .. }
            | Event::Stopped { .. }
            | Event::WritesResumed
            | Event::ReserveFilled
            | Event::DatabaseFound
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | Event::CertificateReloaded
            | Event::Notice(_) => Level::Info,
            Event::Request(request) => request.outcome.level(),
            Event::KeysReloaded { .. } | Event::Detail(_) => Level::Debug,
        }
    }

    /// The name machines know it by.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Listening { .. } => "listening",
            Event::Stopping { .. } => "stopping",
            Event::Stopped { .. } => "stopped",
            Event::Request(_) => "request",
            Event::Panic { .. } => "panic",
            Event::StoreBroken { .. } => "store_broken",
            Event::WritesRefused { .. } => "writes_refused",
            Event::WritesResumed => "writes_resumed",
            Event::ReserveUsed { .. } => "reserve_used",
            Event::ReserveFilled => "reserve_filled",
            Event::DatabaseLost { .. } => "database_lost",
            Event::DatabaseFound => "database_found",
            Event::OutcomeUnknown { .. } => "outcome_unknown",
            Event::KeysReloaded { .. } => "keys_reloaded",
            Event::KeyCreated { .. } => "key_created",
            Event::KeyRotated { .. } => "key_rotated",
            Event::KeyRevoked { .. } => "key_revoked",
            Event::UnknownKeysRefused { .. } => "unknown_keys_refused",
            Event::CertificateReloaded => "certificate_reloaded",
            Event::CertificateKept { .. } => "certificate_kept",
            Event::ConnectionsRefused { .. } => "connections_refused",
            Event::AcceptFailed { .. } => "accept_failed",
            Event::Warning(_) => "warning",
            Event::Notice(_) => "notice",
            Event::Detail(_) => "detail",
        }
    }

    /// What it says to a person, piece by piece.
    pub(super) fn message(&self, mut say: impl FnMut(Value<'a>)) {
        use Value::{Client, Number, Own, Socket, Target, Text};
        match *self {
            Event::Listening { address } => {
                say(Own("listening on "));
                say(Socket(address));
            }
            Event::Stopping { .. } => say(Own("stopping: no new connections")),
            Event::Stopped { cut: 0 } => say(Own("stopped")),
            Event::Stopped { cut } => {
                say(Own("stopped with unfinished connections: "));
                say(Number(cut as u64));
            }
            Event::Request(request) => {
                say(Target(request.outcome.method));
                say(Own(" "));
                say(Target(request.path));
                say(Own(" "));
                say(Number(request.outcome.status.into()));
            }
            Event::Panic { location, text } => {
                say(Own("a bug: panicked at "));
                say(Text(location));
                say(Own(": "));
                say(Text(text));
            }
            Event::StoreBroken { cause } => {
                say(Own("the store failed: "));
                say(Text(cause));
            }
            Event::WritesRefused { cause } => {
                say(Own("writes are refused: "));
                say(Text(cause));
            }
            Event::WritesResumed => say(Own("writes are accepted again")),
            Event::ReserveUsed { bytes_left } => {
                say(Own("the disk is full, and room was taken from the reserve; bytes left of it: "));
                say(Number(bytes_left));
            }
            Event::ReserveFilled => say(Own("the reserve is whole again")),
            Event::DatabaseLost { cause } => {
                say(Own("the database is lost, and looked for: "));
                say(Text(cause));
            }
            Event::DatabaseFound => say(Own("the database is there again")),
            Event::OutcomeUnknown { writes, cause } => {
                say(Own("nobody can say whether writes were committed: "));
                say(Number(writes as u64));
                say(Own(" of them: "));
                say(Text(cause));
            }
            Event::KeysReloaded { keys } => {
                say(Own("access keys read: "));
                say(Number(keys as u64));
            }
            Event::KeyCreated { name, is_admin, by, .. } => {
                say(Own("access key created: "));
                say(Text(name));
                say(Own(if is_admin { ", which may manage keys, by " } else { ", by " }));
                say(Text(by));
            }
            Event::KeyRotated { name, by, .. } => {
                say(Own("access key rotated: "));
                say(Text(name));
                say(Own(", by "));
                say(Text(by));
            }
            Event::UnknownKeysRefused { client, limit } => {
                say(Own(
                    "an address presents unknown access keys, and is refused for the rest of a minute: ",
                ));
                say(Client(client));
                say(Own("; the limit is "));
                say(Number(limit.into()));
            }
            Event::KeyRevoked { name, by, .. } => {
                say(Own("access key revoked: "));
                say(Text(name));
                say(Own(", by "));
                say(Text(by));
            }
            Event::CertificateReloaded => say(Own("the certificate was read again")),
            Event::CertificateKept { cause } => {
                say(Own("the certificate was not read again, and the old one is kept: "));
                say(Text(cause));
            }
            Event::ConnectionsRefused { count, limit } => {
                say(Own("connections turned away: "));
                say(Number(count));
                say(Own("; the limit is "));
                say(Number(limit as u64));
            }
            Event::AcceptFailed { cause } => {
                say(Own("cannot accept connections for the moment: "));
                say(Text(cause));
            }
            Event::Warning(text) | Event::Notice(text) | Event::Detail(text) => say(Text(text)),
        }
    }

    /// What it says to a machine.
    pub(super) fn fields(&self, mut add: impl FnMut(Field<'a>)) {
        let mut field = |key, value, is_said| {
            add(Field { key, value, is_said });
        };
        match *self {
            Event::Listening { address } => field("address", Value::Socket(address), true),
            Event::Stopping { connections } => {
                field("connections", Value::Number(connections as u64), false);
            }
            Event::Stopped { cut } => field("cut", Value::Number(cut as u64), true),
            Event::Request(request) => {
                field("method", Value::Target(request.outcome.method), true);
                field("path", Value::Target(request.path), true);
                field("status", Value::Number(request.outcome.status.into()), true);
                field("duration_ms", Value::Milliseconds(request.outcome.duration), false);
                field("bytes", Value::Number(request.bytes), false);
                field("client", Value::Client(request.client), false);
                if let Some(key) = request.key {
                    field("key", Value::Text(key), false);
                }
                field("request_id", Value::Text(request.id), false);
            }
            Event::Panic { location, text } => {
                field("location", Value::Text(location), true);
                field("text", Value::Text(text), true);
            }
            Event::StoreBroken { cause }
            | Event::WritesRefused { cause }
            | Event::DatabaseLost { cause }
            | Event::CertificateKept { cause }
            | Event::AcceptFailed { cause } => field("cause", Value::Text(cause), true),
            Event::OutcomeUnknown { writes, cause } => {
                field("writes", Value::Number(writes as u64), true);
                field("cause", Value::Text(cause), true);
            }
            Event::ReserveUsed { bytes_left } => field("bytes_left", Value::Number(bytes_left), true),
            Event::KeysReloaded { keys } => field("keys", Value::Number(keys as u64), true),
            Event::KeyCreated { name, is_admin, by, id } => {
                field("name", Value::Text(name), true);
                field("admin", Value::Truth(is_admin), true);
                field("by", Value::Text(by), true);
                field("request_id", Value::Text(id), false);
            }
            Event::UnknownKeysRefused { client, limit } => {
                field("client", Value::Client(client), true);
                field("limit", Value::Number(limit.into()), true);
            }
            Event::KeyRotated { name, by, id } | Event::KeyRevoked { name, by, id } => {
                field("name", Value::Text(name), true);
                field("by", Value::Text(by), true);
                field("request_id", Value::Text(id), false);
            }
            Event::ConnectionsRefused { count, limit } => {
                field("count", Value::Number(count), true);
                field("limit", Value::Number(limit as u64), true);
            }
            Event::WritesResumed
            | Event::ReserveFilled
            | Event::DatabaseFound
            | Event::CertificateReloaded
            | Event::Warning(_)
            | Event::Notice(_)
            | Event::Detail(_) => {}
        }
    }
}
