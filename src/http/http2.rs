//! HTTP/2 on one connection: many requests at once, and their answers piece by piece.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Method, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::Answer;
use super::connection::Connection;
use super::content::Content;
use super::exchange;
use super::limits::{H2_HEADER_BYTES, H2_RESETS, H2_STREAMS, H2_WINDOW};
use super::request::Request;
use super::response::Response;
use super::room::Outgoing;
use super::stream::Aborted;

/// How much is handed over at once: a frame of HTTP/2.
const PIECE: usize = 16 * 1024;

/// Serves the connection until it ends.
pub(super) async fn speak<A, S>(connection: &Arc<Connection>, answer: Arc<A>, stream: S) -> Result<(), String>
where
    A: Answer,
    S: AsyncRead + AsyncWrite + Unpin,
{
    connection.speak_http_2();
    let pair = Arc::new((Arc::clone(connection), answer));
    let service = service_fn(move |request| {
        let pair = Arc::clone(&pair);
        // Here and not below, where several requests of a connection may run at once: they share its count of ids.
        let request = Request::new(request, Arc::clone(&pair.0), None);
        let delivery = Delivery::begin(&pair.0);
        let is_head = *request.method() == Method::HEAD;
        async move {
            let (connection, answer) = &*pair;
            let response = exchange::answer(connection, &**answer, request).await;
            Ok::<_, Infallible>(as_http_1_does(response, is_head).map(|body| delivery.of(body)))
        }
    });
    let protocol = pin!(
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
    let ended = connection.drive(protocol, http2::Connection::graceful_shutdown).await;
    ended.unwrap_or(Ok(())).map_err(|error| error.to_string())
}

/// What the HTTP library does by itself in HTTP/1 only: an answer says how long it is, and one to HEAD has no body.
fn as_http_1_does(response: Response, is_head: bool) -> Response {
    let (mut head, body) = response.into_parts();
    let has_length = !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if let Some(length) = body.len().filter(|_| has_length) {
        head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    hyper::Response::from_parts(head, if is_head { Content::default() } else { body })
}

/// One request and its answer, from the first to the last piece; whatever ends it.
struct Delivery {
    connection: Arc<Connection>,
    number: u64,
}

impl Delivery {
    fn begin(connection: &Arc<Connection>) -> Self {
        Delivery { number: connection.begin_delivery(), connection: Arc::clone(connection) }
    }

    /// The answer, which the client may take from now on.
    fn of(self, rest: Content) -> Pieces {
        if let Content::Streamed(stream) = &rest {
            self.connection.note_stream(self.number, stream.window().clone());
        }
        self.connection.note_piece(self.number);
        Pieces { rest, delivery: self }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.connection.end_delivery(self.number);
    }
}

/// A body that is taken piece by piece.
struct Pieces {
    rest: Content,
    delivery: Delivery,
}

impl Body for Pieces {
    type Data = Outgoing;
    type Error = Aborted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Outgoing>, Aborted>>> {
        let polled = self.rest.poll_next(context, PIECE);
        if let Poll::Ready(Some(_)) = polled {
            self.delivery.connection.note_piece(self.delivery.number);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.rest.size_hint()
    }
}
