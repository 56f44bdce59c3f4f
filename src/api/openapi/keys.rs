//! The paths of the access keys, for those that may manage them.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::operation::{Operation, Place, Success, path_item};
use super::{refusal, security};
use crate::catalog::collection::Admission;
use crate::record::access_key::LONGEST_NAME;

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
        parameters: Vec::new(),
        request_body: None,
        success,
        asides: Map::new(),
        refusals: [&refusal::OF_ANY[..], &[401, 429]].concat(),
        security: security::requirement(Admission::KnownOnly, access_parameter),
        is_limited: false,
    };
    let list = Success {
        status: "200",
        description: "The keys in the order of their names; never the keys themselves.".into(),
        headers: Vec::new(),
        content: Some(json("AccessKeys")),
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
    let revoked = Success {
        status: "200",
        description: "Revoked. The body is empty.".into(),
        headers: Vec::new(),
        content: None,
    };
    let mut revoke = operation("delete", "revoke-access-key", "Revoke an access key", revoked);
    revoke.refusals.extend([404, 507]);

    let rotated = Success {
        status: "200",
        description: "The key has a new secret. This is the only time that it is shown.".into(),
        headers: Vec::new(),
        content: Some(json("RotatedAccessKey")),
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

/// The path parameter.
pub(super) fn parameter() -> Value {
    json!({
        "name": "name",
        "in": "path",
        "required": true,
        "description": "What the key is called.",
        "schema": name(),
    })
}

/// What those paths take and answer.
pub(super) fn components() -> Map<String, Value> {
    let mut components = Map::new();
    let flag = json!({ "type": "boolean", "description": "Whether the key may manage keys." });
    components.insert("AccessKey".into(), json!({
        "type": "object",
        "description": "An access key, without the key.",
        "properties": {
            "name": { "type": "string" },
            "prefix": { "type": "string", "description": "The first characters of the key; empty for a short one." },
            "created": { "type": "string", "format": "date-time" },
            "admin": flag,
            "scopes": { "type": "array", "items": scope(), "description": "What it may do with records. What is not named is refused." },
            "expires": moment("When it ends; from then on it is unknown."),
            "last_used": moment("When it was last presented, to the minute or so."),
            "previous_until": moment("After a rotation: until when the secret before is good as well."),
        },
        "required": ["name", "prefix", "created", "admin", "scopes", "expires", "last_used", "previous_until"],
        "additionalProperties": false,
        "examples": [{
            "name": "reader", "prefix": "ck_a", "created": "2026-11-15T03:23:02Z", "admin": false,
            "scopes": ["*:read"], "expires": null, "last_used": "2026-11-15T04:00:31Z", "previous_until": null,
        }],
    }));
    components.insert(
        "AccessKeys".into(),
        json!({
            "type": "object",
            "properties": { "keys": { "type": "array", "items": reference("schemas", "AccessKey") } },
            "required": ["keys"],
            "additionalProperties": false,
        }),
    );
    let mut given = name();
    given["type"] = json!(["string", "null"]);
    given["description"] = json!("What to call the key. Without a name: `key-1`, `key-2`, …");
    let mut asked = flag;
    asked["type"] = json!(["boolean", "null"]);
    components.insert(
        "NewAccessKey".into(),
        json!({
            "type": "object",
            "properties": {
                "name": given,
                "admin": asked,
                "scopes": {
                    "type": ["array", "null"],
                    "items": scope(),
                    "minItems": 1,
                    "description": "What it may do with records. Without them: everything.",
                },
                "expires": {
                    "type": ["string", "null"],
                    "description": "When it ends: from now on (`90d`, with s, m, h, d or w), a day in UTC, or a moment of RFC 3339. Without it: never.",
                    "examples": ["90d", "2027-01-31", "2027-01-31T12:00:00Z"],
                },
            },
            "additionalProperties": false,
            "examples": [{ "name": "reader", "scopes": ["*:read"], "expires": "90d" }, { "name": "Ann", "admin": true }],
        }),
    );
    components.insert(
        "CreatedAccessKey".into(),
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "key": { "type": "string", "description": "The key itself. Only its hash is kept." },
            },
            "required": ["name", "key"],
            "additionalProperties": false,
        }),
    );
    components.insert(
        "KeyRotation".into(),
        json!({
            "type": "object",
            "properties": { "grace": {
                "type": ["string", "null"],
                "pattern": "^[0-9]+[smhdw]$",
                "description": "How long the secret before stays good. Without it: `7d`.",
                "examples": ["7d", "0s"],
            } },
            "additionalProperties": false,
        }),
    );
    components.insert(
        "RotatedAccessKey".into(),
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "key": { "type": "string", "description": "The new secret. Only its hash is kept." },
                "previous_until": moment("Until when the secret before is good; null: no more."),
            },
            "required": ["name", "key", "previous_until"],
            "additionalProperties": false,
        }),
    );
    components
}

fn scope() -> Value {
    json!({ "type": "string", "pattern": r"^(\*|(\*|[a-z][a-z0-9_]*):(read|write))$", "examples": ["users:read"] })
}

/// A moment, or none.
fn moment(description: &str) -> Value {
    json!({ "type": ["string", "null"], "format": "date-time", "description": description })
}

/// A name that a key can have.
fn name() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_NAME,
        "pattern": r"^[^\u0000-\u001f\u007f-\u009f]+$",
        "not": { "enum": [".", ".."] },
        "examples": ["reader"],
    })
}

fn json(component: &str) -> Value {
    json!({ "application/json": { "schema": reference("schemas", component) } })
}
