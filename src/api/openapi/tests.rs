//! What must hold for the document of any catalog.

mod answers;
mod bodies;
mod catalogs;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Settings, component, document};
use catalogs::{built_in, collection, declare, field, rich};

/// The documents that every rule is tried on.
fn documents() -> [Value; 3] {
    let usual = Settings::default();
    let other = Settings {
        access_parameter: "token".into(),
        shows_metrics: false,
        has_console: false,
        ..usual.clone()
    };
    [document(&built_in(), &usual), document(&rich(), &usual), document(&rich(), &other)]
}

/// Each described operation, as its path, its method and itself.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if METHODS.contains(&method.as_str()) {
                operations.push((path.as_str(), method.as_str(), operation));
            }
        }
    }
    operations
}

fn methods(document: &Value, path: &str) -> String {
    let all = operations(document);
    let methods: Vec<&str> =
        all.iter().filter(|(at, ..)| *at == path).map(|(_, method, _)| *method).collect();
    methods.join(" ")
}

fn parameters<'a>(document: &'a Value, path: &str, method: &str) -> Vec<&'a Value> {
    let list = document["paths"][path][method]["parameters"].as_array().unwrap();
    list.iter().map(|parameter| resolve(document, parameter)).collect()
}

fn names(parameters: &[&Value]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
    names.join(" ")
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(pointer) => document.pointer(&pointer[1..]).unwrap(),
        None => value,
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    for document in documents() {
        let mut pointers = Vec::new();
        component::collect(&document, &mut pointers);
        assert!(!pointers.is_empty());
        for pointer in &pointers {
            assert!(document.pointer(&pointer[1..]).is_some(), "{pointer}");
        }
        for kind in ["schemas", "parameters", "headers", "responses"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let pointer = format!("#/components/{kind}/{name}");
                assert!(pointers.contains(&pointer), "{pointer} is not used");
            }
        }
    }
}

#[test]
fn every_operation_has_an_id_of_its_own_and_a_declared_tag() {
    let taken =
        ["import", "batch", "me", "access_keys"].map(|name| collection(name, vec![field("a", "string")]));
    let of_taken = document(&declare(&taken), &Settings::default());
    for document in documents().iter().chain([&of_taken]) {
        let tags = document["tags"].as_array().unwrap();
        let tags: BTreeSet<&str> = tags.iter().map(|tag| tag["name"].as_str().unwrap()).collect();
        let mut ids = BTreeSet::new();
        for (path, method, operation) in operations(document) {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{method} {path}: {id} is taken");
            assert!(tags.contains(operation["tags"][0].as_str().unwrap()), "{id}");
        }
    }
}

#[test]
fn no_path_is_missing() {
    let paths = |document: &Value| -> Vec<String> {
        let paths = document["paths"].as_object().unwrap();
        paths.keys().cloned().collect()
    };
    let service = [
        "/_/imports/{n}/",
        "/_/batch/",
        "/_/me/",
        "/_/keys/",
        "/_/keys/{name}/",
        "/_/keys/{name}/rotate/",
        "/",
        "/schema/",
        "/schema/{name}/",
        "/openapi.json",
        "/livez",
        "/readyz",
    ];
    let [built_in, _, rich_without_metrics] = documents();
    let records = ["/address/", "/address/{id}/", "/users/", "/users/{id}/"];
    let endings = ["csv", "jsonl", "vcf"];
    let exports =
        ["address", "users"].into_iter().flat_map(|name| endings.map(|end| format!("{name}.{end}")));
    let exports: Vec<String> = exports.map(|file| format!("/_/export/{file}")).collect();
    let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
    let imports = ["/_/import/address/", "/_/import/users/"];
    assert_eq!(paths(&built_in), [&records[..], &exports, &imports, &service, &["/metrics"]].concat());
    let rich = paths(&rich_without_metrics);
    let is_of_files = |path: &&String| path.starts_with("/_/export/") || path.starts_with("/_/import/");
    assert_eq!(rich.len() - rich.iter().filter(is_of_files).count(), 2 * 4 + service.len());
    assert!(service.iter().all(|path| rich.contains(&(*path).to_owned())));
}

