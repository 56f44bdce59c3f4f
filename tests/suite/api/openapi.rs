//! The OpenAPI document: complete, and true of the answers that the server gives.

use dev::configs;
use serde_json::{Value, json};

use crate::support::home::Home;
use crate::support::server::Server;

/// Follows one `$ref` inside the document.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// Asks, validates the body against what the document says of this path, method and status, and gives the status.
#[track_caller]
fn is_described(server: &Server, path: &str, request: &str) -> u16 {
    let document = server.ask("GET /openapi.json").json();
    let method = request.split(' ').next().unwrap().to_lowercase();
    let answer = server.ask(request);
    let operation = &document["paths"][path][&method];
    let responses = &operation["responses"];
    let response = resolve(&document, &responses[answer.status.to_string()]);
    assert!(response["description"].is_string(), "{request} {} is not described: {responses}", answer.status);
    if answer.body.is_empty() {
        return answer.status;
    }
    let mut schema = document.clone();
    let kind = answer.header("Content-Type").unwrap();
    let described = resolve(&document, &response["content"][kind]["schema"]).clone();
    assert!(described.is_object(), "{request} {} has no schema: {response}", answer.status);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["allOf"] = json!([described]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&answer.json()).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{request}: {answer:?}: {errors:?}");
    answer.status
}

#[test]
fn the_document_names_every_path_of_the_configuration() {
    let server = Server::start(&configs::built_in());
    let document = server.ask("GET /openapi.json").json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    let paths = document["paths"].as_object().unwrap();
    for path in
        ["/users/", "/users/{id}/", "/address/", "/address/{id}/", "/schema/", "/_/keys/", "/_/keys/{name}/"]
    {
        assert!(paths.contains_key(path), "{path} is not among {:?}", paths.keys());
    }
    for (path, methods) in
        [("/users/", ["get", "post"].as_slice()), ("/users/{id}/", &["get", "put", "delete"])]
    {
        for method in methods {
            assert!(paths[path][method].is_object(), "{method} {path}");
        }
    }
    assert!(paths["/users/{id}/"]["patch"].is_null());
}

