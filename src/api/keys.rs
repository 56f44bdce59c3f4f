//! Access keys over HTTP: list, create, rotate, revoke. Only for keys that may manage keys.

use super::context::RequestContext;
use super::error::ApiError;
use super::{App, content};
use crate::http::{HeaderValue, Request, Response, StatusCode, header, path, response};
use crate::observe::Event;
use crate::record::access_key::{AccessKey, KeyEntry, KeyName};
use crate::record::draft::DraftError;
use crate::record::draft::key::{KeyDraft, parse_grace};
use crate::record::moment::Moment;
use crate::record::representation::write_text;
use crate::store::StoreError;
use crate::store::audit::Actor;
use crate::store::keys::{KeyChange, NewKey, Rotation};

/// What the members of a body are fields of, in messages.
const NAME: &str = "keys";

pub(super) async fn list(app: &App) -> Result<Response, ApiError> {
    let mut body = br#"{"keys":["#.to_vec();
    for (place, entry) in app.store.list_keys().await?.iter().enumerate() {
        if place > 0 {
            body.push(b',');
        }
        write_entry(&mut body, entry);
    }
    body.extend_from_slice(b"]}");
    Ok(response::json(StatusCode::OK, body))
}

fn write_entry(body: &mut Vec<u8>, entry: &KeyEntry) {
    let KeyEntry { name, prefix, created, is_admin, scopes, expires, last_used, previous_until } = entry;
    for (opening, text) in [(r#"{"name":"#, name), (r#","prefix":"#, prefix), (r#","created":"#, created)] {
        body.extend_from_slice(opening.as_bytes());
        write_text(body, text);
    }
    let opening =
        if *is_admin { br#","admin":true,"scopes":["#.as_slice() } else { br#","admin":false,"scopes":["# };
    body.extend_from_slice(opening);
    for (place, scope) in scopes.texts().iter().enumerate() {
        if place > 0 {
            body.push(b',');
        }
        write_text(body, scope);
    }
    for (opening, text) in [
        (r#"],"expires":"#, expires),
        (r#","last_used":"#, last_used),
        (r#","previous_until":"#, previous_until),
    ] {
        body.extend_from_slice(opening.as_bytes());
        match text {
            Some(text) => write_text(body, text),
            None => body.extend_from_slice(b"null"),
        }
    }
    body.push(b'}');
}

/// Makes a key and shows it, this once.
pub(super) async fn create(
    context: &RequestContext<'_>,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    content::check(request.headers())?;
    let body = request.body().await?;
    let draft = KeyDraft::parse(&app.catalog, &body, Moment::now()).map_err(refused)?;
    let access_key = generate()?;
    let (store, observer) = (app.store.clone(), app.observer.clone());
    let (by, id, actor) =
        (context.caller.name().to_owned(), request.id().to_owned(), actor(context, request));
    let KeyDraft { name, scopes, expires, is_admin } = draft;
    let key = NewKey { name, access_key: access_key.clone(), is_admin, scopes, expires };
    let name = wholly(async move {
        let name = store.change_key(KeyChange::Create(key), actor).await?.name;
        observer.report(Event::KeyCreated { name: &name, is_admin, by: &by, id: &id });
        Ok(name)
    })
    .await?;

    let mut response = shown(StatusCode::CREATED, &name, &access_key, None);
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
    context: &RequestContext<'_>,
    name: &KeyName,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    content::check(request.headers())?;
    let body = request.body().await?;
    let grace = parse_grace(&body).map_err(refused)?;
    let access_key = generate()?;
    let (store, observer) = (app.store.clone(), app.observer.clone());
    let (by, id, actor) =
        (context.caller.name().to_owned(), request.id().to_owned(), actor(context, request));
    let rotation = Rotation { name: name.as_str().to_owned(), access_key: access_key.clone(), grace };
    let rotated = wholly(async move {
        let rotated = store.change_key(KeyChange::Rotate(rotation), actor).await?;
        observer.report(Event::KeyRotated { name: &rotated.name, by: &by, id: &id });
        Ok(rotated)
    })
    .await?;
    let until = Some(rotated.previous_until.map(|until| until.to_string()));
    Ok(shown(StatusCode::OK, &rotated.name, &access_key, until))
}

/// The one answer with a key in it; after a rotation, until when the secret before is good.
fn shown(
    status: StatusCode,
    name: &str,
    access_key: &AccessKey,
    previous_until: Option<Option<String>>,
) -> Response {
    let mut body = br#"{"name":"#.to_vec();
    write_text(&mut body, name);
    body.extend_from_slice(br#","key":"#);
    write_text(&mut body, access_key.reveal());
    match previous_until {
        None => {}
        Some(None) => body.extend_from_slice(br#","previous_until":null"#),
        Some(Some(until)) => {
            body.extend_from_slice(br#","previous_until":"#);
            write_text(&mut body, &until);
        }
    }
    body.push(b'}');
    // The length of a compressed answer would say something about the key in it.
    response::as_it_is(response::json(status, body))
}

fn generate() -> Result<AccessKey, ApiError> {
    let generated = AccessKey::generate();
    Ok(generated.map_err(|error| StoreError::Broken(format!("no random numbers can be had: {error}")))?)
}

fn refused(error: DraftError) -> ApiError {
    ApiError::Draft { collection: NAME.to_owned(), error }
}

/// Who does it, for the trail.
fn actor(context: &RequestContext<'_>, request: &Request) -> Actor {
    Actor::key(context.caller.name(), request.client().to_string(), request.id().to_owned())
}

pub(super) async fn revoke(
    context: &RequestContext<'_>,
    name: &KeyName,
    request: &Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    let (store, observer) = (app.store.clone(), app.observer.clone());
    let (by, id, actor) =
        (context.caller.name().to_owned(), request.id().to_owned(), actor(context, request));
    let name = name.as_str().to_owned();
    wholly(async move {
        let revoked = store.change_key(KeyChange::Revoke(name), actor).await?;
        observer.report(Event::KeyRevoked { name: &revoked.name, by: &by, id: &id });
        Ok(response::empty(StatusCode::OK))
    })
    .await
}

/// Does all of it, also for a client that goes away meanwhile: no change without its line in the log.
async fn wholly<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::spawn(work).await;
    done.unwrap_or_else(|error| Err(StoreError::Broken(error.to_string()).into()))
}
