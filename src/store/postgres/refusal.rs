//! Why there is no connection to PostgreSQL: host, role and database by name, and what to do about it.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use rustls::{AlertDescription, CertificateError};
use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_postgres::error::{DbError, SqlState};

use crate::store::ident::quote;

/// Why there is no connection, in one sentence without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConnectError {
    host: String,
    role: String,
    database: String,
    pub(super) cause: Cause,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    TimedOut(Duration),
    UnknownHost(String),
    NobodyListens,
    NoSocket,
    Unreachable(String),
    /// It answers, but takes no writes.
    Standby,
    NoPassword,
    WrongPassword,
    NoRole,
    NoDatabase,
    /// The rules of the server keep us out; its own words.
    NotAllowed(String),
    /// The database is there, and this role may not enter it.
    MayNotConnect,
    /// It starts or stops; its own words.
    NotReady(String),
    /// It has no connection left; its own words.
    Full(String),
    /// A pooler is in between that lends connections for one transaction each.
    Pooler,
    /// It has no TLS, and we insist.
    NoTls,
    UntrustedCertificate,
    WrongName(Vec<String>),
    OutdatedCertificate,
    BadCertificate(String),
    OurCertificate(String),
    NoBinding,
    Other(String),
}

impl ConnectError {
    pub(super) fn new(config: &Config, cause: Cause) -> Self {
        let port = config.get_ports().first().copied().unwrap_or(super::address::DEFAULT_PORT);
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) if name.contains(':') => format!("[{name}]:{port}"),
            Some(Host::Tcp(name)) => format!("{name}:{port}"),
            Some(Host::Unix(folder)) => folder.join(format!(".s.PGSQL.{port}")).display().to_string(),
            None => "no host".to_owned(),
        };
        let role = config.get_user().unwrap_or("of the system's user").to_owned();
        let database = config.get_dbname().unwrap_or(&role).to_owned();
        Self { host, role, database, cause }
    }
}

impl Cause {
    /// What an error of the driver means. It does not say its kind, so the chain of causes is looked through.
    pub(super) fn of(error: &tokio_postgres::Error) -> Self {
        if let Some(said) = error.as_db_error() {
            return Self::said(said);
        }
        let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
        let found = causes.find_map(|cause| {
            let tls = cause.downcast_ref::<rustls::Error>();
            // What an io::Error wraps is not always its source.
            let wrapped = || cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>();
            tls.or_else(wrapped)
        });
        if let Some(error) = found {
            return Self::of_tls(error);
        }
        match error.source() {
            Some(cause) => match cause.downcast_ref::<io::Error>() {
                Some(error) => Self::of_io(error),
                None => Self::of_words(&cause.to_string()),
            },
            None => Self::Other(error.to_string()),
        }
    }

    fn of_words(words: &str) -> Self {
        match words {
            "server does not support TLS" => Self::NoTls,
            "password missing" => Self::NoPassword,
            "server did not use channel binding" => Self::NoBinding,
            other => Self::Other(other.to_owned()),
        }
    }

    fn of_io(error: &io::Error) -> Self {
        let is_of_the_system = error.raw_os_error().is_some();
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::NobodyListens,
            io::ErrorKind::NotFound => Self::NoSocket,
            io::ErrorKind::TimedOut => Self::Unreachable("it does not answer".to_owned()),
            // The driver's way to say it.
            io::ErrorKind::PermissionDenied if !is_of_the_system => Self::Standby,
            _ if is_of_the_system => Self::Unreachable(error.to_string()),
            io::ErrorKind::UnexpectedEof => Self::Unreachable("it hung up".to_owned()),
            _ => Self::UnknownHost(error.to_string()),
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        use CertificateError as Bad;
        match error {
            rustls::Error::InvalidCertificate(bad) => match bad {
                Bad::UnknownIssuer => Self::UntrustedCertificate,
                Bad::NotValidForNameContext { presented, .. } => {
                    Self::WrongName(presented.iter().map(|name| bare(name)).collect())
                }
                Bad::NotValidForName => Self::WrongName(Vec::new()),
                Bad::Expired
                | Bad::ExpiredContext { .. }
                | Bad::NotValidYet
                | Bad::NotValidYetContext { .. } => Self::OutdatedCertificate,
                Bad::Other(words) => Self::BadCertificate(words.to_string()),
                other => Self::BadCertificate(other.to_string()),
            },
            rustls::Error::AlertReceived(
                alert @ (AlertDescription::UnknownCA
                | AlertDescription::BadCertificate
                | AlertDescription::UnsupportedCertificate
                | AlertDescription::CertificateExpired
                | AlertDescription::CertificateRequired
                | AlertDescription::CertificateUnknown),
            ) => Self::OurCertificate(format!("{alert:?}")),
            other => Self::Other(other.to_string()),
        }
    }

