//! The bound on stored answers: beyond it no new one is begun, and whatever needs none goes on.

use std::sync::Arc;
use std::time::Instant;

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;
use dev::waiting::{SAFETY_NET, wait_for};

use crate::support::home::Home;
use crate::support::server::Server;

/// Sixteen answers that show no record take all of it: each counts for 256 bytes.
const BOUND: &str = "base_url = \"http://book.example.org\"\nmax_stored_answers = \"4KiB\"";
const FITTING: usize = 16;

fn user(key: &str) -> Request {
    let body = format!(r#"{{"first_name":"{key}","last_name":"Doe"}}"#);
    Request::new("POST /users/").key(key).json(body)
}

/// A server whose stored answers take all that they may, and what it has answered.
fn full() -> (Arc<Home>, Server, Vec<Answer>) {
    let home = Home::new(&configs::with_server(BOUND));
    let server = home.serve();
    let first: Vec<Answer> = (0..FITTING).map(|number| server.send(&user(&format!("k{number}")))).collect();
    first.iter().for_each(|answer| assert!(answer.created_id() > 0));
    (home, server, first)
}

#[track_caller]
fn is_refused(answer: &Answer) {
    assert_eq!((answer.status, answer.header("Retry-After")), (503, Some("60")), "{answer:?}");
    assert_eq!(
        answer.error(),
        "The answers stored for Idempotency-Key take all the space that they may. Nothing was changed; send the \
         request without the header, try again later, or raise max_stored_answers"
    );
}

/// What stored answers take, as another tool counts it.
fn stored(home: &Home) -> u64 {
    let bytes = home.either("length(CAST(detail AS BLOB))", "octet_length(detail)");
    let sum =
        format!("SELECT CAST(coalesce(sum(256 + coalesce({bytes}, 0)), 0) AS bigint) FROM _carnet_answers");
    home.query(&sum).remove(0).parse().unwrap()
}

/// Sends a request until it is no longer refused; the server is never idle meanwhile.
#[track_caller]
fn goes_on(server: &Server, request: &Request) -> Answer {
    let deadline = Instant::now() + SAFETY_NET;
    loop {
        let answer = server.send(request);
        if answer.status != 503 {
            return answer;
        }
        assert!(Instant::now() < deadline, "{answer:?}");
    }
}

#[test]
fn beyond_the_bound_a_new_key_is_refused_and_nothing_is_done() {
    let (home, server, first) = full();
    let before = server.contents();
    let update = Request::new("PUT /users/1/").key("u").json(r#"{"last_name":"Roe"}"#);
    for request in [&user("new"), &update, &Request::new("DELETE /users/1/").key("d")] {
        is_refused(&server.send(request));
        // The key is not used up by this.
        is_refused(&server.send(request));
    }
    assert_eq!(server.contents(), before);
    assert_eq!((stored(&home), server.metric("carnet_store_answers_bytes")), (4_096, 4_096));
    // What was answered before is repeated, and a key that was used for another request is told so.
    for (number, first) in first.iter().enumerate() {
        server.send(&user(&format!("k{number}"))).repeats(first);
    }
    assert_eq!(server.send(&Request::new("DELETE /users/1/").key("k0")).status, 422);
    // Whoever wants no answer stored needs no room for one.
    assert_eq!(server.create_user("John", "Doe"), 17);
    assert_eq!(server.send(&Request::new("PUT /users/1/").json(r#"{"last_name":"Roe"}"#)).status, 200);
    assert_eq!(server.status("DELETE /users/1/"), 200);
    server.wait_for_error("stored answers take all that [server] max_stored_answers lets them");
    is_refused(&server.send(&user("new")));
    assert_eq!(server.stderr().matches("max_stored_answers").count(), 1, "{}", server.stderr());
}

#[test]
fn answers_that_have_grown_old_make_room_also_on_a_server_that_is_never_idle() {
    let (home, server, _) = full();
    is_refused(&server.send(&user("new")));
    home.execute(home.either(
        "UPDATE _carnet_answers SET moment = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-86401 seconds')",
        "UPDATE _carnet_answers SET moment = clock_timestamp() - interval '86401 seconds'",
    ));
    let answer = goes_on(&server, &user("new"));
    assert_eq!(answer.created_id(), 17);
    server.send(&user("new")).repeats(&answer);
}

#[test]
fn answers_that_another_tool_takes_away_make_room() {
    let (home, server, _) = full();
    is_refused(&server.send(&user("new")));
    home.execute("DELETE FROM _carnet_answers");
    assert_eq!(goes_on(&server, &user("new")).created_id(), 17);
}

#[test]
fn after_a_restart_the_bound_is_where_it_was() {
    let (home, server, first) = full();
    server.stop();
    for _ in 0..2 {
        let server = home.serve();
        assert_eq!(server.metric("carnet_store_answers_bytes"), 4_096);
        is_refused(&server.send(&user("new")));
        server.send(&user("k0")).repeats(&first[0]);
        server.kill();
    }
    home.configure(&configs::with_server(&BOUND.replace("4KiB", "8KiB")));
    let server = home.serve();
    assert_eq!(server.send(&user("new")).created_id(), 17);
    assert_eq!(server.metric("carnet_store_answers_bytes"), 4_096 + 256);
    server.stop().is_sound();
}

#[test]
fn what_is_counted_is_what_is_stored() {
    let home = Home::new(&configs::unique());
    let server = home.serve();
    let shown = |key: &str| user(key).header("Prefer", "return=representation");
    let large = format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(5_000));
    for (request, status) in [
        (user("a"), 201),
        (shown("b").body(r#"{"first_name":"a","last_name":"Doe"}"#), 400),
        (shown("c"), 201),
        (shown("d").body(large), 201),
        (Request::new("PUT /users/1/").key("e").json(r#"{"last_name":"Éluard"}"#), 200),
        (Request::new("PUT /users/1/").key("f").json(r#"{"first_name":"c","last_name":"Doe"}"#), 400),
        (Request::new("DELETE /users/9/").key("g"), 404),
        (Request::new("DELETE /users/1/").key("h"), 200),
    ] {
        assert_eq!(server.send(&request).status, status, "{request:?}");
        assert_eq!(server.metric("carnet_store_answers_bytes"), stored(&home), "{request:?}");
    }
    assert!(stored(&home) > 7 * 256 + 100, "{}", stored(&home));
    // One that is too old is replaced by what its key is used for next.
    home.execute(home.either(
        "UPDATE _carnet_answers SET moment = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-86401 seconds')",
        "UPDATE _carnet_answers SET moment = clock_timestamp() - interval '86401 seconds'",
    ));
    assert_eq!(server.send(&Request::new("DELETE /users/2/").key("e")).status, 200);
    wait_for(|| match (stored(&home), server.metric("carnet_store_answers_bytes")) {
        (256, 256) => Ok(()),
        found => Err(format!("{found:?}")),
    });
}
