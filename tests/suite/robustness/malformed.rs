//! What is not HTTP: refused bare or cut off, and the next client notices nothing.

use crate::support::configs;
use crate::support::server::Server;

/// Sends bytes, says that no more will come, and gives whatever the server says before it closes.
fn say(server: &Server, bytes: &[u8]) -> String {
    let mut client = server.client();
    client.write(bytes).unwrap();
    client.finish_writing();
    String::from_utf8_lossy(&client.read_to_end()).into_owned()
}

#[test]
fn a_head_that_cannot_be_read_gets_a_bare_400_and_the_end() {
    let server = Server::start(&configs::built_in());
    for head in [
        "GARBAGE\r\n\r\n",
        "GET\r\n\r\n",
        "GET /users/\r\n\r\n",
        "GET /users/ HTTP/9.9\r\n\r\n",
        "GET /users/ FTP/1.1\r\n\r\n",
        "GET /us ers/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /users/ HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n",
        "GET /users/ HTTP/1.1\r\nHost: x\r\nName : value\r\n\r\n",
        "GET /users/ HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
        "POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        "POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "{\"first_name\":\"John\"}\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01",
    ] {
        let answer = say(&server, head.as_bytes());
        let refused =
            answer.is_empty() || answer.starts_with("HTTP/1.1 400 ") || answer.starts_with("HTTP/1.0 400 ");
        assert!(refused, "{head:?}: {answer}");
        assert_eq!(server.status("GET /users/"), 200, "after {head:?}");
    }
}

#[test]
fn a_body_that_breaks_off_stores_nothing() {
    let server = Server::start(&configs::built_in());
    let body = r#"{"first_name":"John","last_name":"Doe"}"#;
    for request in [
        format!("POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{body}"),
        format!(
            "POST /users/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n",
            body.len()
        ),
        format!(
            "POST /users/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{body}\r\n0\r\n\r\n"
        ),
    ] {
        let answer = say(&server, request.as_bytes());
        assert!(!answer.contains(" 201 "), "{answer}");
        assert_eq!(server.total("/users/"), 0);
    }
}

#[test]
fn a_length_and_chunks_at_once_do_not_smuggle_a_request() {
    let server = Server::start(&configs::built_in());
    let inner = "POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: 39\r\n\r\n{\"first_name\":\"John\",\"last_name\":\"Doe\"}";
    let request = format!(
        "GET /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
        inner.len() + 5
    );
    say(&server, request.as_bytes());
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn a_client_that_leaves_in_the_middle_of_anything_harms_nobody() {
    let server = Server::start(&configs::built_in());
    let request = b"POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Length: 39\r\n\r\n{\"first_name\":\"John\",\"last_name\":\"Doe\"";
    for length in 0..=request.len() {
        let mut client = server.client();
        client.write(&request[..length]).unwrap();
    }
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn http_1_0_is_answered_too() {
    let server = Server::start(&configs::built_in());
    let answer = say(&server, b"GET /users/ HTTP/1.0\r\nHost: x\r\n\r\n");
    assert!(answer.contains(" 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with(r#""object_list":[]}"#), "{answer}");
}
