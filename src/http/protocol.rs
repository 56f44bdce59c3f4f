//! What is spoken on one connection: TLS where it is configured, then HTTP/1.1 or HTTP/2, until its end.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::connection::Connection;
use super::delivery::Delivery;
use super::limits::{H2_HEADER_BYTES, H2_RESETS, H2_STREAMS, H2_WINDOW, HEAD_BYTES};
use super::phase::Phase;
use super::smuggling_guard::SmugglingGuard;
use super::socket::Socket;
use super::{Answer, Content, Refusal, Request, Response, date, exchange, raw_response, tls};
use crate::observe::Event;

/// The first byte of everything that begins TLS.
const TLS_HANDSHAKE: u8 = 22;

/// How a connection begins.
enum Greeting {
    Plain(Socket),
    Encrypted(Box<TlsStream<Socket>>),
}

/// Serves the connection until either side closes it, it is cut, or the server stops.
pub(super) async fn run<A: Answer>(connection: Arc<Connection>, answer: Arc<A>, stream: TcpStream) {
    let greeted = pin!(greet(&connection, stream));
    let ended = match until_cut(&connection, greeted).await {
        None => Ok(()),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(Greeting::Plain(socket))) => speak_http_1(&connection, answer, socket).await,
        // Boxed, once for a connection: otherwise those that are not encrypted would have the room for it, too.
        Some(Ok(Greeting::Encrypted(stream))) if tls::speaks_http_2(&stream) => {
            Box::pin(speak_http_2(&connection, answer, *stream)).await
        }
        Some(Ok(Greeting::Encrypted(stream))) => Box::pin(speak_http_1(&connection, answer, *stream)).await,
    };
    if let Err(error) = ended {
        let text = format!("a connection failed: {error}");
        connection.server.observer.report(Event::Detail(&text));
    }
}

/// Encrypts where that is configured. Who does not ask for it is heard, to be told.
async fn greet(connection: &Arc<Connection>, stream: TcpStream) -> io::Result<Greeting> {
    let Some(tls) = &connection.server.tls else {
        return Ok(Greeting::Plain(Socket::new(stream, Arc::clone(connection))));
    };
    let mut first = [0];
    let length = stream.peek(&mut first).await?;
    let socket = Socket::new(stream, Arc::clone(connection));
    if length == 1 && first != [TLS_HANDSHAKE] {
        connection.note_plain();
        return Ok(Greeting::Plain(socket));
    }
    Box::pin(tls.accept(socket)).await.map(Box::new).map(Greeting::Encrypted)
}

/// Waits for something as long as the connection is not cut, and the clock shows what an answer can say: the HTTP
/// library would panic where it does not.
async fn until_cut<F: Future + Unpin>(connection: &Connection, mut work: F) -> Option<F::Output> {
    poll_fn(|context| {
        if connection.is_cut(context.waker()) {
            return Poll::Ready(None);
        }
        if !date::is_known() {
            connection.server.complain_of_clock();
            return Poll::Ready(None);
        }
        Pin::new(&mut work).poll(context).map(Some)
    })
    .await
}

async fn speak_http_1<A, S>(connection: &Arc<Connection>, answer: Arc<A>, stream: S) -> Result<(), String>
where
    A: Answer,
    S: AsyncRead + AsyncWrite + Unpin,
{
    // One count of references for each connection: a count that all connections share would be
    // fought over by all cores.
    let shared = Arc::new((Arc::clone(connection), Arc::clone(&answer)));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let shared = Arc::clone(&shared);
        // Here and not below, before anything more is read.
        let refusal = shared.0.framing.lock().request_begins(request.body().size_hint());
        async move {
            let (connection, answer) = &*shared;
            let request = Request::new(request, Arc::clone(connection), refusal);
            let response = exchange::answer(connection, &**answer, request).await;
            connection.enter(Phase::Idle);
            Ok::<_, Infallible>(response)
        }
    });
    let mut protocol = http1::Builder::new()
        // The sweep does this, see `phase.rs`.
        .header_read_timeout(None)
        // A client may close its sending side after the request and still get its answer;
        // and a write that has begun is not given up because its client went away.
        .half_close(true)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(SmugglingGuard::new(stream, Arc::clone(connection))), service);
    let mut is_told_to_finish = false;
    let work = poll_fn(|context| {
        let mut protocol = Pin::new(&mut protocol);
        let outcome = protocol.as_mut().poll(context);
        if outcome.is_pending() && !is_told_to_finish && connection.must_finish() {
            is_told_to_finish = true;
            protocol.as_mut().graceful_shutdown();
            return protocol.poll(context);
        }
        outcome
    });
    if let Some(ended) = until_cut(connection, work).await {
        return ended.map_err(|error| error.to_string());
    }
    // Cut in the middle of a head: its client hears why.
    let (stream, has_begun) = protocol.into_parts().io.into_inner().into_parts();
    let is_in_head = matches!(connection.phase(), Phase::Fresh | Phase::Head) && has_begun;
    if is_in_head && !connection.server.is_stopping() && date::is_known() {
        raw_response::send(stream, answer.refuse(Refusal::HeadTooSlow, None)).await;
    }
    Ok(())
}

/// What the HTTP library does by itself in HTTP/1 only: an answer says how long it is, and one to HEAD has no body.
fn as_http_1_does(response: Response, is_head: bool) -> Response {
    let (mut head, body) = response.into_parts();
    if !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    hyper::Response::from_parts(head, if is_head { Content::default() } else { body })
}

async fn speak_http_2<A, S>(connection: &Arc<Connection>, answer: Arc<A>, stream: S) -> Result<(), String>
where
    A: Answer,
    S: AsyncRead + AsyncWrite + Unpin,
{
    connection.speak_http_2();
    let shared = Arc::new((Arc::clone(connection), answer));
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        // Here and not below, where several requests of a connection may run at once: they share its count of ids.
        let request = Request::new(request, Arc::clone(&shared.0), None);
        let delivery = Delivery::begin(&shared.0);
        let is_head = *request.method() == Method::HEAD;
        async move {
            let (connection, answer) = &*shared;
            let response = exchange::answer(connection, &**answer, request).await;
            Ok::<_, Infallible>(as_http_1_does(response, is_head).map(|body| delivery.of(body)))
        }
    });
    let mut protocol = pin!(
        http2::Builder::new(TokioExecutor::new())
            .max_concurrent_streams(H2_STREAMS)
            .max_header_list_size(H2_HEADER_BYTES)
            .initial_stream_window_size(H2_WINDOW)
            .initial_connection_window_size(4 * H2_WINDOW)
            // Who opens streams only to reset them, or makes us reset them, is soon sent away.
            .max_pending_accept_reset_streams(H2_RESETS)
            .max_local_error_reset_streams(H2_RESETS)
            .serve_connection(TokioIo::new(stream), service)
    );
    let mut is_told_to_finish = false;
    let work = poll_fn(|context| {
        let outcome = protocol.as_mut().poll(context);
        if outcome.is_pending() && !is_told_to_finish && connection.must_finish() {
            is_told_to_finish = true;
            protocol.as_mut().graceful_shutdown();
            return protocol.as_mut().poll(context);
        }
        outcome
    });
    let ended = until_cut(connection, work).await;
    ended.unwrap_or(Ok(())).map_err(|error| error.to_string())
}
