//! Answer: what the server calls for each request.

use std::borrow::Cow;
use std::future::Future;

use super::refusal::Refusal;
use super::request::Request;
use super::response::Response;

/// What the server calls for each request.
pub trait Answer: Send + Sync + 'static {
    /// Answers a request.
    ///
    /// A body that is left unread is dealt with afterwards; a panic becomes
    /// [`Refusal::Panicked`].
    fn answer(&self, request: &mut Request) -> impl Future<Output = Response> + Send;

    /// The version of all that answers show: it rises with every change of that. `None`: nobody knows it here, and no
    /// answer is kept.
    fn version(&self) -> Option<u64> {
        None
    }

    /// How long the body of a request to this path may be, where that is not the usual length.
    fn longest_body(&self, _path: &str) -> Option<usize> {
        None
    }

    /// Makes the response of a refusal; `of` is none where the request never became one.
    fn refuse(&self, refusal: Refusal, of: Option<&Request>) -> Response;

    /// Marks an answer, whoever gave it, before it is sent.
    fn mark(&self, _request: &Request, _response: &mut Response) {}

    /// The path of a request as a log line may show it: without what may be a secret.
    fn loggable_path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(path)
    }
}
