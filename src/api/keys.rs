//! Access keys over HTTP: list, create, rotate, revoke. Only for keys that may manage keys.

use serde_json::{Value, json};

use super::context::RequestContext;
use super::error::ApiError;
use super::{App, content};
use crate::http::{HeaderValue, Request, Response, StatusCode, header, path, response};
use crate::observe::Event;
use crate::record::access_key::{AccessKey, KeyEntry, KeyName};
use crate::record::draft::DraftError;
use crate::record::draft::key::{KeyDraft, parse_grace};
use crate::record::moment::Moment;
use crate::store::StoreError;
use crate::store::audit::Actor;
use crate::store::keys::{Changed, KeyChange, NewKey, Rotation};

/// What the members of a body are fields of, in messages.
const NAME: &str = "keys";

pub(super) async fn list(app: &App) -> Result<Response, ApiError> {
    let entries = app.store.list_keys().await?;
    let keys: Vec<Value> = entries.into_iter().map(shown_entry).collect();
    Ok(response::json(StatusCode::OK, json!({ "keys": keys }).to_string()))
}

fn shown_entry(entry: KeyEntry) -> Value {
    json!({
        "name": entry.name,
        "prefix": entry.prefix,
        "created": entry.created,
        "admin": entry.is_admin,
        "scopes": entry.scopes.texts(),
        "expires": entry.expires,
        "last_used": entry.last_used,
        "previous_until": entry.previous_until,
    })
}

/// Makes a key and shows it, this once.
pub(super) async fn create(
    context: &mut RequestContext<'_>,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    content::check(request.headers())?;
    let body = request.body().await?;
    let draft = KeyDraft::parse(&app.catalog, &body, Moment::now()).map_err(refused)?;
    let access_key = generate()?;
    let KeyDraft { name, scopes, expires, is_admin } = draft;
    let key = NewKey { name, access_key: access_key.clone(), is_admin, scopes, expires };
    let name = change(context, request, KeyChange::Create(key)).await?.name;

    let body = json!({ "name": name, "key": access_key.reveal() });
    let mut response = with_secret(StatusCode::CREATED, &body);
    let mut location = app.base_url(request) + "/_/keys/";
    path::push(&mut location, &name);
    location.push('/');
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Gives a key a new secret and shows it, this once.
pub(super) async fn rotate(
    context: &mut RequestContext<'_>,
    name: &KeyName,
    request: &mut Request,
) -> Result<Response, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let grace = parse_grace(&body).map_err(refused)?;
    let access_key = generate()?;
    let rotation = Rotation { name: name.as_str().to_owned(), access_key: access_key.clone(), grace };
    let rotated = change(context, request, KeyChange::Rotate(rotation)).await?;
    let until = rotated.previous_until.map(|until| until.to_string());
    let body = json!({ "name": rotated.name, "key": access_key.reveal(), "previous_until": until });
    Ok(with_secret(StatusCode::OK, &body))
}

/// An answer with a key in it. The length of a compressed one would say something about the key.
fn with_secret(status: StatusCode, body: &Value) -> Response {
    response::as_it_is(response::json(status, body.to_string()))
}

fn generate() -> Result<AccessKey, ApiError> {
    let generated = AccessKey::generate();
    Ok(generated.map_err(|error| StoreError::Broken(format!("no random numbers can be had: {error}")))?)
}

fn refused(error: DraftError) -> ApiError {
    ApiError::Draft { collection: NAME.to_owned(), error }
}

pub(super) async fn revoke(
    context: &mut RequestContext<'_>,
    name: &KeyName,
    request: &Request,
) -> Result<Response, ApiError> {
    change(context, request, KeyChange::Revoke(name.as_str().to_owned())).await?;
    Ok(response::empty(StatusCode::OK))
}

/// Makes a change, also for a client that goes away meanwhile: none without its line in the log.
async fn change(
    context: &mut RequestContext<'_>,
    request: &Request,
    change: KeyChange,
) -> Result<Changed, ApiError> {
    // Right before: the body may have taken its time.
    context.confirm(request).await?;
    let (store, observer) = (context.app.store.clone(), context.app.observer.clone());
    let (by, id) = (context.caller.name().to_owned(), request.id().to_owned());
    let actor = Actor::key(&by, request.client().to_string(), id.clone());
    let done = tokio::spawn(async move {
        let changed = store.change_key(change.clone(), actor).await?;
        let (name, by, id) = (changed.name.as_str(), by.as_str(), id.as_str());
        observer.report(match change {
            KeyChange::Create(key) => Event::KeyCreated { name, is_admin: key.is_admin, by, id },
            KeyChange::Rotate(_) => Event::KeyRotated { name, by, id },
            KeyChange::Revoke(_) => Event::KeyRevoked { name, by, id },
        });
        Ok(changed)
    });
    done.await.unwrap_or_else(|error| Err(StoreError::Broken(error.to_string()).into()))
}
