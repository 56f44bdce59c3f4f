//! Who is calling, and may they come in.

use std::borrow::Cow;
use std::sync::Arc;

use super::App;
use super::error::ApiError;
use super::route::Route;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::catalog::name::key_parameters;
use crate::http::query::{self, Pair};
use crate::http::{self, HeaderMap, Request, header};
use crate::record::access_key::KeyHash;
use crate::record::expansion::Expansion;
use crate::record::moment::Moment;
use crate::record::scope::Right;
use crate::store::keys::{Credential, Holder};

const X_API_KEY: &str = "x-api-key";

/// The names of the query parameters that carry an access key.
pub(super) struct KeyParameters {
    names: Vec<String>,
}

impl KeyParameters {
    pub(super) fn new(parameter: &str) -> Self {
        Self { names: key_parameters(parameter).into_iter().map(str::to_owned).collect() }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// A decoded query, the access key taken out of it before anything else sees it.
pub(super) struct Query<'a> {
    /// The pairs in the order given, without those that carry an access key.
    pub(super) pairs: Vec<Pair<'a>>,
    /// The collections that are read besides (`expand`), each once; the one in the path may be among them.
    pub(super) expanded: Vec<&'a Collection>,
    presented: Option<Cow<'a, str>>,
}

impl<'a> Query<'a> {
    pub(super) fn parse(parameters: &KeyParameters, query: &'a str) -> Result<Self, ApiError> {
        if query.is_empty() {
            return Ok(Self { pairs: Vec::new(), expanded: Vec::new(), presented: None });
        }
        let mut pairs = query::parse(query)?;
        let mut presented = None;
        let mut is_ambiguous = false;
        pairs.retain_mut(|(name, value)| {
            let is_key = parameters.contains(name);
            if is_key {
                is_ambiguous |= presented.replace(std::mem::take(value)).is_some();
            }
            !is_key
        });
        if is_ambiguous {
            return Err(ApiError::KeyGivenTwice);
        }
        Ok(Self { pairs, expanded: Vec::new(), presented })
    }

    /// Whether the URL holds an access key, known or not.
    pub(super) fn has_key(&self) -> bool {
        self.presented.is_some()
    }

    /// Who may come in: the strictest of all collections that are read counts.
    pub(super) fn admission(&self, route: &Route<'_>) -> Admission {
        let expanded = self.expanded.iter().map(|collection| collection.admission());
        expanded.fold(route.admission(), Admission::max)
    }
}

/// Who is calling.
#[derive(Debug, Clone)]
pub(super) enum Caller {
    /// No key, or one that is not known.
    Anonymous,
    /// Whoever was given this key; its `id` stays the same whatever its secret is.
    Known(Arc<Holder>),
}

impl Caller {
    /// What the key is called; nothing where there is none.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Anonymous => "",
            Self::Known(holder) => &holder.name,
        }
    }
}

/// Log lines name the key, never its secret.
impl http::Caller for Holder {
    fn name(&self) -> &str {
        &self.name
    }

    fn repeats(&self) {
        self.is_used(Moment::now());
    }
}

/// What a look at the presented key tells.
pub(super) enum Presented {
    /// No key, or nobody asks for one.
    Nothing,
    /// Never given to anybody, revoked, or over: nobody can tell which.
    Unknown,
    Known(Credential),
}

/// Reads the query, and looks the presented key up as it is at this moment where the route asks for one. Nothing is
/// counted here.
pub(super) fn read<'a>(
    app: &'a App,
    route: &Route<'_>,
    verb: Option<Verb>,
    query: &'a str,
    headers: &HeaderMap,
) -> Result<(Query<'a>, Presented), ApiError> {
    if route.is_of_service() {
        let pairs = query::parse(query)?;
        return Ok((Query { pairs, expanded: Vec::new(), presented: None }, Presented::Nothing));
    }
    let mut query = Query::parse(&app.key_parameters, query)?;
    if let (Some(collection), Some(Verb::Get)) = (route.collection(), verb) {
        let targets = Expansion::targets(collection, query.pairs.iter()).into_iter();
        query.expanded = targets.map(|target| app.catalog.at(target)).collect();
        if let Route::Export(_, format) = route {
            let followed = format.follows(&app.catalog, collection);
            let reference = followed.and_then(|position| collection.fields()[position].reference());
            let followed = reference.map(|reference| app.catalog.at(reference.target));
            let is_known = |target: &Collection| {
                query.expanded.iter().any(|expanded| expanded.position() == target.position())
            };
            query.expanded.extend(followed.filter(|target| !is_known(target)));
        }
    }
    if query.admission(route) == Admission::Open {
        return Ok((query, Presented::Nothing));
    }
    let Some(key) = presented(&query, headers)? else { return Ok((query, Presented::Nothing)) };
    let keys = app.store.access_keys();
    let found = keys.find(KeyHash::of(key), Moment::now());
    let presented = found.map_or(Presented::Unknown, Presented::Known);
    Ok((query, presented))
}

