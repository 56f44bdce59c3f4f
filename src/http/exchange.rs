//! One request and its answer: judged, answered, marked, reported.

use std::cell::LazyCell;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use hyper::Method;
use hyper::body::Body as _;
use hyper::header::{self, HeaderName, HeaderValue};

use super::connection::Connection;
use super::pulse::Phase;
use super::{Answer, Refusal, Request, Response, coding, date, limits};
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
    let (mut response, is_refused) = match judged {
        Err(refusal) => (answer.refuse(refusal, Some(&request)), true),
        // Who is told to come back should not have to connect again for it.
        Ok(()) if place.is_none() => (answer.refuse(Refusal::Overloaded, Some(&request)), false),
        Ok(()) => {
            let answering = async { answer.answer(&mut request).await };
            let answered = AssertUnwindSafe(answering).catch_unwind().await;
            // What it panicked with is the panic hook's to report.
            let response = answered.unwrap_or_else(|_| answer.refuse(Refusal::Panicked, Some(&request)));
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
    coding::encode(&request, &mut response).await;
    response.headers_mut().insert(X_REQUEST_ID, request.request_id().to_header());
    if let Some(now) = date::now() {
        response.headers_mut().insert(header::DATE, now);
    }

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
        bytes: if *request.method() == Method::HEAD { 0 } else { response.body().size_hint().lower() },
        client: request.client(),
    });
    response
}
