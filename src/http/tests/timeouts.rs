//! What is too slow.

use super::*;

#[tokio::test]
async fn a_slow_body_is_refused() {
    let settings = Settings { body_timeout: SOON, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut client = server.connect().await;
    client.send(&post("/echo", "Content-Length: 5\r\n", "1234")).await;
    let answer = client.answer().await;
    assert_eq!(status(&answer), "408");
    assert_eq!(field(&answer, "connection"), Some("close"));
}

#[tokio::test]
async fn a_head_that_never_ends_ends_the_connection() {
    let settings = Settings { header_timeout: SOON, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut silent = server.connect().await;
    let mut slow = server.connect().await;
    slow.send("GET /hello HT").await;
    let mut slow_later = server.connect().await;
    slow_later.send(&get("/hello")).await;
    slow_later.answer().await;
    slow_later.send("GET /hello HT").await;
    assert_eq!(silent.until_closed().await, "");
    for client in [&mut slow, &mut slow_later] {
        let answer = client.until_closed().await;
        assert_eq!(status(&answer), "408", "{answer}");
        assert_eq!(field(&answer, "connection"), Some("close"));
        assert!(answer.ends_with("HeadTooSlow"), "{answer}");
    }
}

#[tokio::test]
async fn drops_of_a_head_do_not_prolong_it() {
    let settings = Settings { header_timeout: SOON, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut client = server.connect().await;
    client.send(&get("/hello")).await;
    client.answer().await;
    let dripping = async {
        // Ends with the connection: a write fails once the server is gone.
        while client.0.write_all(b"G").await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(NEVER, dripping).await.unwrap();
}

#[tokio::test]
async fn resting_between_requests_is_another_matter() {
    // The idle time alone is short, then the head's alone: each counts for its own.
    let impatient = Running::start(Settings { idle_timeout: SOON, ..Settings::default() }).await;
    let mut client = impatient.connect().await;
    client.send(&get("/hello")).await;
    client.answer().await;
    assert_eq!(client.until_closed().await, "");

    let patient = Running::start(Settings { header_timeout: SOON, ..Settings::default() }).await;
    let mut resting = patient.connect().await;
    resting.send(&get("/hello")).await;
    resting.answer().await;
    // Some clients send an empty line behind a body: no request has begun with it.
    let mut old = patient.connect().await;
    old.send(&post("/echo", "Content-Length: 5\r\n", "12345\r\n")).await;
    old.answer().await;
    // Whoever says nothing at all is gone when the resting one is still welcome.
    patient.connect().await.until_closed().await;
    for client in [&mut resting, &mut old] {
        client.send(&get("/hello")).await;
        assert_eq!(status(&client.answer().await), "200");
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_let_go() {
    let settings = Settings { write_timeout: SOON, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut client = server.connect().await;
    client.send(&get("/large")).await;
    // Nothing is read until the server has no connection left.
    let gone = async {
        while !server.observer.metrics_text().contains("open_connections 0\n")
            || !server.observer.metrics_text().contains("status=\"200\"")
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(NEVER, gone).await.unwrap();
}
