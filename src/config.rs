//! The configuration: settings that are already known to be right.
//!
//! [`Config::load`] is the only way in: a file or the built-in one, with flags and the environment laid
//! over it. What is wrong comes back all at once, as a [`ConfigError`].

mod backup;
mod base_url;
mod check;
mod collections;
mod duplicate;
mod effective;
mod keys;
mod listen;
mod log;
mod origin;
mod password;
mod problem;
mod proxies;
mod server;
mod setting;
mod size;
mod storage;
mod synonyms;
mod syntax;
#[cfg(test)]
mod tests;
mod tls;
mod tree;

use crate::api;
use crate::catalog::Catalog;
use crate::http;
use crate::observe::LogSettings;
use crate::store::OpenSettings;
use crate::store::Schedule;
use crate::store::url::{StorageUrl, Surroundings};
pub(crate) use password::without_passwords;
pub use problem::{ConfigError, Problem};
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The built-in configuration, commented: the default, what `init` writes, and the example.
pub const STARTER: &str = include_str!("config/starter.toml");

/// The file that is read when none is named.
pub const DEFAULT_FILE: &str = "carnet.toml";

/// The address to listen on that a text probably means, which is none.
pub(crate) fn address_meant(text: &str) -> Option<String> {
    listen::meant(text).map(|address| address.to_string())
}

/// Everything that can be set, as it will be used; each part of the program defines what it can be told.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it came from.
    pub origin: Origin,
    pub listen: SocketAddr,
    pub storage: StorageUrl,
    /// The files that connections are encrypted with, if they are.
    pub tls: Option<TlsFiles>,
    pub http: http::Settings,
    pub api: api::Settings,
    pub store: OpenSettings,
    pub log: LogSettings,
    /// The backups that the server makes by itself, if it makes any.
    pub backup: Option<Schedule>,
    pub catalog: Arc<Catalog>,
}

/// A certificate with its key, in PEM. Only who serves with them reads them: others may not be allowed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Where a configuration came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
    File(PathBuf),
}

/// What flags and the environment say instead of the file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub listen: Option<Given>,
    pub database: Option<Given>,
    pub base_url: Option<Given>,
    /// The level of the log.
    pub log: Option<Given>,
    /// What completes the address of a PostgreSQL database.
    pub surroundings: Surroundings,
}

/// A text that was given outside of the file.
#[derive(Clone)]
pub struct Given {
    pub text: String,
    /// The flag or the variable, as `--database` or `CARNET_DATABASE`: problems name it.
    pub source: &'static str,
}

impl Config {
    const DEFAULT_LISTEN: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080));
    const DEFAULT_DATABASE: &str = "carnet.db";

    /// With every default, and no collection.
    fn unset(origin: Origin) -> Self {
        Self {
            origin,
            listen: Self::DEFAULT_LISTEN,
            storage: StorageUrl::Sqlite(Self::DEFAULT_DATABASE.into()),
            tls: None,
            http: http::Settings::default(),
            api: api::Settings::default(),
            store: OpenSettings::default(),
            log: LogSettings::default(),
            backup: None,
            catalog: Arc::default(),
        }
    }

    /// Reads the named file, else `./carnet.toml` where there is one, else the built-in configuration.
    pub fn load(path: Option<&Path>, overrides: &Overrides) -> Result<Self, ConfigError> {
        let file = path.unwrap_or(Path::new(DEFAULT_FILE));
        match std::fs::read(file) {
            Ok(bytes) => Self::from_file(file, bytes, overrides),
            Err(error) if path.is_none() && error.kind() == io::ErrorKind::NotFound => {
                Self::built_in(overrides)
            }
            Err(error) => Err(unreadable(file, &error)),
        }
    }

    /// The built-in address book.
    pub fn built_in(overrides: &Overrides) -> Result<Self, ConfigError> {
        Self::parse(STARTER, Origin::BuiltIn, overrides)
    }

    /// Understands the text of a file.
    pub fn parse(text: &str, origin: Origin, overrides: &Overrides) -> Result<Self, ConfigError> {
        check::check(text, origin, overrides)
    }

    /// The configuration as TOML with every default spelled out; read back, it is the same one.
    pub fn effective(&self) -> String {
        effective::write(self)
    }

    fn from_file(file: &Path, bytes: Vec<u8>, overrides: &Overrides) -> Result<Self, ConfigError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = format!("`{}` is not UTF-8 text, on line {line}", file.display());
            outside(file, Problem::outside(message, "save the file as UTF-8"))
        })?;
        Self::parse(&text, Origin::File(file.to_owned()), overrides)
    }
}

fn unreadable(file: &Path, error: &io::Error) -> ConfigError {
    let message = format!("`{}` cannot be read: {error}", file.display());
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => format!("`carnet init {}` writes one to begin with", file.display()),
        io::ErrorKind::PermissionDenied => "let the user that runs carnet read it".to_owned(),
        _ => "name a file that can be read".to_owned(),
    };
    outside(file, Problem::outside(message, remedy))
}

/// The error of a file whose text nobody has seen.
fn outside(file: &Path, problem: Problem) -> ConfigError {
    ConfigError::new(&file.display().to_string(), "", vec![problem], false)
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("the built-in configuration"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text may hold a password.
        f.debug_struct("Given").field("source", &self.source).finish_non_exhaustive()
    }
}
