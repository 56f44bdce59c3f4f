//! The OpenAPI document, computed from the catalog.
//!
//! It describes what is promised and nothing else. The files in the folder beside it are its parts; each says
//! what may be referred to, and what nobody refers to is left out at the end.

mod batch;
mod body;
mod component;
mod control;
mod door;
mod export;
mod envelope;
mod filter;
mod header;
mod import;
mod keys;
mod operation;
mod parameter;
mod records;
mod refusal;
mod security;
mod service;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::Settings;
use super::error::status::Kind;
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection};

/// The newest 3.1: tools that read 3.2 are still few.
const VERSION: &str = "3.1.2";

const DESCRIPTION: &str = "\
Records in named collections, as JSON over HTTP.

A path is answered alike with and without its trailing slash. HEAD is answered wherever GET is, and OPTIONS \
everywhere, without an access key. Any other method than those described is answered with 405 and `Allow`.

Every error is an object with the one member `error`; a client that names `application/problem+json` in `Accept` \
gets problem details instead (RFC 9457), with all faults of a body or a query at once. The exception is a request \
head that cannot be read at all: a bare 400, or, in HTTP/2, a bare 431, after which the connection is closed.

Answers to web pages of other origins carry the header fields of CORS besides, and answers of a server that was \
told to show where its time goes, `Server-Timing`.";

/// Describes the service as this configuration makes it.
pub fn document(catalog: &Catalog, settings: &Settings) -> Value {
    let access_parameter = settings.access_parameter.as_str();
    let mut paths = Map::new();
    for collection in catalog.collections() {
        let name = collection.name();
        paths.insert(format!("/{name}/"), records::list(catalog, collection, access_parameter));
        paths.insert(format!("/{name}/{{id}}/"), records::record(catalog, collection, access_parameter));
    }
    paths.extend(export::paths(catalog, access_parameter));
    paths.extend(import::paths(catalog, settings));
    paths.extend(batch::path(catalog, access_parameter));
    paths.extend(keys::paths(access_parameter));
    paths.extend(service::paths(settings));

    let described = |kind: &Kind| json!({ "status": kind.status, "description": kind.description });
    let problems: Map<String, Value> =
        refusal::kinds().map(|kind| (kind.name.to_owned(), described(kind))).collect();
    let mut document = json!({
        "openapi": VERSION,
        "info": {
            "title": "carnet",
            "summary": env!("CARGO_PKG_DESCRIPTION"),
            "description": DESCRIPTION,
            "license": { "name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE") },
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [{ "url": "/" }],
        "tags": tags(catalog),
        "paths": paths,
        "components": {
            "schemas": schemas(catalog),
            "parameters": parameter::components(catalog, access_parameter),
            "headers": component::fixed("headers"),
            "responses": refusal::components(),
            "securitySchemes": security::schemes(access_parameter),
        },
        "x-problems": problems,
    });
    component::leave_out_unused(&mut document);
    document
}

fn schemas(catalog: &Catalog) -> Map<String, Value> {
    let mut schemas = Map::new();
    for collection in catalog.collections() {
        schemas.extend(body::components(catalog, collection));
    }
    schemas.extend(batch::components(catalog));
    schemas.extend([import::component(), keys::component(catalog)]);
    schemas.extend(component::fixed("schemas"));
    schemas.extend(service::components(catalog));
    let problem = schemas.get_mut("Problem");
    if let Some(kinds) = problem.and_then(|problem| problem.pointer_mut("/properties/type/enum")) {
        *kinds = refusal::kinds().map(Kind::reference).collect();
    }
    schemas
}

fn tags(catalog: &Catalog) -> Vec<Value> {
    let collections = catalog.collections().iter();
    let mut tags: Vec<Value> = collections
        .map(|collection| json!({ "name": collection.name(), "description": about(collection) }))
        .collect();
    tags.push(json!({ "name": batch::TAG, "description": batch::ABOUT }));
    tags.push(json!({ "name": import::TAG, "description": import::ABOUT }));
    tags.push(json!({ "name": keys::TAG, "description": keys::ABOUT }));
    tags.push(json!({
        "name": service::TAG,
        "description": "What the service says about itself. Open to everybody.",
    }));
    tags
}

/// What holds for every operation of a collection.
fn about(collection: &Collection) -> String {
    let mut about = match collection.admission() {
        Admission::Open => "Open to everybody.",
        Admission::Identified => "Open to everybody; a caller with a known access key is known by it.",
        Admission::KnownOnly => "Only for callers with a known access key.",
    }
    .to_owned();
    if let Some(limit) = collection.rate_limit() {
        about.push_str(&format!(
            " One access key may make {} requests in {} seconds.",
            limit.quota, limit.interval_seconds
        ));
    }
    for rule in collection.unique() {
        let together = if rule.len() > 1 { " together" } else { "" };
        about.push_str(&format!(" `{}` must be unique{together}.", collection.rule_name(rule)));
    }
    about
}
