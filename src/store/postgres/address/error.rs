//! Why a text is no address of a PostgreSQL database: what is wrong, and how to mend it.
//!
//! No sentence repeats a value: whoever forgot to escape a password has pieces of it anywhere.

use std::path::PathBuf;

/// Every parameter there is, for the message about one that is not.
pub(super) const KNOWN: [&str; 21] = [
    "host",
    "port",
    "user",
    "password",
    "passfile",
    "dbname",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "sslnegotiation",
    "channel_binding",
    "connect_timeout",
    "application_name",
    "options",
    "target_session_attrs",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("two slashes belong after the scheme; write `postgres://USER@HOST/NAME`")]
    NoSlashes,
    #[error("a `%` stands before two hexadecimal digits; write a `%` that means itself as `%25`")]
    Escape,
    #[error("what is escaped with `%` is not UTF-8; escape the bytes of UTF-8 text")]
    NotUnicode,
    #[error("a control character stands in the address; take it out")]
    Control,
    #[error(
        "there is an `@` too many; inside a name, a password or a value write `@` as `%40`, `/` as `%2F`, `?` as `%3F` and `:` as `%3A`"
    )]
    StrayAt,
    #[error("an IPv6 address stands in brackets; write `[::1]`, and a port after it as `[::1]:5432`")]
    Brackets,
    #[error(
        "a port is a number from 1 to 65535; if a password was meant, write `USER:PASSWORD@HOST` with `/` as `%2F` and `?` as `%3F`"
    )]
    Port,
    #[error("one of several hosts is empty; write `HOST,HOST` or `HOST:PORT,HOST:PORT`")]
    EmptyHost,
    #[error("hosts stand before the path and in the parameters; keep one of the two")]
    HostsTwice,
    #[error("`host` and `port` list a different number of entries; write one port for all, or one for each")]
    Ports,
    #[error("a parameter is written `NAME=VALUE`; inside a value write `&` as `%26`")]
    NotAPair,
    #[error("there is no parameter `{0}`; known are {known}", known = KNOWN.join(", "))]
    Unknown(String),
    #[error("a parameter has no proper name; known are {known}", known = KNOWN.join(", "))]
    Unnamed,
    #[error("`{0}` is given twice; keep one of the two")]
    Twice(&'static str),
    #[error("the value of `{name}` is not understood; write {expected}")]
    Value { name: &'static str, expected: &'static str },
    #[error("carnet writes, and `target_session_attrs` asks for a server that does not; write `read-write`")]
    Standby,
    #[error(
        "`sslrootcert=system` trusts whole public authorities, so names must be checked; write `sslmode=verify-full` or take `sslmode` out"
    )]
    SystemRoots,
    #[error(
        "`sslcert` and `sslkey` belong together; name the file of the certificate and the file of its key"
    )]
    HalfCertificate,
    #[error(
        "`sslnegotiation=direct` leaves no way back to a connection without TLS; write `sslmode=require` or stricter with it"
    )]
    Direct,
    #[error("the file of passwords {path} cannot be read: {cause}; mend it, or name another as `passfile`", path = .path.display())]
    Passfile { path: PathBuf, cause: String },
    #[error("the file of passwords {path} can be read by others, so it is not used; make it private with chmod 0600 {path}", path = .0.display())]
    OpenPassfile(PathBuf),
}

/// Takes a value that may be given once.
pub(super) fn once<T>(place: &mut Option<T>, name: &'static str, value: T) -> Result<(), AddressError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(AddressError::Twice(name)),
    }
}
