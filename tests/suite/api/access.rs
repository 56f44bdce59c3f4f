//! Access: keys, the ways to present them, and who is refused (5).

use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

const KEY: &str = "kLmN0pQrStUvWxYz";

/// A server that knows one key.
fn serve(config: &str) -> Server {
    let home = Home::new(config);
    home.add_key("tests", KEY);
    home.serve()
}

fn with(header: &str, value: &str) -> Request {
    Request::new("GET /users/").header(header, value)
}

#[test]
fn a_known_key_gets_the_normal_answer() {
    let server = serve(&configs::guarded());
    server.check(
        "GET /users/?accesskey=kLmN0pQrStUvWxYz",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":0,"next":"null","previous":"null","filters":{}},"object_list":[]}"#,
    );
    let key = format!("accesskey={KEY}");
    assert_eq!(server.status(&format!(r#"POST /users/?{key} {{"first_name":"a","last_name":"b"}}"#)), 201);
    assert_eq!(server.status(&format!("GET /users/1/?{key}")), 200);
    assert_eq!(server.status(&format!("HEAD /users/1/?{key}")), 200);
    assert_eq!(server.status(&format!(r#"PUT /users/1/?{key} {{"first_name":"c"}}"#)), 200);
    assert_eq!(server.status(&format!("DELETE /users/1/?{key}")), 200);
}

#[test]
fn an_unknown_and_an_absent_key_get_one_and_the_same_401() {
    let server = serve(&configs::guarded());
    let base_url = server.base_url();
    let refused = server.ask("GET /users/");
    assert_eq!(refused.status, 401);
    assert!(refused.error().contains("accesskey"), "it says how to present a key: {refused:?}");
    let long = "x".repeat(1000);
    for request in [
        Request::new("GET /users/?accesskey=wrong"),
        Request::new("GET /users/?accesskey="),
        Request::new("GET /users/?apikey=wrong"),
        Request::new("GET /users/?accesskey=kLmN0pQrStUvWxY"),
        Request::new("GET /users/?accesskey=kLmN0pQrStUvWxYz0"),
        Request::new("GET /users/?accesskey=KLMN0PQRSTUVWXYZ"),
        Request::new("GET /users/?accesskey=kLmN0pQrStUvWxYz+"),
        Request::new(&format!("GET /users/?accesskey={long}")),
        Request::new("GET /users/1/"),
        Request::new("POST /users/").json("{}"),
        Request::new("PUT /users/1/").json("{}"),
        Request::new("DELETE /users/1/"),
        with("Authorization", "Bearer wrong"),
        with("Authorization", KEY),
        with("Authorization", "Bearer"),
        with("X-API-Key", "wrong"),
        with("X-API-Key", ""),
    ] {
        assert_eq!(server.send(&request).text(&base_url), refused.text(&base_url), "{request:?}");
    }
}

#[test]
fn head_is_judged_as_get_access_included() {
    let server = serve(&configs::guarded());
    for path in ["/users/", "/users/1/"] {
        assert_eq!(server.status(&format!("HEAD {path}")), 401);
        assert_eq!(server.status(&format!("HEAD {path}?accesskey=wrong")), 401);
    }
    assert_eq!(server.status(&format!("HEAD /users/?accesskey={KEY}")), 200);
}

#[test]
fn a_key_may_come_as_apikey_as_a_bearer_token_or_in_x_api_key() {
    let server = serve(&configs::guarded());
    assert_eq!(server.status(&format!("GET /users/?apikey={KEY}")), 200);
    assert_eq!(server.send(&with("Authorization", &format!("Bearer {KEY}"))).status, 200);
    assert_eq!(server.send(&with("Authorization", &format!("bearer {KEY}"))).status, 200);
    assert_eq!(server.send(&with("X-API-Key", KEY)).status, 200);
    assert_eq!(server.send(&with("x-api-key", KEY)).status, 200);
}

#[test]
fn the_parameter_counts_and_headers_are_read_only_without_it() {
    let server = serve(&configs::guarded());
    let right = format!("Bearer {KEY}");
    for parameter in ["accesskey", "apikey"] {
        let wrong = Request::new(&format!("GET /users/?{parameter}=wrong"));
        server.refuses_request(&wrong.clone().header("Authorization", &right), 401);
        server.refuses_request(&wrong.header("X-API-Key", KEY), 401);
        let good = Request::new(&format!("GET /users/?{parameter}={KEY}"));
        assert_eq!(server.send(&good.clone().header("Authorization", "Bearer wrong")).status, 200);
        assert_eq!(server.send(&good.header("X-API-Key", "wrong")).status, 200);
    }
}

#[test]
fn authorization_of_another_scheme_is_not_read() {
    let server = serve(&configs::guarded());
    let basic = with("Authorization", "Basic dXNlcjpwYXNz");
    server.refuses_request(&basic, 401);
    assert_eq!(server.send(&basic.header("X-API-Key", KEY)).status, 200);
}

#[test]
fn a_key_given_twice_is_refused() {
    let server = serve(&configs::guarded());
    for query in [
        format!("accesskey={KEY}&accesskey={KEY}"),
        format!("accesskey={KEY}&apikey={KEY}"),
        format!("apikey={KEY}&apikey=other"),
        "accesskey=&accesskey=".to_owned(),
    ] {
        let message = server.refuses(&format!("GET /users/?{query}"), 400);
        assert!(!message.contains(KEY), "{message}");
        server.refuses(&format!("GET /users/1/?{query}"), 400);
    }
}

#[test]
fn the_key_is_never_a_filter_and_never_echoed() {
    for config in [configs::built_in(), configs::guarded(), configs::identified()] {
        let server = serve(&config);
        for parameter in ["accesskey", "apikey"] {
            let answer = server.ask(&format!("GET /users/?last_name=Doe&{parameter}={KEY}"));
            assert_eq!(answer.json()["meta"]["filters"].to_string(), r#"{"last_name":"Doe"}"#);
            assert!(!answer.body_text().contains(KEY));
        }
    }
}

#[test]
fn the_key_parameter_is_accepted_where_no_authentication_is_configured() {
    let server = Server::start(&configs::built_in());
    for query in ["accesskey=anything", "apikey=anything", "accesskey="] {
        assert_eq!(server.status(&format!("GET /users/?{query}")), 200);
        assert_eq!(server.status(&format!("GET /users/?offset=0&{query}&last_name=Doe")), 200);
    }
}

#[test]
fn authentication_without_authorization_refuses_nothing() {
    let server = serve(&configs::identified());
    for query in ["", "?accesskey=wrong", "?accesskey=", "?accesskey=kLmN0pQrStUvWxYz"] {
        assert_eq!(server.status(&format!("GET /users/{query}")), 200);
        assert_eq!(
            server.status(&format!(r#"POST /users/{query} {{"first_name":"a","last_name":"b"}}"#)),
            201
        );
    }
    assert_eq!(server.send(&with("Authorization", "Bearer wrong")).status, 200);
}

#[test]
fn access_is_a_setting_of_each_collection() {
    let server = serve(&configs::guarded());
    assert_eq!(server.status("GET /address/"), 200);
    server.create_address();
    assert_eq!(server.status("DELETE /address/1/"), 200);
    assert_eq!(server.status("GET /users/"), 401);
}

#[test]
fn a_refused_write_changes_nothing() {
    let server = serve(&configs::guarded());
    let key = format!("accesskey={KEY}");
    server.create(&format!("/users/?{key}"), r#"{"first_name":"John","last_name":"Doe"}"#);
    server.refuses(r#"POST /users/ {"first_name":"a","last_name":"b"}"#, 401);
    server.refuses(r#"PUT /users/1/ {"first_name":"a"}"#, 401);
    server.refuses("DELETE /users/1/", 401);
    let list = server.ask(&format!("GET /users/?{key}")).json();
    assert_eq!(
        list["object_list"].to_string(),
        r#"[{"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}]"#
    );
}

#[test]
fn a_header_that_carries_two_keys_is_refused() {
    let home = Home::new(&configs::guarded());
    home.add_key("reader", "a-key-of-some-length-1");
    let server = home.serve();
    for name in ["X-API-Key", "Authorization"] {
        let value =
            if name == "Authorization" { "Bearer a-key-of-some-length-1" } else { "a-key-of-some-length-1" };
        let twice = Request::new("GET /users/").header(name, value).header(name, value);
        assert_eq!(server.send(&twice).status, 400, "{name}");
        assert_eq!(server.send(&Request::new("GET /users/").header(name, value)).status, 200, "{name}");
    }
}

#[test]
fn the_401_is_the_same_to_the_last_header() {
    let home = Home::new(&configs::guarded());
    let server = home.serve();
    let kept = |request: &Request| {
        let mut answer = server.send(request);
        answer.headers.retain(|(name, _)| !["date", "x-request-id"].contains(&name.to_lowercase().as_str()));
        (answer.status, answer.headers, answer.body)
    };
    let absent = kept(&Request::new("GET /users/"));
    assert_eq!(absent.0, 401);
    assert_eq!(kept(&Request::new("GET /users/?accesskey=nobody-has-this-one")), absent);
    assert_eq!(kept(&Request::new("GET /users/").header("X-API-Key", "nobody-has-this-one")), absent);
}
