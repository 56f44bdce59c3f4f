//! What a string may be besides: a format, one of some choices, a length.

use dev::configs;
use serde_json::json;

use crate::support::server::Server;

const EMAIL: &str = "email does not validate: it is an address such as ada@example.org";
const PHONE: &str = "phone does not validate: it is a number such as +33 1 23 45 67 89";
const SITE: &str = "site does not validate: it is a URL that begins with http:// or https://";
const NICK: &str = "nick does not validate: it has at most 40 characters";

fn server() -> Server {
    Server::start(&configs::contacts().replace(r#", "it's \"ours\"""#, ""))
}

/// A contact whose field has this value, as JSON.
fn contact(field: &str, value: &serde_json::Value) -> String {
    let mut body = json!({ "nick": "ada" });
    body[field] = value.clone();
    body.to_string()
}

/// None of the values is taken by a create, an update, an upsert or a batch, with these words.
#[track_caller]
fn refuses(server: &Server, field: &str, values: &[&str], words: &str) {
    for value in values {
        let body = contact(field, &json!(value));
        server.faults(&format!("POST /contacts/ {body}"), words);
        server.faults(&format!("PUT /contacts/ {body}"), words);
        server.faults(&format!("PUT /contacts/1/ {body}"), words);
        let item = format!(r#"{{"requests":[{{"method":"POST","path":"/contacts/","body":{body}}}]}}"#);
        server.faults(&format!("POST /_/batch/ {item}"), &format!("item 0: {words}"));
    }
}

#[test]
fn what_a_string_may_be_is_said_in_words() {
    let server = server();
    server.create("/contacts/", r#"{"nick":"grace"}"#);
    let before = server.ask("GET /contacts/1/").body;
    let long = format!("{}@b", "a".repeat(253));
    refuses(&server, "email", &["a@b@c", "a b@c", "ada", "", "@", "é@b", &long], EMAIL);
    refuses(&server, "phone", &["call me", "1234567890123456", "11", "", "112x", "+33a"], PHONE);
    let long = format!("http://a/{}", "a".repeat(2040));
    let sites =
        ["javascript:alert(1)", "http://", "https:///a", "", "ftp://a", "http://a b", "HTTP://a", &long];
    refuses(&server, "site", &sites, SITE);
    let words = "kind does not validate: it is one of home, work";
    refuses(&server, "kind", &["Home", "", "home ", "homework", "\u{0}"], words);
    refuses(&server, "nick", &[&"é".repeat(41)], NICK);
    assert_eq!((server.total("/contacts/"), server.ask("GET /contacts/1/").body), (1, before));
}

#[test]
fn a_value_that_is_no_string_keeps_its_words() {
    let server = server();
    for field in ["email", "phone", "site", "kind"] {
        for value in [json!(1), json!(true), json!(["home"]), json!({})] {
            let words = format!("{field} does not validate");
            server.faults(&format!("POST /contacts/ {}", contact(field, &value)), &words);
        }
    }
    server.faults(r#"POST /contacts/ {"nick":null}"#, "nick does not validate");
    server.faults(r#"POST /contacts/ {"nick":"\u0000"}"#, "nick does not validate");
}

#[test]
fn what_is_taken_is_kept_as_it_was_written() {
    let server = server();
    let nick = "𝄞".repeat(40);
    let email = format!("{}@example.org", "a".repeat(242));
    for (number, (phone, site)) in [
        ("112", "http://a"),
        ("+33 1 23 45 67 89", "https://example.org/~ada?q=%20#top"),
        ("(0)1/23-45.67 x12", "https://u:p@[::1]:8080/"),
        ("123456789012345", "http://xn--bcher-kva.example"),
    ]
    .into_iter()
    .enumerate()
    {
        let nick = &nick[..nick.len() - 4 * number];
        let id = server.create(
            "/contacts/",
            &json!({"nick": nick, "email": email, "phone": phone, "site": site, "kind": "work"}).to_string(),
        );
        server.check(
            &format!("GET /contacts/{id}/"),
            &format!(
                r#"200 OK {{"nick":"{nick}","email":"{email}","phone":"{phone}","site":"{site}","kind":"work","id":{id},"ressource_uri":"/contacts/{id}/"}}"#
            ),
        );
    }
    server.check(
        r#"PUT /contacts/1/ {"nick":"","email":null,"phone":null,"site":null,"kind":null}"#,
        r#"200 OK {"nick":"","email":null,"phone":null,"site":null,"kind":null,"id":1,"ressource_uri":"/contacts/1/"}"#,
    );
}

#[test]
fn filters_hear_a_typo_in_a_choice_and_a_length_but_ask_for_any_format() {
    let server = server();
    server.create("/contacts/", r#"{"nick":"ada","email":"ada@example.org","kind":"home"}"#);
    server.create("/contacts/", r#"{"nick":"bob","kind":"work"}"#);
    server.create("/contacts/", r#"{"nick":"cid"}"#);
    for (query, ids) in [
        ("kind=home", vec![1]),
        ("kind=", vec![3]),
        ("kind.ne=home", vec![2, 3]),
        ("kind.in=home&kind.in=", vec![1, 3]),
        ("kind.null=false&sort=-kind", vec![2, 1]),
        ("kind.gt=I", vec![2]),
        ("kind.prefix=HO", vec![1]),
        ("kind.folded=Home", vec![1]),
        ("email=ada%40example.org", vec![1]),
        ("email=nobody", vec![]),
        ("email.ne=nobody", vec![1, 2, 3]),
        ("phone=call+me", vec![]),
        ("site=javascript:", vec![]),
        ("nick=", vec![]),
    ] {
        assert_eq!(server.ids(&format!("/contacts/?{query}")), ids, "{query}");
    }
    for query in ["kind=Home", "kind.ne=Home", "kind.in=home&kind.in=Home"] {
        let name = query.split('=').next().unwrap();
        let words = format!("{name} does not validate: it is one of home, work");
        server.faults(&format!("GET /contacts/?{query}"), &words);
    }
    let long = "a".repeat(41);
    server.faults(&format!("GET /contacts/?nick={long}"), NICK);
    server.faults("GET /contacts/?kind=%00", "kind does not validate");
}

#[test]
fn problem_details_say_what_would_be_taken() {
    let server = server();
    let problem = |request: &str| {
        let (line, body) = request.split_once(" {").unwrap_or((request, ""));
        let body = if body.is_empty() { String::new() } else { format!("{{{body}") };
        server.ask(&format!("{line}\nAccept: application/problem+json\n\n{body}")).json()
    };
    let refused = problem(r#"POST /contacts/ {"nick":"a","email":"b","kind":"c","phone":1,"site":"d"}"#);
    assert_eq!(refused["title"], EMAIL);
    assert_eq!(refused["detail"], "email: it is an address such as ada@example.org (and 3 more)");
    assert_eq!(
        refused["errors"],
        json!([
            {"pointer": "/email", "detail": "it is an address such as ada@example.org", "value": "\"b\"",
             "accepted": "an address such as ada@example.org; or null"},
            {"pointer": "/phone", "detail": "a number where a string is wanted", "value": "1",
             "accepted": "a number such as +33 1 23 45 67 89; or null"},
            {"pointer": "/site", "detail": "it is a URL that begins with http:// or https://", "value": "\"d\"",
             "accepted": "a URL that begins with http:// or https://; or null"},
            {"pointer": "/kind", "detail": "it is one of home, work", "value": "\"c\"",
             "accepted": "one of home, work; or null"},
        ])
    );
    let refused = problem("GET /contacts/?kind=c");
    assert_eq!(
        refused["errors"],
        json!([{"parameter": "kind", "detail": "it is one of home, work", "value": "c", "accepted": "one of home, work"}])
    );
}

#[test]
fn the_descriptions_say_what_a_string_may_be() {
    let server = server();
    server.check(
        "GET /schema/contacts/",
        r#"200 OK {"nick":{"type":"string","required":"true","example":"text"},"email":{"type":"string","example":"ada@example.org"},"phone":{"type":"string","example":"+33 1 23 45 67 89"},"site":{"type":"string","example":"https://example.org/"},"kind":{"type":"string","example":"home"}}"#,
    );
    let document = server.ask("GET /openapi.json").json();
    let schemas = &document["components"]["schemas"];
    let of = |schema: &str, field: &str| schemas[format!("contacts-{schema}")]["properties"][field].clone();
    for schema in ["create", "update"] {
        assert_eq!(of(schema, "nick")["maxLength"], 40);
        let email = of(schema, "email");
        assert_eq!((&email["format"], &email["maxLength"]), (&json!("email"), &json!(254)));
        assert!(of(schema, "phone")["pattern"].as_str().unwrap().contains("{3,15}"));
        let site = of(schema, "site");
        assert_eq!((&site["format"], &site["maxLength"]), (&json!("uri"), &json!(2048)));
        assert_eq!(of(schema, "kind")["enum"], json!(["home", "work", null]));
    }
    assert_eq!(of("record", "nick")["maxLength"], 40);
    assert_eq!(of("record", "kind")["enum"], json!(["home", "work", null]));
    let site = of("record", "site");
    assert_eq!(
        (&site["format"], &site["pattern"], &site["maxLength"]),
        (&json!("uri"), &json!(null), &json!(null))
    );
    let filter = &document["components"]["parameters"]["contacts-filter-kind"]["schema"];
    assert_eq!(filter["enum"], json!(["home", "work", ""]));
}

#[test]
fn any_text_can_be_a_choice() {
    let server = Server::start(&configs::contacts());
    server.create("/contacts/", r#"{"nick":"a","kind":"it's \"ours\""}"#);
    assert_eq!(server.ids("/contacts/?kind=it%27s+%22ours%22"), [1]);
}
