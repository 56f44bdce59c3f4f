//! A write that takes long: others that wait for their turn are told to come back, and are not done.

use std::time::{Duration, Instant};

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;
use serde_json::json;

use crate::support::home::Home;

#[test]
fn who_waits_too_long_for_the_writer_is_told_so_and_not_done() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    let server = home.serve_with_a_slow_commit(9);
    let log = format!("{}-wal", home.database_file().display());
    let written = || std::fs::metadata(&log).ok().map(|log| (log.len(), log.modified().unwrap()));
    let before = written();
    let mut clients: Vec<_> = (0..6).map(|_| server.client()).collect();
    for (place, client) in clients.iter_mut().enumerate() {
        let body = json!({"first_name": place.to_string(), "last_name": "Doe"}).to_string();
        let request = Request::new("POST /users/").header("Idempotency-Key", &place.to_string()).json(body);
        client.write(&request.bytes("localhost")).unwrap();
        // The next comes after it.
        server.wait_for_requests(place + 1);
        // The first is in the log, and waits for the disk: no other can be done with it.
        wait_until("nothing is written", || written() != before);
    }
    let answers: Vec<(u16, Duration)> = std::thread::scope(|scope| {
        let begun = Instant::now();
        let readers = clients
            .iter_mut()
            .map(|client| scope.spawn(move || (client.read_one("POST").unwrap(), begun.elapsed())));
        let readers: Vec<_> = readers.collect();
        let answers = readers.into_iter().map(|reader| reader.join().unwrap());
        answers
            .map(|(answer, after)| {
                if answer.status == 503 {
                    assert_eq!(answer.header("Retry-After"), Some("1"), "{answer:?}");
                    assert!(!answer.body_text().contains("unknown"), "{answer:?}");
                }
                (answer.status, after)
            })
            .collect()
    });
    // Some of the others wait for the first.
    let (first, held) = answers[0];
    assert_eq!(first, 201, "{answers:?}");
    let refused: Vec<usize> = (0..6).filter(|place| answers[*place].0 == 503).collect();
    assert!(!refused.is_empty(), "{answers:?}");
    assert!(refused.iter().all(|place| answers[*place].1 < held), "told only afterwards: {answers:?}");
    let done: Vec<i64> = (0..6).filter(|place| answers[*place as usize].0 == 201).collect();
    assert_eq!(server.total("/users/"), done.len() as i64, "{answers:?}");
    // Their keys are free again, and what was not done is done now.
    for place in refused {
        let body = json!({"first_name": place.to_string(), "last_name": "Doe"}).to_string();
        let request = Request::new("POST /users/").header("Idempotency-Key", &place.to_string()).json(body);
        assert_eq!(server.send(&request).status, 201);
    }
    assert_eq!(server.total("/users/"), 6);
    server.stop().is_sound();
}
