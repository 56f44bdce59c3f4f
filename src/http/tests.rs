//! Whole exchanges over real sockets, with limits short enough to wait for.

mod exchanges;
mod http2;
mod limits;
mod response_cache;
mod stopping;
mod streaming;
mod timeouts;

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::*;
use crate::observe::{Level, LogSettings, Observer};

/// Longer than anything here may take; reached only when a test fails.
const NEVER: Duration = Duration::from_secs(60);
/// Waited for in full where a timeout is tested.
const SOON: Duration = Duration::from_millis(40);

/// Answers by path, like a very small product.
#[derive(Default)]
struct Tiny {
    entered: Notify,
    release: Notify,
    /// The producers' ends of the streams that were asked for.
    streams: Mutex<Vec<StreamSender>>,
    version: AtomicU64,
    /// How many lasting answers were made.
    made: AtomicU64,
}

impl Answer for Tiny {
    async fn answer(&self, request: &mut Request) -> Response {
        match request.path() {
            "/hello" => response::json(StatusCode::OK, "\"hello\""),
            "/echo" => match request.body().await {
                Ok(body) => {
                    assert_eq!(request.body().await.unwrap(), body);
                    response::of_type(StatusCode::OK, "text/plain", body)
                }
                Err(refusal) => self.refuse(refusal, Some(request)),
            },
            "/about" => {
                let about = format!("{} {}", request.origin(), request.client());
                response::json(StatusCode::OK, about)
            }
            "/measured" => {
                request.measure();
                response::no_content()
            }
            "/empty" => response::empty(StatusCode::CREATED),
            "/nothing" => response::no_content(),
            "/large" => response::json(StatusCode::OK, vec![b'x'; 32 * 1024 * 1024]),
            "/compressible" => response::json(StatusCode::OK, vec![b'x'; 4096]),
            "/secret" => response::as_it_is(response::json(StatusCode::OK, vec![b'x'; 4096])),
            "/stream" => {
                let (sender, content) = request.stream();
                self.streams.lock().push(sender);
                self.entered.notify_one();
                response::of_type(StatusCode::OK, "text/plain", content)
            }
            "/lasting" => {
                request.set_lasting();
                let made = self.made.fetch_add(1, Relaxed);
                // As long as is asked for.
                let length = request.query().parse().unwrap_or(0);
                response::json(StatusCode::OK, format!("{made:>length$}"))
            }
            "/panic" => panic!("on purpose"),
            "/wait" => {
                self.entered.notify_one();
                self.release.notified().await;
                response::json(StatusCode::OK, "\"waited\"")
            }
            "/for-ever" => {
                self.entered.notify_one();
                pending().await
            }
            _ => {
                let mut response = response::json(StatusCode::NOT_FOUND, "\"not here\"");
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
                response
            }
        }
    }

    fn version(&self) -> Option<u64> {
        Some(self.version.load(Relaxed))
    }

    fn refuse(&self, refusal: Refusal, _: Option<&Request>) -> Response {
        let status = match refusal {
            Refusal::UrlTooLong { .. } => 414,
            Refusal::BadHost | Refusal::BodyBroken | Refusal::TwoLengths | Refusal::NotEncrypted => 400,
            Refusal::UnknownCoding | Refusal::BadTarget { .. } => 400,
            Refusal::HeadTooLarge { .. } | Refusal::TooManyFields { .. } => 431,
            Refusal::BodyTooLarge { .. } => 413,
            Refusal::BodyTooSlow | Refusal::HeadTooSlow => 408,
            Refusal::TooManyConnections | Refusal::Overloaded | Refusal::NoRoom => 503,
            Refusal::Panicked => 500,
        };
        let status = StatusCode::from_u16(status).unwrap();
        response::json(status, format!("{refusal:?}"))
    }
}

struct Running {
    address: SocketAddr,
    tiny: Arc<Tiny>,
    observer: Arc<Observer>,
    lines: Lines,
    stop: oneshot::Sender<()>,
    done: JoinHandle<usize>,
}

impl Running {
    async fn start(settings: Settings) -> Self {
        Self::start_with(settings, None).await
    }

    async fn start_with(settings: Settings, tls: Option<Arc<tls::Tls>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let tiny = Arc::new(Tiny::default());
        let lines = Lines::default();
        let log = LogSettings { level: Level::Debug, ..LogSettings::default() };
        let observer = Observer::writing_to(log, false, Box::new(lines.clone())).unwrap();
        let observer = Arc::new(observer);
        let (stop, stopped) = oneshot::channel();
        let until = async {
            let _ = stopped.await;
        };
        let serving = serve(listener, tls, tiny.clone(), settings, observer.clone(), until);
        Running { address, tiny, observer, lines, stop, done: tokio::spawn(serving) }
    }

    async fn connect(&self) -> Client {
        Client(TcpStream::connect(self.address).await.unwrap())
    }

    /// The producer's end of the stream that was asked for last.
    async fn stream(&self) -> StreamSender {
        self.tiny.entered.notified().await;
        self.tiny.streams.lock().pop().unwrap()
    }

    /// One request on a connection of its own.
    async fn ask(&self, request: &str) -> String {
        let mut client = self.connect().await;
        client.send(request).await;
        client.answer().await
    }
}

/// What is logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Client(TcpStream);

impl Client {
    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// The next answer, head and body.
    async fn answer(&mut self) -> String {
        let mut text = Vec::new();
        while !text.ends_with(b"\r\n\r\n") {
            text.push(self.0.read_u8().await.expect("an answer"));
        }
        let head = String::from_utf8(text.clone()).unwrap();
        let length = field(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        let start = text.len();
        text.resize(start + length, 0);
        self.0.read_exact(&mut text[start..]).await.unwrap();
        String::from_utf8(text).unwrap()
    }

    /// Everything until the server closes; fails when it does not, or resets.
    async fn until_closed(&mut self) -> String {
        let mut text = Vec::new();
        let closing = self.0.read_to_end(&mut text);
        tokio::time::timeout(NEVER, closing).await.expect("the server closes").expect("without a reset");
        String::from_utf8(text).unwrap()
    }
}

fn field<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let fields = answer.lines().filter_map(|line| line.split_once(": "));
    let mut named = fields.filter(|(each, _)| each.eq_ignore_ascii_case(name));
    named.next().map(|(_, value)| value)
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n")
}

fn post(path: &str, fields: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: test\r\n{fields}\r\n{body}")
}
