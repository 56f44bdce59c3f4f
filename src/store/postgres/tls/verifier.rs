//! Whether the certificate that a PostgreSQL server shows is good enough.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

#[derive(Debug)]
pub(super) struct Verifier {
    algorithms: WebPkiSupportedAlgorithms,
    /// `None`: any certificate will do.
    trust: Option<Trust>,
}

#[derive(Debug)]
struct Trust {
    roots: RootCertStore,
    /// The certificates of the file of roots, themselves.
    pinned: Vec<CertificateDer<'static>>,
    checks_name: bool,
}

impl Verifier {
    pub(super) fn believing_anybody(algorithms: WebPkiSupportedAlgorithms) -> Self {
        Self { algorithms, trust: None }
    }

    pub(super) fn believing(
        roots: RootCertStore,
        pinned: Vec<CertificateDer<'static>>,
        checks_name: bool,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Self {
        Self { algorithms, trust: Some(Trust { roots, pinned, checks_name }) }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(Trust { roots, pinned, checks_name }) = &self.trust else {
            return Ok(ServerCertVerified::assertion());
        };
        let parsed = ParsedCertificate::try_from(end_entity)?;
        let chain = verify_server_cert_signed_by_trust_anchor(
            &parsed,
            roots,
            intermediates,
            now,
            self.algorithms.all,
        );
        match chain {
            // The server's own certificate given as the root: usual with libpq, and as sure as can be. What the
            // library says of it is that an authority is no server; its dates it has looked at before.
            Err(error) if !is_out_of_date(&error) && pinned.contains(end_entity) => {}
            judged => judged?,
        }
        if *checks_name {
            verify_server_name(&parsed, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    // Signatures count even where any certificate will do: a password is bound to the certificate, so the
    // server has to prove that it is its own.

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

fn is_out_of_date(error: &Error) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    matches!(
        error,
        Error::InvalidCertificate(Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
    )
}
