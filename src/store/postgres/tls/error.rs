//! Why connections cannot be encrypted as asked, and how to mend it.

use std::path::PathBuf;

/// Why connections cannot be encrypted as asked. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error(
        "sslmode={0} needs root certificates to check the server's against; name their file as sslrootcert, or write sslrootcert=system"
    )]
    NoRoots(&'static str),
    #[error("the system has no root certificates that can be read; name a file of them as sslrootcert")]
    NoSystemRoots,
    #[error("{path} of {parameter} cannot be read: {cause}; name a file in PEM that carnet may read", path = .path.display())]
    Unreadable { path: PathBuf, parameter: &'static str, cause: String },
    #[error("{path} of {parameter} holds no {what} in PEM; name a file that does", path = .path.display())]
    Nothing { path: PathBuf, parameter: &'static str, what: &'static str },
    #[error("{path} of sslkey is locked by a passphrase; name a key without one (openssl pkey -in {path})", path = .0.display())]
    Encrypted(PathBuf),
    #[error("{path} of sslkey can be read by others; make it private with chmod 0600 {path}", path = .0.display())]
    OpenKey(PathBuf),
    #[error("{certificate} and {key} cannot be used together: {cause}; name a certificate and its own key", certificate = .certificate.display(), key = .key.display())]
    Mismatch { certificate: PathBuf, key: PathBuf, cause: String },
    #[error("TLS cannot be set up: {0}")]
    Broken(String),
}
