//! Where a PostgreSQL database is: `postgres://USER@HOST/NAME`, as users of libpq write it.
//!
//! [`PostgresUrl::parse`] is pure. What libpq takes from its surroundings where the URL is silent is laid
//! over it afterwards, by [`PostgresUrl::within`].

mod encryption;
mod error;
mod parameters;
mod passfile;
mod surroundings;
mod syntax;
#[cfg(test)]
mod tests;

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio_postgres::Config;
use tokio_postgres::config::{SslMode, SslNegotiation, TargetSessionAttrs};

use super::tls::{TlsMode, TlsSettings};
use encryption::Encryption;
pub use error::AddressError;
use error::once;
use parameters::Parameters;
pub use surroundings::Surroundings;
pub(super) use syntax::DEFAULT_PORT;

/// What may stand in a URL as it is: nothing that separates its parts.
const TEXT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const VALUE: &AsciiSet = &TEXT.remove(b'/').remove(b',').remove(b':');
/// In brackets, and in a list of hosts.
const HOST: &AsciiSet = &TEXT.remove(b':');
const LISTED_HOST: &AsciiSet = &HOST.remove(b'/');

/// The address of a PostgreSQL database, and how to connect to it.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// In the order in which they are tried; at least one.
    hosts: Vec<Host>,
    user: Option<String>,
    database: Option<String>,
    parameters: Parameters,
    tls: TlsSettings,
}

/// One server of several.
#[derive(Clone, PartialEq, Eq)]
struct Host {
    /// A name, an address, or the folder of a Unix socket.
    name: String,
    port: u16,
    /// A file of passwords may hold another one for each host.
    password: Option<String>,
}

impl PostgresUrl {
    /// Whether a text is meant to be such an address.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres:") || text.starts_with("postgresql:")
    }

    /// Understands `postgres://` and `postgresql://`.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let mut written = syntax::split(text)?;
        let mut parameters = Parameters::default();
        let mut tls = Encryption::default();
        for (name, value) in std::mem::take(&mut written.parameters) {
            match name.as_str() {
                "user" => once(&mut written.user, "user", value)?,
                "password" => once(&mut written.password, "password", value)?,
                "dbname" => once(&mut written.database, "dbname", value)?,
                _ if tls.set(&name, &value)? => {}
                _ => parameters.set(&name, value)?,
            }
        }
        // As for libpq, what is empty was not said.
        let said = |text: Option<String>| text.filter(|text| !text.is_empty());
        let password = said(written.password);
        let host = |(name, port)| Host { name, port, password: password.clone() };
        Ok(Self {
            hosts: written.hosts.into_iter().map(host).collect(),
            user: said(written.user),
            database: said(written.database),
            parameters,
            tls: tls.settings()?,
        })
    }

    /// How to connect to each host, in the written order. All demand a session that can write.
    pub fn hosts(&self) -> Vec<Config> {
        self.hosts.iter().map(|host| self.config(host)).collect()
    }

    /// How connections are encrypted, and whom they trust.
    pub fn tls(&self) -> &TlsSettings {
        &self.tls
    }

    fn config(&self, host: &Host) -> Config {
        let mut config = Config::new();
        config.host(&host.name).port(host.port).target_session_attrs(TargetSessionAttrs::ReadWrite);
        if let Some(user) = &self.user {
            config.user(user);
        }
        if let Some(database) = &self.database {
            config.dbname(database);
        }
        if let Some(password) = &host.password {
            config.password(password);
        }
        config.ssl_mode(match self.tls.mode {
            // There is no TLS on a Unix socket, and libpq asks for none.
            _ if host.is_socket() => SslMode::Disable,
            TlsMode::Disable => SslMode::Disable,
            TlsMode::Prefer => SslMode::Prefer,
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
        });
        if self.tls.is_direct {
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        self.parameters.apply(&mut config);
        config
    }
}

impl Host {
    fn is_socket(&self) -> bool {
        self.name.starts_with('/')
    }
}

/// For people and logs: everything but passwords. Read back, it is the same address without them.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = &self.user {
            write!(f, "{}@", utf8_percent_encode(user, TEXT))?;
        }
        let mut parameters: Vec<(&str, String)> = Vec::new();
        if self.hosts.iter().any(Host::is_socket) {
            let list = |one: fn(&Host) -> String| self.hosts.iter().map(one).collect::<Vec<_>>().join(",");
            // Encoded one by one: a comma in a name is not the one between two names.
            parameters.push(("host", list(|host| utf8_percent_encode(&host.name, LISTED_HOST).to_string())));
            if self.hosts.iter().any(|host| host.port != DEFAULT_PORT) {
                parameters.push(("port", list(|host| host.port.to_string())));
            }
        } else {
            let hosts: Vec<String> = self.hosts.iter().map(ToString::to_string).collect();
            f.write_str(&hosts.join(","))?;
        }
        if let Some(database) = &self.database {
            write!(f, "/{}", utf8_percent_encode(database, TEXT))?;
        }
        let others = self.tls.written().into_iter().chain(self.parameters.written());
        parameters.extend(others.map(|(name, value)| (name, utf8_percent_encode(&value, VALUE).to_string())));
        for (place, (name, value)) in parameters.iter().enumerate() {
            let joint = if place == 0 { '?' } else { '&' };
            write!(f, "{joint}{name}={value}")?;
        }
        Ok(())
    }
}

/// `host:port` as it stands in a URL.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]", utf8_percent_encode(&self.name, HOST))?,
            false => write!(f, "{}", utf8_percent_encode(&self.name, TEXT))?,
        }
        match self.port {
            DEFAULT_PORT => Ok(()),
            port => write!(f, ":{port}"),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}
