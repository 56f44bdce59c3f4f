//! The product on one screen: every endpoint, and the order in which a request is judged.

mod access;
mod batch;
mod console;
mod content;
mod context;
mod cors;
mod envelope;
mod error;
mod export;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod idempotency;
mod import;
mod keys;
mod log_path;
mod me;
pub mod openapi;
mod origin_policy;
mod problem;
mod rate_limit;
mod records;
mod route;
mod schema;
mod security_headers;
mod settings;
mod timing;
mod unknown_keys;
mod writes;

use std::borrow::Cow;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::catalog::Catalog;
use crate::catalog::collection::Verb;
use crate::http::{
    Answer, Bytes, HeaderValue, Method, Refusal, Request, Response, StatusCode, Uri, header, response,
};
use crate::observe::{Event, METRICS_CONTENT_TYPE, Observer};
use crate::store::Store;
use access::KeyParameters;
use context::{Head, RequestContext};
use cors::Cors;
use error::ApiError;
pub use error::listing_message;
use import::Imports;
use origin_policy::OriginPolicy;
use route::{Labels, Route};
use security_headers::SecurityHeaders;
pub use settings::Settings;
use unknown_keys::UnknownKeyLimiter;

/// For `Vary`.
const ACCEPT: HeaderValue = HeaderValue::from_static("Accept");
const SERVICE_DESCRIPTION: HeaderValue = HeaderValue::from_static("</openapi.json>; rel=\"service-desc\"");

/// Everything that answering needs. After boot only the store's content changes.
pub struct App {
    catalog: Arc<Catalog>,
    store: Store,
    observer: Arc<Observer>,
    settings: Settings,
    key_parameters: KeyParameters,
    unknown_keys: UnknownKeyLimiter,
    cors: Option<Cors>,
    origin_policy: OriginPolicy,
    security_headers: SecurityHeaders,
    documents: Documents,
    labels: Labels,
    /// For exports at once.
    exports: Arc<Semaphore>,
    imports: Imports,
}

/// The documents that depend on nothing but the configuration, made once.
struct Documents {
    root: Bytes,
    schema_index: Bytes,
    schemas: Vec<Bytes>,
    openapi: Bytes,
}

impl App {
    pub fn new(catalog: Arc<Catalog>, store: Store, observer: Arc<Observer>, mut settings: Settings) -> Self {
        let openapi = openapi::document(&catalog, &settings);
        let documents = Documents {
            root: schema::root(&catalog),
            schema_index: schema::index(&catalog),
            schemas: catalog.collections().iter().map(schema::of).collect(),
            openapi: openapi.to_string().into(),
        };
        let key_parameters = KeyParameters::new(&settings.access_parameter);
        let cors = Cors::new(std::mem::take(&mut settings.cors_origins));
        let origin_policy = OriginPolicy::new(settings.base_url.as_deref(), settings.is_local);
        let security_headers = SecurityHeaders::new(cors.is_some(), settings.hsts);
        let labels = Labels::new(&catalog, &observer);
        let unknown_keys = UnknownKeyLimiter::new(settings.unknown_keys_per_minute);
        Self {
            catalog,
            store,
            observer,
            settings,
            key_parameters,
            unknown_keys,
            cors,
            origin_policy,
            security_headers,
            documents,
            labels,
            exports: Arc::new(Semaphore::new(export::AT_ONCE)),
            imports: Imports::new(),
        }
    }

    /// The beginning of absolute URLs in the answer to this request.
    fn base_url(&self, request: &Request) -> String {
        self.settings.base_url.clone().unwrap_or_else(|| request.origin())
    }

    /// Judges a request in the order of the contract: path, method, access, rate limit. The rest is its endpoint's.
    async fn respond<'a>(
        &'a self,
        context: &mut RequestContext<'a>,
        target: &'a Uri,
        request: &mut Request,
    ) -> Result<Response, ApiError> {
        let head = Head::read(self, target, request);
        // A file is taken by its endpoint, piece by piece.
        let is_file = head.as_ref().is_some_and(|head| matches!(head.route, Route::Import(_)));
        if request.body_is_of_unknown_length() && !is_file {
            // Whether it is within the limit shows only on reading, and the limit is judged first. Who will be refused
            // for another reason cannot fill the room that is left for bodies, though.
            if head.as_ref().is_some_and(Head::needs_body) {
                request.body().await?;
            } else {
                request.skip_body().await?;
            }
        }
        self.origin_policy.check(request, self.cors.as_ref())?;
        let Head { route, verb, query } = head.ok_or(ApiError::NotFound)?;
        request.set_route(self.labels.of(&route));
        context.timing.mark("route");
        if let (Err(ApiError::Query(error)), true) =
            (&query, route.is_of_service() || matches!(route, Route::KeyRotation(_)))
        {
            // Nobody below reads it, but what cannot be read is said everywhere.
            return Err(ApiError::Query(*error));
        }
        context.enter(&route, query.as_ref().ok().map(|(query, _)| query));
        let Some(verb) = verb else {
            if let Ok((_, presented)) = query {
                context.look_at_quota(&route, presented, request).await;
            }
            return match *request.method() {
                Method::OPTIONS => Ok(options(&route)),
                _ => Err(ApiError::MethodNotAllowed(route.allow())),
            };
        };
        let (mut query, presented) = query?;
        context.query = std::mem::take(&mut query.pairs);
        let answered = match context.admit(&route, verb, &query, presented, request).await {
            Ok(()) => endpoint(&route, verb, context, request).await,
            Err(refused) => Err(refused),
        };
        // Whatever the answer is, only those may hear it whose key is still good.
        context.confirm(request).await?;
        answered
    }

    /// The console for a browser, the index for programs.
    fn root(&self, request: &Request) -> Response {
        if !self.settings.has_console {
            return described(json(&self.documents.root));
        }
        let mut response = console::welcome(request).unwrap_or_else(|| described(json(&self.documents.root)));
        response::vary(response.headers_mut(), ACCEPT);
        response
    }

    fn metrics(&self, request: &Request) -> Response {
        self.store.measure();
        request.measure();
        response::of_type(StatusCode::OK, METRICS_CONTENT_TYPE, self.observer.metrics_text())
    }

    /// Words an error in the form that the client asks for; what is our own fault is also reported, once, here.
    fn error_response(&self, error: ApiError, request: &Request) -> Response {
        if let Some(cause) = error.internal_cause() {
            self.observer.report(Event::StoreBroken { cause });
        }
        if content::wants_problem(request.headers()) {
            return problem::respond(self, &error, request);
        }
        error.row().into_response()
    }
}

