//! Which answers each operation may give, and what they carry.

use serde_json::Value;

use super::{documents, operations, resolve};
use crate::api::error::ApiError;
use crate::api::error::status::STATUSES;
use crate::api::openapi::refusal;
use crate::catalog::collection::RateLimit;
use crate::http::{HeaderValue, Refusal};
use crate::store::StoreError;

fn statuses(document: &Value, path: &str, method: &str) -> String {
    let responses = document["paths"][path][method]["responses"].as_object();
    let statuses: Vec<&str> = responses.unwrap().keys().map(String::as_str).collect();
    statuses.join(" ")
}

#[test]
fn the_statuses_follow_from_the_verb_and_the_collection() {
    let [built_in, rich, without_console] = documents();
    for (document, path, method, expected) in [
        (&built_in, "/users/", "get", "200 400 403 408 414 500 503"),
        (&built_in, "/users/", "head", "200 400 403 408 414 500 503"),
        (&built_in, "/users/", "post", "201 400 403 408 409 413 414 415 422 500 503 507"),
        (&built_in, "/users/", "options", "204 400 403 408 414 500 503"),
        (&built_in, "/users/{id}/", "get", "200 304 400 403 404 408 414 500 503"),
        (&built_in, "/users/{id}/", "head", "200 304 400 403 404 408 414 500 503"),
        (&built_in, "/users/{id}/", "put", "200 400 403 404 408 409 412 413 414 415 422 500 503 507"),
        (&built_in, "/users/{id}/", "delete", "200 400 403 404 408 409 412 414 422 500 503 507"),
        (&built_in, "/users/{id}/", "options", "204 400 403 404 408 414 500 503"),
        (&built_in, "/address/{id}/", "delete", "200 400 403 404 408 409 412 414 422 500 503 507"),
        (&built_in, "/schema/{name}/", "get", "200 400 403 404 408 414 500 503"),
        (&built_in, "/", "get", "200 303 400 403 408 414 500 503"),
        (&built_in, "/", "head", "200 303 400 403 408 414 500 503"),
        (&rich, "/", "get", "200 303 400 403 408 414 500 503"),
        (&without_console, "/", "get", "200 400 403 408 414 500 503"),
        (&built_in, "/readyz", "get", "200 400 403 408 414 500 503"),
        (&built_in, "/_/me/", "get", "200 400 401 403 408 414 429 500 503"),
        (&built_in, "/_/keys/", "get", "200 400 401 403 408 414 429 500 503"),
        (&built_in, "/_/keys/", "post", "201 400 401 403 408 409 413 414 415 429 500 503 507"),
        (&built_in, "/_/keys/{name}/", "delete", "200 400 401 403 404 408 414 429 500 503 507"),
        (
            &built_in,
            "/_/keys/{name}/rotate/",
            "post",
            "200 400 401 403 404 408 409 413 414 415 429 500 503 507",
        ),
        (&built_in, "/_/keys/{name}/", "options", "204 400 403 404 408 414 500 503"),
        (&rich, "/things/", "get", "200 400 401 403 408 414 429 500 503"),
        (&rich, "/notes/", "get", "200 400 401 403 408 414 429 500 503"),
        (&rich, "/notes/", "post", "201 400 403 408 409 413 414 415 422 500 503 507"),
        (&rich, "/things/", "put", "200 201 400 401 403 408 409 412 413 414 415 422 429 500 503 507"),
        (&built_in, "/_/batch/", "post", "200 405 400 403 404 408 409 412 413 414 415 422 500 503 507"),
        (&rich, "/_/batch/", "post", "200 405 400 401 403 404 408 409 412 413 414 415 422 429 500 503 507"),
        (&rich, "/things/{id}/", "options", "204 400 403 404 408 414 500 503"),
        (&rich, "/things/{id}/", "patch", "200 400 401 403 404 408 409 412 413 414 415 422 429 500 503 507"),
        (&rich, "/things/{id}/", "delete", "200 400 401 403 404 408 409 412 414 422 429 500 503 507"),
    ] {
        assert_eq!(statuses(document, path, method), expected, "{method} {path}");
    }
}

