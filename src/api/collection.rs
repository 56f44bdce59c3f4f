//! Requests to a collection: who sends them, what they may do, how often; and what the answer says about that.

use super::access::{self, Caller};
use super::error::ApiError;
use super::rate_limit::Tally;
use super::timing::Timing;
use super::{App, idempotency, records};
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::http::{HeaderValue, Request, Response, header};
use crate::record::RecordId;

const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");
/// For answers to a URL that holds an access key: neither may be kept.
pub(super) const DO_NOT_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Where the answer depends on who asks.
pub(super) const BY_KEY: HeaderValue = HeaderValue::from_static("Authorization, X-API-Key");

/// What is learned about a request on the way, and belongs on its answer however it ends.
pub(super) struct RequestContext {
    pub(super) caller: Caller,
    tally: Option<Tally>,
    key_in_url: bool,
    /// Whether the answer is one that was given before.
    pub(super) is_replayed: bool,
}

impl App {
    /// Answers a request to a collection. Whatever comes of it, the answer says where its key stands
    /// within the rate limit and whether it was given before, and is not kept where the URL holds the key.
    pub(super) async fn handle(
        &self,
        collection: &Collection,
        id: Option<RecordId>,
        verb: Result<Verb, Response>,
        request: &mut Request,
        timing: &mut Timing,
    ) -> Response {
        let mut context =
            RequestContext { caller: Caller::Anonymous, tally: None, key_in_url: false, is_replayed: false };
        let mut response = match verb {
            Ok(verb) => {
                let answered = self.admit(collection, id, verb, request, &mut context, timing).await;
                answered.unwrap_or_else(|error| self.error_response(error, request))
            }
            Err(response) => {
                // Nobody below reads the query; one that cannot be read holds no key either.
                if let Ok(query) = access::Query::parse(&self.key_parameters, request.query()) {
                    context.key_in_url = query.has_key();
                    context.tally = self.quota_status(collection, &query, request).await;
                }
                response
            }
        };
        if let Caller::Known(holder) = context.caller {
            request.set_caller(holder);
        }
        if let Some(tally) = context.tally {
            tally.write(response.headers_mut());
        }
        if collection.admission() != Admission::Open {
            response.headers_mut().insert(header::VARY, BY_KEY);
        }
        if context.is_replayed {
            response.headers_mut().insert(idempotency::IDEMPOTENCY_REPLAYED, idempotency::YES);
        }
        let kept = if context.key_in_url { DO_NOT_STORE } else { REVALIDATE };
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(kept);
        response
    }

    async fn admit(
        &self,
        collection: &Collection,
        id: Option<RecordId>,
        verb: Verb,
        request: &mut Request,
        context: &mut RequestContext,
        timing: &mut Timing,
    ) -> Result<Response, ApiError> {
        let query = access::Query::parse(&self.key_parameters, request.query())?;
        context.key_in_url = query.has_key();
        context.caller = access::admit(self, collection, &query, request)?;
        let authorized = access::authorize(&context.caller, collection, verb);
        if let (Caller::Known(holder), Some(limit)) = (&context.caller, collection.rate_limit()) {
            // What the key may not do does not count.
            let requests = u64::from(authorized.is_ok());
            let usage = self.store.use_quota(collection, holder.id, limit, requests).await?;
            let tally = Tally::new(limit, usage);
            context.tally = Some(tally);
            if authorized.is_ok() {
                tally.verdict()?;
            }
        }
        authorized?;
        timing.mark("access");
        match (id, verb) {
            (None, Verb::Get) => records::list(self, collection, &query, request, timing).await,
            (None, _) => records::create(self, collection, request, context, timing).await,
            (Some(id), Verb::Get) => records::fetch(self, collection, id, request, timing).await,
            (Some(id), Verb::Delete) => records::delete(self, collection, id, request, context, timing).await,
            (Some(id), _) => records::update(self, collection, id, request, context, timing).await,
        }
    }

    /// Where the caller's key stands, for an answer that is given before access is judged.
    async fn quota_status(
        &self,
        collection: &Collection,
        query: &access::Query<'_>,
        request: &Request,
    ) -> Option<Tally> {
        let limit = collection.rate_limit()?;
        match access::identify(self, query, request).ok()? {
            Caller::Known(holder) => {
                let usage = self.store.use_quota(collection, holder.id, limit, 0).await.ok()?;
                Some(Tally::new(limit, usage))
            }
            Caller::Anonymous => None,
        }
    }
}
