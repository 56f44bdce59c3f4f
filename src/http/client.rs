//! A client of HTTP/1.1 for the commands that are given the URL of a server: they call that one and nobody else.
//!
//! Every request has a connection of its own, nothing is redirected, and no answer is read without end.

mod error;
mod server_url;
mod trust;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Method, Request, StatusCode, ext, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsConnector;

pub use error::ClientError;
use error::ClientError::{Idle, LongAnswer, TlsFailed, Unreachable};
pub use server_url::ServerUrl;
pub use upload::Upload;
use upload::{Movement, Outgoing};

/// How long it may take until somebody answers at the address, encryption included.
const CONNECT: Duration = Duration::from_secs(10);
/// How long nothing may move in either direction.
const IDLE: Duration = Duration::from_secs(60);
/// The longest answer that is read. A report with all the faults that a server keeps is a fraction of it.
const LONGEST_ANSWER: usize = 4 << 20;

/// The way to one server.
pub struct Client {
    url: ServerUrl,
    /// How it is called where it is called by `https://`.
    tls: Option<TlsConnector>,
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Client {
    pub fn new(url: ServerUrl) -> Result<Self, ClientError> {
        let tls = if url.is_encrypted() { Some(trust::connector()?) } else { None };
        Ok(Self { url, tls })
    }

    pub fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// Asks for a path below the URL of the server.
    pub async fn get(&self, path: &str, headers: HeaderMap) -> Result<Answer, ClientError> {
        self.ask(Method::GET, path, headers, None).await
    }

    /// Sends a file. A server that does not want it says so before the file is under way.
    pub async fn post(&self, path: &str, headers: HeaderMap, upload: Upload) -> Result<Answer, ClientError> {
        self.ask(Method::POST, path, headers, Some(upload)).await
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        upload: Option<Upload>,
    ) -> Result<Answer, ClientError> {
        let movement = Arc::new(Movement::new());
        let wanted = Arc::new(Notify::new());
        headers.insert(header::HOST, self.url.authority());
        headers.insert(header::CONNECTION, header::HeaderValue::from_static("close"));
        if upload.is_some() {
            headers.insert(header::EXPECT, header::HeaderValue::from_static("100-continue"));
        }
        let body = match upload {
            Some(upload) => Outgoing::file(upload, &wanted, &movement),
            None => Outgoing::nothing(),
        };
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.url.target(path)?;
        *request.headers_mut() = headers;
        ext::on_informational(&mut request, move |_| wanted.notify_one());
        let stream = timeout(CONNECT, self.connect()).await.map_err(|_| self.unreachable("no answer"))??;
        let asked = async {
            match (stream, &self.tls) {
                (stream, None) => self.exchange(stream, request, &movement).await,
                (stream, Some(tls)) => {
                    let name = self.url.server_name()?;
                    let stream = timeout(CONNECT, tls.connect(name, stream)).await;
                    let stream = stream.map_err(|_| self.unreachable("no answer"))?;
                    let failed = |error: std::io::Error| TlsFailed(self.url.to_string(), error.to_string());
                    self.exchange(stream.map_err(failed)?, request, &movement).await
                }
            }
        };
        self.unless_idle(asked, &movement).await
    }

    async fn connect(&self) -> Result<TcpStream, ClientError> {
        let stream = TcpStream::connect((self.url.host(), self.url.port())).await;
        let stream = stream.map_err(|error| self.unreachable(&error.to_string()))?;
        // What is sent is sent in large pieces; the last of them should not wait for anything.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    fn unreachable(&self, cause: &str) -> ClientError {
        Unreachable(self.url.to_string(), cause.to_owned())
    }

    /// One request and its answer. The connection ends with them, also where the server did not take all of the body.
    async fn exchange(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        request: Request<Outgoing>,
        movement: &Movement,
    ) -> Result<Answer, ClientError> {
        let broken = |error: hyper::Error| ClientError::broken(&self.url.to_string(), &error);
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let answered = async {
            let (head, body) = sender.send_request(request).await.map_err(broken)?.into_parts();
            movement.note();
            let body = self.read(body, movement).await?;
            Ok(Answer { status: head.status, headers: head.headers, body })
        };
        tokio::pin!(answered, connection);
        tokio::select! {
            answer = &mut answered => answer,
            // What it had read of the answer is still there; why it broke, whoever waits for the answer is told.
            _ = &mut connection => answered.await,
        }
    }

    async fn read(&self, mut body: Incoming, movement: &Movement) -> Result<Bytes, ClientError> {
        let mut read = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| ClientError::broken(&self.url.to_string(), &error))?;
            movement.note();
            // Trailers mean nothing here.
            let Ok(data) = frame.into_data() else { continue };
            if read.len() + data.len() > LONGEST_ANSWER {
                return Err(LongAnswer(self.url.to_string()));
            }
            read.extend_from_slice(&data);
        }
        Ok(read.freeze())
    }

    async fn unless_idle<T>(
        &self,
        work: impl Future<Output = Result<T, ClientError>>,
        movement: &Movement,
    ) -> Result<T, ClientError> {
        tokio::pin!(work);
        loop {
            let deadline = movement.last() + IDLE;
            if deadline <= Instant::now() {
                return Err(Idle(self.url.to_string(), IDLE.as_secs()));
            }
            tokio::select! {
                done = &mut work => return done,
                () = sleep_until(deadline) => {}
            }
        }
    }
}
