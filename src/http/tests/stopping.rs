//! How the server stops.

use super::*;

#[tokio::test]
async fn stopping_answers_what_is_in_flight_and_closes_what_rests() {
    let server = Running::start(Settings::default()).await;
    let mut resting = server.connect().await;
    resting.send(&get("/hello")).await;
    resting.answer().await;
    let mut waiting = server.connect().await;
    waiting.send(&get("/wait")).await;
    server.tiny.entered.notified().await;

    server.stop.send(()).unwrap();
    assert_eq!(resting.until_closed().await, "");
    assert!(TcpStream::connect(server.address).await.is_err());
    server.tiny.release.notify_one();
    let answer = waiting.until_closed().await;
    assert!(answer.ends_with("\"waited\""));
    assert_eq!(field(&answer, "connection"), Some("close"));
    assert_eq!(server.done.await.unwrap(), 0);
}

#[tokio::test]
async fn a_request_sent_before_the_stop_is_answered() {
    let server = Running::start(Settings::default()).await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = server.connect().await;
        client.send(&get("/hello")).await;
        clients.push(client);
    }
    server.stop.send(()).unwrap();
    for mut client in clients {
        assert_eq!(status(&client.until_closed().await), "200");
    }
    assert_eq!(server.done.await.unwrap(), 0);
}

#[tokio::test]
async fn stopping_does_not_wait_for_ever() {
    let settings = Settings { drain: SOON, ..Settings::default() };
    let server = Running::start(settings).await;
    let mut client = server.connect().await;
    client.send(&get("/for-ever")).await;
    server.tiny.entered.notified().await;
    server.stop.send(()).unwrap();
    assert_eq!(server.done.await.unwrap(), 1);
    assert_eq!(client.until_closed().await, "");
}
