//! The schema documents: `/schema/` and `/schema/<resource_name>/` (2.5, 4.7).

use dev::answer::NOT_FOUND;
use dev::configs;
use serde_json::Value;

use crate::support::server::Server;

/// Type and `required` of each field, after checking that each has a sample string.
fn fields(server: &Server, path: &str) -> Vec<String> {
    let schema = server.ask(&format!("GET {path}")).json();
    let describe = |(name, field): (&String, &Value)| {
        let members: Vec<&str> = field.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(field["example"].as_str().is_some_and(|example| !example.is_empty()), "{name}: {field}");
        match members.as_slice() {
            ["type", "required", "example"] => {
                format!("{name}: {} required {}", field["type"], field["required"])
            }
            ["type", "example"] => format!("{name}: {}", field["type"]),
            _ => panic!("{name} has the members {members:?}"),
        }
    };
    schema.as_object().unwrap().iter().map(describe).collect()
}

#[test]
fn the_index_describes_each_collection_in_the_order_of_registration() {
    let server = Server::start(&configs::built_in());
    let index = r#"200 OK
        Link: </openapi.json>; rel="service-desc"

        {"address":{"allowed list_verbs":["GET","POST"],"allowed unique ressource":["GET","PUT","DELETE"],"list_endpoint":"/address/","schema_endpoint":"/schema/address/"},"users":{"allowed list_verbs":["GET","POST"],"allowed unique ressource":["GET","PUT","DELETE"],"list_endpoint":"/users/","schema_endpoint":"/schema/users/"}}"#;
    server.check("GET /schema/", index);
    server.check("GET /schema", index);
}

#[test]
fn the_index_lists_the_configured_verbs() {
    let server = Server::start(&configs::verbs(r#"["GET"]"#, r#"["GET", "PATCH"]"#));
    let index = server.ask("GET /schema/").json();
    assert_eq!(index["users"]["allowed list_verbs"].to_string(), r#"["GET"]"#);
    assert_eq!(index["users"]["allowed unique ressource"].to_string(), r#"["GET","PATCH"]"#);
    assert_eq!(index["address"]["allowed unique ressource"].to_string(), r#"["GET","PUT","DELETE"]"#);
}

#[test]
fn a_resource_schema_lists_the_fields_in_declared_order_without_id() {
    let server = Server::start(&configs::built_in());
    let users = [
        r#"first_name: "string" required "true""#,
        r#"last_name: "string" required "true""#,
        r#"address: "integer""#,
    ];
    assert_eq!(fields(&server, "/schema/users/"), users);
    assert_eq!(fields(&server, "/schema/users"), users);
    assert_eq!(
        fields(&server, "/schema/address/"),
        [
            r#"country: "string" required "true""#,
            r#"city: "string" required "true""#,
            r#"street: "string" required "true""#,
            r#"number: "integer" required "true""#,
        ]
    );
}

#[test]
fn every_type_has_its_name_and_an_example_that_is_a_string() {
    let server = Server::start(&configs::kinds());
    assert_eq!(
        fields(&server, "/schema/things/"),
        [
            r#"name: "string" required "true""#,
            r#"size: "integer" required "true""#,
            r#"weight: "float" required "true""#,
            r#"fragile: "boolean" required "true""#,
            r#"note: "string""#,
            r#"code: "integer""#,
            r#"height: "float""#,
            r#"sold: "boolean""#,
        ]
    );
    let schema = server.ask("GET /schema/things/").json();
    assert_eq!(schema["size"]["example"], "42");
    assert!(schema["weight"]["example"].as_str().unwrap().parse::<f64>().is_ok());
    assert!(["true", "false"].contains(&schema["fragile"]["example"].as_str().unwrap()));
}

#[test]
fn the_schema_of_an_unknown_resource_is_not_found() {
    let server = Server::start(&configs::built_in());
    for path in ["/schema/nothing/", "/schema/nothing", "/schema/users/1/", "/schema/schema/"] {
        server.check(&format!("GET {path}"), NOT_FOUND);
    }
}

#[test]
fn the_schema_is_open_to_everybody() {
    let server = Server::start(&configs::guarded());
    assert_eq!(server.status("GET /users/"), 401);
    assert_eq!(server.status("GET /schema/"), 200);
    assert_eq!(server.status("GET /schema/users/"), 200);
}
