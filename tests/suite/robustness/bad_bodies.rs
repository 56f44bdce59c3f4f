//! Bodies meant to hurt: each is refused in the one shape, nothing is stored, the server goes on.

use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

/// Sends each body as a create and as an update of what is there; each must be a 400 that changes
/// nothing, on a connection that can be used again.
#[track_caller]
fn all_refused(bodies: &[Vec<u8>]) {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create_user("John", "Doe");
    let before = server.contents();
    let mut client = server.client();
    for body in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(100)]).into_owned();
        for line in ["POST /users/", "PUT /users/1/"] {
            let answer = client.send(&Request::new(line).json(body.clone()));
            assert_eq!(answer.status, 400, "{line} {shown}: {answer:?}");
        }
        assert_eq!(client.ask("GET /users/1/").status, 200);
    }
    assert_eq!(client.opened(), 1, "the connection was kept");
    assert_eq!(server.contents(), before);
}

fn text(bodies: &[&str]) -> Vec<Vec<u8>> {
    bodies.iter().map(|body| body.as_bytes().to_vec()).collect()
}

#[test]
fn ten_thousand_levels_of_json_are_refused() {
    let depth = 10_000;
    let arrays = "[".repeat(depth) + &"]".repeat(depth);
    let objects = r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth);
    all_refused(&text(&[
        &arrays,
        &objects,
        &"[".repeat(depth),
        &r#"{"a":"#.repeat(depth),
        &format!(r#"{{"first_name":{arrays},"last_name":"Doe"}}"#),
        &format!(r#"{{"first_name":"John","last_name":{objects}}}"#),
        &format!(r#"{{"first_name":"John","last_name":"Doe","more":{arrays}}}"#),
    ]));
}

#[test]
fn a_byte_order_mark_is_told_as_one() {
    const TEXT: &str = r#"{"first_name":"John","last_name":"Doe"}"#;
    let utf_8 = [b"\xef\xbb\xbf", TEXT.as_bytes()].concat();
    let little: Vec<u8> =
        std::iter::once(0xfeff).chain(TEXT.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> =
        std::iter::once(0xfeff).chain(TEXT.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let bodies = [utf_8, little, big, b"\xef\xbb\xbf".to_vec()];
    all_refused(&bodies);
    let server = Server::start(&configs::built_in());
    for body in bodies {
        let answer = server.send(&Request::new("POST /users/").json(body));
        assert_eq!(
            answer.body_text(),
            r#"{"error":"The body begins with a byte order mark. Send it as UTF-8 without one"}"#
        );
    }
}

#[test]
fn a_string_with_u_0000_does_not_validate() {
    let server = Server::start(&configs::built_in());
    for value in [r#""\u0000""#, r#""a\u0000b""#, r#""\u0000\u0000""#] {
        server.faults(
            &format!(r#"POST /users/ {{"first_name":{value},"last_name":"Doe"}}"#),
            "first_name does not validate",
        );
    }
    server.create_user("John", "Doe");
    server.faults(r#"PUT /users/1/ {"last_name":"x\u0000"}"#, "last_name does not validate");
    assert_eq!(server.ids("/users/?last_name=Doe"), [1]);
}

#[test]
fn strings_that_are_not_unicode_are_refused() {
    let mut bodies = text(&[
        r#"{"first_name":"\ud800","last_name":"Doe"}"#,
        r#"{"first_name":"\udc00\ud800","last_name":"Doe"}"#,
        r#"{"first_name":"\ud83c","last_name":"Doe"}"#,
    ]);
    for bad in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"] {
        let mut body = br#"{"first_name":""#.to_vec();
        body.extend(bad);
        body.extend(br#"","last_name":"Doe"}"#);
        bodies.push(body);
    }
    all_refused(&bodies);
}

#[test]
fn raw_control_characters_are_refused() {
    all_refused(&text(&[
        "{\"first_name\":\"a\0b\",\"last_name\":\"Doe\"}",
        "{\"first_name\":\"a\nb\",\"last_name\":\"Doe\"}",
        "\0",
        "{\"first_name\"\0:\"a\",\"last_name\":\"Doe\"}",
    ]));
}

#[test]
fn numbers_beyond_all_measure_are_refused() {
    let digits = "9".repeat(100_000);
    all_refused(&text(&[
        r#"{"address":9223372036854775808,"first_name":"a","last_name":"b"}"#,
        r#"{"address":-9223372036854775809,"first_name":"a","last_name":"b"}"#,
        r#"{"address":1e400,"first_name":"a","last_name":"b"}"#,
        r#"{"address":1.0,"first_name":"a","last_name":"b"}"#,
        r#"{"address":true,"first_name":"a","last_name":"b"}"#,
        &format!(r#"{{"address":{digits},"first_name":"a","last_name":"b"}}"#),
        &format!(r#"{{"address":0.{digits},"first_name":"a","last_name":"b"}}"#),
        &format!(r#"{{"address":1e{digits},"first_name":"a","last_name":"b"}}"#),
    ]));
}

#[test]
fn many_members_are_refused() {
    let members: Vec<String> = (0..20_000).map(|number| format!(r#""m{number}":1"#)).collect();
    let same = vec![r#""first_name":"a""#; 20_000];
    let long = "x".repeat(500_000);
    all_refused(&text(&[
        &format!("{{{}}}", members.join(",")),
        &format!("{{{}}}", same.join(",")),
        &format!(r#"{{"{long}":1}}"#),
    ]));
}

#[test]
fn a_huge_unknown_member_is_not_sent_back_whole() {
    let server = Server::start(&configs::built_in());
    let body = format!(r#"{{"{}":1}}"#, "x".repeat(500_000));
    let message = server.refuses_request(&Request::new("POST /users/").json(body), 400);
    assert!(message.contains("is not a field of users"), "{} bytes", message.len());
}

#[test]
fn sql_in_values_is_only_text() {
    let server = Server::start(&configs::built_in());
    let names = ["'; DROP TABLE users; --", "\" OR 1=1 --", "%", "_", "?1", ":a", "$1", "NULL", "\\"];
    for name in names {
        let id = server.create_user("x", name);
        let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        assert_eq!(server.ids(&format!("/users/?last_name={encoded}")), [id]);
    }
    assert_eq!(server.total("/users/"), names.len() as i64);
    server.refuses("GET /users/?last_name%22%3D1--=1", 400);
}
