//! How a connection to PostgreSQL is encrypted and whom it trusts, as libpq's `sslmode` says.

mod certificates;
mod error;
mod verifier;

use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use certificates::{read_identity, read_roots, system_roots};
pub(super) use error::TlsError;
use verifier::Verifier;

/// How much a connection insists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    /// Encrypted where the server can.
    Prefer,
    Require,
    /// Encrypted, with a server that an authority vouches for.
    VerifyCa,
    /// The same, and for the very host that is named.
    VerifyFull,
}

/// Whom to believe that a server is the right one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Roots {
    Unsaid,
    System,
    File(PathBuf),
}

/// What the address of a database says about TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    pub(super) mode: TlsMode,
    pub(super) roots: Roots,
    /// The files of our own certificate and its key.
    pub(super) identity: Option<(PathBuf, PathBuf)>,
    /// Whether TLS begins without asking the server first.
    pub(super) is_direct: bool,
}

impl TlsMode {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => Self::Disable,
            // Would begin without TLS where the server does not mind; nobody means that today.
            "allow" | "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        }
    }
}

impl TlsSettings {
    /// Reads the files and makes what connections are encrypted with.
    pub fn connector(&self) -> Result<MakeRustlsConnect, TlsError> {
        // Named, because a default of the process could be set by anybody.
        let provider = Arc::new(ring::default_provider());
        let broken = |error: rustls::Error| TlsError::Broken(error.to_string());
        let verifier: Arc<dyn ServerCertVerifier> = Arc::new(self.verifier(&provider)?);
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(broken)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &self.identity {
            Some((certificate, key)) if self.mode != TlsMode::Disable => {
                let (chain, secret) = read_identity(certificate, key)?;
                config.with_client_auth_cert(chain, secret).map_err(|error| TlsError::Mismatch {
                    certificate: certificate.clone(),
                    key: key.clone(),
                    cause: error.to_string(),
                })?
            }
            _ => config.with_no_client_auth(),
        };
        if self.is_direct {
            // Without it a server refuses TLS that it was not asked about.
            config.alpn_protocols = vec![b"postgresql".to_vec()];
        }
        Ok(MakeRustlsConnect::new(config))
    }

    fn verifier(&self, provider: &rustls::crypto::CryptoProvider) -> Result<Verifier, TlsError> {
        let algorithms = provider.signature_verification_algorithms;
        let checks_name = self.mode == TlsMode::VerifyFull;
        let (roots, pinned) = match (&self.roots, self.mode) {
            (_, TlsMode::Disable) | (Roots::Unsaid, TlsMode::Prefer | TlsMode::Require) => {
                return Ok(Verifier::believing_anybody(algorithms));
            }
            (Roots::Unsaid, mode) => return Err(TlsError::NoRoots(mode.name())),
            (Roots::System, _) => (system_roots()?, Vec::new()),
            (Roots::File(path), _) => {
                let pinned = read_roots(path)?;
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(pinned.iter().cloned());
                (roots, pinned)
            }
        };
        Ok(Verifier::believing(roots, pinned, checks_name, algorithms))
    }

    /// The parameters that say the same.
    pub(super) fn written(&self) -> Vec<(&'static str, String)> {
        let mut written = Vec::new();
        if self.mode != TlsMode::Prefer {
            written.push(("sslmode", self.mode.name().to_owned()));
        }
        match &self.roots {
            Roots::Unsaid => {}
            Roots::System => written.push(("sslrootcert", "system".to_owned())),
            Roots::File(path) => written.push(("sslrootcert", path.display().to_string())),
        }
        if let Some((certificate, key)) = &self.identity {
            written.push(("sslcert", certificate.display().to_string()));
            written.push(("sslkey", key.display().to_string()));
        }
        if self.is_direct {
            written.push(("sslnegotiation", "direct".to_owned()));
        }
        written
    }
}
