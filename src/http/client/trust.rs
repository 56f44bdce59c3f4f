//! Whom a client believes that it is the server of a URL: whoever the system vouches for, under the very name.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use super::error::ClientError;

pub(super) fn connector() -> Result<TlsConnector, ClientError> {
    let mut roots = RootCertStore::empty();
    // Some of many may be unreadable; those that are there count.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(ClientError::NoRoots);
    }
    // Named, because a default of the process could be set by anybody.
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ClientError::NoTls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
