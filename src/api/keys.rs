//! Access keys over HTTP: list, create, revoke. Only for keys that may manage keys.

use super::error::ApiError;
use super::{App, DO_NOT_STORE, access, content};
use crate::catalog::collection::Verb;
use crate::http::{HeaderValue, Request, Response, StatusCode, header, path, response};
use crate::observe::Event;
use crate::record::access_key::{AccessKey, KeyEntry, KeyName};
use crate::record::draft::key::KeyDraft;
use crate::record::representation::write_text;
use crate::store::StoreError;

/// What the members of a body are fields of, in messages.
const NAME: &str = "keys";

/// Answers a request to the keys, or to the one of this name. No answer may be kept: one holds a key, and
/// the others are about who may come in.
pub(super) async fn answer(
    app: &App,
    name: Option<KeyName>,
    verb: Result<Verb, Response>,
    request: &mut Request,
) -> Response {
    let mut response = match verb {
        Ok(verb) => {
            let answered = admit(app, name, verb, request).await;
            answered.unwrap_or_else(|error| app.word(error))
        }
        Err(response) => response,
    };
    response.headers_mut().insert(header::CACHE_CONTROL, DO_NOT_STORE);
    response
}

async fn admit(
    app: &App,
    name: Option<KeyName>,
    verb: Verb,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let query = access::Query::parse(&app.key_parameters, request.query())?;
    let admin = access::admit_admin(app, &query, request.headers())?;
    match (name, verb) {
        (Some(name), _) => revoke(app, &admin, name, request).await,
        (None, Verb::Post) => create(app, &admin, request).await,
        (None, _) => list(app).await,
    }
}

async fn list(app: &App) -> Result<Response, ApiError> {
    let mut body = br#"{"keys":["#.to_vec();
    for (place, KeyEntry { name, prefix, created, is_admin }) in
        app.store.list_keys().await?.iter().enumerate()
    {
        body.extend_from_slice(if place == 0 { br#"{"name":"# } else { br#",{"name":"# });
        write_text(&mut body, name);
        body.extend_from_slice(br#","prefix":"#);
        write_text(&mut body, prefix);
        body.extend_from_slice(br#","created":"#);
        write_text(&mut body, created);
        body.extend_from_slice(if *is_admin { br#","admin":true}"# } else { br#","admin":false}"# });
    }
    body.extend_from_slice(b"]}");
    Ok(response::json(StatusCode::OK, body))
}

/// Makes a key and shows it, this once.
async fn create(app: &App, admin: &str, request: &mut Request) -> Result<Response, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let draft =
        KeyDraft::parse(&body).map_err(|error| ApiError::Draft { collection: NAME.to_owned(), error })?;
    let access_key = AccessKey::generate()
        .map_err(|error| StoreError::Broken(format!("no random numbers can be had: {error}")))?;
    let (store, observer) = (app.store.clone(), app.observer.clone());
    let (key, by, id) = (access_key.clone(), admin.to_owned(), request.id().to_owned());
    let name = wholly(async move {
        let KeyDraft { name, is_admin } = draft;
        let name = store.create_key(name, key, is_admin).await?;
        observer.report(Event::KeyCreated { name: &name, is_admin, by: &by, id: &id });
        Ok(name)
    })
    .await?;

    let mut body = br#"{"name":"#.to_vec();
    write_text(&mut body, &name);
    body.extend_from_slice(br#","key":"#);
    write_text(&mut body, access_key.reveal());
    body.push(b'}');
    let mut response = response::json(StatusCode::CREATED, body);
    let mut location = app.base_url(request) + "/_/keys/";
    path::push(&mut location, &name);
    location.push('/');
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

async fn revoke(app: &App, admin: &str, name: KeyName, request: &Request) -> Result<Response, ApiError> {
    let (store, observer) = (app.store.clone(), app.observer.clone());
    let (by, id) = (admin.to_owned(), request.id().to_owned());
    wholly(async move {
        if !store.revoke_key(name.clone()).await? {
            return Err(ApiError::NotFound);
        }
        observer.report(Event::KeyRevoked { name: name.as_str(), by: &by, id: &id });
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
