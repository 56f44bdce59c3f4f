//! Who is calling, and may they come in.

use std::borrow::Cow;

use super::App;
use super::error::ApiError;
use crate::catalog::collection::{Admission, Collection};
use crate::catalog::name::key_parameters;
use crate::http::{HeaderMap, header, query};
use crate::record::access_key::KeyHash;

const X_API_KEY: &str = "x-api-key";

/// The names of the query parameters that carry an access key.
pub(super) struct KeyParameters {
    names: Vec<String>,
}

impl KeyParameters {
    pub(super) fn new(parameter: &str) -> Self {
        Self { names: key_parameters(parameter).into_iter().map(str::to_owned).collect() }
    }

    fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// A decoded query, the access key taken out of it before anything else sees it.
pub(super) struct Query<'a> {
    /// The pairs in the order given, without those that carry an access key.
    pub(super) pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    presented: Option<Cow<'a, str>>,
}

impl<'a> Query<'a> {
    pub(super) fn parse(parameters: &KeyParameters, query: &'a str) -> Result<Self, ApiError> {
        if query.is_empty() {
            return Ok(Self { pairs: Vec::new(), presented: None });
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
        Ok(Self { pairs, presented })
    }

    /// Whether the URL holds an access key, known or not.
    pub(super) fn has_key(&self) -> bool {
        self.presented.is_some()
    }
}

/// Who is calling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    /// No key, or one that is not stored.
    Anonymous,
    Known(KeyHash),
}

/// Lets the caller in, or refuses the anonymous where the collection says so.
pub(super) fn admit(
    app: &App,
    collection: &Collection,
    query: &Query<'_>,
    headers: &HeaderMap,
) -> Result<Caller, ApiError> {
    match collection.admission() {
        Admission::Open => Ok(Caller::Anonymous),
        Admission::Identified => identify(app, query, headers),
        Admission::KnownOnly => match identify(app, query, headers)? {
            Caller::Anonymous => Err(unauthorized(app)),
            known @ Caller::Known(_) => Ok(known),
        },
    }
}

/// Lets in who may manage access keys, and says what their own is called.
pub(super) fn admit_admin(app: &App, query: &Query<'_>, headers: &HeaderMap) -> Result<String, ApiError> {
    let Caller::Known(hash) = identify(app, query, headers)? else { return Err(unauthorized(app)) };
    match app.store.access_keys().holder(&hash) {
        Some(holder) if holder.is_admin => Ok(holder.name.clone()),
        Some(_) => Err(ApiError::Forbidden),
        // Revoked this very moment.
        None => Err(unauthorized(app)),
    }
}

fn unauthorized(app: &App) -> ApiError {
    ApiError::Unauthorized { parameter: app.settings.access_parameter.clone() }
}

/// Looks the presented key up. The parameter counts; headers are read only without it.
pub(super) fn identify(app: &App, query: &Query<'_>, headers: &HeaderMap) -> Result<Caller, ApiError> {
    let presented = match &query.presented {
        Some(presented) => Some(presented.as_ref()),
        None => match bearer(headers)? {
            Some(token) => Some(token),
            None => header_text(headers, X_API_KEY)?,
        },
    };
    let Some(presented) = presented else { return Ok(Caller::Anonymous) };
    let hash = KeyHash::of(presented);
    Ok(if app.store.access_keys().knows(&hash) { Caller::Known(hash) } else { Caller::Anonymous })
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
