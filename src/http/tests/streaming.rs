//! Answers that are made while they are sent.

use std::io::Read;

use futures_util::FutureExt;

use super::*;

impl Client {
    /// The next chunk of a body; `None` for the last one.
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(self.0.read_u8().await.expect("a chunk"));
        }
        let length = usize::from_str_radix(str::from_utf8(&line).unwrap().trim_end(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        self.0.read_exact(&mut chunk).await.unwrap();
        chunk.truncate(length);
        (length > 0).then_some(chunk)
    }
}

/// What can be read of a part of a compressed body.
fn decoded(coding: &str, mut bytes: &[u8]) -> String {
    let mut reader: Box<dyn Read> = match coding {
        "gzip" => Box::new(flate2::read::GzDecoder::new(&mut bytes)),
        _ => Box::new(zstd::stream::read::Decoder::new(&mut bytes).unwrap()),
    };
    let (mut text, mut buffer) = (Vec::new(), [0; 1000]);
    while let Ok(length @ 1..) = reader.read(&mut buffer) {
        text.extend_from_slice(&buffer[..length]);
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn what_is_sent_arrives_before_the_stream_ends() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/stream")).await;
    let stream = server.stream().await;
    let head = client.answer().await;
    assert_eq!(field(&head, "transfer-encoding"), Some("chunked"));
    assert_eq!(field(&head, "content-length"), None);
    for piece in ["first", "second"] {
        stream.send(Bytes::from(piece)).await.unwrap();
        assert_eq!(client.chunk().await.unwrap(), piece.as_bytes());
    }
    stream.finish();
    assert_eq!(client.chunk().await, None);
    client.send(&get("/hello")).await;
    assert_eq!(status(&client.answer().await), "200");
}

#[tokio::test]
async fn what_is_compressed_can_be_read_before_the_stream_ends() {
    let server = Running::start(Settings::default()).await;
    for coding in ["gzip", "zstd"] {
        let mut client = server.connect().await;
        let fields = format!("Host: test\r\nAccept-Encoding: {coding}\r\n");
        client.send(&format!("GET /stream HTTP/1.1\r\n{fields}\r\n")).await;
        let stream = server.stream().await;
        let head = client.answer().await;
        assert_eq!(field(&head, "content-encoding"), Some(coding));
        assert_eq!(field(&head, "vary"), Some("Accept-Encoding"));
        let (mut bytes, mut text) = (Vec::new(), String::new());
        for line in ["one line of many\n", "another line\n"] {
            // More than the window of a stream: what waits inside a compressor must not block it.
            text.push_str(&line.repeat(20_000));
            let sending = stream.send(Bytes::from(line.repeat(20_000)));
            let reading = async {
                while decoded(coding, &bytes) != text {
                    bytes.extend(client.chunk().await.expect("more"));
                }
            };
            let (sent, ()) = tokio::join!(sending, reading);
            assert_eq!(sent, Ok(()));
        }
        stream.finish();
        while let Some(chunk) = client.chunk().await {
            bytes.extend(chunk);
        }
        assert_eq!(decoded(coding, &bytes), text);
    }
}

#[tokio::test]
async fn head_has_no_body_and_its_producer_is_told() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send("HEAD /stream HTTP/1.1\r\nHost: test\r\n\r\n").await;
    let stream = server.stream().await;
    let head = client.answer().await;
    assert_eq!((status(&head), field(&head, "content-length")), ("200", None));
    stream.closed().await;
    assert_eq!(stream.send(Bytes::from("x")).await, Err(Gone));
    client.send(&get("/hello")).await;
    assert_eq!(status(&client.answer().await), "200");
}

