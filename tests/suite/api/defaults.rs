//! What a field holds where a create leaves it out.

use dev::configs;
use serde_json::json;

use crate::support::server::Server;

const ALL: &str = r#""country":"FR","size":-5,"weight":1.5,"fragile":false,"since":"1815-12-10","at":"2027-01-31T10:00:00Z","note":"it's \\ \"so\"""#;

#[test]
fn a_field_that_is_left_out_gets_its_default_and_null_stays_null() {
    let server = Server::start(&configs::defaults());
    let record = |id: i64, code: &str, fields: &str| {
        format!(r#"{{"code":"{code}",{fields},"id":{id},"ressource_uri":"/parcels/{id}/"}}"#)
    };
    server.create("/parcels/", r#"{"code":"a"}"#);
    server.check("GET /parcels/1/", &format!("200 OK {}", record(1, "a", ALL)));
    // Named, and null where that is one of its values.
    server.create("/parcels/", r#"{"code":"b","country":"DE","note":null,"size":null}"#);
    let without = ALL.replace("FR", "DE").replace(r#""it's \\ \"so\"""#, "null").replace("-5", "null");
    server.check("GET /parcels/2/", &format!("200 OK {}", record(2, "b", &without)));
    server.faults(r#"POST /parcels/ {"code":"c","country":null}"#, "country does not validate");
    // An update leaves alone what it does not name.
    assert_eq!(server.status(r#"PUT /parcels/2/ {"code":"d"}"#), 200);
    assert_eq!(server.ask("GET /parcels/2/").json()["country"], "DE");
    server.faults("POST /parcels/ {}", "code is missing. Cannot create the ressource");
}

#[test]
fn batches_and_upserts_give_defaults_to_what_they_create_only() {
    let server = Server::start(&configs::defaults());
    let items = [
        r#"{"method":"POST","path":"/parcels/","body":{"code":"a"}}"#,
        r#"{"method":"PUT","path":"/parcels/","body":{"code":"b","size":7}}"#,
        r#"{"method":"PUT","path":"/parcels/","body":{"code":"a","size":9}}"#,
    ];
    let batch = format!(r#"{{"requests":[{}]}}"#, items.join(","));
    assert_eq!(server.ask(&format!("POST /_/batch/ {batch}")).status, 200);
    let sizes = |server: &Server| -> Vec<serde_json::Value> {
        server
            .walk("/parcels/")
            .iter()
            .map(|parcel| json!([parcel["code"], parcel["size"], parcel["country"]]))
            .collect()
    };
    assert_eq!(sizes(&server), [json!(["a", 9, "FR"]), json!(["b", 7, "FR"])]);
    // Found by its code and the country that it would have.
    assert_eq!(server.ask(r#"PUT /parcels/ {"code":"a","note":"x"}"#).status, 200);
    assert_eq!(server.ask(r#"PUT /parcels/ {"code":"a","country":"DE"}"#).status, 201);
    assert_eq!(sizes(&server), [json!(["a", 9, "FR"]), json!(["b", 7, "FR"]), json!(["a", -5, "DE"])]);
}

#[test]
fn the_document_has_defaults_and_asks_for_nothing_that_has_one() {
    let server = Server::start(&configs::defaults());
    let document = server.ask("GET /openapi.json").json();
    let create = &document["components"]["schemas"]["parcels-create"];
    assert_eq!(create["required"], json!(["code"]));
    for (field, default) in [
        ("country", json!("FR")),
        ("size", json!(-5)),
        ("weight", json!(1.5)),
        ("fragile", json!(false)),
        ("since", json!("1815-12-10")),
        ("at", json!("2027-01-31T10:00:00Z")),
        ("note", json!("it's \\ \"so\"")),
    ] {
        assert_eq!(create["properties"][field]["default"], default, "{field}");
        let update = &document["components"]["schemas"]["parcels-update"]["properties"][field];
        assert_eq!(update["default"], json!(null), "{field}");
    }
    let schema = server.ask("GET /schema/parcels/").json();
    assert_eq!(schema["country"], json!({ "type": "string", "required": "true", "example": "France" }));
}
