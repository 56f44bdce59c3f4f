//! One request and its answer: checked, answered, marked, reported.

use std::cell::LazyCell;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use hyper::header::{self, HeaderValue};
use hyper::{Method, StatusCode};

use super::answer::Answer;
use super::capacity::AROUND_AN_ANSWER;
use super::connection::Connection;
use super::content::Content;
use super::phase::Phase;
use super::refusal::Refusal;
use super::request::Request;
use super::request_id::X_REQUEST_ID;
use super::response::Response;
use super::room::Room;
use super::{cacheable, compression, date, head};
use crate::observe::{Outcome, RequestReport};

const CLOSE: HeaderValue = HeaderValue::from_static("close");

pub(super) async fn answer<A: Answer>(
    connection: &Arc<Connection>,
    answer: &A,
    mut request: Request,
) -> Response {
    let began = Instant::now();
    connection.enter(Phase::Answering);
    let shared = &*connection.shared;
    let in_flight = shared.observer.request_begins();

    let checked = if connection.is_unwelcome {
        Err(Refusal::TooManyConnections)
    } else if connection.lacks_tls() {
        Err(Refusal::NotEncrypted)
    } else {
        let longest_body = answer.longest_body(request.path()).unwrap_or(shared.settings.max_body);
        head::check(&request, &shared.settings, longest_body)
    };
    let place = shared.capacity.admit(shared.settings.max_requests);
    let mut room = Room::new(connection);
    let is_write = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let has_room_for_writes = || shared.capacity.has_room_for_writes(shared.settings.max_answers);
    let (mut response, is_refused) = match checked {
        Err(refusal) => (answer.refuse(refusal, Some(&request)), true),
        // Who is told to come back should not have to connect again for it.
        Ok(()) if place.is_none() => (answer.refuse(Refusal::Overloaded, Some(&request)), false),
        Ok(()) if !room.take(AROUND_AN_ANSWER) || is_write && !has_room_for_writes() => {
            (answer.refuse(Refusal::NoRoom, Some(&request)), false)
        }
        Ok(()) => {
            let answering = async { answer.answer(&mut request).await };
            let answered = AssertUnwindSafe(answering).catch_unwind().await;
            // What it panicked with is the panic hook's to report.
            let mut response = answered.unwrap_or_else(|_| answer.refuse(Refusal::Panicked, Some(&request)));
            room = response.body_mut().room().take().unwrap_or(room);
            let holds = response.body().holds() + AROUND_AN_ANSWER;
            if is_write {
                // It has been done, and whoever sent it is told.
                room.settle_write(holds);
            } else if !room.settle(holds) {
                response = answer.refuse(Refusal::NoRoom, Some(&request));
                room = Room::new(connection);
            }
            (response, false)
        }
    };

    if is_refused || !request.settle_body().await {
        // The rest of a body nobody reads cannot be told from the next request.
        response.headers_mut().insert(header::CONNECTION, CLOSE);
        // In HTTP/2 it can, and nothing is closed. What was announced in a head that was refused is not known.
        let has_more = request.body.is_unread() || request.refusal.is_some();
        if has_more && !connection.speaks_http_2() {
            connection.leave_bytes_unread();
        }
    }
    answer.mark(&request, &mut response);
    compression::encode(request.headers(), &shared.compressors, &mut response, &mut room).await;
    keep(connection, answer, &request, &response);
    response.headers_mut().insert(X_REQUEST_ID, request.id.to_header());
    if let Some(now) = date::now() {
        response.headers_mut().insert(header::DATE, now);
    }

    room.settle_anyway(response.body().holds() + AROUND_AN_ANSWER);

    let path = LazyCell::new(|| answer.loggable_path(request.path()));
    let (method, status) = (request.method(), response.status());
    if let Content::Streamed(stream) = response.body_mut() {
        connection.begin_stream(request.head.version);
        in_flight.keep();
        stream.on_end(report_at_end(connection, &request, path.clone().into_owned(), status, began));
    } else {
        let outcome = Outcome { method: method.as_str(), status: status.as_u16(), duration: began.elapsed() };
        shared.observer.report_request(request.route, outcome, |outcome| RequestReport {
            outcome,
            id: request.id(),
            path: &path,
            key: request.caller.as_ref().map(|caller| caller.name()),
            bytes: if *method == Method::HEAD { 0 } else { response.body().len().unwrap_or(0) as u64 },
            client: request.client(),
        });
    }
    response.map(|body| body.within(room))
}

/// Keeps an answer that may be given again, unless something has changed since its request came.
fn keep<A: Answer>(connection: &Connection, answer: &A, request: &Request, response: &Response) {
    let Some(asked) = request.asked.filter(|_| request.is_lasting) else { return };
    if answer.version() != Some(asked.version) {
        return;
    }
    let path = answer.loggable_path(request.path());
    if let Some(kept) = cacheable::cached(asked, request, response, path) {
        connection.shared.response_cache.keep(asked, kept);
    }
}

/// Reports a request whose answer is streamed, once it is known how many bytes it has had.
fn report_at_end(
    connection: &Arc<Connection>,
    request: &Request,
    path: String,
    status: StatusCode,
    began: Instant,
) -> impl FnOnce(u64) + Send + 'static {
    let connection = Arc::clone(connection);
    // The request itself would keep its head and its body in memory.
    let (method, id, route) = (request.method().clone(), request.id, request.route);
    let (caller, client) = (request.caller.clone(), request.client());
    move |bytes| {
        connection.end_stream();
        let observer = &connection.shared.observer;
        observer.request_ends();
        let duration = began.elapsed();
        let outcome = Outcome { method: method.as_str(), status: status.as_u16(), duration };
        observer.report_request(route, outcome, |outcome| RequestReport {
            outcome,
            id: id.as_str(),
            path: &path,
            key: caller.as_ref().map(|caller| caller.name()),
            bytes,
            client,
        });
    }
}
