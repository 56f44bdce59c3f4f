//! Certificates made for a test, and clients that trust them.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use dev::client::Client;
use dev::configs;
use dev::waiting::SAFETY_NET;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

use super::home::Home;
use super::server::Server;

/// A certificate for this machine, and its key.
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Pair {
    pub(crate) fn new() -> Pair {
        Pair::valid_until(4000)
    }

    /// One that is valid until the first day of this year.
    pub(crate) fn valid_until(year: i32) -> Pair {
        let mut parameters =
            CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(2000, 1, 1);
        parameters.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap().pem();
        Pair { certificate, key: key.serialize_pem() }
    }

    /// Writes both where [`config`] looks for them.
    pub(crate) fn install(&self, home: &Home) {
        std::fs::write(home.path("cert.pem"), &self.certificate).unwrap();
        std::fs::write(home.path("key.pem"), &self.key).unwrap();
    }

    /// What a client needs that trusts this certificate and no other.
    pub(crate) fn trust(&self) -> Trust {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()).unwrap();
        Trust(roots)
    }
}

/// The built-in address book over TLS, with further keys in `[server]`.
pub(crate) fn config(keys: &str) -> String {
    configs::with_server(&format!("tls_cert = \"cert.pem\"\ntls_key = \"key.pem\"\n{keys}"))
}

/// A server that speaks TLS with a new certificate.
pub(crate) fn serve(keys: &str) -> (Server, Trust) {
    let home = Home::new(&config(keys));
    let pair = Pair::new();
    pair.install(&home);
    let trust = pair.trust();
    let server = home.serve();
    server.over_tls(trust.clone());
    (server, trust)
}

/// Whom a client believes.
#[derive(Clone)]
pub(crate) struct Trust(RootCertStore);

pub(crate) type Encrypted = StreamOwned<ClientConnection, TcpStream>;

impl Trust {
    /// The settings of a client that offers these protocols.
    pub(crate) fn client(&self, protocols: &[&[u8]]) -> ClientConfig {
        self.client_with(protocols, &[&TLS13, &TLS12])
    }

    fn client_with(
        &self,
        protocols: &[&[u8]],
        versions: &[&'static SupportedProtocolVersion],
    ) -> ClientConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(self.0.clone())
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        config
    }

    /// A client that believes it.
    pub(crate) fn http(self, address: SocketAddr) -> Client {
        Client::by(address, move || {
            let stream = self.connect(address, &[b"http/1.1"])?;
            let socket = stream.sock.try_clone()?;
            Ok((Box::new(stream), socket))
        })
    }

    /// Connects, offering these protocols. The handshake is done when this returns.
    pub(crate) fn connect(&self, address: SocketAddr, protocols: &[&[u8]]) -> std::io::Result<Encrypted> {
        self.connect_with(address, protocols, &[&TLS13, &TLS12])
    }

    pub(crate) fn connect_with(
        &self,
        address: SocketAddr,
        protocols: &[&[u8]],
        versions: &[&'static SupportedProtocolVersion],
    ) -> std::io::Result<Encrypted> {
        let config = self.client_with(protocols, versions);
        let name = ServerName::try_from("localhost").unwrap();
        let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(SAFETY_NET))?;
        stream.set_write_timeout(Some(SAFETY_NET))?;
        stream.set_nodelay(true)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream)?;
        }
        Ok(StreamOwned::new(connection, stream))
    }
}
