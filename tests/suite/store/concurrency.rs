//! Many writers at once: nothing is lost, nothing is given twice, no reference dangles.

use std::collections::BTreeSet;

use dev::configs;

use crate::support::exchange::id_of;
use crate::support::race::race;
use crate::support::server::Server;

#[test]
fn a_thousand_concurrent_creates_get_distinct_ids_and_are_all_listed() {
    let server = Server::start(&configs::built_in());
    let ids: Vec<i64> = race(32, |thread| {
        let mut client = server.client();
        let share = (0..1000).filter(|number| number % 32 == thread);
        share
            .map(|number| {
                let body = format!(r#"{{"first_name":"n{number}","last_name":"Doe"}}"#);
                client.ask(&format!("POST /users/ {body}")).created_id()
            })
            .collect::<Vec<_>>()
    })
    .concat();
    let distinct: BTreeSet<i64> = ids.iter().copied().collect();
    assert_eq!((ids.len(), distinct.len()), (1000, 1000));
    let records = server.walk("/users/");
    assert_eq!(server.total("/users/"), 1000);
    assert_eq!(records.iter().map(id_of).collect::<Vec<_>>(), distinct.into_iter().collect::<Vec<_>>());
    let names: BTreeSet<&str> = records.iter().map(|record| record["first_name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 1000);
}

#[test]
fn each_writer_reads_its_own_write_at_once() {
    let server = Server::start(&configs::built_in());
    race(8, |thread| {
        let mut client = server.client();
        for number in 0..20 {
            let name = format!("t{thread}n{number}");
            let id = client
                .ask(&format!(r#"POST /users/ {{"first_name":"{name}","last_name":"Doe"}}"#))
                .created_id();
            assert_eq!(client.ask(&format!("GET /users/{id}/")).json()["first_name"], name);
            let list = client.ask(&format!("GET /users/?first_name={name}")).json();
            assert_eq!(list["meta"]["total_count"], 1);
            assert_eq!(client.ask(&format!("DELETE /users/{id}/")).status, 200);
            assert_eq!(client.ask(&format!("GET /users/{id}/")).status, 404);
        }
    });
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn of_64_racing_writers_exactly_one_keeps_a_unique_rule() {
    let server = Server::start(&configs::unique());
    for round in 0..5 {
        let statuses = race(64, |_| {
            let body = format!(r#"{{"first_name":"John","last_name":"Doe{round}"}}"#);
            server.client().ask(&format!("POST /users/ {body}")).status
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 63, "{statuses:?}");
    }
    assert_eq!(server.total("/users/"), 5);
    server.stop().is_sound();
}

#[test]
fn racing_updates_towards_one_pair_let_one_through() {
    let server = Server::start(&configs::unique());
    let ids: Vec<i64> = (0..16).map(|number| server.create_user(&format!("n{number}"), "Doe")).collect();
    let statuses = race(16, |thread| {
        server.client().ask(&format!(r#"PUT /users/{}/ {{"first_name":"same"}}"#, ids[thread])).status
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(server.total("/users/?first_name=same"), 1);
}

#[test]
fn an_address_deleted_while_users_are_put_there_never_leaves_a_dangling_reference() {
    let server = Server::start(&configs::built_in());
    for _ in 0..20 {
        let address = server.create_address();
        let outcomes = race(9, |thread| {
            let mut client = server.client();
            if thread == 0 {
                client.ask(&format!("DELETE /address/{address}/")).status
            } else {
                let body = format!(r#"{{"first_name":"n","last_name":"Doe","address":{address}}}"#);
                client.ask(&format!("POST /users/ {body}")).status
            }
        });
        let there = server.status(&format!("GET /address/{address}/"));
        let users = server.total(&format!("/users/?address={address}"));
        match outcomes[0] {
            200 => assert_eq!((there, users), (404, 0)),
            409 => assert_eq!(there, 200),
            status => panic!("DELETE was answered {status}"),
        }
        let created = outcomes[1..].iter().filter(|status| **status == 201).count();
        assert_eq!(created as i64, users, "{outcomes:?}");
        assert!(outcomes[1..].iter().all(|status| matches!(status, 201 | 400)), "{outcomes:?}");
    }
    server.stop().is_sound();
}

#[test]
fn total_and_page_are_of_the_same_moment() {
    let server = Server::start(&configs::built_in());
    race(5, |thread| {
        let mut client = server.client();
        for number in 0..15 {
            if thread < 2 {
                let body = format!(r#"{{"first_name":"n{number}","last_name":"Doe"}}"#);
                let id = client.ask(&format!("POST /users/ {body}")).created_id();
                client.ask(&format!("DELETE /users/{id}/"));
            } else {
                let page = client.ask("GET /users/").json();
                let listed = page["object_list"].as_array().unwrap().len();
                assert_eq!(page["meta"]["total_count"], listed, "{page}");
            }
        }
    });
}
