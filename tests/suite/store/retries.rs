//! Stored answers: as lasting as what they tell of, for a day.

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

fn user(key: &str) -> Request {
    let body = format!(r#"{{"first_name":"{key}","last_name":"Doe"}}"#);
    Request::new("POST /users/").key(key).json(body)
}

/// Makes all stored answers this old.
fn age(home: &Home, by: &str) {
    home.execute(&home.either(
        format!("UPDATE _carnet_answers SET moment = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-{by}')"),
        format!("UPDATE _carnet_answers SET moment = clock_timestamp() - interval '{by}'"),
    ));
}

fn kept(home: &Home) -> i64 {
    home.query("SELECT count(*) FROM _carnet_answers").remove(0).parse().unwrap()
}

#[test]
fn an_answer_outlives_the_server_that_gave_it() {
    let home = Home::new(&configs::with_server("base_url = \"http://book.example.org\""));
    let server = home.serve();
    let create = user("a").header("Prefer", "return=representation");
    let update = Request::new("PUT /users/1/").key("u").json(r#"{"last_name":"Roe"}"#);
    let refused = Request::new("PUT /users/9/").key("n").json("{}");
    let delete = Request::new("DELETE /users/1/").key("d");
    let requests = [create, update, refused, delete];
    let first = requests.each_ref().map(|request| server.send(request));
    assert_eq!(first.each_ref().map(|answer| answer.status), [201, 200, 404, 200]);
    server.stop();
    for round in 0..3 {
        let server = home.serve();
        for (request, first) in requests.iter().zip(&first) {
            server.send(request).repeats(first);
        }
        assert_eq!(server.total("/users/"), 0);
        if round == 0 {
            server.stop()
        } else {
            server.kill()
        };
    }
    home.is_sound();
}

#[test]
fn an_answer_that_cannot_be_stored_takes_its_write_with_it() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    let (refuse, relent) = home.either(
        (
            "CREATE TRIGGER refusing BEFORE INSERT ON _carnet_answers BEGIN SELECT RAISE(ABORT, 'no'); END",
            "DROP TRIGGER refusing",
        ),
        (
            "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
             CREATE TRIGGER refusing BEFORE INSERT ON _carnet_answers FOR EACH ROW EXECUTE FUNCTION no()",
            "DROP TRIGGER refusing ON _carnet_answers; DROP FUNCTION no",
        ),
    );
    let update = Request::new("PUT /users/1/").key("u").json(r#"{"last_name":"Roe"}"#);
    let delete = Request::new("DELETE /users/1/").key("d");
    let before = server.contents();
    home.execute(refuse);
    for request in [&user("a"), &update, &delete] {
        let refused = server.send(request);
        assert!(matches!(refused.status, 409 | 500), "{refused:?}");
    }
    assert_eq!(server.contents(), before);
    home.execute(relent);
    for (request, status) in [(&user("a"), 201), (&update, 200), (&delete, 200)] {
        let first = server.send(request);
        assert_eq!((first.status, first.header("Idempotency-Replayed")), (status, None), "{first:?}");
        server.send(request).repeats(&first);
    }
    assert_eq!(server.ids("/users/").len(), 1);
}

#[test]
fn an_answer_is_repeated_for_a_day_and_no_longer() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    let first = server.send(&user("a"));
    age(&home, "86340 seconds");
    server.send(&user("a")).repeats(&first);
    age(&home, "86401 seconds");
    let second = server.send(&user("a"));
    assert_eq!((second.created_id(), second.header("Idempotency-Replayed")), (2, None));
    server.send(&user("a")).repeats(&second);
    // A key is free for any other request then.
    age(&home, "86401 seconds");
    let other = Request::new("DELETE /users/1/").key("a");
    let third = server.send(&other);
    assert_eq!(third.status, 200);
    server.send(&other).repeats(&third);
    assert_eq!(server.send(&user("a")).status, 422);
    assert_eq!(kept(&home), 1);
}

#[test]
fn answers_that_are_too_old_are_cleared_away_and_others_are_not() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    for number in 0..20 {
        server.send(&user(&format!("old{number}"))).created_id();
    }
    age(&home, "86401 seconds");
    let young = server.send(&user("young"));
    wait_for(|| match kept(&home) {
        0 | 1 => Ok(()),
        kept => Err(format!("{kept} are still there")),
    });
    server.send(&user("young")).repeats(&young);
    assert_eq!(server.total("/users/"), 21);
}

