//! `check(request, answer)`: both as text.
//!
//! A request is `METHOD target`, a body behind it on the same line, or headers on lines of their own and
//! a body after an empty one. A body without a `Content-Type` gets `application/json`.
//! An answer is `STATUS reason`, the shown headers that it has (`support/answer.rs`), an empty line and
//! the body, byte for byte; or `STATUS reason BODY` where there is no header to show. `{base_url}`
//! stands for scheme, host and port. `Content-Type` is shown where it is not `application/json`,
//! `Content-Length` where there is no body: otherwise the client has checked both already.

use dev::answer::{Answer, expected};
use dev::request::Request;
use serde_json::Value;

use super::server::Server;

impl Server {
    /// Sends a request and compares the whole answer.
    #[track_caller]
    pub(crate) fn check(&self, request: &str, answer: &str) {
        self.check_request(&Request::text(request), answer);
    }

    /// As [`Server::check`], for a request that cannot be written as text.
    #[track_caller]
    pub(crate) fn check_request(&self, request: &Request, answer: &str) {
        let actual = self.send(request).text(&self.base_url());
        let expected = expected(answer);
        assert!(actual == expected, "{request:?}\nexpected:\n{expected}\nanswered:\n{actual}");
    }

    /// Sends a request that is refused with this status, and gives the message.
    #[track_caller]
    pub(crate) fn refuses(&self, request: &str, status: u16) -> String {
        self.refuses_request(&Request::text(request), status)
    }

    /// As [`Server::refuses`], for a request that cannot be written as text.
    #[track_caller]
    pub(crate) fn refuses_request(&self, request: &Request, status: u16) -> String {
        let answer = self.send(request);
        assert_eq!(answer.status, status, "{request:?}: {answer:?}");
        answer.error()
    }

    /// Checks that a request is answered 400 with exactly this message.
    #[track_caller]
    pub(crate) fn faults(&self, request: &str, message: &str) {
        let error = serde_json::to_string(message).unwrap();
        self.check(request, &format!(r#"400 Bad Request {{"error":{error}}}"#));
    }

    /// Sends a request, whatever comes of it.
    #[track_caller]
    pub(crate) fn ask(&self, request: &str) -> Answer {
        self.send(&Request::text(request))
    }

    /// Sends a request, whatever comes of it.
    #[track_caller]
    pub(crate) fn send(&self, request: &Request) -> Answer {
        self.client.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).send(request)
    }

    /// Sends a request that the server may answer before it has read it all.
    #[track_caller]
    pub(crate) fn send_anyway(&self, request: &Request) -> Answer {
        let mut client = self.client();
        client.write_meanwhile(request.bytes("localhost"));
        let answer = client.read(&request.method).unwrap();
        answer.keeps_its_promises(&request.method);
        answer
    }

    /// The status alone.
    #[track_caller]
    pub(crate) fn status(&self, request: &str) -> u16 {
        self.ask(request).status
    }

    /// Creates a record and gives its id.
    #[track_caller]
    pub(crate) fn create(&self, path: &str, body: &str) -> i64 {
        self.ask(&format!("POST {path} {body}")).created_id()
    }

    /// Creates a user of this name.
    #[track_caller]
    pub(crate) fn create_user(&self, first_name: &str, last_name: &str) -> i64 {
        let body = serde_json::json!({"first_name": first_name, "last_name": last_name});
        self.create("/users/", &body.to_string())
    }

    /// Creates an address.
    #[track_caller]
    pub(crate) fn create_address(&self) -> i64 {
        self.create("/address/", r#"{"country":"France","city":"Paris","street":"Rivoli","number":5}"#)
    }

    /// How many records a list counts.
    #[track_caller]
    pub(crate) fn total(&self, list: &str) -> i64 {
        self.ask(&format!("GET {list}")).json()["meta"]["total_count"].as_i64().unwrap()
    }

    /// Every record of a paginated list, by walking `next`.
    #[track_caller]
    pub(crate) fn walk(&self, path: &str) -> Vec<Value> {
        let mut records = Vec::new();
        let mut query = String::new();
        loop {
            let page = self.ask(&format!("GET {path}{query}")).json();
            records.extend(page["object_list"].as_array().unwrap().iter().cloned());
            match page["meta"]["next"].as_str().unwrap() {
                "null" => return records,
                next => query = next.to_owned(),
            }
        }
    }

    /// The ids of a list's page, read from `ressource_uri`.
    #[track_caller]
    pub(crate) fn ids(&self, list: &str) -> Vec<i64> {
        let page = self.ask(&format!("GET {list}")).json();
        page["object_list"].as_array().unwrap_or_else(|| panic!("{page}")).iter().map(id_of).collect()
    }

    /// Everything that the address book holds, to see that a refusal changed nothing.
    #[track_caller]
    pub(crate) fn contents(&self) -> (Vec<Value>, Vec<Value>) {
        (self.walk("/address/"), self.walk("/users/"))
    }
}

/// The id of a record, from its `ressource_uri`.
pub(crate) fn id_of(record: &Value) -> i64 {
    let path = record["ressource_uri"].as_str().unwrap_or_else(|| panic!("no ressource_uri: {record}"));
    path.trim_end_matches('/').rsplit('/').next().unwrap().parse().unwrap()
}
