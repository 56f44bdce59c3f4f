//! Request: one request within its limits, its body still to come.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Uri};

use super::body::Body;
use super::caller::Caller;
use super::capacity::Share;
use super::connection::Connection;
use super::content::Content;
use super::encoders::Coding;
use super::refusal::Refusal;
use super::request_id::{RequestId, X_REQUEST_ID};
use super::response_cache::Asked;
use super::room::Room;
use super::stream::{self, StreamSender};
use super::{compression, forwarded};
use crate::observe::Route;

/// One request; see `Answer`.
pub struct Request {
    pub(super) head: Parts,
    pub(super) body: Body,
    /// How many bytes of what all bodies may take are this one's.
    taken: usize,
    pub(super) id: RequestId,
    pub(super) route: Route,
    pub(super) caller: Option<Arc<dyn Caller>>,
    /// What is wrong with its head, as far as only its bytes have shown it.
    pub(super) refusal: Option<Refusal>,
    /// What its answer would be kept by.
    pub(super) asked: Option<Asked>,
    pub(super) is_lasting: bool,
    connection: Arc<Connection>,
}

impl Request {
    pub(super) fn new(
        request: hyper::Request<Incoming>,
        connection: Arc<Connection>,
        refusal: Option<Refusal>,
    ) -> Self {
        let (head, incoming) = request.into_parts();
        let given = head.headers.get(X_REQUEST_ID);
        let id = given
            .and_then(|value| RequestId::parse(value.as_bytes()))
            .unwrap_or_else(|| connection.shared.request_ids.next(&connection.request_ids));
        let (body, route) = (Body::new(incoming), Route::default());
        Request {
            head,
            body,
            taken: 0,
            id,
            route,
            caller: None,
            refusal,
            asked: None,
            is_lasting: false,
            connection,
        }
    }

    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// The target as it was sent, which is there while the body is read.
    pub fn target(&self) -> Uri {
        self.head.uri.clone()
    }

    /// The path as it was sent, nothing decoded.
    pub fn path(&self) -> &str {
        self.head.uri.path()
    }

    /// The query as it was sent, without its question mark; empty where there is none.
    pub fn query(&self) -> &str {
        self.head.uri.query().unwrap_or_default()
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The name of this request in logs and answers: the client's where it gave a good one.
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Scheme and host as the client sees them: `https://book.example.org`.
    pub fn origin(&self) -> String {
        let trusted = &self.connection.shared.settings.trusted_proxies;
        let said = forwarded::is_trusted(trusted, self.connection.peer).then_some(self.headers());
        let own = if self.connection.shared.tls.is_some() { "https" } else { "http" };
        let scheme = said.and_then(forwarded::scheme).unwrap_or(own);
        let own_host = || match self.head.uri.authority() {
            Some(authority) => Some(authority.as_str()),
            None => self.headers().get(hyper::header::HOST)?.to_str().ok(),
        };
        match said.and_then(forwarded::host).or_else(own_host) {
            Some(host) => [scheme, "://", host].concat(),
            None => format!("{scheme}://{}", self.connection.local),
        }
    }

    /// How long the path and the query of a request may be together.
    pub fn longest_url(&self) -> usize {
        self.connection.shared.settings.max_url
    }

    /// What its answer takes of the room for answers, where that is known before the answer is made.
    pub fn room(&self) -> Room {
        Room::new(&self.connection)
    }

    /// A body that is made while it is sent, and the end of it that makes it. For a task of its own, as the body of an
    /// answer is taken only after the answer is given.
    pub fn stream(&self) -> (StreamSender, Content) {
        let (sender, stream) = stream::channel(&self.connection);
        (sender, Content::Streamed(Box::new(stream)))
    }

    /// Brings the metrics of what is taken on up to date.
    pub fn measure(&self) {
        let shared = &self.connection.shared;
        shared.observer.answers_are(shared.capacity.answer_bytes());
    }

    /// Whether a proxy that is trusted says that it asks for somebody else.
    pub fn is_forwarded(&self) -> bool {
        let trusted = &self.connection.shared.settings.trusted_proxies;
        forwarded::is_trusted(trusted, self.connection.peer) && forwarded::host(self.headers()).is_some()
    }

    /// How an answer of this length will be made smaller, if it is.
    pub fn coding(&self, length: usize) -> Option<Coding> {
        compression::coding(length, self.headers())
    }

    /// The address of the client, behind trusted proxies that of theirs.
    pub fn client(&self) -> IpAddr {
        let trusted = &self.connection.shared.settings.trusted_proxies;
        forwarded::client(trusted, self.connection.peer, self.headers())
    }

    /// The same, where a trusted proxy sent the request.
    pub(super) fn forwarded_client(&self) -> Option<IpAddr> {
        self.connection.believed_peer().map(|_| self.client())
    }

    /// Whether the body's length is not announced (it comes in chunks).
    pub fn body_is_of_unknown_length(&self) -> bool {
        self.body.is_of_unknown_length()
    }

    /// The whole body, empty where there is none; the same again when asked again.
    pub async fn body(&mut self) -> Result<Bytes, Refusal> {
        let shared = &*self.connection.shared;
        let settings = &shared.settings;
        let share = Share { capacity: &shared.capacity, limit: settings.max_bodies, taken: &mut self.taken };
        self.body.read(settings.max_body, settings.body_timeout, share).await
    }

    /// The body as far as somebody asked for it before.
    pub fn body_read(&self) -> Option<&Bytes> {
        self.body.as_read()
    }

    /// Reads the body within the limits of [`Request::body`] and keeps nothing of it.
    pub async fn skip_body(&mut self) -> Result<(), Refusal> {
        let settings = &self.connection.shared.settings;
        self.body.skip(settings.max_body, settings.body_timeout).await
    }

    /// Hands the body on piece by piece, whatever memory there is: a limit of its own, and so much time for each MiB as
    /// any other body has.
    pub async fn pour_body(
        &mut self,
        limit: usize,
        take: impl FnMut(Bytes) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, Refusal> {
        self.body.pour(limit, self.connection.shared.settings.body_timeout, take).await
    }

    /// Says which route this request was for, for the metrics.
    pub fn set_route(&mut self, route: Route) {
        self.route = route;
    }

    /// Says who sent this request, for the log.
    pub fn set_caller(&mut self, caller: Arc<dyn Caller>) {
        self.caller = Some(caller);
    }

    /// Says that the same head gets the same answer as long as the version is the same (see [`Answer::version`]), and
    /// nothing need be counted but that it came.
    ///
    /// [`Answer::version`]: super::Answer::version
    pub fn set_lasting(&mut self) {
        self.is_lasting = true;
    }

    /// Gets an unread body out of the way; answers whether the connection can go on.
    pub(super) async fn settle_body(&mut self) -> bool {
        if !self.body.is_unread() {
            return true;
        }
        // Reading the body would ask for it, where the client waits to be asked.
        let is_awaited = self.head.headers.contains_key(hyper::header::EXPECT);
        self.body.settle(is_awaited).await
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if self.taken > 0 {
            self.connection.shared.capacity.release(self.taken);
        }
    }
}
