//! The files of certificates and keys that TLS to PostgreSQL needs.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::error::TlsError;

/// The roots that the system trusts.
pub(super) fn system_roots() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    // Some of many may be unreadable; those that are there count.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() { Err(TlsError::NoSystemRoots) } else { Ok(roots) }
}

pub(super) fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    certificates(path, "sslrootcert")
}

/// Our own certificate with those above it, and its key.
pub(super) fn read_identity(
    certificate: &Path,
    key: &Path,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsError> {
    let chain = certificates(certificate, "sslcert")?;
    let text = read(key, "sslkey")?;
    let metadata = key.metadata().map_err(|error| unreadable(key, "sslkey", &error))?;
    // As libpq: nobody else, but for a key of root that a group may read.
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden != 0 {
        return Err(TlsError::OpenKey(key.to_owned()));
    }
    match PrivateKeyDer::from_pem_slice(&text) {
        Ok(secret) => Ok((chain, secret)),
        Err(_) if String::from_utf8_lossy(&text).contains("ENCRYPTED") => {
            Err(TlsError::Encrypted(key.to_owned()))
        }
        // What exactly the parser stumbled over could be a piece of the key.
        Err(_) => Err(TlsError::Nothing { path: key.to_owned(), parameter: "sslkey", what: "private key" }),
    }
}

fn certificates(path: &Path, parameter: &'static str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(path, parameter)?;
    let found: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(TlsError::Nothing { path: path.to_owned(), parameter, what: "certificate" }),
    }
}

fn read(path: &Path, parameter: &'static str) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|error| unreadable(path, parameter, &error))
}

fn unreadable(path: &Path, parameter: &'static str, error: &std::io::Error) -> TlsError {
    TlsError::Unreadable { path: path.to_owned(), parameter, cause: error.to_string() }
}