#[test]
fn the_answers_carry_what_is_promised() {
    let [built_in, rich, _] = documents();
    let headers = |document: &Value, path: &str, method: &str, status: &str| {
        let answer = resolve(document, &document["paths"][path][method]["responses"][status]);
        let headers = answer["headers"].as_object();
        let names: Vec<String> = headers.into_iter().flat_map(|headers| headers.keys().cloned()).collect();
        names.join(" ")
    };
    let all = "Cache-Control Content-Encoding Content-Security-Policy Cross-Origin-Resource-Policy Referrer-Policy \
               Strict-Transport-Security Vary X-Content-Type-Options X-Request-Id";
    let with_all = |own: &str| format!("{own} {all}");
    let created = with_all("Location Preference-Applied Idempotency-Replayed");
    assert_eq!(headers(&built_in, "/users/", "post", "201"), created);
    assert_eq!(headers(&built_in, "/users/", "get", "200"), with_all("Link"));
    assert_eq!(headers(&built_in, "/", "get", "200"), with_all("Link"));
    assert_eq!(headers(&built_in, "/", "get", "303"), format!("{all} Location"));
    assert_eq!(headers(&built_in, "/users/", "get", "503"), with_all("Retry-After"));
    assert_eq!(headers(&built_in, "/schema/", "head", "200"), with_all("Link"));
    assert_eq!(headers(&built_in, "/schema/{name}/", "get", "200"), all);
    assert_eq!(headers(&built_in, "/_/keys/", "post", "201"), with_all("Location"));
    assert_eq!(headers(&built_in, "/users/{id}/", "get", "404"), with_all("Connection Idempotency-Replayed"));
    let limited = with_all("RateLimit-Policy RateLimit");
    for (method, status) in [("get", "200"), ("get", "304"), ("head", "304")] {
        assert_eq!(headers(&rich, "/things/{id}/", method, status), format!("ETag {limited}"), "{method}");
    }
    let repeated = format!("Idempotency-Replayed {limited}");
    for method in ["put", "patch"] {
        assert_eq!(headers(&rich, "/things/{id}/", method, "200"), format!("ETag {repeated}"), "{method}");
    }
    assert_eq!(headers(&rich, "/things/{id}/", "delete", "200"), repeated);
    assert_eq!(headers(&rich, "/things/{id}/", "delete", "409"), format!("Retry-After {repeated}"));
    assert_eq!(headers(&rich, "/things/{id}/", "put", "412"), repeated);
    assert_eq!(headers(&rich, "/things/", "get", "429"), format!("Retry-After {limited}"));
    assert_eq!(headers(&rich, "/things/", "get", "401"), with_all("WWW-Authenticate"));
    let other = resolve(&built_in, &built_in["paths"]["/users/"]["x-other-methods"]);
    assert!(other["headers"]["Allow"].is_object());
}

#[test]
fn every_error_has_its_two_shapes_and_no_answer_to_head_has_a_body() {
    for document in documents() {
        for (path, method, operation) in operations(&document) {
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let content = &resolve(&document, answer)["content"];
                if method == "head" || status == "304" {
                    assert!(content.is_null(), "{method} {path} {status}");
                } else if status.as_str() >= "400" {
                    let schema = &content["application/json"]["schema"];
                    assert_eq!(schema["$ref"], "#/components/schemas/Error", "{method} {path} {status}");
                    let schema = &content["application/problem+json"]["schema"];
                    assert_eq!(schema["$ref"], "#/components/schemas/Problem", "{method} {path} {status}");
                    let mut kinds = document["x-problems"].as_object().unwrap().values();
                    let status: u16 = status.parse().unwrap();
                    assert!(kinds.any(|kind| kind["status"] == status), "{status} has no type of problem");
                }
            }
        }
    }
}

#[test]
fn no_error_has_a_header_field_that_is_not_described() {
    let limit = RateLimit { quota: 1, interval_seconds: 1 };
    let described = refusal::components();
    for error in [
        ApiError::NotFound,
        ApiError::MethodNotAllowed(HeaderValue::from_static("GET")),
        ApiError::Unauthorized { parameter: "accesskey".into() },
        ApiError::TooManyUnknownKeys { retry_after_seconds: 1 },
        ApiError::RateLimited { limit, retry_after_seconds: 1 },
        ApiError::EncodedBody,
        ApiError::Store(StoreError::InFlight),
        ApiError::Store(StoreError::NoRoomForAnswers),
        ApiError::Refused(Refusal::Overloaded),
    ] {
        let response = error.row().into_response();
        let status = STATUSES.iter().find(|status| status.code() == response.status().as_u16()).unwrap();
        let fields = described[status.name]["headers"].as_object().unwrap();
        for name in response.headers().keys().filter(|name| *name != "content-type") {
            assert!(
                fields.keys().any(|field| field.eq_ignore_ascii_case(name.as_str())),
                "{error:?}: {name}"
            );
        }
    }
}
