//! The schemas of the document are JSON Schema, and judge bodies as the server does.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::{Settings, built_in, component, document, documents, rich};
use crate::catalog::Catalog;
use crate::record::RecordId;
use crate::record::access_key::LONGEST_NAME;
use crate::record::draft::{Draft, Patch};
use crate::record::etag::ETag;
use crate::record::fault::{LONGEST_GIVEN, MOST_FAULTS};
use crate::record::representation;
use crate::record::value::Value as Stored;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A judge of one component, with the rest of the document at hand for its references.
fn judge(document: &Value, name: &str) -> Validator {
    let schema = json!({
        "$schema": DIALECT,
        "components": document["components"],
        "$ref": format!("#/components/schemas/{name}"),
    });
    jsonschema::validator_for(&schema).unwrap()
}

/// A JSON body, as the schema and as the server judges it.
#[track_caller]
fn both_say(catalog: &Catalog, name: &str, body: &str, is_accepted: bool) {
    let (collection, kind) = name.split_once('-').unwrap();
    let collection = catalog.find(collection).unwrap();
    let by_server = match kind {
        "create" => Draft::parse(collection, body.as_bytes()).is_ok(),
        _ => {
            let id = RecordId::parse("7").unwrap();
            Patch::parse(collection, id, body.as_bytes()).is_ok()
        }
    };
    let instance: Value = serde_json::from_str(body).unwrap();
    let by_schema = judge(&document(catalog, &Settings::default()), name).is_valid(&instance);
    assert_eq!((by_schema, by_server), (is_accepted, is_accepted), "{name} {body}");
}

#[test]
fn every_schema_is_json_schema() {
    fn schemas<'a>(value: &'a Value, into: &mut Vec<&'a Value>) {
        for member in value.as_object().into_iter().flat_map(|members| members.values()) {
            into.extend(member.get("schema"));
            schemas(member, into);
        }
    }
    for document in documents() {
        let components = document["components"]["schemas"].as_object().unwrap();
        let mut all: Vec<&Value> = components.values().collect();
        schemas(&document["paths"], &mut all);
        schemas(&document["components"]["parameters"], &mut all);
        schemas(&document["components"]["headers"], &mut all);
        for schema in all {
            assert!(jsonschema::draft202012::meta::is_valid(schema), "{schema}");
        }
        for name in components.keys() {
            judge(&document, name);
        }
    }
}

#[test]
fn every_example_is_accepted() {
    for document in documents() {
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            for example in schema["examples"].as_array().into_iter().flatten() {
                assert!(judge(&document, name).is_valid(example), "{name} {example}");
            }
        }
        for (name, parameter) in document["components"]["parameters"].as_object().unwrap() {
            let schema = &parameter["schema"];
            for example in schema["examples"].as_array().into_iter().flatten() {
                assert!(jsonschema::is_valid(schema, example), "{name} {example}");
            }
        }
    }
}

