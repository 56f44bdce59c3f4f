//! TLS of our own: a certificate with its key, which can be replaced while connections go on.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{InconsistentKeys, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use x509_cert::der::Decode;

const HTTP_2: &[u8] = b"h2";
const HTTP_1: &[u8] = b"http/1.1";

/// A certificate with those above it, and its key: known to fit together.
pub struct Identity {
    config: Arc<ServerConfig>,
    valid_from: SystemTime,
    valid_until: SystemTime,
}

/// Why two texts are no identity. What exactly a parser stumbled over could be a piece of the key, and is not said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityError {
    /// The text of the certificate holds none in PEM.
    NoCertificate,
    /// It holds something that is no certificate.
    BadCertificate,
    /// The text of the key holds none in PEM.
    NoKey,
    /// The key is locked by a passphrase.
    EncryptedKey,
    /// It is no key that we could use.
    BadKey,
    /// The key is that of another certificate.
    Mismatch,
}

/// How long a certificate vouches for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    Good,
    Expired,
    NotYet,
}

impl Identity {
    /// Reads certificate and key from the texts of their files, in PEM.
    pub fn parse(certificates: &[u8], key: &[u8]) -> Result<Self, IdentityError> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificates).collect();
        let chain = chain.map_err(|_| IdentityError::NoCertificate)?;
        let own = chain.first().ok_or(IdentityError::NoCertificate)?;
        let parsed = x509_cert::Certificate::from_der(own).map_err(|_| IdentityError::BadCertificate)?;
        let validity = parsed.tbs_certificate.validity;
        let moment = |since: Duration| SystemTime::UNIX_EPOCH + since;
        let (valid_from, valid_until) =
            (moment(validity.not_before.to_unix_duration()), moment(validity.not_after.to_unix_duration()));
        let secret = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            let is_locked = String::from_utf8_lossy(key).contains("ENCRYPTED");
            if is_locked { IdentityError::EncryptedKey } else { IdentityError::NoKey }
        })?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13, &TLS12])
            .map_err(|_| IdentityError::BadKey)?
            .with_no_client_auth()
            .with_single_cert(chain, secret);
        let mut config = config.map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => IdentityError::Mismatch,
            rustls::Error::InvalidCertificate(_) => IdentityError::BadCertificate,
            _ => IdentityError::BadKey,
        })?;
        config.alpn_protocols = vec![HTTP_2.to_vec(), HTTP_1.to_vec()];
        Ok(Identity { config: Arc::new(config), valid_from, valid_until })
    }

    /// Whether the certificate vouches for us now.
    pub fn validity(&self) -> Validity {
        let now = SystemTime::now();
        match () {
            () if now > self.valid_until => Validity::Expired,
            () if now < self.valid_from => Validity::NotYet,
            () => Validity::Good,
        }
    }
}

/// What new connections are encrypted with.
pub struct Tls(ArcSwap<ServerConfig>);

impl Tls {
    pub fn new(identity: Identity) -> Self {
        Tls(ArcSwap::new(identity.config))
    }

    /// Presents another certificate to new connections; those that are open go on as they began.
    pub fn replace(&self, identity: Identity) {
        self.0.store(identity.config);
    }

    pub(super) async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        TlsAcceptor::from(self.0.load_full()).accept(stream).await
    }
}

/// Whether the client chose HTTP/2.
pub(super) fn speaks_http_2<S>(stream: &TlsStream<S>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(HTTP_2)
}
