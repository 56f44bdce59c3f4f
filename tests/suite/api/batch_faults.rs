//! Batches that are refused for what they say: the exact words, the item that is named, and nothing changed.

use dev::configs;
use dev::request::Request;

use crate::support::batch::{address, batch, delete, put_user, user};
use crate::support::server::Server;

const NOT_FOUND: &str = "<p>The requested URL was not found on this server.</p>";

/// Refuses with this message, keeps the connection, and changes nothing.
#[track_caller]
fn refuses(server: &Server, request: &Request, status: u16, message: &str) {
    let before = server.contents();
    let answer = server.send(request);
    assert_eq!((answer.status, answer.error()), (status, message.to_owned()), "{request:?}");
    assert_eq!((answer.header("Connection"), answer.header("Allow")), (None, None));
    assert_eq!(server.contents(), before);
}

#[test]
fn the_form_of_the_body_is_judged_first() {
    let server = Server::start(&configs::built_in());
    let one = address(1);
    let many = |number: usize| format!(r#"{{"requests":[{}]}}"#, vec![one.as_str(); number].join(","));
    let array = "requests does not validate: it is an array of 1 to 1000 items";
    for (body, message) in [
        ("[]".to_owned(), "The body is not a JSON object"),
        ("".to_owned(), "The body is empty. Send a JSON object"),
        ("{}".to_owned(), "requests is missing. Send 1 to 1000 items"),
        (r#"{"requests":[]}"#.into(), array),
        (r#"{"requests":{}}"#.into(), array),
        (r#"{"requests":null}"#.into(), array),
        (many(1_001), array),
        (r#"{"x":1}"#.into(), "x is not a field of batch"),
        (r#"{"requests":[],"requests":[]}"#.into(), "requests is given twice"),
        (r#"{"requests":[7]}"#.into(), "item 0 is not a JSON object"),
        (format!(r#"{{"requests":[{one},[]]}}"#), "item 1 is not a JSON object"),
    ] {
        refuses(&server, &Request::new("POST /_/batch/").json(body), 400, message);
    }
}

#[test]
fn the_form_of_every_item_is_judged_next() {
    let server = Server::start(&configs::built_in());
    let method = "item 0: method does not validate: it is POST, PUT, PATCH or DELETE";
    for (item, message) in [
        (r#"{"x":1}"#, "item 0: x is not a field of requests"),
        (r#"{"method":"PUT","method":"PUT"}"#, "item 0: method is given twice"),
        (r#"{"path":"/users/"}"#, "item 0: method is missing"),
        (r#"{"method":"GET","path":"/users/"}"#, method),
        (r#"{"method":7,"path":"/users/"}"#, method),
        (r#"{"method":"POST","body":{}}"#, "item 0: path is missing"),
        (r#"{"method":"POST","path":7,"body":{}}"#, "item 0: path does not validate"),
        (r#"{"method":"POST","path":"/users/?a=b"}"#, "item 0: path does not validate: it has no query"),
        (r#"{"method":"POST","path":"/users/"}"#, "item 0: body is missing"),
        (
            r#"{"method":"DELETE","path":"/users/1/","body":{}}"#,
            "item 0: body is not a field of a DELETE item",
        ),
        (r#"{"method":"PUT","path":"/users/1/","by":"x"}"#, "item 0: by is not a field of a PUT item"),
        (
            r#"{"method":"POST","path":"/users/","if_match":"*"}"#,
            "item 0: if_match is not a field of a POST item",
        ),
        (r#"{"method":"DELETE","path":"/users/1/","if_match":7}"#, "item 0: if_match does not validate"),
    ] {
        refuses(&server, &batch(&[item]), 400, message);
    }
}

#[test]
fn paths_and_methods_are_judged_before_all_bodies() {
    let server = Server::start(&configs::verbs(r#"["GET", "POST"]"#, r#"["GET"]"#));
    server.create_address();
    let bad_body = r#"{"method":"POST","path":"/address/","body":7}"#.to_owned();
    for path in
        ["/nothing/", "/", "/schema/", "/_/batch/", "/_/keys/", "/users/x/", "users/", "/users/1/2/", ""]
    {
        let message = format!("item 1: {NOT_FOUND}");
        refuses(&server, &batch(&[bad_body.clone(), delete(path)]), 404, &message);
    }
    let message = "item 1: The method is not allowed for the requested URL. Allowed: GET, HEAD, OPTIONS";
    refuses(&server, &batch(&[bad_body.clone(), delete("/users/1/")]), 405, message);
    let message =
        "item 0: The method is not allowed for the requested URL. Allowed: GET, HEAD, POST, OPTIONS";
    refuses(&server, &batch(&[r#"{"method":"PUT","path":"/users/","body":{}}"#]), 405, message);
    refuses(&server, &batch(&[bad_body]), 400, "item 0: The body is not a JSON object");
}

#[test]
fn a_name_of_an_item_is_an_earlier_one_that_creates_a_record_of_the_right_collection() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let of_address = |given: &str| {
        format!(
            "item 1: address does not validate: {given} is not an earlier item that creates a record of address"
        )
    };
    for given in ["$1", "$2", "$", "$x", "$-1", "$00", "$0 ", "$18446744073709551616"] {
        let item = user("Ada", &format!(r#""{given}""#));
        refuses(&server, &batch(&[address(1), item]), 400, &of_address(given));
    }
    refuses(&server, &batch(&[user("Ada", "null"), user("Eve", r#""$0""#)]), 400, &of_address("$0"));
    refuses(&server, &batch(&[delete("/address/1/"), user("Eve", r#""$0""#)]), 400, &of_address("$0"));
    let of_path = |given: &str| {
        format!(
            "item 1: path does not validate: {given} is not an earlier item that creates a record of users"
        )
    };
    for given in ["$3", "$1", "$0", "$x"] {
        refuses(&server, &batch(&[address(1), delete(&format!("/users/{given}/"))]), 400, &of_path(given));
    }
    // A later item that creates one, and an earlier one that creates none.
    let later = [address(1), user("Ada", r#""$2""#), address(2)];
    refuses(&server, &batch(&later), 400, &of_address("$2"));
    let later = [address(1), delete("/users/$2/"), user("Ada", "null")];
    refuses(&server, &batch(&later), 400, &of_path("$2"));
    refuses(&server, &batch(&[put_user(1, "{}"), delete("/users/$0/")]), 400, &of_path("$0"));
    for path in ["/nothing/$0/", "/address/$0/x/", "/address/$0/1", "/address/$0//", "/$0/"] {
        refuses(&server, &batch(&[address(1), delete(path)]), 404, &format!("item 1: {NOT_FOUND}"));
    }
    // Elsewhere it is a text.
    let number = address(1).replace(r#""number":1"#, r#""number":"$0""#);
    refuses(&server, &batch(&[address(1), number]), 400, "item 1: number does not validate");
    refuses(&server, &batch(&[address(1), user("Ada", r#""0""#)]), 400, "item 1: address does not validate");
    assert_eq!(server.send(&batch(&[user("$0", "null")])).status, 200);
    server.faults(
        r#"POST /users/ {"first_name":"a","last_name":"b","address":"$0"}"#,
        "address does not validate",
    );
    let own = put_user("$0", r#"{"id":3}"#);
    refuses(&server, &batch(&[user("Ada", "null"), own]), 400, "item 1: id cannot be changed");
}

#[test]
fn bodies_are_judged_as_alone() {
    let server = Server::start(&configs::unique());
    server.create_user("John", "Doe");
    for (item, message) in [
        (user("Ada", "null").replace("last_name", "age"), "item 1: age is not a field of users"),
        (user("Ada", "true"), "item 1: address does not validate"),
        (user("Ada", "9"), "item 1: address does not validate"),
        (user("John", "null"), "item 1: first_name,last_name must be unique together"),
        (put_user(1, r#"{"first_name":null}"#), "item 1: first_name does not validate"),
        (put_user(1, r#"{"id":2}"#), "item 1: id cannot be changed"),
        (put_user(1, "[]"), "item 1: The body is not a JSON object"),
        (put_user(1, r#"{"address":1,"address":1}"#), "item 1: address is given twice"),
    ] {
        refuses(&server, &batch(&[address(1), item]), 400, message);
    }
    for item in [put_user(99, "{}"), delete("/users/99/")] {
        refuses(&server, &batch(&[address(1), item]), 404, &format!("item 1: {NOT_FOUND}"));
    }
}

#[test]
fn what_the_store_refuses_is_said_as_alone() {
    let server = Server::start(&configs::users(
        "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\", \"last_name\"]]",
        "[collection.pagination]\npage_size = 20",
    ));
    let seen = r#""216a52a43bb1237e958fc44863314ee9""#;
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    let by_name = |name: &str| format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#);
    for (method, path, body, header, status) in [
        ("PUT", "/users/1/", Some("{}".to_owned()), Some(("If-Match", seen)), 412),
        ("DELETE", "/users/1/", None, Some(("If-Match", seen)), 412),
        ("PUT", "/users/", Some(by_name("Nobody")), Some(("If-Match", "*")), 412),
        ("PUT", "/users/", Some(by_name("John")), Some(("If-None-Match", "*")), 412),
        ("POST", "/users/", Some(by_name("John")), None, 400),
        ("DELETE", "/address/1/", None, None, 409),
    ] {
        let mut request = Request::new(&format!("{method} {path}"));
        let mut item = format!(r#"{{"method":"{method}","path":"{path}""#);
        if let Some(body) = body {
            item += &format!(r#","body":{body}"#);
            request = request.json(body);
        }
        if let Some((name, value)) = header {
            item += &format!(r#","{}":{value:?}"#, name.to_lowercase().replace('-', "_"));
            request = request.header(name, value);
        }
        let alone = server.send(&request);
        assert_eq!(alone.status, status, "{request:?}");
        let message = format!("item 1: {}", alone.error());
        refuses(&server, &batch(&[address(1), item + "}", address(2)]), status, &message);
    }
}

#[test]
fn what_is_refused_before_the_write_uses_no_ids_at_any_item() {
    let server = Server::start(&configs::verbs(r#"["GET", "POST"]"#, r#"["GET", "PUT"]"#));
    let not_allowed = "The method is not allowed for the requested URL.";
    for (refused, status, said) in [
        (r#"{"method":"POST"}"#.to_owned(), 400, "path is missing"),
        (r#"{"method":"POST","path":"/_/batch/","body":{"requests":[]}}"#.into(), 404, NOT_FOUND),
        (delete("/users/1/"), 405, not_allowed),
        (user("Ada", "true"), 400, "address does not validate"),
    ] {
        for place in [0, 2, 4] {
            let mut items = vec![address(1), user("Ada", "null"), address(2), user("Eve", "null")];
            items.insert(place, refused.clone());
            let answer = server.send(&batch(&items));
            let said = format!("item {place}: {said}");
            assert_eq!((answer.status, answer.error().starts_with(&said)), (status, true), "{answer:?}");
        }
    }
    assert_eq!(server.send(&batch(&[user("Ada", "null")]).key(&"x".repeat(256))).status, 400);
    assert_eq!((server.create_address(), server.create_user("John", "Doe")), (1, 1));
}

#[test]
fn an_idempotency_key_is_judged_after_the_bodies() {
    let server = Server::start(&configs::built_in());
    let long = "x".repeat(256);
    let message = "Idempotency-Key does not validate: it has 1 to 255 printable ASCII characters, bare or in double quotes";
    refuses(&server, &batch(&[address(1)]).key(&long), 400, message);
    refuses(&server, &batch(&[user("Ada", "true")]).key(&long), 400, "item 0: address does not validate");
}

#[test]
fn problem_details_name_the_item_too() {
    let server = Server::start(&configs::built_in());
    let request = batch(&[address(1), user("Ada", "9")]).header("Accept", "application/problem+json");
    let problem = server.send(&request).json();
    assert_eq!(problem["title"], "item 1: address does not validate");
    assert_eq!(
        (&problem["type"], &problem["status"]),
        (&"/openapi.json#/x-problems/unknown-reference".into(), &400.into())
    );
    let problem = server
        .send(&Request::new("POST /_/batch/").header("Accept", "application/problem+json").json("[]"))
        .json();
    assert_eq!(problem["detail"], "The body is not a JSON object");
}