#[test]
fn the_methods_are_the_configured_ones_with_head_and_options() {
    let [built_in, rich, _] = documents();
    assert_eq!(methods(&built_in, "/users/"), "get head post options");
    assert_eq!(methods(&built_in, "/users/{id}/"), "get head put delete options");
    assert_eq!(methods(&built_in, "/"), "get head options");
    assert_eq!(methods(&built_in, "/_/me/"), "get head options");
    assert_eq!(methods(&built_in, "/_/keys/"), "get head post options");
    assert_eq!(methods(&built_in, "/_/keys/{name}/"), "delete options");
    assert_eq!(methods(&built_in, "/_/batch/"), "post options");
    assert_eq!(methods(&rich, "/things/"), "get head post put options");
    assert_eq!(methods(&rich, "/log/"), "post options");
    assert_eq!(methods(&rich, "/log/{id}/"), "options");
    assert_eq!(methods(&rich, "/things/{id}/"), "get head put patch delete options");
    let allow = &built_in["paths"]["/users/"]["options"]["responses"]["204"]["headers"]["Allow"];
    assert_eq!(allow["schema"]["examples"], json!(["GET, HEAD, POST, OPTIONS"]));
}

#[test]
fn a_list_takes_its_fields_its_id_and_its_page() {
    let [built_in, rich, renamed] = documents();
    let of_users = parameters(&built_in, "/users/", "get");
    assert_eq!(
        names(&of_users),
        "first_name last_name address id offset count sort fields expand after first_name.ne first_name.in first_name.lt \
         first_name.lte first_name.gt first_name.gte first_name.folded first_name.prefix first_name.contains \
         last_name.ne last_name.in last_name.lt last_name.lte last_name.gt last_name.gte last_name.folded \
         last_name.prefix last_name.contains address.ne address.in address.null address.lt address.lte address.gt \
         address.gte id.ne id.in id.lt id.lte id.gt id.gte accesskey apikey"
    );
    assert_eq!(of_users[2]["schema"]["anyOf"][0]["type"], "integer");
    assert_eq!(of_users[2]["schema"]["anyOf"][1], json!({ "const": "" }));
    assert_eq!(of_users[2]["schema"]["x-references"], "address");
    assert_eq!(of_users[2]["schema"]["x-on-delete"], "restrict");
    assert_eq!(of_users[2]["allowEmptyValue"], true);
    assert_eq!(of_users[5]["schema"]["maximum"], 20);
    let of =
        |name: &str| of_users.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"].clone();
    let pattern = "^-?(first_name|last_name|address|id)(,-?(first_name|last_name|address|id)){0,2}$";
    assert_eq!(of("sort")["pattern"], pattern);
    let names_of_fields = "(first_name|last_name|address|id|ressource_uri)";
    assert_eq!(of("fields")["pattern"], format!("^{names_of_fields}(,{names_of_fields})*$"));
    assert_eq!(of("expand")["pattern"], "^(address)(,(address))*$");
    assert_eq!(of("address.in")["items"], of("address.ne"));
    assert_eq!(of("address.in")["maxItems"], 64);
    assert_eq!(of("last_name.prefix")["maxLength"], 64);
    assert_eq!(of("address.null")["type"], "boolean");
    assert_eq!(names(&parameters(&built_in, "/users/", "head")), names(&of_users));
    // The key is the business of the security schemes there.
    let of_things = names(&parameters(&rich, "/things/", "get"));
    let begin = "title size weight done id first_id limit sort fields after title.ne title.in ";
    assert!(of_things.starts_with(begin) && of_things.ends_with("id.gt id.gte"), "{of_things}");
    assert!(of_things.contains(" done.ne done.in done.null id.ne "), "{of_things}");
    let of_parts = parameters(&rich, "/parts/", "get");
    assert!(names(&of_parts).starts_with("thing id sort fields expand thing.ne"), "{}", names(&of_parts));
    assert_eq!(of_parts[0]["schema"]["x-on-delete"], "cascade");
    let of_notes = parameters(&renamed, "/notes/", "get");
    assert!(names(&of_notes).starts_with("text thing id sort fields expand text.ne"), "{}", names(&of_notes));
    // Nobody is asked for a key by notes, but by the things that they may be shown with.
    assert!(names(&of_notes).ends_with("id.gte"), "{}", names(&of_notes));
    assert_eq!(of_notes[1]["schema"]["x-on-delete"], "set_null");
}