#[test]
fn the_document_follows_the_verbs() {
    let server = Server::start(&configs::verbs(r#"["GET"]"#, r#"["GET", "PATCH"]"#));
    let paths = server.ask("GET /openapi.json").json()["paths"].clone();
    assert!(paths["/users/"]["post"].is_null());
    assert!(paths["/users/{id}/"]["put"].is_null());
    assert!(paths["/users/{id}/"]["patch"].is_object());
}

#[test]
fn the_answers_are_as_the_document_says() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    for (path, request) in [
        ("/users/", r#"POST /users/ {"first_name":"John","last_name":"Doe","address":1}"#),
        ("/users/", r#"POST /users/ {"first_name":"Jane","last_name":"Doe"}"#),
        ("/users/", "POST /users/ {}"),
        ("/users/", "GET /users/"),
        ("/users/", "GET /users/?count=1&offset=1&last_name=Doe"),
        ("/users/", "GET /users/?nope=1"),
        ("/users/{id}/", "GET /users/1/"),
        ("/users/{id}/", "GET /users/2/"),
        ("/users/{id}/", "GET /users/99/"),
        ("/users/{id}/", r#"PUT /users/1/ {"first_name":"Jim"}"#),
        ("/users/{id}/", r#"PUT /users/1/ {"first_name":5}"#),
        ("/users/{id}/", "DELETE /users/2/"),
        ("/address/{id}/", "GET /address/1/"),
        ("/address/{id}/", "DELETE /address/1/"),
        ("/schema/", "GET /schema/"),
    ] {
        is_described(&server, path, request);
        // A problem, where it is one.
        let (line, body) = request.split_once(" {").map_or((request, ""), |(line, body)| (line, body));
        let body = if body.is_empty() { String::new() } else { format!("{{{body}") };
        is_described(&server, path, &format!("{line}\nAccept: application/problem+json\n\n{body}"));
    }
}

#[test]
fn a_problem_of_more_faults_than_are_listed_is_as_the_document_says() {
    let server = Server::start(&configs::built_in());
    let members: Vec<String> = (0..101).map(|number| format!(r#""a{number}":1"#)).collect();
    let request = format!("POST /users/\nAccept: application/problem+json\n\n{{{}}}", members.join(","));
    assert_eq!(is_described(&server, "/users/", &request), 400);
}

#[test]
fn the_answers_of_every_field_type_are_as_the_document_says() {
    let server = Server::start(&configs::kinds());
    let thing = r#"{"name":"a","size":1,"weight":1,"fragile":true,"note":"n","height":0.5,"sold":false}"#;
    for (path, request) in [
        ("/things/", format!("POST /things/ {thing}").as_str()),
        ("/things/", r#"POST /things/ {"name":"b","size":2,"weight":1.5,"fragile":false}"#),
        ("/things/", "GET /things/"),
        ("/things/{id}/", "GET /things/1/"),
        ("/things/{id}/", "GET /things/2/"),
    ] {
        is_described(&server, path, request);
    }
}

#[test]
fn a_guarded_collection_describes_its_401_and_its_429() {
    let server = Server::start(&configs::guarded_and_rate_limited(10));
    is_described(&server, "/users/", "GET /users/");
    let document = server.ask("GET /openapi.json").json();
    assert!(document["paths"]["/users/"]["get"]["responses"]["429"].is_object());
    assert!(document["paths"]["/address/"]["get"]["responses"]["401"].is_null());
}

#[test]
fn the_answers_about_access_keys_are_as_the_document_says() {
    let home = Home::new(&configs::built_in());
    home.add_admin("root", "the-key-of-the-administrator");
    home.add_key("reader", "a-key-that-opens-collections");
    let server = home.serve();
    let (admin, plain) = ("accesskey=the-key-of-the-administrator", "accesskey=a-key-that-opens-collections");
    for (path, request, status) in [
        ("/_/me/", format!("GET /_/me/?{admin}"), 200),
        ("/_/me/", "GET /_/me/".to_owned(), 200),
        ("/_/me/", "GET /_/me/?accesskey=wrong".to_owned(), 401),
        ("/_/keys/", format!("GET /_/keys/?{admin}"), 200),
        ("/_/keys/", format!(r#"POST /_/keys/?{admin} {{"name":"phone","admin":true}}"#), 201),
        ("/_/keys/", format!("POST /_/keys/?{admin} {{}}"), 201),
        ("/_/keys/", format!("GET /_/keys/?{admin}"), 200),
        ("/_/keys/", format!(r#"POST /_/keys/?{admin} {{"name":"phone"}}"#), 409),
        ("/_/keys/", format!(r#"POST /_/keys/?{admin} {{"name":""}}"#), 400),
        ("/_/keys/", format!("POST /_/keys/?{admin}\nContent-Type: text/plain\n\nx"), 415),
        ("/_/keys/", "GET /_/keys/".to_owned(), 401),
        ("/_/keys/", format!("GET /_/keys/?{plain}"), 403),
        ("/_/keys/", format!(r#"POST /_/keys/?{admin} {{"scopes":["users:read"],"expires":"90d"}}"#), 201),
        ("/_/keys/", format!("GET /_/keys/?{admin}"), 200),
        ("/_/keys/{name}/rotate/", format!(r#"POST /_/keys/phone/rotate/?{admin} {{"grace":"1h"}}"#), 200),
        ("/_/keys/{name}/rotate/", format!("POST /_/keys/phone/rotate/?{admin}"), 200),
        ("/_/keys/{name}/rotate/", format!("POST /_/keys/nobody/rotate/?{admin}"), 404),
        ("/_/keys/{name}/rotate/", format!(r#"POST /_/keys/phone/rotate/?{admin} {{"grace":"soon"}}"#), 400),
        ("/_/keys/{name}/", format!("DELETE /_/keys/phone/?{plain}"), 403),
        ("/_/keys/{name}/", format!("DELETE /_/keys/phone/?{admin}"), 200),
        ("/_/keys/{name}/", format!("DELETE /_/keys/phone/?{admin}"), 404),
        ("/_/keys/{name}/", "DELETE /_/keys/phone/".to_owned(), 401),
        ("/_/keys/{name}/", "OPTIONS /_/keys/phone/".to_owned(), 204),
    ] {
        assert_eq!(is_described(&server, path, &request), status, "{request}");
    }
}

#[test]
fn what_batches_and_upserts_are_answered_is_described() {
    let server = Server::start(&configs::users(
        "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\"]]",
        "[collection.pagination]\npage_size = 20",
    ));
    let batch = |item: &str| format!(r#"POST /_/batch/ {{"requests":[{item}]}}"#);
    let put = r#"{"method":"PUT","path":"/users/","body":{"first_name":"a","last_name":"b"}}"#;
    for (request, status) in [
        (batch(put), 200),
        (batch(&[put, r#"{"method":"DELETE","path":"/users/$0/"}"#].join(",")), 200),
        (batch(r#"{"method":"DELETE","path":"/users/9/"}"#), 404),
        (batch(r#"{"method":"DELETE","path":"/users/"}"#), 405),
        (
            batch(
                r#"{"method":"PUT","path":"/users/","body":{"first_name":"x","last_name":"b"},"if_match":"*"}"#,
            ),
            412,
        ),
        (batch("7"), 400),
        (
            batch(put).replacen(' ', "\nPrefer: return=representation\n\n", 2).replacen(
                "\nPrefer: return=representation\n\n",
                " ",
                1,
            ),
            200,
        ),
    ] {
        assert_eq!(is_described(&server, "/_/batch/", &request), status, "{request}");
    }
    let body = r#"{"first_name":"z","last_name":"b"}"#;
    for (status, request) in [(201, "PUT /users/"), (200, "PUT /users/"), (400, "PUT /users/?by=x")] {
        assert_eq!(is_described(&server, "/users/", &format!("{request} {body}")), status, "{request}");
    }
}

#[test]
fn what_people_call_things_is_in_the_document_and_nowhere_else() {
    let named = r#"
        [[collection]]
        name = "address"
        [collection.fields]
        city = { type = "string", required = true }

        [[collection]]
        name = "users"
        label = "People"
        help = "Everybody we write to."
        title = "{name} <b>"
        [collection.fields]
        name = { type = "string", required = true, label = "Full name", help = "As on the passport." }
        address = { type = "integer", references = "address", help = "Where post goes." }
    "#;
    let plain: String = named
        .lines()
        .filter(|line| !["label", "help", "title"].iter().any(|key| line.trim().starts_with(key)))
        .map(|line| line.split(", label").next().unwrap().split(", help").next().unwrap())
        .map(|line| if line.contains("{ type") { format!("{line} }}\n") } else { format!("{line}\n") })
        .map(|line| line.replace("} }", "}"))
        .collect();
    let (server, other) = (Server::start(named), Server::start(&plain));
    let document = server.ask("GET /openapi.json").json();
    let list = &document["paths"]["/users/"];
    assert_eq!(
        (&list["summary"], &list["description"]),
        (&json!("People"), &json!("Everybody we write to."))
    );
    let record = &document["components"]["schemas"]["users-record"];
    assert_eq!(record["x-title"], "{name} <b>");
    assert_eq!(record["properties"]["name"]["title"], "Full name");
    assert_eq!(record["properties"]["name"]["description"], "As on the passport.");
    assert_eq!(record["properties"]["address"]["description"], "Where post goes.");
    let create = &document["components"]["schemas"]["users-create"]["properties"]["address"]["description"];
    assert!(
        create.as_str().unwrap().starts_with("Where post goes. The id of a record of `address`."),
        "{create}"
    );
    for path in ["/", "/schema/", "/schema/users/", "/users/"] {
        let ask = format!("GET {path}");
        assert_eq!(server.ask(&ask).body_text(), other.ask(&ask).body_text(), "{path}");
    }
    let plain = other.ask("GET /openapi.json").json();
    assert!(plain["paths"]["/users/"]["summary"].is_null());
    assert!(plain["components"]["schemas"]["users-record"]["x-title"].is_null());
    assert!(plain["components"]["schemas"]["users-record"]["properties"]["name"]["title"].is_null());
}
