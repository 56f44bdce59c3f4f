//! What is too large or too many.

use super::*;

#[tokio::test]
async fn a_request_must_name_one_host() {
    let server = Running::start(Settings::default()).await;
    for (fields, expected) in [
        ("", "400"),
        ("Host: a\r\nHost: a\r\n", "400"),
        ("Host: a/b\r\n", "400"),
        ("Host: me@a\r\n", "400"),
        ("Host:\r\n", "400"),
        ("Host: [::1]:8080\r\n", "200"),
    ] {
        let request = format!("GET /hello HTTP/1.1\r\n{fields}\r\n");
        assert_eq!(status(&server.ask(&request).await), expected, "{fields}");
    }
    let old = server.ask("GET /hello HTTP/1.0\r\n\r\n").await;
    assert_eq!(status(&old), "200");
}

#[tokio::test]
async fn a_long_url_is_refused() {
    let server = Running::start(Settings::default()).await;
    let longest = format!("/hello?{}", "x".repeat(8 * 1024 - 7));
    assert_eq!(status(&server.ask(&get(&longest)).await), "200");
    let mut client = server.connect().await;
    client.send(&get(&(longest + "x"))).await;
    assert_eq!(status(&client.until_closed().await), "414");

    let mut client = server.connect().await;
    let long = "x".repeat(200_000);
    let request = format!("GET /hello HTTP/1.1\r\nHost: test\r\nX-Long: {long}\r\n\r\n");
    client.send(&request).await;
    assert_eq!(status(&client.until_closed().await), "431");
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused_before_it_is_sent() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    client.send(&post("/elsewhere", "Content-Length: 1048577\r\n", "")).await;
    assert_eq!(status(&client.answer().await), "413");
}

#[tokio::test]
async fn a_client_that_sends_all_of_a_refused_body_still_reads_the_answer() {
    let server = Running::start(Settings::default()).await;
    let mut client = server.connect().await;
    let body = "x".repeat(4 * 1024 * 1024);
    let request = post("/echo", &format!("Content-Length: {}\r\n", body.len()), &body);
    client.send(&request).await;
    let answer = client.until_closed().await;
    assert_eq!(status(&answer), "413");
    assert_eq!(field(&answer, "connection"), Some("close"));
}

#[tokio::test]
async fn chunks_are_counted_as_they_arrive() {
    let settings = Settings { max_body: 10, ..Settings::default() };
    let server = Running::start(settings).await;
    let chunked = "Transfer-Encoding: chunked\r\n";
    let fitting = "5\r\nabcde\r\n5\r\nfghij\r\n0\r\n\r\n";
    let answer = server.ask(&post("/echo", chunked, fitting)).await;
    assert!(answer.ends_with("\r\n\r\nabcdefghij"));
    let mut client = server.connect().await;
    client.send(&post("/echo", chunked, "5\r\nabcde\r\n6\r\nfghijk\r\n")).await;
    assert_eq!(status(&client.until_closed().await), "413");
    let mut client = server.connect().await;
    client.send(&post("/echo", chunked, "nonsense\r\n")).await;
    assert_eq!(status(&client.until_closed().await), "400");
}

#[tokio::test]
async fn one_connection_too_many_is_told_so() {
    let settings = Settings { max_connections: 1, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut first = server.connect().await;
    first.send(&get("/hello")).await;
    first.answer().await;
    let mut second = server.connect().await;
    second.send(&get("/hello")).await;
    let answer = second.until_closed().await;
    assert_eq!(status(&answer), "503");
    assert!(answer.ends_with("TooManyConnections"));
    first.send(&get("/hello")).await;
    assert_eq!(status(&first.answer().await), "200");
    assert!(server.observer.metrics_text().contains("refused_connections_total 1\n"));
}
