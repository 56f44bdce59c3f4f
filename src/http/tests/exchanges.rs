//! Requests and the answers they get.

use super::*;

#[tokio::test]
async fn an_answer_is_marked_and_the_connection_goes_on() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/hello")).await;
    let first = client.answer().await;
    assert!(first.starts_with("HTTP/1.1 200 OK\r\n") && first.ends_with("\r\n\r\n\"hello\""));
    assert_eq!(field(&first, "content-type"), Some("application/json"));
    client.send(&get("/hello")).await;
    let second = client.answer().await;
    let (first_id, second_id) = (field(&first, "x-request-id"), field(&second, "x-request-id"));
    assert!(first_id.is_some() && second_id.is_some() && first_id != second_id);
    client.send("GET /hello HTTP/1.1\r\nHost: test\r\nX-Request-Id: mine-1\r\n\r\n").await;
    let third = client.answer().await;
    assert_eq!(field(&third, "x-request-id"), Some("mine-1"));
}

#[tokio::test]
async fn head_has_the_length_and_no_body_and_empty_answers_say_so() {
    let server = Running::start(Settings::default()).await;
    let head = "HEAD /hello HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    let mut client = server.connect().await;
    client.send(head).await;
    let answer = client.until_closed().await;
    assert_eq!(field(&answer, "content-length"), Some("7"));
    assert!(answer.ends_with("\r\n\r\n"));

    let created = server.ask(&get("/empty")).await;
    assert_eq!(status(&created), "201");
    assert_eq!(field(&created, "content-length"), Some("0"));
    assert_eq!(field(&created, "content-type"), Some("application/json"));

    let nothing = server.ask(&get("/nothing")).await;
    assert_eq!(status(&nothing), "204");
    assert_eq!(field(&nothing, "content-length"), None);
    assert_eq!(field(&nothing, "content-type"), None);
}

#[tokio::test]
async fn connection_close_closes() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/elsewhere")).await;
    let answer = client.until_closed().await;
    assert_eq!(status(&answer), "404");
    assert_eq!(field(&answer, "connection"), Some("close"));
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    let echo = |number: usize| {
        let body = number.to_string();
        post("/echo", &format!("Content-Length: {}\r\n", body.len()), &body)
    };
    client.send(&(0..1000).map(echo).collect::<String>()).await;
    for number in 0..1000 {
        let answer = client.answer().await;
        assert!(answer.ends_with(&format!("\r\n\r\n{number}")), "{answer}");
    }
}

#[tokio::test]
async fn a_client_may_close_its_side_before_the_answer() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/wait")).await;
    client.0.shutdown().await.unwrap();
    server.tiny.entered.notified().await;
    server.tiny.release.notify_one();
    assert!(client.until_closed().await.ends_with("\"waited\""));
}

#[tokio::test]
async fn origin_and_client_are_the_clients_view() {
    let server = Running::start(Settings::default()).await;
    let forwarded = "X-Forwarded-For: 198.51.100.9\r\nX-Forwarded-Proto: https\r\n\
                     X-Forwarded-Host: book.example\r\n";
    let request = format!("GET /about HTTP/1.1\r\nHost: test:81\r\n{forwarded}\r\n");
    let answer = server.ask(&request).await;
    assert!(answer.ends_with("\r\n\r\nhttp://test:81 127.0.0.1"), "{answer}");
    let absolute = "GET http://other/about HTTP/1.1\r\nHost: test\r\n\r\n";
    assert!(server.ask(absolute).await.ends_with("http://other 127.0.0.1"));
    let old = server.ask("GET /about HTTP/1.0\r\n\r\n").await;
    assert!(old.ends_with(&format!("http://{} 127.0.0.1", server.address)));

    let settings = Settings { trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()], ..Settings::default() };
    let trusting = Running::start(settings).await;
    let answer = trusting.ask(&request).await;
    assert!(answer.ends_with("\r\n\r\nhttps://book.example 198.51.100.9"), "{answer}");
}

#[tokio::test]
async fn a_body_that_nobody_reads_does_not_end_the_connection() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send("GET /hello HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n").await;
    client.send("12345").await;
    assert_eq!(status(&client.answer().await), "200");
    client.send(&get("/hello")).await;
    assert_eq!(status(&client.answer().await), "200");

    // Asked for only by whoever wants it.
    client.send(&post("/hello", "Expect: 100-continue\r\nContent-Length: 5\r\n", "")).await;
    let answer = client.until_closed().await;
    assert_eq!(status(&answer), "200");
    assert_eq!(field(&answer, "connection"), Some("close"));
    let mut client = server.connect().await;
    client.send(&post("/echo", "Expect: 100-continue\r\nContent-Length: 5\r\n", "")).await;
    assert_eq!(status(&client.answer().await), "100");
    client.send("12345").await;
    assert!(client.answer().await.ends_with("12345"));
}

#[tokio::test]
async fn a_panic_is_one_answer() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&get("/panic")).await;
    assert_eq!(status(&client.answer().await), "500");
    client.send(&get("/hello")).await;
    assert_eq!(status(&client.answer().await), "200");
}

#[tokio::test]
async fn what_is_to_be_sent_as_it_is_is_not_compressed() {
    let server = Running::start(Settings::default()).await;
    for (path, length) in [("/compressible", None), ("/secret", Some("4096"))] {
        let mut client = server.connect().await;
        let request = format!(
            "HEAD {path} HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        );
        client.send(&request).await;
        let answer = client.until_closed().await;
        assert_eq!(field(&answer, "content-encoding").is_none(), length.is_some(), "{answer}");
        assert_eq!(field(&answer, "content-length").filter(|said| *said == "4096"), length, "{answer}");
    }
}
