//! A request on its way to its endpoint: what its head says, who sends it, what they may do, how often; and what the
//! answer says about that.

use std::time::Instant;

use super::access::{self, Caller, Presented, Query};
use super::error::ApiError;
use super::rate_limit::{self, Tally};
use super::route::Route;
use super::timing::Timing;
use super::{App, idempotency};
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::http::query::Pair;
use crate::http::{HeaderValue, Request, Response, Uri, header};
use crate::record::moment::Moment;
use crate::store::keys::Credential;

const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");
/// For answers to a URL that holds an access key, and about access keys: none may be kept.
const DO_NOT_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Where the answer depends on who asks.
const BY_KEY: HeaderValue = HeaderValue::from_static("Authorization, X-API-Key");

/// What the head of a request says, read once. Nothing is decided and nothing is counted by reading it.
pub(super) struct Head<'a> {
    pub(super) route: Route<'a>,
    /// `None`: the method is not allowed here.
    pub(super) verb: Option<Verb>,
    pub(super) query: Result<(Query<'a>, Presented), ApiError>,
}

impl<'a> Head<'a> {
    /// `None` for a path that does not exist.
    pub(super) fn read(app: &'a App, target: &'a Uri, request: &Request) -> Option<Self> {
        let route = Route::parse(&app.catalog, &app.settings, target.path())?;
        let verb = route.verb(request.method());
        let query = access::read(app, &route, verb, target.query().unwrap_or_default(), request.headers());
        Some(Self { route, verb, query })
    }

    /// Whether the body can matter to anybody: neither the method nor access will refuse the request.
    pub(super) fn needs_body(&self) -> bool {
        let is_known = matches!(self.query, Ok((_, Presented::Known(_))));
        matches!(self.verb, Some(Verb::Post | Verb::Put | Verb::Patch))
            && (is_known || self.route.admission() != Admission::KnownOnly)
    }
}

/// What is learned about a request on its way to its endpoint, and belongs on its answer however it ends.
pub(super) struct RequestContext<'a> {
    pub(super) app: &'a App,
    pub(super) timing: Timing,
    pub(super) caller: Caller,
    /// The pairs of the query, without those that carry an access key.
    pub(super) query: Vec<Pair<'a>>,
    /// Whether the answer is one that was given before.
    pub(super) is_replayed: bool,
    /// Whether the same request gets the same answer until something changes.
    pub(super) is_lasting: bool,
    /// Whether the caller presented nothing that is counted, or that ends by itself.
    may_last: bool,
    /// What the caller was let in by and when, until the store has confirmed it: memory may be old.
    unconfirmed: Option<(Credential, Instant)>,
    tally: Option<Tally>,
    /// What an unknown key is told where a known one is needed, though the path itself asks for none.
    refusal: Option<ApiError>,
    subject: Subject,
}

/// What the answer is about, as far as its header fields differ by that.
enum Subject {
    Service,
    Keys,
    Records { varies_by_key: bool, has_key_in_url: bool },
}