#[tokio::test]
async fn no_client_takes_a_part_for_the_whole() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/stream")).await;
    let stream = server.stream().await;
    client.answer().await;
    stream.send(Bytes::from("a part")).await.unwrap();
    assert_eq!(client.chunk().await.unwrap(), b"a part");
    drop(stream);
    assert_eq!(client.until_closed().await, "", "not even the last chunk");

    // Without chunks the end of the connection is that of the body, unless it is reset.
    for is_whole in [true, false] {
        let mut old = server.connect().await;
        old.send("GET /stream HTTP/1.0\r\n\r\n").await;
        let stream = server.stream().await;
        let head = old.answer().await;
        assert_eq!(field(&head, "transfer-encoding"), None);
        stream.send(Bytes::from("a part")).await.unwrap();
        let mut part = [0; 6];
        old.0.read_exact(&mut part).await.unwrap();
        if is_whole {
            stream.finish();
            assert_eq!(old.until_closed().await, "");
        } else {
            drop(stream);
            assert_eq!(old.0.read_u8().await.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
        }
    }
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_let_go_and_a_stream_without_news_is_not() {
    let settings = Settings { write_timeout: SOON, idle_timeout: SOON, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut quiet = server.connect().await;
    quiet.send(&get("/stream")).await;
    let quiet_stream = server.stream().await;
    quiet.answer().await;
    quiet_stream.send(Bytes::from("first")).await.unwrap();
    quiet.chunk().await.unwrap();

    let mut resting = server.connect().await;
    resting.send(&get("/hello")).await;
    resting.answer().await;
    assert_eq!(resting.until_closed().await, "");
    let mut stuck = server.connect().await;
    stuck.send(&get("/stream")).await;
    let stuck_stream = server.stream().await;
    let sending = async { while stuck_stream.send(Bytes::from(vec![b'x'; 100_000])).await.is_ok() {} };
    tokio::time::timeout(NEVER, sending).await.expect("the client is cut");

    quiet_stream.send(Bytes::from("second")).await.unwrap();
    assert_eq!(quiet.chunk().await.unwrap(), b"second");
    quiet_stream.finish();
    assert_eq!(quiet.chunk().await, None);
    assert_eq!(quiet.until_closed().await, "", "it rests now like any other");
}

#[tokio::test]
async fn stopping_ends_streams_that_listen_and_cuts_those_that_do_not() {
    for listens in [true, false] {
        let settings = Settings { drain: if listens { NEVER } else { SOON }, ..Settings::default() };
        let server = Running::start(settings).await;
        let mut client = server.connect().await;
        client.send(&get("/stream")).await;
        let stream = server.stream().await;
        client.answer().await;
        assert!(stream.stopping().now_or_never().is_none());
        server.stop.send(()).unwrap();
        stream.stopping().await;
        stream.send(Bytes::from("bye")).await.unwrap();
        if listens {
            stream.finish();
            assert_eq!(client.until_closed().await, "3\r\nbye\r\n0\r\n\r\n");
            assert_eq!(server.done.await.unwrap(), 0);
        } else {
            assert_eq!(client.until_closed().await, "3\r\nbye\r\n");
            assert_eq!(server.done.await.unwrap(), 1);
        }
    }
}

#[tokio::test]
async fn a_stream_is_in_flight_until_it_ends_and_reported_then() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/stream")).await;
    let stream = server.stream().await;
    client.answer().await;
    stream.send(Bytes::from("first")).await.unwrap();
    client.chunk().await.unwrap();
    let open = server.observer.metrics_text();
    assert!(open.contains("http_server_active_requests 1\n"), "{open}");
    assert!(!open.contains("status=\"200\""), "{open}");
    stream.send(Bytes::from("second")).await.unwrap();
    stream.finish();
    while client.chunk().await.is_some() {}
    let ended = server.observer.metrics_text();
    assert!(ended.contains("http_server_active_requests 0\n"), "{ended}");
    assert!(ended.contains("status=\"200\""), "{ended}");
    server.observer.flush();
    let lines = String::from_utf8(server.lines.0.lock().clone()).unwrap();
    assert!(lines.contains("\"path\":\"/stream\"") && lines.contains("\"bytes\":11"), "{lines}");
}
