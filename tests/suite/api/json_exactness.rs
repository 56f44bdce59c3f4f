//! What is answered is exactly what was stored: bytes of strings, digits of integers.

use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

/// Stores a last name given as JSON text, and gives the JSON text that comes back.
fn round_trip(server: &Server, json: &str) -> String {
    let body = format!(r#"{{"first_name":"x","last_name":{json}}}"#);
    let id = server.send(&Request::new("POST /users/").json(body)).created_id();
    let answer = server.ask(&format!("GET /users/{id}/"));
    let rest = answer.body_text().strip_prefix(r#"{"first_name":"x","last_name":"#).unwrap();
    rest.strip_suffix(&format!(r#","address":null,"id":{id},"ressource_uri":"/users/{id}/"}}"#))
        .unwrap()
        .to_owned()
}

#[test]
fn nothing_is_escaped_that_need_not_be() {
    let server = Server::start(&configs::built_in());
    for text in [
        r#""""#,
        r#"" ""#,
        r#""/</script>&'""#,
        r#""é ß 漢字 🎉 עברית""#,
        "\"\u{7f}\u{80}\u{9f}\"",
        "\"\u{2028}\u{2029}\u{feff}\u{fffd}\u{ffff}\"",
        "\"e\u{301} \u{e9}\"",
        "\"\u{10ffff}\u{e000}\"",
        r#""\"\\""#,
    ] {
        assert_eq!(round_trip(&server, text), text);
    }
}

#[test]
fn escapes_that_need_not_be_are_answered_without() {
    let server = Server::start(&configs::built_in());
    for (given, answered) in [
        (r#""\u0041\u00e9\u2028""#, "\"Aé\u{2028}\""),
        (r#""\ud83c\udf89""#, r#""🎉""#),
        (r#""\/""#, r#""/""#),
        (r#""\u0022\u005c""#, r#""\"\\""#),
        (r#""\u007f""#, "\"\u{7f}\""),
    ] {
        assert_eq!(round_trip(&server, given), answered);
    }
}

#[test]
fn control_characters_are_escaped_and_come_back() {
    let server = Server::start(&configs::built_in());
    for code in 1..0x20_u8 {
        let answered = round_trip(&server, &format!(r#""\u{code:04x}""#));
        assert!(answered.bytes().all(|byte| byte >= 0x20), "{answered:?}");
        let text: String = serde_json::from_str(&answered).unwrap();
        assert_eq!(text, char::from(code).to_string());
    }
}

#[test]
fn integers_are_exact_to_64_bits() {
    let server = Server::start(&configs::built_in());
    for number in [
        "9223372036854775807",
        "-9223372036854775808",
        "9007199254740993",
        "-9007199254740993",
        "0",
        "-1",
        "2147483648",
        "4294967296",
    ] {
        let id = server
            .create("/address/", &format!(r#"{{"country":"a","city":"b","street":"c","number":{number}}}"#));
        server.check(
            &format!("GET /address/{id}/"),
            &format!(
                r#"200 OK {{"country":"a","city":"b","street":"c","number":{number},"ressource_uri":"/address/{id}/"}}"#
            ),
        );
        assert_eq!(server.ids(&format!("/address/?number={number}")), [id]);
    }
}

#[test]
fn a_long_string_comes_back_whole() {
    let server = Server::start(&configs::built_in());
    let long = format!("\"{}\"", "aé漢🎉".repeat(20_000));
    assert_eq!(round_trip(&server, &long), long);
}

#[test]
fn strings_that_look_like_numbers_stay_strings() {
    let server = Server::start(&configs::built_in());
    for text in [r#""42""#, r#""007""#, r#""1e3""#, r#""null""#, r#""true""#, r#"" 1 ""#] {
        assert_eq!(round_trip(&server, text), text);
    }
}

#[test]
fn filters_are_echoed_exactly() {
    let server = Server::start(&configs::built_in());
    let answer = server.ask("GET /users/?last_name=%22%5C%2F%0A%C3%A9%7F");
    let filters = answer.json()["meta"]["filters"].clone();
    assert_eq!(filters["last_name"], "\"\\/\né\u{7f}");
    assert!(answer.body_text().contains("/\\né\u{7f}"), "{answer:?}");
}