impl<'a> RequestContext<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        Self {
            app,
            timing: Timing::start(app.settings.shows_server_timing),
            caller: Caller::Anonymous,
            query: Vec::new(),
            is_replayed: false,
            is_lasting: false,
            may_last: !app.settings.shows_server_timing,
            unconfirmed: None,
            tally: None,
            refusal: None,
            subject: Subject::Service,
        }
    }

    /// From here on the answer says what answers of this route say, however it ends.
    pub(super) fn enter(&mut self, route: &Route<'_>, query: Option<&Query<'_>>) {
        let has_key_in_url = query.is_some_and(Query::has_key);
        let admission = query.map_or(route.admission(), |query| query.admission(route));
        let varies_by_key = admission != Admission::Open;
        self.subject = match route {
            route if route.is_of_records() => Subject::Records { varies_by_key, has_key_in_url },
            route if route.is_of_service() => Subject::Service,
            _ => Subject::Keys,
        };
    }

    /// Lets the caller in or not, and counts the request where its rate is limited.
    pub(super) async fn admit(
        &mut self,
        route: &Route<'_>,
        verb: Verb,
        query: &Query<'_>,
        presented: Presented,
        request: &Request,
    ) -> Result<(), ApiError> {
        self.may_last &= match &presented {
            Presented::Nothing => true,
            Presented::Unknown => false,
            Presented::Known(credential) => credential.until.is_none(),
        };
        let admission = match (route, &presented) {
            // Where others would pass as anonymous, who asks about a key hears that it is none.
            (Route::Me, Presented::Unknown) => Admission::KnownOnly,
            _ => query.admission(route),
        };
        let may_be_needed = admission == Admission::KnownOnly || route.is_for_every_key();
        if let (Presented::Known(credential), true) = (&presented, may_be_needed) {
            self.unconfirmed = Some((credential.clone(), Instant::now()));
        }
        (self.caller, self.refusal) = access::admit(self.app, admission, presented, request)?;
        let authorized = access::authorize(&self.caller, route, verb, &query.expanded);
        let Some(collection) = route.collection() else { return authorized };
        if collection.rate_limit().is_some() || !query.expanded.is_empty() {
            // What the key may not do does not count.
            let requests = u64::from(authorized.is_ok());
            let is_other = |read: &&&Collection| read.position() != collection.position();
            let besides = query.expanded.iter().filter(|read| requests > 0 && is_other(read));
            let read = std::iter::once(collection).chain(besides.copied());
            let read: Vec<_> = read.map(|read| (read, requests)).collect();
            // Boxed: requests without a limit would have the room for it otherwise.
            Box::pin(self.count_each(&read)).await.map_err(|(_, refused)| refused)?;
        }
        authorized?;
        self.timing.mark("access");
        Ok(())
    }

    /// Counts so many requests in the rate limit of each of these collections; in none of them, where one has fewer left,
    /// whose place is told. The answer tells of the limit that leaves the fewest requests.
    pub(super) async fn count_each(
        &mut self,
        requests: &[(&Collection, u64)],
    ) -> Result<(), (usize, ApiError)> {
        let Caller::Known(holder) = &self.caller else { return Ok(()) };
        rate_limit::count_each(&self.app.store, holder.id, requests, &mut self.tally).await
    }

    /// Sees that what the caller was let in by is good now that the answer is there, or before something is changed. A
    /// node that was paused has keys in memory that were revoked long ago.
    pub(super) async fn confirm(&mut self, request: &Request) -> Result<(), ApiError> {
        let Some((credential, since)) = self.unconfirmed.take() else { return Ok(()) };
        match self.app.store.keys_since(since).await? {
            Some(keys) if !keys.confirms(&credential, Moment::now()) => Err(self.refuse_key(request)),
            _ => Ok(()),
        }
    }

    /// What the caller was let in by turns out not to matter.
    pub(super) fn drop_credential(&mut self) {
        self.unconfirmed = None;
    }

    /// What the caller was let in by, until it is confirmed.
    pub(super) fn credential(&self) -> Option<&Credential> {
        self.unconfirmed.as_ref().map(|(credential, _)| credential)
    }

    /// Hands on what the caller was let in by, to be confirmed by whoever takes it.
    pub(super) fn take_credential(&mut self) -> Option<Credential> {
        self.unconfirmed.take().map(|(credential, _)| credential)
    }

    /// An item of a batch that is refused for its key is told what any request with that key is told.
    pub(super) fn refuse_item(&mut self, error: ApiError) -> ApiError {
        match (error, self.refusal.take()) {
            (ApiError::Item { item, error }, Some(refusal))
                if matches!(*error, ApiError::Unauthorized { .. }) =>
            {
                refusal.of_item(item)
            }
            (error, _) => error,
        }
    }

    /// The answer to a caller who was taken for a known one: that to any unknown key.
    pub(super) fn refuse_key(&mut self, request: &Request) -> ApiError {
        (self.caller, self.tally) = (Caller::Anonymous, None);
        access::refuse_unknown(self.app, request)
    }

    /// Looks where the caller's key stands, for an answer that is given before access is judged. The answer tells
    /// whether a key is known, so that one that is not counts here, too.
    pub(super) async fn look_at_quota(&mut self, route: &Route<'_>, presented: Presented, request: &Request) {
        let Some(collection) = route.collection() else { return };
        if collection.rate_limit().is_none() {
            return;
        }
        match presented {
            Presented::Known(Credential { holder, .. }) => {
                let (store, look) = (&self.app.store, [(collection, 0)]);
                let _ = rate_limit::count_each(store, holder.id, &look, &mut self.tally).await;
            }
            Presented::Unknown => {
                let _ = self.app.unknown_keys.count(request.client(), &self.app.observer);
            }
            Presented::Nothing => {}
        }
    }

    /// Says on the answer what was learned, and to the log who was calling.
    pub(super) fn mark(self, request: &mut Request, response: &mut Response) {
        let headers = response.headers_mut();
        if let Caller::Known(holder) = self.caller {
            request.set_caller(holder);
        }
        if self.is_lasting && self.may_last && self.tally.is_none() {
            request.set_lasting();
        }
        match self.subject {
            Subject::Service => {}
            Subject::Keys => {
                headers.insert(header::CACHE_CONTROL, DO_NOT_STORE);
                headers.insert(header::VARY, BY_KEY);
            }
            Subject::Records { varies_by_key, has_key_in_url } => {
                if let Some(tally) = self.tally {
                    tally.write(headers);
                }
                if varies_by_key {
                    headers.insert(header::VARY, BY_KEY);
                }
                if self.is_replayed {
                    headers.insert(idempotency::IDEMPOTENCY_REPLAYED, idempotency::YES);
                }
                let kept = if has_key_in_url { DO_NOT_STORE } else { REVALIDATE };
                headers.entry(header::CACHE_CONTROL).or_insert(kept);
            }
        }
        self.timing.write(headers);
    }
}
