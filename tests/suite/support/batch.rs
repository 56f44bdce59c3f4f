//! Batches as tests write them down.

use dev::request::Request;

/// A batch of these items, each as JSON.
pub(crate) fn batch(items: &[impl AsRef<str>]) -> Request {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    Request::new("POST /_/batch/").json(format!(r#"{{"requests":[{}]}}"#, items.join(",")))
}

/// An item that creates an address with this number.
pub(crate) fn address(number: i64) -> String {
    let body = format!(r#"{{"country":"France","city":"Paris","street":"quai de Valmy","number":{number}}}"#);
    format!(r#"{{"method":"POST","path":"/address/","body":{body}}}"#)
}

/// An item that creates a user with this reference, as JSON.
pub(crate) fn user(first_name: &str, address: &str) -> String {
    let body = format!(r#"{{"first_name":"{first_name}","last_name":"Doe","address":{address}}}"#);
    format!(r#"{{"method":"POST","path":"/users/","body":{body}}}"#)
}

/// An item that changes a user.
pub(crate) fn put_user(id: impl std::fmt::Display, body: &str) -> String {
    format!(r#"{{"method":"PUT","path":"/users/{id}/","body":{body}}}"#)
}

/// An item that deletes a record.
pub(crate) fn delete(path: &str) -> String {
    format!(r#"{{"method":"DELETE","path":"{path}"}}"#)
}