#[test]
fn what_a_client_has_seen_can_be_said_where_it_means_something() {
    let [built_in, rich, _] = documents();
    for (document, path, method, expected) in [
        (&built_in, "/users/{id}/", "get", "If-None-Match fields expand"),
        (&built_in, "/users/{id}/", "head", "If-None-Match fields expand"),
        (&built_in, "/address/{id}/", "get", "If-None-Match fields"),
        (&built_in, "/users/{id}/", "put", "If-Match Idempotency-Key"),
        (&built_in, "/users/{id}/", "delete", "If-Match Idempotency-Key"),
        (&rich, "/things/{id}/", "patch", "If-Match Idempotency-Key"),
        (&built_in, "/users/", "post", "Prefer Idempotency-Key"),
        (&rich, "/things/", "put", "by If-Match Prefer Idempotency-Key If-None-Match"),
        (&built_in, "/_/batch/", "post", "Prefer Idempotency-Key"),
    ] {
        assert_eq!(names(&parameters(document, path, method)), expected, "{method} {path}");
    }
}

#[test]
fn an_access_key_is_asked_for_where_the_collection_asks_and_to_manage_keys() {
    let [built_in, rich, renamed] = documents();
    assert_eq!(built_in["paths"]["/users/"]["get"]["security"], json!([]));
    assert_eq!(built_in["paths"]["/_/keys/"]["options"]["security"], json!([]));
    assert_eq!(
        renamed["paths"]["/_/me/"]["get"]["security"],
        json!([{ "Bearer": [] }, { "Header": [] }, { "Query-token": [] }, {}])
    );
    for (path, method) in [("/_/keys/", "get"), ("/_/keys/", "post"), ("/_/keys/{name}/", "delete")] {
        assert_eq!(
            renamed["paths"][path][method]["security"],
            json!([{ "Bearer": [] }, { "Header": [] }, { "Query-token": [] }]),
            "{method} {path}"
        );
    }
    assert_eq!(
        rich["paths"]["/things/"]["get"]["security"],
        json!([{ "Bearer": [] }, { "Header": [] }, { "Query-accesskey": [] }, { "Query-apikey": [] }])
    );
    assert_eq!(
        renamed["paths"]["/parts/"]["get"]["security"],
        json!([{ "Bearer": [] }, { "Header": [] }, { "Query-token": [] }, {}])
    );
    assert_eq!(
        renamed["paths"]["/notes/"]["get"]["security"],
        json!([{ "Bearer": [] }, { "Header": [] }, { "Query-token": [] }, {}])
    );
    assert_eq!(renamed["paths"]["/notes/"]["post"]["security"], json!([]));
    assert_eq!(rich["paths"]["/things/"]["options"]["security"], json!([]));
    for document in [&built_in, &rich, &renamed] {
        for (path, method, operation) in operations(document) {
            for alternative in operation["security"].as_array().unwrap() {
                for scheme in alternative.as_object().unwrap().keys() {
                    let found = &document["components"]["securitySchemes"][scheme];
                    assert!(found.is_object(), "{method} {path}: {scheme}");
                }
            }
        }
    }
}
