//! Why a server could not be asked, in sentences for whoever typed its URL.

use std::error::Error;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("{0} cannot be reached: {1}; start the server, or correct the URL")]
    Unreachable(String, String),
    #[error("{0} cannot be called encrypted: {1}")]
    TlsFailed(String, String),
    #[error(
        "the system has no root certificates to check the server's against; install them (ca-certificates), or name a file of them in SSL_CERT_FILE"
    )]
    NoRoots,
    #[error("TLS cannot be set up: {0}")]
    NoTls(String),
    #[error("the connection to {0} broke: {1}")]
    Broken(String, String),
    #[error("{0} neither took nor sent anything for {1} seconds")]
    Idle(String, u64),
    #[error("{0} answers at greater length than a carnet server would")]
    LongAnswer(String),
    #[error("{0} is too long for a request, or no path")]
    NoTarget(String),
}

impl ClientError {
    /// With the last of its causes, which says most: the file that cannot be read, the peer that hung up.
    pub(super) fn broken(url: &str, error: &(dyn Error + 'static)) -> Self {
        let mut cause = error;
        while let Some(below) = cause.source() {
            cause = below;
        }
        Self::Broken(url.to_owned(), cause.to_string())
    }
}
