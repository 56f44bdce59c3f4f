//! The certificate and the key that `serve` encrypts with: read at the start, and again on SIGHUP.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::signal::unix::Signal;

use crate::config::TlsFiles;
use crate::http::tls::{Identity, IdentityError, Tls, Validity};
use crate::observe::{Event, Observer};

/// Why connections cannot be encrypted with these files.
#[derive(Debug, thiserror::Error)]
pub(super) enum TlsError {
    #[error("{path} of {key} cannot be read: {cause}; name a file in PEM that carnet may read", path = .path.display())]
    Unreadable { path: PathBuf, key: &'static str, cause: std::io::Error },
    #[error("{path} of {key} holds no {what} in PEM; name a file that does", path = .path.display())]
    Nothing { path: PathBuf, key: &'static str, what: &'static str },
    #[error("{path} of tls_cert holds no certificate that can be used; name one of X.509, with its own first", path = .0.display())]
    BadCertificate(PathBuf),
    #[error("{path} of tls_key is locked by a passphrase; name a key without one (openssl pkey -in {path})", path = .0.display())]
    Locked(PathBuf),
    #[error("{path} of tls_key is no key that can be used; name one of ECDSA, Ed25519 or RSA", path = .0.display())]
    BadKey(PathBuf),
    #[error("{key} of tls_key is not the key of {certificate} of tls_cert; name a certificate and its own key", certificate = .certificate.display(), key = .key.display())]
    Mismatch { certificate: PathBuf, key: PathBuf },
}

/// Reads both files. A warning, where there is one, is for whoever can do something about it.
pub(super) fn load(files: &TlsFiles) -> Result<(Identity, Option<String>), TlsError> {
    let TlsFiles { certificate, key } = files;
    let identity = Identity::parse(&read(certificate, "tls_cert")?, &read(key, "tls_key")?);
    let identity = identity.map_err(|error| match error {
        IdentityError::NoCertificate => {
            TlsError::Nothing { path: certificate.clone(), key: "tls_cert", what: "certificate" }
        }
        IdentityError::BadCertificate => TlsError::BadCertificate(certificate.clone()),
        IdentityError::NoKey => TlsError::Nothing { path: key.clone(), key: "tls_key", what: "private key" },
        IdentityError::EncryptedKey => TlsError::Locked(key.clone()),
        IdentityError::BadKey => TlsError::BadKey(key.clone()),
        IdentityError::Mismatch => TlsError::Mismatch { certificate: certificate.clone(), key: key.clone() },
    })?;
    let what = match identity.validity() {
        Validity::Good => None,
        Validity::Expired => Some("has expired"),
        Validity::NotYet => Some("is not valid yet"),
    };
    let warning = what.map(|what| {
        format!("the certificate in {} of tls_cert {what}: clients will refuse it", certificate.display())
    });
    Ok((identity, warning))
}

/// Reads the files again on every SIGHUP. What cannot be used changes nothing.
pub(super) async fn follow(mut hangups: Signal, files: TlsFiles, tls: Arc<Tls>, observer: Arc<Observer>) {
    while hangups.recv().await.is_some() {
        match load(&files) {
            Ok((identity, warning)) => {
                tls.replace(identity);
                observer.report(Event::CertificateReloaded);
                if let Some(warning) = warning {
                    observer.report(Event::Warning(&warning));
                }
            }
            Err(error) => observer.report(Event::CertificateKept { cause: &error.to_string() }),
        }
    }
}

fn read(path: &Path, key: &'static str) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|cause| TlsError::Unreadable { path: path.to_owned(), key, cause })
}
