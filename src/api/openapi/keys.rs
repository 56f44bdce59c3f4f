//! The paths of the access keys, for those that may manage them.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::operation::{Operation, Place, Success, path_item};
use super::{refusal, security};
use crate::catalog::collection::Admission;

/// Their tag. No collection begins with a capital letter.
pub(super) const TAG: &str = "Keys";

/// What holds for all of them.
pub(super) const ABOUT: &str =
    "Access keys. Only for callers with a key that may manage keys: `carnet keys create --admin` makes one.";

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
    paths.insert("/_/keys/".into(), path_item(&all, vec![list, create]));
    paths.insert("/_/keys/{name}/".into(), path_item(&one, vec![revoke]));
    paths.insert("/_/keys/{name}/rotate/".into(), path_item(&rotation, vec![rotate]));
    paths
}

fn json(component: &str) -> Value {
    json!({ "application/json": { "schema": reference("schemas", component) } })
}
