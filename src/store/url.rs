//! Where the data is: `sqlite:PATH`.

use std::fmt;
use std::path::{Path, PathBuf};

/// The address of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageUrl {
    /// A file; a relative path is relative to the working directory.
    Sqlite(PathBuf),
}

/// Why a text is no [`StorageUrl`]. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("a database is written `sqlite:PATH`, for example `sqlite:carnet.db`")]
    UnknownScheme,
    #[error("this version of carnet keeps its data in SQLite only; write `sqlite:PATH`")]
    Postgres,
    #[error("the path after `sqlite:` is empty; write for example `sqlite:carnet.db`")]
    NoPath,
    #[error("a database in memory would be lost at the stop; write a path after `sqlite:`")]
    InMemory,
    #[error("after `sqlite:` stands a path, not a host; write `sqlite:{0}`")]
    Host(String),
}

impl StorageUrl {
    /// Understands `sqlite:PATH`, also with the three slashes that some write before an absolute path.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if text.starts_with("postgres:") || text.starts_with("postgresql:") {
            return Err(UrlError::Postgres);
        }
        let path = text.strip_prefix("sqlite:").ok_or(UrlError::UnknownScheme)?;
        match path {
            "" | "//" => Err(UrlError::NoPath),
            ":memory:" | "//:memory:" => Err(UrlError::InMemory),
            _ => match path.strip_prefix("//") {
                Some(absolute) if absolute.starts_with('/') => Ok(Self::Sqlite(absolute.into())),
                Some(relative) => Err(UrlError::Host(relative.to_owned())),
                None => Ok(Self::Sqlite(path.into())),
            },
        }
    }

    /// The file that holds the data.
    pub fn path(&self) -> &Path {
        match self {
            Self::Sqlite(path) => path,
        }
    }
}

impl fmt::Display for StorageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
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
        assert_eq!(StorageUrl::parse("sqlite://a.db"), Err(UrlError::Host("a.db".into())));
        assert_eq!(StorageUrl::parse("sqlite:"), Err(UrlError::NoPath));
        assert_eq!(StorageUrl::parse("sqlite::memory:"), Err(UrlError::InMemory));
        assert_eq!(StorageUrl::parse("carnet.db"), Err(UrlError::UnknownScheme));
        assert_eq!(StorageUrl::parse("postgres://u:p@h/d"), Err(UrlError::Postgres));
    }
}
