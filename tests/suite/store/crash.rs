//! `kill -9` under load, again and again on the same store: what was acknowledged is there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use crate::support::client::Client;
use crate::support::configs;
use crate::support::home::Home;
use crate::support::request::Request;

/// The first names under which a record may be found; `None` stands for not found.
type Possible = Vec<Option<String>>;

/// What the clients know: every id they were given, and each record's last acknowledged state. A write
/// that was cut off leaves two possibilities.
#[derive(Default)]
struct Known {
    given: Vec<i64>,
    records: BTreeMap<i64, Possible>,
}

/// Creates, updates and deletes until the server is gone, telling of each acknowledgement.
fn write(mut client: Client, known: &Mutex<Known>, acknowledged: &Sender<()>, label: &str) {
    for number in 0.. {
        let name = format!("{label}n{number}");
        let body = format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#);
        let Ok(answer) = client.try_send(&Request::new("POST /users/").json(body)) else {
            return;
        };
        let id = answer.created_id();
        {
            let mut known = known.lock().unwrap();
            known.given.push(id);
            known.records.insert(id, vec![Some(name.clone())]);
        }
        acknowledged.send(()).ok();
        let changed = format!("{name} changed");
        let update =
            Request::new(&format!("PUT /users/{id}/")).json(format!(r#"{{"first_name":"{changed}"}}"#));
        if !step(&mut client, &update, known, id, Some(changed)) {
            return;
        }
        acknowledged.send(()).ok();
        if number % 3 == 0
            && !step(&mut client, &Request::new(&format!("DELETE /users/{id}/")), known, id, None)
        {
            return;
        }
    }
}

/// One write on a record: before the answer both states are possible, after it only the new one.
fn step(
    client: &mut Client,
    request: &Request,
    known: &Mutex<Known>,
    id: i64,
    state: Option<String>,
) -> bool {
    known.lock().unwrap().records.get_mut(&id).unwrap().push(state.clone());
    let Ok(answer) = client.try_send(request) else {
        return false;
    };
    assert_eq!(answer.status, 200, "{request:?}: {answer:?}");
    known.lock().unwrap().records.insert(id, vec![state]);
    true
}

#[test]
fn twenty_kills_under_load_lose_nothing_that_was_acknowledged() {
    let home = Home::new(&configs::built_in());
    let known = Mutex::new(Known::default());
    for round in 0..20 {
        let server = home.serve();
        let (sender, acknowledgements) = channel();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (client, sender, known) = (server.client(), sender.clone(), &known);
                scope.spawn(move || write(client, known, &sender, &format!("r{round}t{thread}")));
            }
            drop(sender);
            acknowledgements.iter().take(25 + round).for_each(drop);
            server.kill();
        });
        let server = home.serve();
        let mut client = server.client();
        for (id, possible) in &mut known.lock().unwrap().records {
            let answer = client.ask(&format!("GET /users/{id}/"));
            let state =
                (answer.status == 200).then(|| answer.json()["first_name"].as_str().unwrap().to_owned());
            assert!(possible.contains(&state), "round {round}, id {id}: {state:?} is none of {possible:?}");
            *possible = vec![state];
        }
        server.kill();
    }
    let given = known.into_inner().unwrap().given;
    assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), given.len(), "an id was given twice");
    home.serve().stop().is_sound();
}

#[test]
fn after_a_kill_the_same_port_and_store_open_at_once() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    let address = server.address().to_string();
    server.kill();
    let mut command = home.command_here(&["serve"]);
    command.args(["--listen", &address]);
    let server = crate::support::server::Server::launch(&home, command);
    assert_eq!(server.address().to_string(), address);
    assert_eq!(server.ids("/users/"), [1]);
}
