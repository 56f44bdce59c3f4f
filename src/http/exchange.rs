//! One request and its answer: judged, answered, marked, reported.

use std::cell::LazyCell;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use hyper::Method;
use hyper::header::{self, HeaderName, HeaderValue};

use super::capacity::{AROUND_AN_ANSWER, Room};
use super::connection::Connection;
use super::phase::Phase;
use super::{Answer, Refusal, Request, Response, compression, date, limits};
use crate::observe::{Outcome, RequestReport};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const CLOSE: HeaderValue = HeaderValue::from_static("close");

pub(super) async fn answer<A: Answer>(
    connection: &Arc<Connection>,
    answer: &A,
    mut request: Request,
) -> Response {
    let began = Instant::now();
    connection.enter(Phase::Answering);
    let server = &*connection.server;
    let _in_flight = server.observer.request_begins();

    let judged = if connection.is_unwelcome {
        Err(Refusal::TooManyConnections)
    } else if connection.lacks_tls() {
        Err(Refusal::NotEncrypted)
    } else {
        limits::judge(&request, &server.settings)
    };
    let place = server.capacity.admit(server.settings.max_requests);
    let mut room = Room::new(connection);
    let is_write = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let has_room_for_writes = || server.capacity.has_room_for_writes(server.settings.max_answers);
    let (mut response, is_refused) = match judged {
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
            room = response.body_mut().take_room().unwrap_or(room);
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
        let has_more = request.has_unread_body() || request.refusal().is_some();
        if has_more && !connection.speaks_http_2() {
            connection.leave_bytes_unread();
        }
    }
    answer.mark(&request, &mut response);
    compression::encode(&request, &mut response, &mut room).await;
    response.headers_mut().insert(X_REQUEST_ID, request.request_id().to_header());
    if let Some(now) = date::now() {
        response.headers_mut().insert(header::DATE, now);
    }

    room.settle_anyway(response.body().holds() + AROUND_AN_ANSWER);

    let outcome = Outcome {
        method: request.method().as_str(),
        status: response.status().as_u16(),
        duration: began.elapsed(),
    };
    let path = LazyCell::new(|| answer.loggable_path(request.path()));
    server.observer.report_request(request.route(), outcome, |outcome| RequestReport {
        outcome,
        id: request.id(),
        path: &path,
        key: request.caller(),
        bytes: if *request.method() == Method::HEAD { 0 } else { response.body().len() as u64 },
        client: request.client(),
    });
    response.map(|body| body.within(room))
}
