//! Where the data is: `sqlite:PATH` or `postgres://USER@HOST/NAME`.

use std::fmt;
use std::path::PathBuf;

pub use super::postgres::address::{AddressError, PostgresUrl, Surroundings};

/// The address of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a process has one of them")]
pub enum StorageUrl {
    /// A file; a relative path is relative to the working directory.
    Sqlite(PathBuf),
    Postgres(PostgresUrl),
}

/// Why a text is no [`StorageUrl`]. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error(
        "a database is written `sqlite:PATH`, for example `sqlite:carnet.db`, or `postgres://USER@HOST/NAME`"
    )]
    UnknownScheme,
    #[error("a database is written `sqlite:PATH`: write `sqlite:{0}`")]
    BarePath(String),
    #[error("the path after `sqlite:` is empty; write for example `sqlite:carnet.db`")]
    NoPath,
    #[error("a database in memory would be lost at the stop; write a path after `sqlite:`")]
    InMemory,
    #[error("after `sqlite:` stands a path, not a host; write `sqlite:{0}`")]
    Host(String),
    #[error(transparent)]
    Postgres(#[from] AddressError),
}

impl StorageUrl {
    /// Understands `sqlite:PATH`, also with the three slashes that some write before an absolute path, and
    /// `postgres://` as users of libpq write it.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if PostgresUrl::is_meant(text) {
            return Ok(Self::Postgres(PostgresUrl::parse(text)?));
        }
        let path = text.strip_prefix("sqlite:").ok_or_else(|| unknown(text))?;
        match path {
            "" | "//" => Err(UrlError::NoPath),
            ":memory:" | "//:memory:" => Err(UrlError::InMemory),
            _ => match path.strip_prefix("//") {
                // However many slashes, they mean one; two would be shown as a host.
                Some(absolute) if absolute.starts_with('/') => {
                    Ok(Self::Sqlite(format!("/{}", absolute.trim_start_matches('/')).into()))
                }
                Some(relative) => Err(UrlError::Host(relative.to_owned())),
                None => Ok(Self::Sqlite(path.into())),
            },
        }
    }

    /// The same place, as it is called from everywhere.
    pub fn absolute(&self) -> Self {
        match self {
            Self::Sqlite(path) => Self::Sqlite(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            Self::Postgres(_) => self.clone(),
        }
    }

    /// The address with what the environment says where it is silent.
    pub fn within(self, surroundings: &Surroundings) -> Result<Self, UrlError> {
        match self {
            Self::Sqlite(_) => Ok(self),
            Self::Postgres(url) => Ok(Self::Postgres(url.within(surroundings)?)),
        }
    }
}

/// What is not even a scheme may be a path; only one that cannot hold a password is repeated.
fn unknown(text: &str) -> UrlError {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    let is_file = [".db", ".sqlite", ".sqlite3"].iter().any(|ending| text.ends_with(ending));
    if is_file && text.chars().all(is_plain) {
        return UrlError::BarePath(text.to_owned());
    }
    UrlError::UnknownScheme
}

/// For people and logs: without a password.
impl fmt::Display for StorageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => write!(f, "{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_its_path() {
        assert_eq!(StorageUrl::parse("sqlite:a/b.db"), Ok(StorageUrl::Sqlite("a/b.db".into())));
        assert_eq!(StorageUrl::parse("sqlite:/a.db"), Ok(StorageUrl::Sqlite("/a.db".into())));
        assert_eq!(StorageUrl::parse("sqlite:///a.db"), Ok(StorageUrl::Sqlite("/a.db".into())));
        let shown = StorageUrl::parse("sqlite:////a.db").unwrap().to_string();
        assert_eq!(shown, "sqlite:/a.db");
        assert_eq!(StorageUrl::parse("sqlite://a.db"), Err(UrlError::Host("a.db".into())));
        assert_eq!(StorageUrl::parse("sqlite:"), Err(UrlError::NoPath));
        assert_eq!(StorageUrl::parse("sqlite::memory:"), Err(UrlError::InMemory));
        assert_eq!(StorageUrl::parse("carnet.db"), Err(UrlError::BarePath("carnet.db".into())));
        assert_eq!(StorageUrl::parse("carnet"), Err(UrlError::UnknownScheme));
        assert_eq!(StorageUrl::parse("password=secret.db"), Err(UrlError::UnknownScheme));
        let postgres = StorageUrl::parse("postgresql://u:p@h/d").unwrap();
        assert_eq!(postgres.to_string(), "postgres://u@h/d");
        assert_eq!(StorageUrl::parse("postgres:u"), Err(AddressError::NoSlashes.into()));
    }
}