    /// What the server said. Its words may be in any language, the names of its routines are not.
    fn said(said: &DbError) -> Self {
        let words = said.message().to_owned();
        match said.code() {
            &SqlState::INVALID_PASSWORD => Self::WrongPassword,
            &SqlState::INVALID_CATALOG_NAME => Self::NoDatabase,
            &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => match said.routine() {
                Some("InitializeSessionUserId") => Self::NoRole,
                _ => Self::NotAllowed(words),
            },
            &SqlState::INSUFFICIENT_PRIVILEGE => Self::MayNotConnect,
            &SqlState::TOO_MANY_CONNECTIONS => Self::Full(words),
            &SqlState::CANNOT_CONNECT_NOW | &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN => {
                Self::NotReady(words)
            }
            _ => Self::Other(words),
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, role, database, cause } = self;
        write!(f, "PostgreSQL at {host} ")?;
        match cause {
            Cause::TimedOut(after) => write!(f, "gave no session within {} s; see whether it runs and can be reached, or raise connect_timeout", after.as_secs()),
            Cause::UnknownHost(words) => write!(f, "is not found ({words}); see whether the name of the host is right"),
            Cause::NobodyListens => f.write_str("refuses connections; see whether it runs, and listens there (listen_addresses, port)"),
            Cause::NoSocket => f.write_str("has no socket; see whether it runs, and its unix_socket_directories"),
            Cause::Unreachable(words) => write!(f, "cannot be reached ({words}); see whether it runs, and what is in between"),
            Cause::Standby => write!(f, "lets nobody write to the database {database}; it is a standby, or read-only: name the primary, or all hosts of the cluster"),
            Cause::NoPassword => write!(f, "asks for the password of the role {role}; set PGPASSWORD, or write it into ~/.pgpass"),
            Cause::WrongPassword => write!(f, "does not take this password for the role {role}; see whether the role is there and its password right"),
            Cause::NoRole => write!(f, "has no role {role}; create it (CREATE ROLE … LOGIN), or name another in the address"),
            Cause::NoDatabase => write!(f, "has no database {database}; create it (CREATE DATABASE … OWNER), or name another in the address"),
            Cause::NotAllowed(words) => write!(f, "does not let the role {role} into the database {database} ({words}); see its pg_hba.conf, and sslmode, sslcert and sslkey in the address"),
            Cause::MayNotConnect => write!(f, "does not let the role {role} into the database {database}; let its owner grant it: GRANT CONNECT ON DATABASE {} TO {}", quote(database), quote(role)),
            Cause::NotReady(words) => write!(f, "takes no connections now ({words}); try again, or see its log"),
            Cause::Full(words) => write!(f, "has no connection left ({words}); raise its max_connections, or the limit of the role {role}: a node takes ten"),
            Cause::Pooler => f.write_str("is reached through a pooler that lends a connection for one transaction at a time, so that nothing stays set or prepared; write pool_mode = session there, or connect to the server itself"),
            Cause::NoTls => f.write_str("has no TLS, which sslmode asks for; turn it on there (ssl = on), or write sslmode=prefer where the way is safe"),
            Cause::UntrustedCertificate => f.write_str("shows a certificate that no root in sslrootcert vouches for; name the file of the authority that signed it"),
            Cause::WrongName(names) if names.is_empty() => f.write_str("shows a certificate that names no host in subjectAltName; make one that does, or write sslmode=verify-ca"),
            Cause::WrongName(names) => write!(f, "shows a certificate for other names ({}); connect by one of them, or write sslmode=verify-ca", names.join(", ")),
            Cause::OutdatedCertificate => f.write_str("shows a certificate that has expired or is not valid yet; renew it, and look at both clocks"),
            Cause::BadCertificate(words) => write!(f, "shows a certificate that cannot be used ({words}); use one of X.509 version 3 that an authority signed, or name this very one as sslrootcert"),
            Cause::OurCertificate(words) => write!(f, "does not take our certificate ({words}); name one in sslcert and sslkey that its ssl_ca_file vouches for"),
            Cause::NoBinding => f.write_str("cannot bind the password to TLS, which channel_binding asks for; use scram-sha-256 and TLS there, or write channel_binding=prefer"),
            Cause::Other(words) => write!(f, "gives the role {role} no session in the database {database}: {words}; see its log"),
        }
    }
}

impl Error for ConnectError {}

/// The name in `DnsName("name")`, which is how the TLS library presents one.
fn bare(presented: &str) -> String {
    let inner = presented.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(presented).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_place_and_the_remedy_and_no_secret() {
        let mut config = Config::new();
        config.host("::1").port(5433).user("ann").password("secret").dbname("book");
        let words = |cause| ConnectError::new(&config, cause).to_string();
        assert!(
            words(Cause::NoDatabase).starts_with("PostgreSQL at [::1]:5433 has no database book; create")
        );
        assert!(words(Cause::WrongPassword).contains("for the role ann"));
        assert_eq!(bare("DnsName(\"db.example.org\")"), "db.example.org");
        let error = ConnectError::new(&config, Cause::Standby);
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}
