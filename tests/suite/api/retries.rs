//! Safe retries (`Idempotency-Key`): a request that is sent again is answered as it was, and not done again.

use std::sync::mpsc::channel;

use dev::answer::{Answer, NOT_FOUND};
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::server::Server;

const OTHER_REQUEST: &str = r#"422 Unprocessable Entity {"error":"This Idempotency-Key was used for another request. Use a new one for each request"}"#;
const NO_KEY: &str = r#"400 Bad Request {"error":"Idempotency-Key does not validate: it has 1 to 255 printable ASCII characters, bare or in double quotes"}"#;

/// All methods, a unique rule, and John Doe who lives at an address.
fn book() -> Server {
    let config = configs::unique()
        .replace("unique = [[", "unique_verbs = [\"GET\", \"PUT\", \"PATCH\", \"DELETE\"]\nunique = [[");
    let server = Server::start(&config);
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    server
}

fn user(first_name: &str) -> Request {
    Request::new("POST /users/").json(format!(r#"{{"first_name":"{first_name}","last_name":"Doe"}}"#))
}

/// Sends a request twice; the second answer is the first once more. `meanwhile` is done in between.
#[track_caller]
fn twice(server: &Server, request: &Request, meanwhile: impl FnOnce()) -> Answer {
    let first = server.send(request);
    assert_eq!(first.header("Idempotency-Replayed"), None, "{first:?}");
    meanwhile();
    server.send(request).repeats(&first);
    server.client().send(request).repeats(&first);
    first
}

#[test]
fn a_create_is_done_once_and_answered_alike() {
    let server = book();
    let first = twice(&server, &user("Ada").key("a"), || {});
    assert_eq!((first.created_id(), server.total("/users/")), (2, 2));
    // Without a key it is another one; here the unique rule says so.
    assert_eq!(server.send(&user("Ada")).status, 400);
    let shown = user("Eve").key("e").header("Prefer", "return=representation");
    let first = twice(&server, &shown, || {
        assert_eq!(server.status(r#"PUT /users/3/ {"last_name":"Roe"}"#), 200);
    });
    assert_eq!(first.header("Preference-Applied"), Some("return=representation"));
    assert_eq!(first.json()["last_name"], "Doe", "as it was when it was made");
    assert_eq!(server.ids("/users/"), [1, 2, 3]);
}

#[test]
fn an_update_is_done_once_and_answered_alike() {
    let server = book();
    for method in ["PUT", "PATCH"] {
        let change = Request::new(&format!("{method} /users/1/")).key(method).json(r#"{"last_name":"Roe"}"#);
        let first = twice(&server, &change, || {
            assert_eq!(server.status(r#"PUT /users/1/ {"last_name":"Poe"}"#), 200);
        });
        assert_eq!((first.status, first.json()["last_name"].as_str()), (200, Some("Roe")));
        assert!(first.header("ETag").is_some(), "{first:?}");
        assert_eq!(server.ask("GET /users/1/").json()["last_name"], "Poe", "{method} was done again");
    }
    let nothing = Request::new("PUT /users/1/").key("nothing").json("{}");
    let first = twice(&server, &nothing, || {
        assert_eq!(server.status(r#"PUT /users/1/ {"last_name":"Moe"}"#), 200);
    });
    assert_eq!(first.json()["last_name"], "Poe");
    // What was there when it was asked for is still told when it is gone.
    let last = Request::new("PUT /users/1/").key("last").json(r#"{"last_name":"Zoe"}"#);
    twice(&server, &last, || assert_eq!(server.status("DELETE /users/1/"), 200));
    server.check("GET /users/1/", NOT_FOUND);
}

#[test]
fn a_delete_is_done_once_and_answered_alike() {
    let server = book();
    let first = twice(&server, &Request::new("DELETE /users/1/").key("d"), || {});
    assert_eq!((first.status, first.body.len()), (200, 0));
    server.check("DELETE /users/1/", NOT_FOUND);
}

#[test]
fn with_if_match_a_write_is_guarded_and_may_be_sent_again() {
    let server = book();
    let seen = server.ask("GET /users/1/").header("ETag").unwrap().to_owned();
    let change = |key: &str| {
        let request = Request::new("PUT /users/1/").key(key).header("If-Match", &seen);
        request.json(r#"{"last_name":"Roe"}"#)
    };
    let first = twice(&server, &change("one"), || {});
    assert_eq!(first.status, 200);
    // The record is another now: to a new request that is a refusal, and stays one.
    let refused = twice(&server, &change("other"), || {
        assert_eq!(server.status(r#"PUT /users/1/ {"last_name":"Doe"}"#), 200);
        assert_eq!(server.ask("GET /users/1/").header("ETag"), Some(seen.as_str()));
    });
    assert_eq!(refused.status, 412);
    assert_eq!(server.ask("GET /users/1/").json()["last_name"], "Doe");
}

#[test]
fn a_refusal_is_repeated_even_when_the_request_would_be_granted_by_now() {
    let server = book();
    let dangling = user("Ada").key("dangling").body(r#"{"first_name":"a","last_name":"b","address":2}"#);
    assert_eq!(twice(&server, &dangling, || assert_eq!(server.create_address(), 2)).status, 400);
    let held = Request::new("DELETE /address/1/").key("held");
    let first = twice(&server, &held, || {
        assert_eq!(server.status(r#"PUT /users/1/ {"address":null}"#), 200);
    });
    assert_eq!((first.status, first.header("Retry-After")), (409, None), "{first:?}");
    let duplicate = user("John").key("duplicate");
    let first = twice(&server, &duplicate, || assert_eq!(server.status("DELETE /users/1/"), 200));
    assert_eq!(first.error(), "first_name,last_name must be unique together");
    for (place, method) in ["PUT", "DELETE"].into_iter().enumerate() {
        // The next id, so that it is there by the second time.
        let id = place + 3;
        let request = Request::new(&format!("{method} /address/{id}/")).key(method).json("{}");
        let first = server.send(&request);
        assert_eq!(first.status, 404, "{first:?}");
        let made = server.create_address();
        assert_eq!(made, id as i64);
        server.send(&request).repeats(&first);
    }
    assert_eq!((server.total("/users/"), server.total("/address/")), (0, 4));
}

#[test]
fn the_same_key_on_another_request_is_refused_and_changes_nothing() {
    let server = book();
    let seen = server.ask("GET /users/1/").header("ETag").unwrap().to_owned();
    let update = |line: &str, body: &str| Request::new(line).key("k").json(body);
    let body = r#"{"last_name":"Roe"}"#;
    let first = server.send(&update("PUT /users/1/", body));
    assert_eq!(first.status, 200);
    assert_eq!(server.send(&user("Ada").key("c")).created_id(), 2);
    let before = server.contents();
    for request in [
        update("PUT /users/1/", r#"{"last_name":"Poe"}"#),
        update("PUT /users/1/", r#"{"last_name": "Roe"}"#),
        update("PUT /users/1/", "{}"),
        update("PUT /users/2/", body),
        update("PUT /users/99/", body),
        update("PATCH /users/1/", body),
        update("PUT /address/1/", "{}"),
        update("PUT /users/1/", body).header("If-Match", &seen),
        update("PUT /users/1/", body).header("If-Match", "*"),
        update("PUT /users/1/", body).header("If-None-Match", &seen),
        update("PUT /users/1/", body).header("Prefer", "return=minimal"),
        user("Eve").key("k"),
        user("Eve").key("c"),
        user("Ada").key("c").header("Prefer", "return=representation"),
        Request::new("DELETE /users/1/").key("k"),
        Request::new("DELETE /users/99/").key("c"),
    ] {
        server.check_request(&request, OTHER_REQUEST);
    }
    assert_eq!(server.contents(), before);
    server.send(&update("PUT /users/1/", body)).repeats(&first);
}

#[test]
fn a_key_is_the_same_in_quotes_and_bare() {
    let server = book();
    let uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
    let first = server.send(&user("Ada").key(uuid));
    server.send(&user("Ada").key(&format!("\"{uuid}\""))).repeats(&first);
    let first = server.send(&user("Eve").key(r#""a \"b\" \\c""#));
    server.send(&user("Eve").key(r#"a "b" \c"#)).repeats(&first);
    // One more character is another key.
    assert_eq!(server.send(&user("Ann").key(&format!("{uuid}0"))).status, 201);
    let longest = "~".repeat(255);
    let first = server.send(&user("Amy").key(&longest));
    server.send(&user("Amy").key(&format!("\"{longest}\""))).repeats(&first);
}

#[test]
fn a_key_that_is_none_is_refused_with_how_to_mend_it() {
    let server = book();
    let before = server.contents();
    let too_long = "x".repeat(256);
    for key in ["", "\"\"", "\"", "\"a", "\"a\"b", "\"a\";b=1", "\"a\\b\"", "a\tb", "clé", &too_long] {
        server.check_request(&user("Ada").key(key), NO_KEY);
        server.check_request(&Request::new("PUT /users/1/").key(key).json(r#"{"last_name":"Roe"}"#), NO_KEY);
        server.check_request(&Request::new("DELETE /users/1/").key(key), NO_KEY);
    }
    let given_twice = r#"400 Bad Request {"error":"Idempotency-Key is given twice. Send one"}"#;
    for second in ["a", "b"] {
        server.check_request(&user("Ada").key("a").key(second), given_twice);
        server.check_request(&Request::new("DELETE /users/1/").key("a").key(second), given_twice);
    }
    assert_eq!(server.contents(), before);
}

#[test]
fn on_reads_the_header_means_nothing() {
    let server = book();
    assert_eq!(server.send(&user("Ada").key("k")).status, 201);
    for key in ["k", "", "\"", "clé"] {
        for line in ["GET /users/", "GET /users/1/", "HEAD /users/1/", "OPTIONS /users/", "GET /schema/"] {
            let answer = server.send(&Request::new(line).key(key));
            assert!(matches!(answer.status, 200 | 204), "{line}: {answer:?}");
            assert_eq!(answer.header("Idempotency-Replayed"), None, "{line}");
        }
    }
}

#[test]
fn path_method_access_the_rate_limit_and_the_record_come_before_the_key() {
    let home = Home::new(&configs::guarded_and_rate_limited(5));
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    let bad = |line: &str| Request::new(line).key("\"");
    let known = |request: Request| request.header("X-API-Key", "a-key-for-the-tests");
    server.check_request(&bad("POST /nothing/").json("{}"), NOT_FOUND);
    server.refuses_request(&bad("POST /users/1/").json("{}"), 405);
    server.refuses_request(&bad("POST /users/").json("{}"), 401);
    for request in [bad("PUT /users/1/").json("{}"), bad("PUT /users/1/").json("{"), bad("DELETE /users/1/")]
    {
        server.refuses_request(&known(request), 404);
    }
    let text = bad("POST /users/").header("Content-Type", "text/plain").body("{}");
    server.refuses_request(&known(text), 415);
    server.refuses_request(&known(user("Ada").key("\"")), 400);
    server.refuses_request(&known(user("Ada").key("\"")), 429);
}

#[test]
fn a_request_that_was_refused_for_its_content_has_not_used_its_key() {
    let server = book();
    for body in ["", "{", "[]", "{}", r#"{"first_name":1,"last_name":"Doe"}"#] {
        let refused = server.send(&Request::new("POST /users/").key("k").json(body));
        assert_eq!((refused.status, refused.header("Idempotency-Replayed")), (400, None), "{body}");
    }
    twice(&server, &user("Ada").key("k"), || {});
}

#[test]
fn each_caller_has_keys_of_their_own() {
    let home = Home::new(&configs::identified());
    home.add_key("ann", "the-key-of-ann-for-the-tests");
    home.add_key("bob", "the-key-of-bob-for-the-tests");
    let server = home.serve();
    let callers = [Some("the-key-of-ann-for-the-tests"), Some("the-key-of-bob-for-the-tests"), None];
    let request = |caller: Option<&str>, name: &str| match caller {
        Some(key) => user(name).key("same").header("X-API-Key", key),
        None => user(name).key("same"),
    };
    let firsts = callers.map(|caller| server.send(&request(caller, "Ada")));
    assert_eq!(firsts.each_ref().map(Answer::created_id), [1, 2, 3]);
    for (caller, first) in callers.into_iter().zip(&firsts) {
        server.send(&request(caller, "Ada")).repeats(first);
        server.check_request(&request(caller, "Eve"), OTHER_REQUEST);
    }
    // However the key is presented, and whoever shows one that nobody was given is nobody.
    let path = "POST /users/?accesskey=the-key-of-bob-for-the-tests";
    let body = r#"{"first_name":"Ada","last_name":"Doe"}"#;
    let answer = server.send(&Request::new(path).key("same").json(body));
    assert_eq!((answer.created_id(), answer.header("Idempotency-Replayed")), (2, Some("true")));
    server.send(&request(Some("a-key-that-nobody-was-given"), "Ada")).repeats(&firsts[2]);
    assert_eq!(server.total("/users/"), 3);
}

/// A key has one identity, whatever its secret is; one that is made anew under the same name may be somebody else's.
#[test]
fn a_caller_stays_the_same_when_their_secret_changes() {
    let home = Home::new(&configs::guarded());
    home.add_key("ann", "the-first-secret-of-ann");
    let server = home.serve();
    let first = server.send(&user("Ada").key("k").header("X-API-Key", "the-first-secret-of-ann"));
    assert_eq!(first.status, 201);
    server.stop();
    let second = home.run(&["keys", "rotate", "ann"]).exits(0).stdout;
    let server = home.serve();
    let again = server.send(&user("Ada").key("k").header("X-API-Key", second.trim_end()));
    assert_eq!((again.created_id(), again.header("Idempotency-Replayed")), (1, Some("true")));
    server.stop();
    home.run(&["keys", "revoke", "ann"]).exits(0);
    home.add_key("ann", "the-secret-of-another-ann");
    let server = home.serve();
    let other = server.send(&user("Ada").key("k").header("X-API-Key", "the-secret-of-another-ann"));
    assert_eq!((other.created_id(), other.header("Idempotency-Replayed")), (2, None));
}

#[test]
fn a_repeated_answer_counts_towards_the_rate_limit_and_says_where_the_key_stands_now() {
    let home = Home::new(&configs::guarded_and_rate_limited(3));
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    let request = user("Ada").key("k").header("X-API-Key", "a-key-for-the-tests");
    let answers = [(); 4].map(|()| server.send(&request));
    assert_eq!(answers.each_ref().map(|answer| answer.status), [201, 201, 201, 429]);
    assert!(answers[1].header("RateLimit").unwrap().contains("r=1"), "{:?}", answers[1]);
    answers[2].repeats(&answers[0]);
}

#[test]
fn while_a_request_is_under_way_its_key_is_a_conflict_that_says_when_to_come_back() {
    let server = book();
    let request = user("Ada").key("k");
    let (sender, answers) = channel();
    std::thread::scope(|scope| {
        // One of the two waits for the database; so the first answer is that of the other.
        let early = server.home().hold_writers(|| {
            for _ in 0..2 {
                let (mut client, sender, request) = (server.client(), sender.clone(), &request);
                scope.spawn(move || sender.send(client.send(request)).unwrap());
            }
            answers.recv().unwrap()
        });
        assert_eq!(
            early.text(&server.base_url()),
            dev::answer::expected(
                r#"409 Conflict
                Retry-After: 1

                {"error":"A request with this Idempotency-Key is still under way. Try again in a moment"}"#
            )
        );
        let late = answers.recv().unwrap();
        assert_eq!((late.created_id(), late.header("Idempotency-Replayed")), (2, None), "{late:?}");
        server.send(&request).repeats(&late);
    });
    assert_eq!(server.total("/users/"), 2);
}

/// Whoever hangs up has still asked: the write is under way until it is done, and done once.
#[test]
fn a_client_that_hangs_up_and_comes_back_finds_what_it_asked_for_done_once() {
    let server = book();
    for round in 0..10 {
        let request = user(&format!("n{round}")).key(&format!("k{round}"));
        let bytes = request.bytes(&server.address().to_string());
        server.home().hold_writers(|| server.client().write(&bytes).unwrap());
        // Either of the two may be read first, and be under way when the other comes.
        let send = || {
            wait_for(|| match server.send(&request) {
                answer if answer.status == 409 => Err("it is still under way"),
                answer => Ok(answer),
            })
        };
        let answer = send();
        assert_eq!(answer.status, 201, "{answer:?}");
        assert_eq!(server.total(&format!("/users/?first_name=n{round}")), 1);
        send().repeats(&answer);
    }
}

#[test]
fn the_document_describes_the_header_and_what_comes_of_it() {
    let document = book().ask("GET /openapi.json").json();
    let pattern = &document["components"]["parameters"]["Idempotency-Key"]["schema"];
    let validator = jsonschema::validator_for(pattern).unwrap();
    let longest = "x".repeat(255);
    for key in ["a", "\"a\"", "a b", "a\"b", r#""a\"b\\""#, "~", &longest, &format!("\"{longest}\"")] {
        assert!(validator.is_valid(&key.into()), "{key}");
    }
    let too_long = "x".repeat(256);
    for key in
        ["", "\"", "\"\"", "\"a", "\"a\"b", "é", "a\tb", r#""a\b""#, &too_long, &format!("\"{too_long}\"")]
    {
        assert!(!validator.is_valid(&key.into()), "{key}");
    }
    for (path, method) in
        [("/users/", "post"), ("/users/{id}/", "put"), ("/users/{id}/", "patch"), ("/users/{id}/", "delete")]
    {
        let operation = &document["paths"][path][method];
        let named = operation["parameters"].as_array().unwrap().iter();
        let mut named = named.map(|parameter| parameter["$ref"].as_str().unwrap());
        assert!(named.any(|name| name.ends_with("/Idempotency-Key")), "{method} {path}");
        assert!(operation["responses"]["409"].is_object() && operation["responses"]["422"].is_object());
    }
    assert!(document["paths"]["/users/"]["get"]["responses"]["422"].is_null());
}
