//! Requests that announce their length twice, behind others on the same connection, however their bytes are cut: each
//! is refused, and what is inside it is never done.

use dev::client::Client;
use dev::configs;

use crate::support::server::Server;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;
const TWO_LENGTHS: &str = "The request has both Content-Length and Transfer-Encoding. Send one of them";

/// A body in chunks.
fn chunks(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
}

/// Creates that say two things about their length.
fn shapes() -> Vec<String> {
    let length = JOHN.len();
    let fields = [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"),
        "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n".to_owned(),
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n".to_owned(),
        "content-length: 5\r\ntransfer-encoding: chunked\r\n".to_owned(),
        "TRANSFER-ENCODING:CHUNKED\r\nCONTENT-LENGTH:5\r\n".to_owned(),
        "Transfer-Encoding:\tchunked\r\nX-Between: x\r\nContent-Length:  5 \r\n".to_owned(),
        format!("X-Long: {}\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", "x".repeat(20_000)),
        format!("Transfer-Encoding: chunked\r\nX-Long: {}\r\nContent-Length: 5\r\n", "x".repeat(40_000)),
        "Content-Length: 5\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n".to_owned(),
        "Content-Length: 18446744073709551615\r\nTransfer-Encoding: chunked\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\nContent-Length: nonsense\r\n".to_owned(),
    ];
    let head = "POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    fields.iter().map(|fields| format!("{head}{fields}\r\n{}", chunks(JOHN))).collect()
}

/// What may stand before it on the same connection, and with which statuses it is answered.
fn before() -> Vec<(String, &'static [u16])> {
    let post = "POST /users/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let nobody = r#"{"first_name":1}"#;
    let sized = format!("{post}Content-Length: {}\r\n\r\n{nobody}", nobody.len());
    let chunked = format!("{post}Transfer-Encoding: chunked\r\n\r\n{}", chunks(nobody));
    let trailed = format!(
        "{post}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n{}",
        &nobody[..2],
        chunks(&nobody[2..]).replace("0\r\n\r\n", "0\r\nX: y\r\nZ: \n\r\n\r\n")
    );
    let get = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let ignored = "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\nPOST / \r\n".to_owned();
    vec![
        (String::new(), &[]),
        (get.clone(), &[200]),
        (sized.clone(), &[400]),
        (chunked.clone(), &[400]),
        (trailed, &[400]),
        (ignored, &[200]),
        (format!("{get}{sized}{chunked}{sized}{get}"), &[200, 400, 400, 400, 200]),
    ]
}

#[track_caller]
fn is_refused(client: &mut Client, earlier: &[u16], shown: &str) {
    for status in earlier {
        let answer = client.read("POST").unwrap_or_else(|error| panic!("{error}: {shown}"));
        assert_eq!(answer.status, *status, "{shown}\n{answer:?}");
    }
    let answer = client.read("POST").unwrap_or_else(|error| panic!("{error}: {shown}"));
    assert_eq!((answer.status, answer.error().as_str()), (400, TWO_LENGTHS), "{shown}");
}

#[test]
fn a_request_of_two_lengths_is_refused_behind_whatever_it_comes() {
    let server = Server::start(&configs::built_in());
    for shape in shapes() {
        for (earlier, statuses) in before() {
            let bytes = format!("{earlier}{shape}");
            let shown: String = bytes.chars().take(300).collect();
            // The end of what stands before it, and places around it, in the head and in the body.
            let edge = earlier.len();
            let cuts =
                [0, 1, edge / 2, edge.saturating_sub(3), edge.saturating_sub(1), edge, edge + 1, edge + 60];
            for cut in cuts {
                let mut client = server.client();
                client.write(&bytes.as_bytes()[..cut]).unwrap();
                client.write(&bytes.as_bytes()[cut..]).unwrap();
                is_refused(&mut client, statuses, &format!("cut at {cut}: {shown}"));
            }
        }
    }
    assert_eq!(server.total("/users/"), 0);
}

/// The first part is certainly read before the second is sent, since its sender waits to be asked for the body.
#[test]
fn a_request_of_two_lengths_is_refused_in_one_packet_with_the_body_before_it() {
    let server = Server::start(&configs::built_in());
    let nobody = r#"{"first_name":1}"#;
    for shape in shapes() {
        for (fields, body) in [
            (format!("Content-Length: {}\r\n", nobody.len()), nobody.to_owned()),
            ("Transfer-Encoding: chunked\r\n".to_owned(), chunks(nobody)),
        ] {
            let head = format!("POST /users/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n{fields}\r\n");
            let mut client = server.client();
            client.write(head.as_bytes()).unwrap();
            assert_eq!(client.read_one("POST").unwrap().status, 100);
            client.write(format!("{body}{shape}").as_bytes()).unwrap();
            is_refused(&mut client, &[400], &shape.chars().take(300).collect::<String>());
        }
    }
    assert_eq!(server.total("/users/"), 0);
}

/// Honest requests in the same places are all answered, on one connection.
#[test]
fn requests_with_bodies_of_every_kind_follow_each_other_however_they_are_cut() {
    let server = Server::start(&configs::built_in());
    let all: Vec<(String, &[u16])> = before();
    let bytes: String = all.iter().map(|(bytes, _)| bytes.as_str()).collect();
    let statuses: Vec<u16> = all.iter().flat_map(|(_, statuses)| statuses.iter().copied()).collect();
    for cut in 0..=bytes.len() {
        let mut client = server.client();
        client.write(&bytes.as_bytes()[..cut]).unwrap();
        client.write(&bytes.as_bytes()[cut..]).unwrap();
        for status in &statuses {
            assert_eq!(client.read("POST").unwrap().status, *status, "cut at {cut}");
        }
        assert_eq!((client.ask("GET /livez").status, client.opened()), (200, 1));
    }
}
