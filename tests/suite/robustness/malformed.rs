//! What is not HTTP: refused bare or cut off, and the next client notices nothing.

use dev::configs;

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

/// Nobody says that no more will come: whoever speaks another protocol waits for an answer.
#[test]
fn what_is_not_http_is_refused_without_waiting_for_the_end_of_a_head() {
    let server = Server::start(&configs::built_in());
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"SSH-2.0-OpenSSH_9\r\n",
        b"GET /users/\r\n",
        b"\r\n\x80",
    ] {
        let mut client = server.client();
        client.write(bytes).unwrap();
        let answer = String::from_utf8_lossy(&client.read_to_end()).into_owned();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{bytes:?}: {answer}");
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

/// What a person types into an address, and programs that do not encode it.
#[test]
fn a_url_with_a_character_that_must_be_encoded_is_refused_with_the_way_to_write_it() {
    let server = Server::start(&configs::built_in());
    let percent = "which must be percent-encoded: write";
    let bytes = "as it is. Write the URL in UTF-8, and percent-encode it";
    for (target, words) in [
        (&b"/users/?last_name=Van Gogh"[..], format!("The URL has a space, {percent} %20")),
        (b"/us ers/", format!("The URL has a space, {percent} %20")),
        (b"/users/?last_name=a<b", format!("The URL has a < {percent} %3C")),
        (b"/users/?last_name=\"Doe\"", format!("The URL has a \" {percent} %22")),
        (b"/users/<1>", format!("The URL has a < {percent} %3C")),
        (b"/users/?last_name=\xe9", format!("The URL has the byte %E9 {bytes}")),
        (b"/users/?last_name=\x01", format!("The URL has the byte %01 {bytes}")),
    ] {
        let request = [b"GET ", target, b" HTTP/1.1\r\nHost: x\r\nX-Request-Id: typed\r\n\r\n"].concat();
        let mut client = server.client();
        client.write(&request).unwrap();
        let answer = client.read("GET").unwrap();
        answer.keeps_its_promises("GET");
        assert_eq!((answer.status, answer.error()), (400, words));
        assert_eq!(answer.header("X-Request-Id"), Some("typed"));
        assert_eq!(answer.header("Connection"), Some("close"));
    }
    // Whatever is not refused by the library stays as it was.
    for byte in 0x21..=0xff_u8 {
        let target = [b"/users/?last_name=", &[byte][..]].concat();
        let mut client = server.client();
        client.write(&[b"GET ", &target[..], b" HTTP/1.1\r\nHost: x\r\n\r\n"].concat()).unwrap();
        let answer = client.read("GET").unwrap();
        answer.keeps_its_promises("GET");
        assert!(answer.status == 200 || answer.status == 400, "{byte}: {answer:?}");
    }
}

#[test]
fn a_head_that_is_too_long_is_refused_with_its_limit() {
    let server = Server::start(&configs::built_in());
    for (fields, words) in [
        (
            format!("X: {}\r\n", "x".repeat(64 * 1024)),
            "The request line and the header fields are longer than 65536 bytes together",
        ),
        ("X: x\r\n".repeat(100), "The request has more than 100 header fields"),
    ] {
        for body in ["Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n", ""] {
            let mut client = server.client();
            let head = format!("POST /users/ HTTP/1.1\r\nHost: x\r\n{fields}{body}\r\n{{}}");
            client.write_meanwhile(head.into_bytes());
            let answer = client.read("POST").unwrap();
            answer.keeps_its_promises("POST");
            assert_eq!((answer.status, answer.error().as_str()), (431, words));
        }
    }
    // A long one with a body in chunks is read like any other.
    let mut client = server.client();
    let body = r#"{"first_name":"John","last_name":"Doe"}"#;
    let long = format!("X: {}\r\n", "x".repeat(60_000));
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let head =
        format!("POST /users/ HTTP/1.1\r\nHost: x\r\n{long}Transfer-Encoding: chunked\r\n\r\n{chunks}");
    client.write_meanwhile(head.into_bytes());
    assert_eq!(client.read("POST").unwrap().status, 201);
}
