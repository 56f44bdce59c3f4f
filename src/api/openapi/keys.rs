//! The paths of the access keys: one's own, and all of them for those that may manage keys.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::operation::{Operation, Place, Success, path_item};
use super::{refusal, security};
use crate::catalog::Catalog;
use crate::catalog::collection::Admission;
use crate::record::scope::Right;

/// Their tag. No collection begins with a capital letter.
pub(super) const TAG: &str = "Keys";

/// What holds for all of them.
pub(super) const ABOUT: &str = "Access keys. But for `/_/me/`, only for callers with a key that may manage keys: `carnet keys create --admin` \
     makes one.";

/// The keys, and each of them.
pub(super) fn paths(access_parameter: &str) -> Map<String, Value> {
    let operation = |method, id: &str, summary: &str, success| Operation {
        method,
        id: id.into(),
        summary: summary.into(),
        description: "No answer may be kept: each says `Cache-Control: no-store`.".into(),
        success,
        refusals: [&refusal::OF_ANY[..], &[401, 429]].concat(),
        security: security::requirement(Admission::KnownOnly, access_parameter),
        ..Operation::default()
    };
    let list = Success {
        status: "200",
        description: "The keys in the order of their names; never the keys themselves.".into(),
        content: Some(json("AccessKeys")),
        ..Success::default()
    };
    let list = operation("get", "list-access-keys", "List the access keys", list);
    let created = Success {
        status: "201",
        description: "Created. This is the only time that the key is shown.".into(),
        headers: vec!["Location"],
        content: Some(json("CreatedAccessKey")),
    };
    let mut create = operation("post", "create-access-key", "Create an access key", created);
    create.request_body = Some(json!({ "required": true, "content": json("NewAccessKey") }));
    create.refusals.extend(refusal::OF_BODIES);
    create.refusals.extend([409, 507]);
    let revoked =
        Success { status: "200", description: "Revoked. The body is empty.".into(), ..Success::default() };
    let mut revoke = operation("delete", "revoke-access-key", "Revoke an access key", revoked);
    revoke.refusals.extend([404, 507]);

    let rotated = Success {
        status: "200",
        description: "The key has a new secret. This is the only time that it is shown.".into(),
        content: Some(json("RotatedAccessKey")),
        ..Success::default()
    };
    let mut rotate = operation("post", "rotate-access-key", "Give an access key a new secret", rotated);
    rotate.request_body = Some(json!({ "required": false, "content": json("KeyRotation") }));
    rotate.refusals.extend(refusal::OF_BODIES);
    rotate.refusals.extend([404, 409, 507]);

    let all = Place { name: "access-keys", tag: TAG, parameters: Vec::new(), may_be_unknown: false };
    let parameters = vec![reference("parameters", "KeyName")];
    let rotation =
        Place { name: "access-key-rotation", tag: TAG, parameters: parameters.clone(), may_be_unknown: true };
    let one = Place { name: "access-key", tag: TAG, parameters, may_be_unknown: true };
    let mut paths = Map::new();
    paths.insert("/_/me/".into(), me(access_parameter));
    paths.insert("/_/keys/".into(), path_item(&all, vec![list, create]));
    paths.insert("/_/keys/{name}/".into(), path_item(&one, vec![revoke]));
    paths.insert("/_/keys/{name}/rotate/".into(), path_item(&rotation, vec![rotate]));
    paths
}

/// What a caller may do: for everybody, and with a key, for its holder.
fn me(access_parameter: &str) -> Value {
    let told = Success {
        status: "200",
        description: "Who is calling, and what their requests are let in for.".into(),
        content: Some(json("Me")),
        ..Success::default()
    };
    let get = Operation {
        method: "get",
        id: "get-me".into(),
        summary: "Say what the caller may do".into(),
        description: "Without a key: what everybody may do. No answer may be kept: each says \
                      `Cache-Control: no-store`."
            .into(),
        success: told,
        refusals: [&refusal::OF_ANY[..], &[401, 429]].concat(),
        security: security::requirement(Admission::Identified, access_parameter),
        ..Operation::default()
    };
    let place = Place { name: "me", tag: TAG, parameters: Vec::new(), may_be_unknown: false };
    path_item(&place, vec![get])
}

/// What `/_/me/` answers. Each collection is named, also one that nothing may be done with.
pub(super) fn component(catalog: &Catalog) -> (String, Value) {
    let rights = json!({
        "type": "array",
        "items": { "enum": [Right::Read.name(), Right::Write.name()] },
        "uniqueItems": true,
    });
    let collections = catalog.collections().iter().map(|one| one.name().to_owned());
    let names: Vec<String> = collections.collect();
    let each: Map<String, Value> = names.iter().map(|name| (name.clone(), rights.clone())).collect();
    let me = json!({
        "type": "object",
        "properties": {
            "name": { "type": ["string", "null"], "description": "What the key is called; `null` without one." },
            "admin": { "type": "boolean", "description": "Whether the key may manage keys." },
            "scopes": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The scopes of the key; none without one.",
            },
            "expires": {
                "type": ["string", "null"],
                "format": "date-time",
                "description": "When the secret that was presented ends; from then on it is unknown.",
            },
            "may": {
                "type": "object",
                "properties": each,
                "required": names,
                "additionalProperties": false,
                "description": "What the caller may do with the records of each collection.",
            },
        },
        "required": ["name", "admin", "scopes", "expires", "may"],
        "additionalProperties": false,
    });
    ("Me".into(), me)
}

fn json(component: &str) -> Value {
    json!({ "application/json": { "schema": reference("schemas", component) } })
}
