//! HTTP/1.1 on one connection: one request after the other.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::Answer;
use super::connection::Connection;
use super::limits::HEAD_BYTES;
use super::phase::Phase;
use super::refusal::Refusal;
use super::request::Request;
use super::smuggling_guard::SmugglingGuard;
use super::{date, exchange, raw_response};

/// Serves the connection until it ends.
pub(super) async fn speak<A, S>(connection: &Arc<Connection>, answer: Arc<A>, stream: S) -> Result<(), String>
where
    A: Answer,
    S: AsyncRead + AsyncWrite + Unpin,
{
    // One count of references for each connection: a count that all connections share would be
    // fought over by all cores.
    let pair = Arc::new((Arc::clone(connection), Arc::clone(&answer)));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let pair = Arc::clone(&pair);
        // Here and not below, before anything more is read.
        let mut framing = pair.0.framing.lock();
        let refusal = framing.request_begins(request.body().size_hint());
        let asked = framing.asked.take();
        drop(framing);
        async move {
            let (connection, answer) = &*pair;
            let mut request = Request::new(request, Arc::clone(connection), refusal);
            request.asked = asked;
            let response = exchange::answer(connection, &**answer, request).await;
            connection.rest();
            Ok::<_, Infallible>(response)
        }
    });
    let guard = SmugglingGuard::new(stream, Arc::clone(connection), Arc::clone(&answer));
    let mut protocol = http1::Builder::new()
        // The sweep does this, see `phase.rs`.
        .header_read_timeout(None)
        // A client may close its sending side after the request and still get its answer; and a write that has begun
        // is not given up because its client went away. It is also why nothing is read while an answer is owed, which
        // the guard relies on.
        .half_close(true)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(guard), service);
    let driven = connection.drive(Pin::new(&mut protocol), http1::Connection::graceful_shutdown);
    if let Some(ended) = driven.await {
        return ended.map_err(|error| error.to_string());
    }
    // Cut in the middle of a head: its client hears why.
    let (stream, has_begun) = protocol.into_parts().io.into_inner().into_parts();
    let is_in_head = matches!(connection.phase(), Phase::Fresh | Phase::Head) && has_begun;
    if is_in_head && connection.shared.stopping().is_none() && date::is_known() {
        raw_response::send(stream, answer.refuse(Refusal::HeadTooSlow, None)).await;
    }
    Ok(())
}
