//! Sorted lists of several nodes, and of a table that nobody may read.

use std::collections::BTreeSet;
use std::sync::Arc;

use dev::configs;
use dev::request::Request;
use dev::schema;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::server::Server;

/// More than what is sorted at once.
const USERS: usize = 1_500;

fn filled() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(&format!(
        "INSERT INTO users (id, first_name, last_name)
         SELECT i, 'n', 'f' || (1000 + (i * 37) % 700) FROM generate_series(1, {USERS}) i"
    ));
    home
}

/// Asks for the page of a sorted list that must begin with a record, since it stands there.
#[track_caller]
fn shows(server: &Server, living: &BTreeSet<(String, i64)>, name: &str, id: i64) {
    let rank = living.iter().position(|entry| *entry == (name.to_owned(), id)).unwrap();
    for (sort, offset) in [("last_name", rank), ("-last_name", living.len() - 1 - rank)] {
        let page = server.ask(&format!("GET /users/?sort={sort}&offset={offset}&count=1")).json();
        assert_eq!(page["object_list"][0]["id"], id, "{sort}, {name}: {page}");
        assert_eq!(page["object_list"][0]["last_name"], name, "{sort}: {page}");
        assert_eq!(page["meta"]["total_count"], living.len(), "{sort}");
    }
    let list = format!("/users/?last_name.gte={name}&last_name.lte={name}");
    let alike = living.iter().filter(|(other, _)| other == name).count();
    assert_eq!(server.total(&list), alike as i64, "{name}");
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_one_node_writes_stands_at_its_place_in_the_next_sorted_list_of_the_other() {
    let home = filled();
    let nodes = [home.serve(), home.serve()];
    let name = |number: usize| format!("f{}", 1000 + number * 37 % 700);
    let mut living: BTreeSet<(String, i64)> =
        (1..=USERS).map(|number| (name(number), number as i64)).collect();
    for node in &nodes {
        shows(node, &living, &name(7), 7);
    }
    for round in 0..60 {
        let (writer, reader) = (&nodes[round % 2], &nodes[(round + 1) % 2]);
        let family = name(round * 13);
        let id = writer.create_user("new", &family);
        living.insert((family.clone(), id));
        shows(reader, &living, &family, id);
        let moved = name(round * 101 + 5);
        let update = format!(r#"PUT /users/{id}/ {{"last_name":"{moved}"}}"#);
        assert_eq!(writer.status(&update), 200);
        living.remove(&(family, id));
        living.insert((moved.clone(), id));
        shows(reader, &living, &moved, id);
        if round % 3 == 0 {
            let gone = (round * 7 + 1) as i64;
            assert_eq!(writer.status(&format!("DELETE /users/{gone}/")), 200);
            living.remove(&(name(gone as usize), gone));
            shows(reader, &living, &moved, id);
        }
    }
}

/// While another tool keeps everybody from the table, known lists are answered all the same.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_known_order_is_answered_while_nobody_may_read_the_table() {
    let home = filled();
    let server = home.serve();
    let lists = [
        "/users/?sort=last_name&offset=1200",
        "/users/?sort=-last_name&offset=700",
        "/users/?last_name.prefix=F11&sort=last_name",
        "/users/?last_name.contains=99",
        "/users/?last_name.gt=f15",
        "/users/?first_name.ne=x&sort=last_name&offset=3",
        "/users/?id.gt=100&id.lt=900",
    ];
    let read = || ["blocks_read", "scans"].map(|name| server.metric(&format!("carnet_store_{name}_total")));
    let mut known = read();
    let before: Vec<Vec<u8>> = wait_for(|| {
        let bodies = lists.iter().map(|list| server.ask(&format!("GET {list}")).body).collect();
        let before = std::mem::replace(&mut known, read());
        if known == before {
            Ok(bodies)
        } else {
            Err(format!("{lists:?} still read: {known:?} after {before:?}"))
        }
    });
    schema::hold(&home.database_url(), "LOCK TABLE users IN ACCESS EXCLUSIVE MODE", || {
        for (list, before) in lists.iter().zip(&before) {
            let answer = server.ask(&format!("GET {list}"));
            assert!(answer.body == *before, "{list}: {answer:?}");
        }
    });
    assert_eq!(read(), known);
}

/// Far more than may read at once wait for orders that cannot be made, because another tool keeps everybody from the
/// table. Who counts the records of another one does not wait for them.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn those_who_wait_for_an_order_keep_nobody_from_reading() {
    const WAITING: usize = 60;
    let home = filled();
    let server = home.serve();
    let mut waiting: Vec<_> = (0..WAITING).map(|_| server.client()).collect();
    schema::hold(&home.database_url(), "LOCK TABLE users IN ACCESS EXCLUSIVE MODE", || {
        let sorted = Request::new("GET /users/?sort=last_name&count=1").bytes("localhost");
        for (place, client) in waiting.iter_mut().enumerate() {
            client.write(&sorted).unwrap();
            server.wait_for_requests(place + 1);
        }
        assert_eq!(server.total("/address/?city=Paris"), 0);
        for (place, client) in waiting.iter_mut().enumerate() {
            let stream = client.open().unwrap();
            stream.set_nonblocking(true).unwrap();
            assert!(stream.peek(&mut [0]).is_err(), "{place} was answered first");
            stream.set_nonblocking(false).unwrap();
        }
    });
    for client in &mut waiting {
        let answer = client.read_one("GET").unwrap();
        assert_eq!(answer.json()["meta"]["total_count"], USERS, "{answer:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn who_has_waited_for_an_order_for_long_is_told_that_it_is_being_made() {
    let home = filled();
    let server = home.serve();
    schema::hold(&home.database_url(), "LOCK TABLE users IN ACCESS EXCLUSIVE MODE", || {
        let answer = server.ask("GET /users/?sort=last_name");
        let message = "The order of users by last_name is being made. Try again in a moment";
        assert_eq!((answer.status, answer.error().as_str()), (503, message));
        assert!(answer.header("Retry-After").is_some(), "{answer:?}");
    });
    assert_eq!(server.total("/users/?sort=last_name"), USERS as i64);
}