#[test]
fn a_stored_answer_is_plain_and_holds_no_key() {
    let home = Home::new(&configs::unique());
    let server = home.serve();
    server.send(&user("a-key-that-is-nowhere").body(r#"{"first_name":"a","last_name":"b"}"#)).created_id();
    let shown = Request::new("PUT /users/1/").key("u").json(r#"{"last_name":"Doe"}"#);
    assert_eq!(server.send(&shown).status, 200);
    assert_eq!(server.send(&user("d").body(r#"{"first_name":"a","last_name":"Doe"}"#)).status, 400);
    let rows = home.query(
        "SELECT verdict || '|' || coalesce(CAST(id AS text), '') || '|' || coalesce(detail, '') FROM _carnet_answers ORDER BY verdict",
    );
    let record = r#"{"first_name":"a","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}"#;
    assert_eq!(
        rows,
        [
            "created|1|".to_owned(),
            "duplicate||first_name,last_name".to_owned(),
            format!("updated|1|{record}")
        ]
    );
    server.stop();
    let bytes = home.stored_bytes();
    assert!(!bytes.windows(21).any(|window| window == b"a-key-that-is-nowhere"));
}

#[test]
fn requests_with_and_without_keys_share_commits_and_each_is_done_once() {
    let home = Home::new(&configs::long_pages());
    let server = home.serve();
    let created = race(16, |thread| {
        let mut client = server.client();
        let mut created = 0;
        for number in 0..25 {
            let name = format!("t{thread}n{number}");
            let request = match (thread + number) % 3 {
                0 => Request::new("POST /users/")
                    .json(format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#)),
                _ => user(&name),
            };
            let first = client.send(&request);
            let id = first.created_id();
            created += 1;
            if (thread + number) % 3 == 1 {
                client.send(&request).repeats(&first);
                let change = Request::new(&format!("PUT /users/{id}/")).key(&format!("{name}u"));
                let change = change.json(r#"{"last_name":"Roe"}"#);
                let changed = client.send(&change);
                assert_eq!(changed.status, 200, "{changed:?}");
                client.send(&change).repeats(&changed);
            }
        }
        created
    });
    assert_eq!(server.total("/users/"), created.iter().sum::<i64>());
    let families = ["Doe", "Roe"].map(|name| server.total(&format!("/users/?last_name={name}")));
    assert_eq!(families.iter().sum::<i64>(), server.total("/users/"));
    // What was told again is no change.
    let metrics = server.ask("GET /metrics");
    let count = |deed: &str| {
        let line = metrics
            .body_text()
            .lines()
            .find(|line| line.contains("collection=\"users\"") && line.contains(&format!("\"{deed}\"")));
        line.and_then(|line| line.rsplit(' ').next()).unwrap().parse::<i64>().unwrap()
    };
    assert_eq!((count("created"), count("updated")), (families.iter().sum(), families[1]));
    server.stop().is_sound();
}

/// Many clients that all send the same request at once, as one whose answers are lost may do.
#[test]
fn of_many_that_send_the_same_request_at_once_one_does_it() {
    let server = Server::start(&configs::built_in());
    for round in 0..5 {
        let request = user(&format!("k{round}"));
        let answers = race(16, |_| {
            let mut client = server.client();
            loop {
                let answer = client.send(&request);
                if answer.status != 409 {
                    return answer;
                }
            }
        });
        let first: Vec<_> =
            answers.iter().filter(|answer| answer.header("Idempotency-Replayed").is_none()).collect();
        assert_eq!(first.len(), 1, "{answers:?}");
        for answer in &answers {
            assert_eq!(answer.lasting(), first[0].lasting());
        }
        assert_eq!(server.total(&format!("/users/?first_name=k{round}")), 1);
    }
}

/// A request of a few bytes must not store a whole record again.
#[test]
fn of_a_large_record_an_answer_keeps_the_tag_and_is_repeated_while_the_record_is_the_same() {
    const WRITES: usize = 40;
    let home = Home::new(&configs::with_server("base_url = \"http://book.example.org\""));
    let server = home.serve();
    let large = "x".repeat(200_000);
    let body = format!(r#"{{"first_name":"{large}","last_name":"Doe"}}"#);
    let create = Request::new("POST /users/").key("c").header("Prefer", "return=representation").json(body);
    let created = server.send(&create);
    let updates: Vec<Request> = (0..WRITES)
        .map(|number| Request::new("PUT /users/1/").key(&format!("u{number}")).json("{}"))
        .collect();
    let updated: Vec<_> = updates.iter().map(|update| server.send(update)).collect();
    let bytes = home.query("SELECT sum(length(detail)) FROM _carnet_answers").remove(0);
    assert!(bytes.parse::<usize>().unwrap() < WRITES * 100, "{bytes} bytes for {WRITES} answers");
    let repeats = |server: &Server| {
        server.send(&create).repeats(&created);
        updates.iter().zip(&updated).for_each(|(update, first)| server.send(update).repeats(first));
    };
    repeats(&server);
    server.stop();
    let server = home.serve();
    repeats(&server);
    let cannot_be_repeated = |server: &Server| {
        for request in [&create, &updates[0]] {
            let answer = server.send(request);
            assert_eq!(
                (answer.status, answer.header("Idempotency-Replayed")),
                (409, Some("true")),
                "{answer:?}"
            );
            assert!(answer.error().starts_with("This request was done before."), "{answer:?}");
        }
    };
    let change = |family: &str| {
        let body = format!(r#"{{"last_name":"{family}"}}"#);
        assert_eq!(server.send(&Request::new("PUT /users/1/").json(body)).status, 200);
    };
    change("Roe");
    cannot_be_repeated(&server);
    // The same content is the same record.
    change("Doe");
    repeats(&server);
    assert_eq!(server.status("DELETE /users/1/"), 200);
    cannot_be_repeated(&server);
    assert_eq!(server.total("/users/"), 0);
    // Small records are kept, whatever becomes of them.
    let small = Request::new("POST /users/").key("s").header("Prefer", "return=representation");
    let small = small.json(r#"{"first_name":"John","last_name":"Doe"}"#);
    let first = server.send(&small);
    assert_eq!(server.status(&format!("DELETE /users/{}/", first.created_id())), 200);
    server.send(&small).repeats(&first);
}
