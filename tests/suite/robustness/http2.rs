//! HTTP/2 over TLS: the same answers as over HTTP/1, many at once, and a goodbye at the end.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use h2::client::SendRequest;
use hyper::{Request, Response, StatusCode};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::support::server::Server;
use crate::support::tls::{Trust, serve};

const JOHN: &[u8] = br#"{"first_name":"John","last_name":"Doe"}"#;

/// One connection; its task ends with the connection.
async fn connect(
    address: SocketAddr,
    trust: &Trust,
) -> (SendRequest<Bytes>, tokio::task::JoinHandle<Result<(), h2::Error>>) {
    let stream = TcpStream::connect(address).await.unwrap();
    let connector = TlsConnector::from(Arc::new(trust.client(&[b"h2"])));
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let stream = connector.connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    (sender, tokio::spawn(connection))
}

fn request(server: &Server, method: &str, path: &str) -> hyper::http::request::Builder {
    Request::builder().method(method).uri(format!("{}{path}", server.base_url()))
}

/// Sends a request with a body, and reads the whole answer.
async fn ask(sender: &SendRequest<Bytes>, request: Request<()>, body: &[u8]) -> Response<Vec<u8>> {
    let mut sender = sender.clone().ready().await.unwrap();
    let (answer, mut out) = sender.send_request(request, body.is_empty()).unwrap();
    if !body.is_empty() {
        out.send_data(Bytes::copy_from_slice(body), true).unwrap();
    }
    let (head, mut stream) = answer.await.unwrap().into_parts();
    let mut read = Vec::new();
    while let Some(piece) = stream.data().await {
        let piece = piece.unwrap();
        stream.flow_control().release_capacity(piece.len()).unwrap();
        read.extend_from_slice(&piece);
    }
    Response::from_parts(head, read)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn every_answer_says_how_long_it_is_and_one_to_head_has_no_body() {
    let (server, trust) = serve("");
    server.create_user("John", "Doe");
    runtime().block_on(async {
        let (sender, _) = connect(server.address(), &trust).await;
        for path in ["/livez", "/users/", "/users/1/", "/users/99/", "/nothing/", "/console/"] {
            let get = ask(&sender, request(&server, "GET", path).body(()).unwrap(), b"").await;
            let head = ask(&sender, request(&server, "HEAD", path).body(()).unwrap(), b"").await;
            assert_eq!((head.status(), head.body().len()), (get.status(), 0), "{path}");
            let length = get.body().len().to_string();
            assert_eq!(get.headers()["content-length"], length.as_str(), "{path}");
            assert_eq!(head.headers()["content-length"], length.as_str(), "{path}");
        }
        let create = request(&server, "POST", "/users/").header("content-type", "application/json");
        let created = ask(&sender, create.body(()).unwrap(), JOHN).await;
        let deleted = ask(&sender, request(&server, "DELETE", "/users/2/").body(()).unwrap(), b"").await;
        assert_eq!((created.status(), deleted.status()), (StatusCode::CREATED, StatusCode::OK));
        assert_eq!(created.headers()["content-length"], "0");
        assert_eq!(deleted.headers()["content-length"], "0");
        let options = ask(&sender, request(&server, "OPTIONS", "/users/").body(()).unwrap(), b"").await;
        assert!(
            options.status() == StatusCode::NO_CONTENT && !options.headers().contains_key("content-length")
        );
    });
}

/// What becomes part of links and locations is judged as in HTTP/1, also where it is not the authority.
#[test]
fn a_host_that_is_none_is_refused() {
    let (server, trust) = serve("");
    runtime().block_on(async {
        let (sender, _) = connect(server.address(), &trust).await;
        for (host, status) in [("localhost", 200), ("a>; rel=\"x\", <http://evil", 400), ("", 400)] {
            let request = Request::builder().uri("/users/").header("host", host).body(()).unwrap();
            assert_eq!(ask(&sender, request, b"").await.status().as_u16(), status, "{host}");
        }
    });
}

#[test]
fn the_answers_are_those_of_http_1() {
    let (server, trust) = serve("");
    server.create_user("Long", &"Name ".repeat(20_000));
    runtime().block_on(async {
        let (sender, _) = connect(server.address(), &trust).await;
        let create = request(&server, "POST", "/users/").header("content-type", "application/json");
        let answer = ask(&sender, create.body(()).unwrap(), JOHN).await;
        assert_eq!(answer.status(), StatusCode::CREATED);
        assert_eq!(answer.headers()["location"], format!("{}/users/2/", server.base_url()).as_str());
        for (path, status) in [
            ("/users/2/", 200),
            ("/users/1/", 200),
            ("/users/?nope=1", 400),
            ("/nothing/", 404),
            ("/users/99/", 404),
            ("/openapi.json", 200),
        ] {
            let answer = ask(&sender, request(&server, "GET", path).body(()).unwrap(), b"").await;
            let same = server.ask(&format!("GET {path}"));
            assert_eq!((answer.status().as_u16(), answer.body()), (status, &same.body), "{path}");
            assert_eq!(same.status, status, "{path}");
            // What is about one connection has no place here.
            for name in ["connection", "transfer-encoding", "keep-alive"] {
                assert!(!answer.headers().contains_key(name), "{path} {name}");
            }
            for name in ["x-request-id", "x-content-type-options", "content-length", "date"] {
                assert!(answer.headers().contains_key(name), "{path} {name}");
            }
        }
        let compressed =
            request(&server, "GET", "/users/1/").header("accept-encoding", "zstd").body(()).unwrap();
        let answer = ask(&sender, compressed, b"").await;
        assert_eq!(answer.headers()["content-encoding"], "zstd");
        let plain = zstd::stream::decode_all(&answer.body()[..]).unwrap();
        assert_eq!(plain, server.ask("GET /users/1/").body);
        // The limits are the same.
        let long = request(&server, "GET", &format!("/{}", "a".repeat(9000))).body(()).unwrap();
        assert_eq!(ask(&sender, long, b"").await.status(), StatusCode::URI_TOO_LONG);
        let other = request(&server, "GET", "/users/").header("host", "evil.example").body(()).unwrap();
        assert_eq!(ask(&sender, other, b"").await.status(), StatusCode::BAD_REQUEST);
        let large = request(&server, "POST", "/users/").header("content-type", "application/json");
        let large = large.header("content-length", "1048577").body(()).unwrap();
        let mut sender = sender.clone().ready().await.unwrap();
        let (answer, _out) = sender.send_request(large, false).unwrap();
        assert_eq!(answer.await.unwrap().status(), StatusCode::PAYLOAD_TOO_LARGE);
    });
    assert_eq!(server.metric("http_server_active_requests"), 1);
}

#[test]
fn many_requests_are_answered_at_once_each_with_its_own_name() {
    let (server, trust) = serve("");
    runtime().block_on(async {
        let (sender, _) = connect(server.address(), &trust).await;
        let mut answers = Vec::new();
        for _ in 0..4 {
            // As many as the server lets us, which it has said by now.
            ask(&sender, request(&server, "GET", "/livez").body(()).unwrap(), b"").await;
            let asking = (0..75).map(|_| {
                let create = request(&server, "POST", "/users/").header("content-type", "application/json");
                let request = create.body(()).unwrap();
                let sender = sender.clone();
                async move { ask(&sender, request, JOHN).await }
            });
            answers.extend(futures_util::future::join_all(asking).await);
        }
        let ids: BTreeSet<String> = answers
            .iter()
            .map(|answer| answer.headers()["x-request-id"].to_str().unwrap().to_owned())
            .collect();
        let places: BTreeSet<_> =
            answers.iter().map(|answer| answer.headers()["location"].clone().as_bytes().to_vec()).collect();
        assert_eq!((ids.len(), places.len()), (300, 300));
    });
    assert_eq!(server.total("/users/"), 300);
}

#[test]
fn a_stop_answers_what_is_in_flight_and_says_goodbye() {
    let (mut server, trust) = serve("drain = 600");
    runtime().block_on(async {
        let (sender, connection) = connect(server.address(), &trust).await;
        // One that asks for nothing more must not hold up the end.
        let (idle, idle_connection) = connect(server.address(), &trust).await;
        assert_eq!(ask(&idle, request(&server, "GET", "/livez").body(()).unwrap(), b"").await.status(), 200);
        let create = request(&server, "POST", "/users/").header("content-type", "application/json");
        let mut ready = sender.clone().ready().await.unwrap();
        let (answer, mut out) = ready.send_request(create.body(()).unwrap(), false).unwrap();
        assert_eq!(
            ask(&sender, request(&server, "GET", "/livez").body(()).unwrap(), b"").await.status(),
            200
        );
        server.signal("TERM");
        while TcpStream::connect(server.address()).await.is_ok() {
            tokio::task::yield_now().await;
        }
        out.send_data(Bytes::from_static(JOHN), true).unwrap();
        assert_eq!(answer.await.unwrap().status(), StatusCode::CREATED);
        drop((sender, ready, idle));
        for ended in [connection.await.unwrap(), idle_connection.await.unwrap()] {
            // Whoever is slow to say goodbye finds the door closed.
            assert!(ended.as_ref().is_ok() || ended.as_ref().is_err_and(h2::Error::is_io), "{ended:?}");
        }
    });
    assert_eq!(server.wait().code(), Some(0));
}
