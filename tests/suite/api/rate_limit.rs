//! The rate limit: an exact quota for each key and collection in a fixed window.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use dev::answer::Answer;
use dev::configs;
use dev::waiting::{SAFETY_NET, wait_until};

use crate::support::home::Home;
use crate::support::server::Server;

const ONE: &str = "GET /users/?accesskey=first-key-of-the-tests";
const TWO: &str = "GET /users/?accesskey=second-key-of-the-tests";

fn serve(config: &str) -> Server {
    let home = Home::new(config);
    home.add_key("first", "first-key-of-the-tests");
    home.add_key("second", "second-key-of-the-tests");
    home.serve()
}

/// A parameter of a structured header, as in `"default";r=2;t=100`.
#[track_caller]
fn parameter(answer: &Answer, header: &str, name: &str) -> i64 {
    let value = answer.header(header).unwrap_or_else(|| panic!("no {header}: {answer:?}"));
    let parameter = value.split(';').find_map(|part| part.trim().strip_prefix(&format!("{name}=")));
    parameter.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {name}: {answer:?}"))
}

#[test]
fn exactly_quota_requests_pass_and_the_next_is_refused() {
    let server = serve(&configs::rate_limited(3, 3600));
    for _ in 0..3 {
        assert_eq!(server.status(ONE), 200);
    }
    for _ in 0..3 {
        let refused = server.ask(ONE);
        assert_eq!(refused.status, 429);
        let seconds: i64 = refused.header("Retry-After").unwrap().parse().unwrap();
        assert!((1..=3600).contains(&seconds), "{refused:?}");
    }
}

#[test]
fn every_answer_to_a_known_key_says_the_policy_and_what_is_left() {
    let server = serve(&configs::rate_limited(3, 3600));
    for (request, status, left) in [
        (ONE, 200, 2),
        ("GET /users/99/?accesskey=first-key-of-the-tests", 404, 1),
        (r#"POST /users/?accesskey=first-key-of-the-tests {}"#, 400, 0),
        (ONE, 429, 0),
    ] {
        let answer = server.ask(request);
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(parameter(&answer, "RateLimit-Policy", "q"), 3);
        assert_eq!(parameter(&answer, "RateLimit-Policy", "w"), 3600);
        assert_eq!(parameter(&answer, "RateLimit", "r"), left, "{answer:?}");
        assert!((0..=3600).contains(&parameter(&answer, "RateLimit", "t")), "{answer:?}");
    }
}

#[test]
fn whatever_becomes_of_a_request_it_counts_once_it_is_let_in() {
    let server = serve(&configs::rate_limited(4, 3600));
    for (request, status) in [
        ("GET /users/99/?accesskey=first-key-of-the-tests", 404),
        ("POST /users/?accesskey=first-key-of-the-tests {", 400),
        ("GET /users/?accesskey=first-key-of-the-tests&nope=1", 400),
        ("HEAD /users/?accesskey=first-key-of-the-tests", 200),
        (ONE, 429),
    ] {
        assert_eq!(server.status(request), status, "{request}");
    }
}

#[test]
fn what_is_refused_before_does_not_count() {
    let server = serve(&configs::guarded_and_rate_limited(1));
    for (request, status) in [
        ("PATCH /users/1/?accesskey=first-key-of-the-tests", 405),
        ("OPTIONS /users/?accesskey=first-key-of-the-tests", 204),
        ("GET /nothing/?accesskey=first-key-of-the-tests", 404),
        ("GET /users/?accesskey=wrong", 401),
        ("GET /users/", 401),
        (ONE, 200),
        (ONE, 429),
    ] {
        assert_eq!(server.status(request), status, "{request}");
    }
}

#[test]
fn each_key_and_each_collection_has_its_own_window() {
    let server = serve(&configs::rate_limited(1, 3600));
    assert_eq!(server.status(ONE), 200);
    assert_eq!(server.status(ONE), 429);
    assert_eq!(server.status(TWO), 200);
    assert_eq!(server.status(TWO), 429);
    for _ in 0..3 {
        let other = server.ask("GET /address/?accesskey=first-key-of-the-tests");
        assert_eq!((other.status, other.header("RateLimit")), (200, None));
    }
}

#[test]
fn the_anonymous_are_not_limited() {
    let server = serve(&configs::rate_limited(1, 3600));
    for _ in 0..5 {
        for request in ["GET /users/", "GET /users/?accesskey=wrong"] {
            let answer = server.ask(request);
            assert_eq!((answer.status, answer.header("RateLimit")), (200, None), "{answer:?}");
        }
    }
}

#[test]
fn one_key_is_one_caller_however_it_is_presented() {
    let server = serve(&configs::rate_limited(2, 3600));
    assert_eq!(server.status(ONE), 200);
    let bearer = "GET /users/
        Authorization: Bearer first-key-of-the-tests";
    assert_eq!(server.status(bearer), 200);
    assert_eq!(server.status(bearer), 429);
    assert_eq!(server.status(ONE), 429);
}

#[test]
fn a_new_window_brings_a_new_quota() {
    let server = serve(&configs::rate_limited(2, 1));
    let start = Instant::now();
    // Without a pause: they have to fall into one second.
    while server.status(ONE) != 429 {
        assert!(start.elapsed() < SAFETY_NET, "two requests never fell into one second");
    }
    wait_until("the window does not end", || server.status(ONE) != 429);
}

#[test]
fn the_quota_is_exact_under_concurrency() {
    let server = Arc::new(serve(&configs::rate_limited(50, 3600)));
    let passed = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut client = server.client();
                for _ in 0..20 {
                    match client.ask(ONE).status {
                        200 => passed.fetch_add(1, Ordering::Relaxed),
                        status => {
                            assert_eq!(status, 429);
                            0
                        }
                    };
                }
            });
        }
    });
    assert_eq!(passed.load(Ordering::Relaxed), 50);
}