#[test]
fn a_create_is_judged_as_the_server_judges_it() {
    for (body, is_accepted) in [
        (r#"{"first_name":"John","last_name":"Doe"}"#, true),
        (r#"{"first_name":"","last_name":"a\nb\n","address":null}"#, true),
        (r#"{"first_name":"😀","last_name":"Doe","address":1}"#, true),
        (r#"{"first_name":"John"}"#, false),
        (r#"{"first_name":"John","last_name":null}"#, false),
        (r#"{"first_name":"John","last_name":5}"#, false),
        (r#"{"first_name":"John","last_name":"D\u0000e"}"#, false),
        (r#"{"first_name":"John","last_name":"Doe","address":"1"}"#, false),
        (r#"{"first_name":"John","last_name":"Doe","address":1.5}"#, false),
        (r#"{"first_name":"John","last_name":"Doe","age":5}"#, false),
        (r#"{"first_name":"John","last_name":"Doe","id":1}"#, false),
        (r#"[]"#, false),
    ] {
        both_say(&built_in(), "users-create", body, is_accepted);
    }
    for (body, is_accepted) in [
        (r#"{"title":"a","size":-9223372036854775808,"weight":1,"done":true}"#, true),
        (r#"{"title":"a","size":9223372036854775807,"weight":-0.5,"done":null}"#, true),
        (r#"{"title":"a","size":9223372036854775808}"#, false),
        (r#"{"title":"a","size":true}"#, false),
        (r#"{"title":"a","weight":"1"}"#, false),
        (r#"{"title":"a","done":0}"#, false),
    ] {
        both_say(&rich(), "things-create", body, is_accepted);
    }
}

#[test]
fn an_update_may_be_partial_and_may_send_back_what_was_given() {
    for (body, is_accepted) in [
        ("{}", true),
        (r#"{"address":null}"#, true),
        (r#"{"first_name":"Jim","id":7,"ressource_uri":"/users/7/"}"#, true),
        (r#"{"first_name":null}"#, false),
        (r#"{"id":"7"}"#, false),
        (r#"{"ressource_uri":"/address/7/"}"#, false),
        (r#"{"colour":"red"}"#, false),
    ] {
        both_say(&built_in(), "users-update", body, is_accepted);
    }
}

#[test]
fn a_record_is_described_as_it_is_written() {
    let catalog = rich();
    let document = document(&catalog, &Settings::default());
    let things = catalog.find("things").unwrap();
    let values = [Stored::Text("a".into()), i64::MIN.into(), Stored::Float(1.0), Stored::Null];
    let written = representation::of(things, RecordId::parse("7").unwrap(), &values);
    let mut record: Value = serde_json::from_slice(&written).unwrap();
    let judge = judge(&document, "things-record");
    assert!(judge.is_valid(&record), "{record}");
    let created = &document["paths"]["/things/"]["post"]["responses"]["201"]["content"]["application/json"];
    assert!(judge.is_valid(&created["examples"]["representation"]["value"]));
    record.as_object_mut().unwrap().remove("done");
    assert!(!judge.is_valid(&record), "a field without a value is there, as null");
}

#[test]
fn a_record_may_be_described_with_what_it_refers_to() {
    let document = document(&built_in(), &Settings::default());
    let judge = judge(&document, "users-record");
    let mut record = document["components"]["schemas"]["users-record"]["examples"][0].clone();
    let address = document["components"]["schemas"]["address-record"]["examples"][0].clone();
    for (expanded, is_accepted) in [
        (json!({ "address": address }), true),
        (json!({ "address": null }), true),
        (json!({ "address": 1 }), false),
        (json!({ "first_name": null }), false),
    ] {
        record["_expanded"] = expanded;
        assert_eq!(judge.is_valid(&record), is_accepted, "{record}");
    }
}

#[test]
fn the_envelope_follows_the_pages() {
    let document = document(&rich(), &Settings::default());
    let record = json!({ "thing": 1, "id": 1, "ressource_uri": "/parts/1/" });
    let meta = json!({ "limit": 20, "first_id": 0, "total_count": 21, "next": "?first_id=20",
        "previous": "null", "filters": { "size": "5" } });
    let null_next = json!({ "limit": 20, "first_id": 0, "total_count": 0, "next": null,
        "previous": "null", "filters": {} });
    for (name, body, is_accepted) in [
        ("things-envelope", json!({ "meta": meta, "object_list": [] }), true),
        ("things-envelope", json!({ "meta": null_next, "object_list": [] }), false),
        ("things-envelope", json!({ "meta": { "filters": {} }, "object_list": [] }), false),
        ("parts-envelope", json!({ "meta": { "filters": {} }, "object_list": [record] }), true),
        ("parts-envelope", json!({ "meta": meta, "object_list": [] }), false),
        ("parts-envelope", json!({ "meta": { "filters": { "x": "1" } }, "object_list": [] }), false),
    ] {
        assert_eq!(judge(&document, name).is_valid(&body), is_accepted, "{name} {body}");
    }
}

#[test]
fn the_descriptions_of_the_service_are_those_of_the_specification() {
    let document = document(&built_in(), &Settings::default());
    let of = |name: &str| {
        json!({ "allowed list_verbs": ["GET", "POST"], "allowed unique ressource": ["GET", "PUT", "DELETE"],
            "list_endpoint": format!("/{name}/"), "schema_endpoint": format!("/schema/{name}/") })
    };
    for (name, body) in [
        ("Schemas", json!({ "address": of("address"), "users": of("users") })),
        (
            "Schema",
            json!({ "first_name": { "type": "string", "required": "true", "example": "Ada" },
                "address": { "type": "integer", "example": "1" } }),
        ),
        (
            "Index",
            json!({ "name": "carnet", "version": "0.1.0", "schema": "/schema/", "openapi": "/openapi.json",
                "collections": { "address": "/address/", "users": "/users/" } }),
        ),
        ("Error", json!({ "error": "first_name does not validate" })),
    ] {
        assert!(judge(&document, name).is_valid(&body), "{name} {body}");
    }
    assert!(!judge(&document, "Error").is_valid(&json!({ "error": "x", "code": 1 })));
}

#[test]
fn the_template_says_the_same_numbers_as_the_code() {
    let schemas = component::fixed("schemas");
    let name = &component::fixed("parameters")["KeyName"]["schema"];
    assert_eq!(name["maxLength"], LONGEST_NAME);
    assert_eq!(schemas["NewAccessKey"]["properties"]["name"]["maxLength"], LONGEST_NAME);
    let errors = &schemas["Problem"]["properties"]["errors"];
    assert_eq!(errors["maxItems"], MOST_FAULTS);
    let value = errors["items"]["properties"]["value"]["description"].as_str().unwrap();
    assert!(value.contains(&format!("Cut after {LONGEST_GIVEN} characters")), "{value}");
    let tag = component::fixed("headers")["ETag"]["schema"]["examples"][0].clone();
    assert!(ETag::parse(tag.as_str().unwrap()).is_some(), "{tag}");
}

#[test]
fn every_hole_of_the_template_is_filled() {
    for document in documents() {
        let schemas = document["components"]["schemas"].as_object().unwrap();
        assert!(schemas.values().all(Value::is_object));
        assert!(schemas["Problem"]["properties"]["type"]["enum"].is_array());
    }
}

#[test]
fn a_batch_is_judged_as_the_server_judges_its_form() {
    let (built_in, rich) =
        (document(&built_in(), &Settings::default()), document(&rich(), &Settings::default()));
    let address = r#"{"country":"a","city":"b","street":"c","number":1}"#;
    for (document, item, is_accepted) in [
        (&built_in, format!(r#"{{"method":"POST","path":"/address/","body":{address}}}"#), true),
        (&built_in, r#"{"method":"PUT","path":"/users/7","body":{"address":"$0"}}"#.into(), true),
        (
            &built_in,
            r#"{"method":"PUT","path":"/users/$12/","body":{"address":null},"if_match":"*"}"#.into(),
            true,
        ),
        (&built_in, r#"{"method":"DELETE","path":"/users/7/","if_none_match":"\"x\""}"#.into(), true),
        (&rich, r#"{"method":"PUT","path":"/things/","body":{"title":"a"},"by":"title,size"}"#.into(), true),
        (&rich, r#"{"method":"PATCH","path":"/things/1/","body":{}}"#.into(), true),
        (&rich, r#"{"method":"PUT","path":"/things/","body":{"title":"a"},"by":"size"}"#.into(), false),
        (&built_in, format!(r#"{{"method":"PUT","path":"/address/","body":{address}}}"#), false),
        (&built_in, format!(r#"{{"method":"POST","path":"/users/","body":{address}}}"#), false),
        (&built_in, r#"{"method":"PUT","path":"/users/7/","body":{"address":"7"}}"#.into(), false),
        (&built_in, r#"{"method":"PUT","path":"/users/7/","body":{"last_name":"$0","x":1}}"#.into(), false),
        (&built_in, r#"{"method":"PUT","path":"/address/7/","body":{"number":"$0"}}"#.into(), false),
        (&built_in, r#"{"method":"PUT","path":"/users/7/"}"#.into(), false),
        (&built_in, r#"{"method":"DELETE","path":"/users/7/","body":{}}"#.into(), false),
        (&built_in, r#"{"method":"GET","path":"/users/7/"}"#.into(), false),
        (&built_in, r#"{"method":"DELETE","path":"/users/7/?a=b"}"#.into(), false),
    ] {
        let body: Value = serde_json::from_str(&format!(r#"{{"requests":[{item}]}}"#)).unwrap();
        assert_eq!(judge(document, "Batch").is_valid(&body), is_accepted, "{item}");
    }
    let judge = judge(&built_in, "Batch");
    let one: Value = json!({ "method": "DELETE", "path": "/users/7/" });
    for (number, is_accepted) in [(0, false), (1, true), (1_000, true), (1_001, false)] {
        assert_eq!(
            judge.is_valid(&json!({ "requests": vec![one.clone(); number] })),
            is_accepted,
            "{number}"
        );
    }
}
