//! Who is calling, and what they may do (`/_/me/`): told by the functions that judge requests, so that it is what
//! requests are answered.

use serde_json::{Map, Value, json};

use super::access::{self, Caller};
use super::context::RequestContext;
use super::error::ApiError;
use crate::http::{Request, Response, StatusCode, response};
use crate::record::scope::Right;

pub(super) async fn show(context: &mut RequestContext<'_>, request: &Request) -> Result<Response, ApiError> {
    // Of the secret that was presented: one that was replaced ends before its key.
    let until = context.credential().and_then(|credential| credential.until);
    match context.confirm(request).await {
        // A database that cannot be asked takes no right away: it is told what was known last.
        Ok(()) | Err(ApiError::Store(_)) => {}
        Err(refused) => return Err(refused),
    }
    let app = context.app;
    let mut may = Map::new();
    for collection in app.catalog.collections() {
        let rights = access::rights(app, &context.caller, collection).into_iter().map(Right::name);
        may.insert(collection.name().to_owned(), rights.collect());
    }
    let (name, is_admin, scopes) = match &context.caller {
        Caller::Anonymous => (Value::Null, false, Vec::new()),
        Caller::Known(holder) => (json!(holder.name), holder.is_admin, holder.scopes.texts()),
    };
    let expires = until.map(|until| until.to_string());
    let body = json!({ "name": name, "admin": is_admin, "scopes": scopes, "expires": expires, "may": may });
    Ok(response::json(StatusCode::OK, body.to_string()))
}