/// Refuses the anonymous where only known callers may come in. What a known caller may is not judged here. With who has
/// an unknown key and comes in comes what is said where a known one is needed after all.
pub(super) fn admit(
    app: &App,
    admission: Admission,
    presented: Presented,
    request: &Request,
) -> Result<(Caller, Option<ApiError>), ApiError> {
    let is_open = admission != Admission::KnownOnly;
    match presented {
        Presented::Known(Credential { holder, .. }) => {
            holder.is_used(Moment::now());
            Ok((Caller::Known(holder), None))
        }
        Presented::Unknown => {
            let refused = refuse_unknown(app, request);
            // Where callers are only identified nobody is refused.
            if is_open { Ok((Caller::Anonymous, Some(refused))) } else { Err(refused) }
        }
        Presented::Nothing if is_open => Ok((Caller::Anonymous, None)),
        Presented::Nothing => Err(unauthorized(app)),
    }
}

/// The answer to an unknown key, which is counted.
pub(super) fn refuse_unknown(app: &App, request: &Request) -> ApiError {
    match app.unknown_keys.count(request.client(), &app.observer) {
        Ok(()) => unauthorized(app),
        Err(too_many) => too_many,
    }
}

fn unauthorized(app: &App) -> ApiError {
    ApiError::Unauthorized { parameter: app.settings.access_parameter.clone() }
}

/// Refuses a known caller whose key has not the right. An anonymous one that was let in needs none.
pub(super) fn authorize(
    caller: &Caller,
    route: &Route<'_>,
    verb: Verb,
    expanded: &[&Collection],
) -> Result<(), ApiError> {
    let Caller::Known(holder) = caller else { return Ok(()) };
    let Some(collection) = route.collection() else {
        return if route.is_for_every_key() || holder.is_admin { Ok(()) } else { Err(ApiError::Forbidden) };
    };
    may(holder, collection, Right::of(verb))?;
    expanded.iter().try_for_each(|collection| may(holder, collection, Right::Read))
}

/// Refuses a caller who may not write to this collection.
pub(super) fn authorize_write(app: &App, caller: &Caller, collection: &Collection) -> Result<(), ApiError> {
    authorize_in(app, caller, collection, Right::Write)
}

/// What requests of this caller to this collection are let in for. A right that none of its verbs needs is not there.
pub(super) fn rights(app: &App, caller: &Caller, collection: &Collection) -> Vec<Right> {
    let verbs = collection.list_verbs().iter().chain(collection.unique_verbs());
    let needed: Vec<Right> = verbs.map(|verb| Right::of(*verb)).collect();
    let is_let_in =
        |right: &Right| needed.contains(right) && authorize_in(app, caller, collection, *right).is_ok();
    [Right::Read, Right::Write].into_iter().filter(is_let_in).collect()
}

/// Refuses a caller who has not this right to this collection.
fn authorize_in(app: &App, caller: &Caller, collection: &Collection, right: Right) -> Result<(), ApiError> {
    match caller {
        Caller::Anonymous if collection.admission() == Admission::KnownOnly => Err(unauthorized(app)),
        Caller::Anonymous => Ok(()),
        Caller::Known(holder) => may(holder, collection, right),
    }
}

fn may(holder: &Holder, collection: &Collection, right: Right) -> Result<(), ApiError> {
    // Where nobody is asked who they are, a key that another collection asked for takes nothing away.
    if collection.admission() == Admission::Open || holder.scopes.allow(collection.name(), right) {
        return Ok(());
    }
    Err(ApiError::MissingScope { collection: collection.name().to_owned(), right })
}

/// The key that a request presents; an empty one is none. The parameter counts; headers are read only without it.
pub(super) fn presented<'a>(
    query: &'a Query<'_>,
    headers: &'a HeaderMap,
) -> Result<Option<&'a str>, ApiError> {
    let presented = match &query.presented {
        Some(presented) => Some(presented.as_ref()),
        None => match bearer(headers)? {
            Some(token) => Some(token),
            None => header_text(headers, X_API_KEY)?,
        },
    };
    Ok(presented.filter(|presented| !presented.is_empty()))
}

/// The token of `Authorization: Bearer <token>`; other schemes are not ours to read.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let text = header_text(headers, header::AUTHORIZATION.as_str())?;
    Ok(text
        .and_then(|text| text.split_once(' '))
        .and_then(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())))
}

/// The text of a header that may stand there once; keys may hold any printable character, so not only ASCII.
fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(ApiError::KeyGivenTwice);
    }
    Ok(value.and_then(|value| std::str::from_utf8(value.as_bytes()).ok()))
}