/// Every endpoint: who answers which verb of which route. `Route::verbs` says which verbs come this far.
async fn endpoint(
    route: &Route<'_>,
    verb: Verb,
    context: &mut RequestContext<'_>,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    match (route, verb) {
        (Route::Records(collection), Verb::Get) => records::list(context, collection, request).await,
        (Route::Records(collection), Verb::Post) => writes::create(context, collection, request).await,
        (Route::Records(collection), Verb::Put) => {
            Box::pin(writes::upsert(context, collection, request)).await
        }
        (Route::Record(collection, id), Verb::Get) => records::fetch(context, collection, *id, request).await,
        (Route::Record(collection, id), Verb::Put | Verb::Patch) => {
            writes::update(context, collection, *id, request).await
        }
        (Route::Record(collection, id), Verb::Delete) => {
            writes::delete(context, collection, *id, request).await
        }

        // Rare, and boxed: every connection would have the room for it otherwise.
        (Route::Export(collection, format), Verb::Get) => {
            Box::pin(export::export(context, collection, *format, request)).await
        }
        (Route::Import(collection), Verb::Post) => {
            Box::pin(import::import(context, collection, request)).await
        }
        (Route::ImportReport(number, _), Verb::Get) => Box::pin(import::report(context, *number)).await,
        (Route::Batch(_), Verb::Post) => Box::pin(batch::write(context, request)).await,
        (Route::Me, Verb::Get) => Box::pin(me::show(context, request)).await,
        (Route::Keys, Verb::Get) => Box::pin(keys::list(app)).await,
        (Route::Keys, Verb::Post) => Box::pin(keys::create(context, request)).await,
        (Route::Key(name), Verb::Delete) => Box::pin(keys::revoke(context, name, request)).await,
        (Route::KeyRotation(name), Verb::Post) => Box::pin(keys::rotate(context, name, request)).await,

        (Route::Root, Verb::Get) => Ok(app.root(request)),
        (Route::SchemaIndex, Verb::Get) => Ok(described(json(&app.documents.schema_index))),
        (Route::Schema(collection), Verb::Get) => Ok(json(&app.documents.schemas[collection.position()])),
        (Route::OpenApi, Verb::Get) => Ok(records::kept(request, app.documents.openapi.clone())),
        (Route::Live, Verb::Get) => Ok(ok()),
        (Route::Ready, Verb::Get) => app.store.ping().await.map(|()| ok()).map_err(ApiError::Store),
        (Route::Metrics, Verb::Get) => Ok(app.metrics(request)),
        (Route::Console(place), Verb::Get) => Ok(console::answer(*place, request)),
        _ => Err(ApiError::MethodNotAllowed(route.allow())),
    }
}

impl Answer for App {
    async fn answer(&self, request: &mut Request) -> Response {
        let target = request.target();
        let mut context = RequestContext::new(self);
        let answered = self.respond(&mut context, &target, request).await;
        let mut response = answered.unwrap_or_else(|error| self.error_response(error, request));
        context.mark(request, &mut response);
        response
    }

    /// Of the records and of the keys: both only rise, and so does their sum.
    fn version(&self) -> Option<u64> {
        Some(self.store.version()?.wrapping_add(self.store.access_keys().version()))
    }

    fn longest_body(&self, path: &str) -> Option<usize> {
        path.starts_with("/_/import/").then_some(self.settings.max_import).filter(|longest| *longest > 0)
    }

    fn refuse(&self, refusal: Refusal, of: Option<&Request>) -> Response {
        let error = ApiError::Refused(refusal);
        let mut response = match of {
            Some(request) => self.error_response(error, request),
            None => error.row().into_response(),
        };
        // A request that never became one is not marked.
        self.security_headers.add_to(response.headers_mut());
        response
    }

    fn mark(&self, request: &Request, response: &mut Response) {
        self.security_headers.add_to(response.headers_mut());
        // Who did not ask for a problem is not to get one from a cache.
        if problem::is_one(response) {
            response::vary(response.headers_mut(), ACCEPT);
        }
        if let Some(cors) = &self.cors {
            cors.mark(request, response);
        }
    }

    fn loggable_path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        log_path::loggable(&self.catalog, &self.settings, path)
    }
}

fn json(document: &Bytes) -> Response {
    response::json(StatusCode::OK, document.clone())
}

fn ok() -> Response {
    json(&Bytes::from_static(br#"{"status":"ok"}"#))
}

/// Says where the service is described for programs (RFC 8631).
fn described(mut response: Response) -> Response {
    response.headers_mut().insert(header::LINK, SERVICE_DESCRIPTION);
    response
}

fn options(route: &Route<'_>) -> Response {
    let mut response = response::no_content();
    response.headers_mut().insert(header::ALLOW, route.allow());
    response
}
