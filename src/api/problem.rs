//! Errors as problem details (RFC 9457), for clients that ask for them: what is wrong, where, and what would be right.
//!
//! Nothing here decides anything. The error is decided already; a refused body or query is read once more, for all of
//! its faults.

mod batch;
mod entry;
mod names;
mod query;
mod shape;

use serde_json::{Map, Value, json};

use super::access::Query;
use super::error::{ApiError, Row};
use super::route::Route;
use super::{App, content};
use crate::http::{Request, Response, StatusCode, header, response};
use crate::record::draft::key::{GRACE_MEMBERS, KEY_MEMBERS, KeyDraft, grace_faults};
use crate::record::draft::{self, Draft, DraftError, Patch};
use crate::record::fault::{Fault, Found};
use crate::record::fetching::Fetching;
use crate::record::listing::Listing;
use crate::record::moment::Moment;
use crate::record::upsert::BY;
use crate::store::StoreError;
use crate::transfer::export::Export;
use entry::Entry;
use shape::Shape;

/// How many faults are answered with a suggestion: looking for one costs more than everything else about a fault.
const MOST_SUGGESTIONS: usize = 8;

/// What is said beyond the words of the error.
struct Explanation {
    detail: String,
    entries: Vec<Entry>,
    /// How many faults there are besides.
    more: usize,
}

impl Explanation {
    fn plain(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), entries: Vec::new(), more: 0 }
    }

    /// The first fault stands for all of them.
    fn of_faults(entries: Vec<Entry>, more: usize) -> Self {
        let first = entries.first().map(Entry::summary).unwrap_or_default();
        let detail = match entries.len().saturating_sub(1) + more {
            0 => first,
            others => format!("{first} (and {others} more)"),
        };
        Self { detail, entries, more }
    }
}

/// The answer to a request that is refused with this error.
pub(super) fn respond(app: &App, error: &ApiError, request: &Request) -> Response {
    let row = error.row();
    let explanation = explain(app, error, &row, request);
    let mut problem = Map::new();
    problem.insert("type".into(), row.kind.reference().into());
    problem.insert("title".into(), row.message.as_ref().into());
    problem.insert("status".into(), row.kind.status.into());
    problem.insert("detail".into(), explanation.detail.into());
    if !explanation.entries.is_empty() {
        let entries = explanation.entries.into_iter().map(Entry::into_json);
        problem.insert("errors".into(), entries.collect::<Vec<Value>>().into());
    }
    if explanation.more > 0 {
        problem.insert("more_errors".into(), json!(explanation.more));
    }
    let body = Value::Object(problem).to_string();
    row.apply_to(response::of_type(StatusCode::OK, content::PROBLEM_JSON, body))
}

/// Whether an answer is such a problem.
pub(super) fn is_one(response: &Response) -> bool {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    is_error && response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == content::PROBLEM_JSON)
}

fn explain(app: &App, error: &ApiError, row: &Row, request: &Request) -> Explanation {
    let route = Route::parse(&app.catalog, &app.settings, request.path());
    match (error, route) {
        (ApiError::NotFound, route) => Explanation::plain(names::not_found(app, route, request.path())),
        // The words of the error name the item.
        (_, Some(Route::Batch(_))) => {
            let body = request.body_read().map(|body| &body[..]).unwrap_or_default();
            let entries = batch::entry(app, error, body).into_iter().collect();
            Explanation { entries, ..Explanation::plain(row.message.as_ref()) }
        }
        (ApiError::Draft { error, .. }, Some(route)) => of_body(app, error, &route, request),
        (
            ApiError::Listing { error, .. },
            Some(
                route @ (Route::Records(collection)
                | Route::Record(collection, _)
                | Route::Export(collection, _)),
            ),
        ) => {
            let export = if let Route::Export(_, format) = route { Some(format) } else { None };
            let found = match (Query::parse(&app.key_parameters, request.query()), route) {
                (Ok(query), Route::Export(_, format)) => {
                    Export::faults(collection, format, query.pairs.iter())
                }
                (Ok(query), Route::Records(_)) => Listing::faults(collection, query.pairs.iter()),
                (Ok(query), _) => Fetching::faults(collection, query.pairs.iter()),
                (Err(_), _) => Found { faults: Vec::new(), more: 0 },
            };
            let found = at_least(found, error);
            let entry =
                |(at, fault)| Entry::of_query(app, (collection, export), fault, at < MOST_SUGGESTIONS);
            Explanation::of_faults(found.faults.iter().enumerate().map(entry).collect(), found.more)
        }
        (ApiError::Rule(error), _) => {
            let query = Query::parse(&app.key_parameters, request.query()).ok();
            let by = query.and_then(|query| {
                let (_, text) = query.pairs.iter().find(|(name, _)| name == BY)?;
                Some(text.clone().into_owned())
            });
            Explanation::of_faults(vec![Entry::of_rule(error, by.as_deref())], 0)
        }
        (
            ApiError::Store(StoreError::DanglingReference(field)),
            Some(Route::Records(collection) | Route::Record(collection, _)),
        ) => {
            let given = request.body_read().and_then(|body| draft::given(body, field));
            Explanation::of_faults(vec![Entry::dangling(&app.catalog, collection, field, given)], 0)
        }
        (ApiError::Store(StoreError::Duplicate(fields)), _) => {
            let given = |field: &String| request.body_read().and_then(|body| draft::given(body, field));
            let entries: Vec<Entry> =
                fields.iter().map(|field| Entry::duplicate(fields, field, given(field))).collect();
            Explanation { detail: format!("There is already {}", entry::duplicate(fields)), entries, more: 0 }
        }
        _ => Explanation::plain(row.message.as_ref()),
    }
}

fn of_body(app: &App, error: &DraftError, route: &Route<'_>, request: &Request) -> Explanation {
    let body = request.body_read().map(|body| &body[..]).unwrap_or_default();
    let catalog = &app.catalog;
    let (found, shape) = match route {
        Route::Records(collection) => {
            (Draft::faults(collection, body), Shape::Record { catalog, collection, id: None })
        }
        Route::Record(collection, id) => {
            (Patch::faults(collection, *id, body), Shape::Record { catalog, collection, id: Some(*id) })
        }
        Route::KeyRotation(_) => (grace_faults(body), Shape::Key(&GRACE_MEMBERS)),
        _ => (KeyDraft::faults(catalog, body, Moment::now()), Shape::Key(&KEY_MEMBERS)),
    };
    let found = at_least(found, error);
    let entry = |(at, fault)| Entry::of_body(&shape, fault, at < MOST_SUGGESTIONS);
    Explanation::of_faults(found.faults.iter().enumerate().map(entry).collect(), found.more)
}

/// The fault that is known, should the second reading not find it: what is judged by the clock may change meanwhile.
fn at_least<E: Clone>(found: Found<E>, error: &E) -> Found<E> {
    if !found.faults.is_empty() {
        return found;
    }
    Found { faults: vec![Fault { error: error.clone(), given: None }], more: 0 }
}
