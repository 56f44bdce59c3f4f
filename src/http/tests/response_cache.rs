//! Answers that are given again.

use super::*;

/// More than twice: the second time an answer is kept.
const TIMES: usize = 4;
/// Nearly as long as any that is kept.
const LONG: &str = "/lasting?16000";

async fn start() -> Running {
    Running::start(keeping()).await
}

fn keeping() -> Settings {
    Settings { kept_answers: 1 << 20, ..Settings::default() }
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

/// How many answers were made while this request was sent a few times, each on a connection of its own.
async fn made(server: &Running, request: &str) -> u64 {
    let before = server.tiny.made.load(Relaxed);
    for _ in 0..TIMES {
        assert_eq!(status(&server.ask(request).await), "200", "{request}");
    }
    server.tiny.made.load(Relaxed) - before
}

/// Has the answer to this kept, and tells it.
async fn kept(server: &Running, path: &str) -> String {
    assert_eq!(made(server, &get(path)).await, 2);
    body(&server.ask(&get(path)).await).to_owned()
}

#[tokio::test]
async fn an_answer_is_given_again_from_the_third_time_on_until_the_version_rises() {
    let server = start().await;
    for round in 0..2 {
        let mut client = server.connect().await;
        let mut answers = Vec::new();
        for _ in 0..TIMES {
            client.send(&get("/lasting")).await;
            answers.push(client.answer().await);
        }
        let bodies: Vec<&str> = answers.iter().map(|answer| body(answer)).collect();
        let made = [0, 1, 1, 1].map(|made| (2 * round + made).to_string());
        assert_eq!(bodies, made);
        // The same fields in the same order but for the values that are another each time.
        let fields = |answer: &str| -> Vec<String> {
            let own = |line: &&str| !line.starts_with("date: ") && !line.starts_with("x-request-id: ");
            answer.lines().map(|line| if own(&line) { line } else { &line[..6] }.to_owned()).collect()
        };
        assert_eq!(fields(&answers[1]), fields(&answers[2]));
        let ids: std::collections::HashSet<_> =
            answers.iter().map(|answer| field(answer, "x-request-id").unwrap()).collect();
        assert_eq!(ids.len(), TIMES);
        assert!(
            answers.iter().all(|answer| field(answer, "date").is_some_and(|date| date.ends_with(" GMT")))
        );
        server.tiny.version.fetch_add(1, Relaxed);
    }
    // A line for each.
    let lines = || server.lines.0.lock().iter().filter(|byte| **byte == b'\n').count();
    let logged = async {
        while lines() < 2 * TIMES {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(NEVER, logged).await.unwrap();
}

#[tokio::test]
async fn what_may_be_answered_in_another_way_each_time_is_made_each_time() {
    let server = start().await;
    let times = TIMES as u64;
    for (fields, expected) in [
        ("", 2),
        ("Connection: Keep-Alive\r\n", 2),
        ("Content-Length: 0\r\n", 2),
        ("Connection: close\r\n", times),
        ("X-Request-Id: mine\r\n", times),
        ("Expect: 100-continue\r\n", times),
    ] {
        let request = format!("GET /lasting HTTP/1.1\r\nHost: test\r\n{fields}\r\n");
        assert_eq!(made(&server, &request).await, expected, "{fields}");
    }
    for request in [
        "GET /lasting HTTP/1.0\r\n\r\n".to_owned(),
        "OPTIONS /lasting HTTP/1.1\r\nHost: test\r\n\r\n".to_owned(),
        get("/lasting?16385"),
        format!("GET /lasting HTTP/1.1\r\nHost: test\r\nA: {}\r\n\r\n", "a".repeat(4096)),
    ] {
        assert_eq!(made(&server, &request).await, times, "{request}");
    }
}

#[tokio::test]
async fn the_body_behind_a_head_that_is_known_is_no_request() {
    let server = start().await;
    let mut client = server.connect().await;
    let hidden = get("/elsewhere");
    let head = format!("GET /lasting HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", hidden.len());
    for number in 0..TIMES {
        client.send(&head).await;
        client.send(&hidden).await;
        assert_eq!(body(&client.answer().await), number.to_string());
    }
    client.send(&get("/hello")).await;
    assert_eq!(body(&client.answer().await), "\"hello\"");
}

#[tokio::test]
async fn answers_of_both_kinds_come_in_the_order_of_their_requests() {
    let server = start().await;
    let lengths = [20, 30];
    let lasting = lengths.map(|length| get(&format!("/lasting?{length}")));
    for request in &lasting {
        made(&server, request).await;
    }
    let echo = post("/echo", "Content-Length: 4\r\n", "echo");
    let requests = [&*lasting[0], &*echo, &*lasting[1], &*lasting[0], &get("/hello"), &echo, &lasting[1]];
    let expected = [20, 4, 30, 20, 7, 4, 30];
    let all = requests.concat();
    for length in 1..all.len() {
        let mut client = server.connect().await;
        let (before, behind) = all.split_at(length);
        client.send(before).await;
        // By now that has been read.
        server.ask(&get("/hello")).await;
        client.send(behind).await;
        let mut answered = Vec::new();
        for _ in expected {
            answered.push(body(&client.answer().await).len());
        }
        assert_eq!(answered, expected, "split at {length}");
    }
}

#[tokio::test]
async fn a_kept_answer_waits_for_those_before_it() {
    let server = start().await;
    let kept = kept(&server, "/lasting").await;
    let mut client = server.connect().await;
    client.send(&get("/wait")).await;
    server.tiny.entered.notified().await;
    client.send(&get("/lasting")).await;
    // It is answered on another connection meanwhile.
    assert_eq!(body(&server.ask(&get("/lasting")).await), kept);
    server.tiny.release.notify_one();
    assert_eq!(body(&client.answer().await), "\"waited\"");
    assert_eq!(body(&client.answer().await), kept);

    // Longer than any buffer.
    client.send(&get("/large")).await;
    let mut first = [0];
    client.0.peek(&mut first).await.unwrap();
    client.send(&get("/lasting")).await;
    assert_eq!(body(&server.ask(&get("/lasting")).await), kept);
    assert_eq!(body(&client.answer().await), "x".repeat(32 * 1024 * 1024));
    assert_eq!(body(&client.answer().await), kept);

    client.send(&get("/stream")).await;
    let stream = server.stream().await;
    client.send(&get("/lasting")).await;
    assert_eq!(body(&server.ask(&get("/lasting")).await), kept);
    stream.send(Bytes::from_static(b"streamed")).await.unwrap();
    stream.finish();
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n8\r\nstreamed\r\n0\r\n\r\n") {
        text.push(client.0.read_u8().await.unwrap().into());
    }
    assert_eq!(body(&client.answer().await), kept);
}

/// Has one ask for a kept answer until it does not fit into the buffers between the two. How many were asked for.
async fn fill(server: &Running, client: &mut Client) -> u64 {
    let before = metric(server, "http_server_cached_answers_total").await;
    for count in 1.. {
        client.send(&get(LONG)).await;
        while metric(server, "http_server_cached_answers_total").await < before + count {}
        if metric(server, "http_server_answers_bytes").await > 16_000 {
            return count;
        }
    }
    unreachable!()
}

async fn metric(server: &Running, name: &str) -> u64 {
    server.ask(&get("/measured")).await;
    let metrics = server.observer.metrics_text();
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    value.trim().parse().unwrap()
}

#[tokio::test]
async fn a_client_that_reads_late_gets_every_answer_whole() {
    let server = start().await;
    let kept = kept(&server, LONG).await;
    let mut client = server.connect().await;
    let count = fill(&server, &mut client).await;
    client.send(&get("/hello")).await;
    for number in 0..count {
        assert_eq!(body(&client.answer().await), kept, "{number} of {count}");
    }
    assert_eq!(body(&client.answer().await), "\"hello\"");
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut() {
    let server = Running::start(Settings { write_timeout: SOON, ..keeping() }).await;
    kept(&server, LONG).await;
    let mut client = server.connect().await;
    let requests = get(LONG);
    // Ends with the connection: a write fails once the server is gone.
    let sending = async { while client.0.write_all(requests.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(NEVER, sending).await.unwrap();
}

#[tokio::test]
async fn a_stop_ends_those_who_had_only_kept_answers_and_sends_what_has_begun() {
    let server = start().await;
    let kept = kept(&server, LONG).await;
    let mut resting = server.connect().await;
    resting.send(&get(LONG)).await;
    assert_eq!(body(&resting.answer().await), kept);
    let mut late = server.connect().await;
    // From then on the HTTP library would leave the connection to others, and not see to its end.
    late.send("GET /hello HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n").await;
    late.answer().await;
    let count = fill(&server, &mut late).await;
    server.stop.send(()).unwrap();
    assert_eq!(resting.until_closed().await, "");
    let answers = late.until_closed().await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK\r\n").count() as u64, count);
    assert!(answers.ends_with(&kept));
    assert_eq!(server.done.await.unwrap(), 0);
}
