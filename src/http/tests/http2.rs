//! HTTP/2: many answers on one connection, and clients that do not take theirs.

use h2::client::Builder;
use rcgen::generate_simple_self_signed;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::TlsConnector;

use super::*;

type Sender = h2::client::SendRequest<Bytes>;

async fn start(settings: Settings) -> (Running, Arc<rustls::ClientConfig>) {
    let pair = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (pair.cert.pem(), pair.signing_key.serialize_pem());
    let identity = tls::Identity::parse(certificate.as_bytes(), key.as_bytes()).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut client = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![b"h2".to_vec()];
    let running = Running::start_with(settings, Some(Arc::new(tls::Tls::new(identity)))).await;
    (running, Arc::new(client))
}

async fn connect(
    server: &Running,
    client: &Arc<rustls::ClientConfig>,
    window: u32,
) -> (Sender, JoinHandle<Result<(), h2::Error>>) {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(Arc::clone(client)).connect(name, stream).await.unwrap();
    let (sender, connection) = Builder::new().initial_window_size(window).handshake(stream).await.unwrap();
    (sender, tokio::spawn(connection))
}

async fn ask(sender: &Sender, path: &str) -> hyper::Response<h2::RecvStream> {
    let mut sender = sender.clone().ready().await.unwrap();
    let request = hyper::Request::get(format!("https://localhost{path}")).body(()).unwrap();
    sender.send_request(request, true).unwrap().0.await.unwrap()
}

/// A body to its end.
async fn rest(mut body: h2::RecvStream) -> Bytes {
    let mut whole = Vec::new();
    while let Some(piece) = body.data().await {
        whole.extend(piece.unwrap());
    }
    whole.into()
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_let_go_whatever_else_it_asks() {
    let settings = Settings { write_timeout: SOON, ..Settings::default() };
    let (server, client) = start(settings).await;
    let (sender, connection) = connect(&server, &client, 0).await;
    let stuck = ask(&sender, "/large").await;
    assert_eq!(stuck.status(), 200);
    // Answers without a body need no window: this one is served all the time.
    let asking = async {
        loop {
            let Ok(mut ready) = sender.clone().ready().await else { return };
            let request = hyper::Request::get("https://localhost/nothing").body(()).unwrap();
            let Ok((answer, _)) = ready.send_request(request, true) else { return };
            if answer.await.is_err() {
                return;
            }
        }
    };
    tokio::time::timeout(NEVER, asking).await.expect("the connection is cut");
    drop(stuck);
    drop(sender);
    let _ = connection.await.unwrap();
}

#[tokio::test]
async fn a_client_that_takes_its_time_is_served_to_the_end() {
    let settings = Settings { write_timeout: NEVER, idle_timeout: SOON, ..Settings::default() };
    let (server, client) = start(settings).await;
    let (sender, _connection) = connect(&server, &client, 65_535).await;
    let mut body = ask(&sender, "/large").await.into_body();
    let mut length = 0;
    while let Some(piece) = body.data().await {
        let piece = piece.unwrap();
        length += piece.len();
        body.flow_control().release_capacity(piece.len()).unwrap();
    }
    assert_eq!(length, 32 * 1024 * 1024);
}

#[tokio::test]
async fn a_client_that_rests_is_let_go_and_pings_do_not_count() {
    let settings = Settings { idle_timeout: SOON, ..Settings::default() };
    let (server, client) = start(settings).await;
    let (sender, connection) = connect(&server, &client, 65_535).await;
    assert_eq!(ask(&sender, "/hello").await.status(), 200);
    let ended = tokio::time::timeout(NEVER, connection).await.expect("the connection is cut");
    assert!(ended.is_ok());
    drop(sender);
}

#[tokio::test]
async fn a_stream_ends_whole_or_is_reset_and_others_go_on() {
    let (server, client) = start(Settings::default()).await;
    let (sender, _connection) = connect(&server, &client, 65_535).await;
    for is_whole in [true, false] {
        let answer = ask(&sender, "/stream").await;
        assert!(!answer.headers().contains_key(header::CONTENT_LENGTH));
        let stream = server.stream().await;
        let mut body = answer.into_body();
        stream.send(Bytes::from("first")).await.unwrap();
        assert_eq!(body.data().await.unwrap().unwrap(), "first");
        if is_whole {
            stream.finish();
            assert_eq!(rest(body).await, "");
        } else {
            drop(stream);
            let error = body.data().await.unwrap().unwrap_err();
            assert_eq!(error.reason(), Some(h2::Reason::INTERNAL_ERROR));
        }
    }
    // A client that takes no interest any more says so, and the producer is told.
    let answer = ask(&sender, "/stream").await;
    let stream = server.stream().await;
    drop(answer);
    stream.closed().await;
    assert_eq!(ask(&sender, "/hello").await.status(), 200);
}

#[tokio::test]
async fn a_stream_is_bounded_and_cut_where_nothing_of_it_is_taken_but_not_without_news() {
    let settings = Settings { write_timeout: SOON, idle_timeout: SOON, ..Settings::default() };
    let (server, client) = start(settings).await;
    let (quiet, _connection) = connect(&server, &client, 65_535).await;
    let mut quiet_body = ask(&quiet, "/stream").await.into_body();
    let quiet_stream = server.stream().await;
    quiet_stream.send(Bytes::from("first")).await.unwrap();
    assert_eq!(quiet_body.data().await.unwrap().unwrap(), "first");

    let (stuck, _connection) = connect(&server, &client, 0).await;
    let _stuck_answer = ask(&stuck, "/stream").await;
    let stuck_stream = server.stream().await;
    let piece = Bytes::from_static(&[b'x'; 1024]);
    let mut sent = 0;
    let sending = async {
        while stuck_stream.send(piece.clone()).await.is_ok() {
            sent += piece.len();
        }
    };
    tokio::time::timeout(NEVER, sending).await.expect("the client is cut");
    assert_eq!(sent, 64 * 1024);

    quiet_stream.send(Bytes::from("second")).await.unwrap();
    assert_eq!(quiet_body.data().await.unwrap().unwrap(), "second");
}

#[tokio::test]
async fn stopping_ends_a_stream() {
    let (server, client) = start(Settings::default()).await;
    let (sender, _connection) = connect(&server, &client, 65_535).await;
    let body = ask(&sender, "/stream").await.into_body();
    let stream = server.stream().await;
    server.stop.send(()).unwrap();
    stream.stopping().await;
    stream.send(Bytes::from("bye")).await.unwrap();
    stream.finish();
    assert_eq!(rest(body).await, "bye");
    drop(sender);
    assert_eq!(server.done.await.unwrap(), 0);
}
