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
    /// A scheduled backup of so many records was made and looked at.
    BackupDone { file: &'a str, records: u64, duration: Duration },
    /// A scheduled backup was not made.
    BackupFailed { cause: &'a str },
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

/// A part of what an event says: to people, who read its message and then what the message has not said, and to
/// machines, which get the message and all fields.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// Words of the message.
    Words(Value<'a>),
    /// A field whose value stands in the message.
    Said(&'static str, Value<'a>),
    /// A field that stands behind the message.
    Field(&'static str, Value<'a>),
    /// A field that people need not see, since the message puts it in words.
    Hidden(&'static str, Value<'a>),
}

impl<'a> Event<'a> {
    /// The level at which it is reported.
    pub(super) fn level(&self) -> Level {
        self.kind().0
    }

    /// The level at which it is reported, and the name machines know it by.
    pub(super) fn kind(&self) -> (Level, &'static str) {
        match self {
            Event::Listening { .. } => (Level::Info, "listening"),
            Event::Stopping { .. } => (Level::Info, "stopping"),
            Event::Stopped { .. } => (Level::Info, "stopped"),
            Event::Request(request) => (request.outcome.level(), "request"),
            Event::Panic { .. } => (Level::Error, "panic"),
            Event::StoreBroken { .. } => (Level::Error, "store_broken"),
            Event::WritesRefused { .. } => (Level::Warn, "writes_refused"),
            Event::WritesResumed => (Level::Info, "writes_resumed"),
            Event::ReserveUsed { .. } => (Level::Warn, "reserve_used"),
            Event::ReserveFilled => (Level::Info, "reserve_filled"),
            Event::BackupDone { .. } => (Level::Info, "backup_done"),
            Event::BackupFailed { .. } => (Level::Warn, "backup_failed"),
            Event::DatabaseLost { .. } => (Level::Warn, "database_lost"),
            Event::DatabaseFound => (Level::Info, "database_found"),
            Event::OutcomeUnknown { .. } => (Level::Warn, "outcome_unknown"),
            Event::KeysReloaded { .. } => (Level::Debug, "keys_reloaded"),
            Event::KeyCreated { .. } => (Level::Info, "key_created"),
            Event::KeyRotated { .. } => (Level::Info, "key_rotated"),
            Event::KeyRevoked { .. } => (Level::Info, "key_revoked"),
            Event::UnknownKeysRefused { .. } => (Level::Warn, "unknown_keys_refused"),
            Event::CertificateReloaded => (Level::Info, "certificate_reloaded"),
            Event::CertificateKept { .. } => (Level::Warn, "certificate_kept"),
            Event::ConnectionsRefused { .. } => (Level::Warn, "connections_refused"),
            Event::AcceptFailed { .. } => (Level::Warn, "accept_failed"),
            Event::Warning(_) => (Level::Warn, "warning"),
            Event::Notice(_) => (Level::Info, "notice"),
            Event::Detail(_) => (Level::Debug, "detail"),
        }
    }

    /// What it says, part by part.
    pub(super) fn parts(&self, mut say: impl FnMut(Part<'a>)) {
        use Part::{Field, Hidden, Said};
        use Value::{Client, Milliseconds, Number, Socket, Target, Text, Truth};
        let words = |text| Part::Words(Value::Own(text));
        let mut all = |parts: &[Part<'a>]| parts.iter().for_each(|part| say(*part));
        match *self {
            Event::Listening { address } => all(&[words("listening on "), Said("address", Socket(address))]),
            Event::Stopping { connections } => {
                let connections = Number(connections as u64);
                all(&[words("stopping: no new connections"), Field("connections", connections)]);
            }
            Event::Stopped { cut: 0 } => all(&[words("stopped"), Hidden("cut", Number(0))]),
            Event::Stopped { cut } => {
                all(&[words("stopped with unfinished connections: "), Said("cut", Number(cut as u64))]);
            }
            Event::Request(request) => {
                all(&[
                    Said("method", Target(request.outcome.method)),
                    words(" "),
                    Said("path", Target(request.path)),
                    words(" "),
                    Said("status", Number(request.outcome.status.into())),
                    Field("duration_ms", Milliseconds(request.outcome.duration)),
                    Field("bytes", Number(request.bytes)),
                    Field("client", Client(request.client)),
                ]);
                if let Some(key) = request.key {
                    all(&[Field("key", Text(key))]);
                }
                all(&[Field("request_id", Text(request.id))]);
            }
            Event::Panic { location, text } => all(&[
                words("a bug: panicked at "),
                Said("location", Text(location)),
                words(": "),
                Said("text", Text(text)),
            ]),
            Event::StoreBroken { cause } => all(&[words("the store failed: "), Said("cause", Text(cause))]),
            Event::WritesRefused { cause } => {
                all(&[words("writes are refused: "), Said("cause", Text(cause))]);
            }
            Event::WritesResumed => all(&[words("writes are accepted again")]),
            Event::ReserveUsed { bytes_left } => all(&[
                words("the disk is full, and room was taken from the reserve; bytes left of it: "),
                Said("bytes_left", Number(bytes_left)),
            ]),
            Event::ReserveFilled => all(&[words("the reserve is whole again")]),
            Event::BackupDone { file, records, duration } => all(&[
                words("backed up to "),
                Said("file", Text(file)),
                Field("records", Number(records)),
                Field("duration_ms", Milliseconds(duration)),
            ]),
            Event::BackupFailed { cause } => {
                all(&[words("no backup was made: "), Said("cause", Text(cause))]);
            }
            Event::DatabaseLost { cause } => {
                all(&[words("the database is lost, and looked for: "), Said("cause", Text(cause))]);
            }
            Event::DatabaseFound => all(&[words("the database is there again")]),
            Event::OutcomeUnknown { writes, cause } => all(&[
                words("nobody can say whether writes were committed: "),
                Said("writes", Number(writes as u64)),
                words(" of them: "),
                Said("cause", Text(cause)),
            ]),
            Event::KeysReloaded { keys } => {
                all(&[words("access keys read: "), Said("keys", Number(keys as u64))]);
            }
            Event::KeyCreated { name, is_admin, by, id } => all(&[
                words("access key created: "),
                Said("name", Text(name)),
                words(if is_admin { ", which may manage keys, by " } else { ", by " }),
                Hidden("admin", Truth(is_admin)),
                Said("by", Text(by)),
                Field("request_id", Text(id)),
            ]),
            Event::KeyRotated { name, by, id } | Event::KeyRevoked { name, by, id } => {
                let is_rotated = matches!(self, Event::KeyRotated { .. });
                all(&[
                    words(if is_rotated { "access key rotated: " } else { "access key revoked: " }),
                    Said("name", Text(name)),
                    words(", by "),
                    Said("by", Text(by)),
                    Field("request_id", Text(id)),
                ]);
            }
            Event::UnknownKeysRefused { client, limit } => all(&[
                words("an address presents unknown access keys, and is refused for the rest of a minute: "),
                Said("client", Client(client)),
                words("; the limit is "),
                Said("limit", Number(limit.into())),
            ]),
            Event::CertificateReloaded => all(&[words("the certificate was read again")]),
            Event::CertificateKept { cause } => all(&[
                words("the certificate was not read again, and the old one is kept: "),
                Said("cause", Text(cause)),
            ]),
            Event::ConnectionsRefused { count, limit } => all(&[
                words("connections turned away: "),
                Said("count", Number(count)),
                words("; the limit is "),
                Said("limit", Number(limit as u64)),
            ]),
            Event::AcceptFailed { cause } => {
                all(&[words("cannot accept connections for the moment: "), Said("cause", Text(cause))]);
            }
            Event::Warning(text) | Event::Notice(text) | Event::Detail(text) => {
                all(&[Part::Words(Text(text))]);
            }
        }
    }
}
