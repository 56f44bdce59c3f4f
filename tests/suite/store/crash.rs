//! `kill -9` under load, again and again on the same store: what was acknowledged is there, and what was cut off can
//! be sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use dev::client::Client;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;

/// The first names under which a record may be found; `None` stands for not found.
type Possible = Vec<Option<String>>;

/// What the clients know: every id they were given, and each record's last acknowledged state. A write
/// that was cut off leaves two possibilities, unless it has a key and can be sent again.
#[derive(Default)]
struct Known {
    given: Vec<i64>,
    records: BTreeMap<i64, Possible>,
    /// Requests with a key that got no answer: the name that is created, or the record and what becomes of it.
    cut_off: Vec<(Request, Wanted)>,
}

#[derive(Clone)]
enum Wanted {
    Record(String),
    State(i64, Option<String>),
}

/// Creates, updates and deletes until the server is gone, telling of each acknowledgement.
fn write(mut client: Client, known: &Mutex<Known>, acknowledged: &Sender<()>, label: &str, has_keys: bool) {
    let keyed = |request: Request, key: String| if has_keys { request.key(&key) } else { request };
    for number in 0.. {
        let name = format!("{label}n{number}");
        let body = format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#);
        let create = keyed(Request::new("POST /users/").json(body), format!("{name} create"));
        let Ok(answer) = client.try_send(&create) else {
            if has_keys {
                known.lock().unwrap().cut_off.push((create, Wanted::Record(name)));
            }
            return;
        };
        let id = answer.created_id();
        known.lock().unwrap().is_created(id, &name);
        acknowledged.send(()).ok();
        let changed = format!("{name} changed");
        let update =
            Request::new(&format!("PUT /users/{id}/")).json(format!(r#"{{"first_name":"{changed}"}}"#));
        let update = keyed(update, format!("{name} update"));
        if !step(&mut client, &update, known, Wanted::State(id, Some(changed)), has_keys) {
            return;
        }
        acknowledged.send(()).ok();
        let delete = keyed(Request::new(&format!("DELETE /users/{id}/")), format!("{name} delete"));
        if number % 3 == 0 && !step(&mut client, &delete, known, Wanted::State(id, None), has_keys) {
            return;
        }
    }
}

/// One write on a record: before the answer both states are possible, after it only the new one.
fn step(
    client: &mut Client,
    request: &Request,
    known: &Mutex<Known>,
    wanted: Wanted,
    has_keys: bool,
) -> bool {
    let Wanted::State(id, state) = wanted.clone() else { return false };
    known.lock().unwrap().records.get_mut(&id).unwrap().push(state.clone());
    let Ok(answer) = client.try_send(request) else {
        if has_keys {
            known.lock().unwrap().cut_off.push((request.clone(), wanted));
        }
        return false;
    };
    assert_eq!(answer.status, 200, "{request:?}: {answer:?}");
    known.lock().unwrap().records.insert(id, vec![state]);
    true
}

impl Known {
    fn is_created(&mut self, id: i64, name: &str) {
        self.given.push(id);
        self.records.insert(id, vec![Some(name.to_owned())]);
    }

    /// Sends again what was cut off: it is done now, whether or not it was before, and done once. How many had been
    /// done before.
    fn send_again(&mut self, client: &mut Client) -> usize {
        let mut repeated = 0;
        for (request, wanted) in std::mem::take(&mut self.cut_off) {
            let answer = client.send(&request);
            repeated += usize::from(answer.header("Idempotency-Replayed").is_some());
            match wanted {
                Wanted::Record(name) => {
                    self.is_created(answer.created_id(), &name);
                    let found = client.ask(&format!("GET /users/?first_name={name}")).json();
                    assert_eq!(found["meta"]["total_count"], 1, "{request:?}: {found}");
                }
                Wanted::State(id, state) => {
                    assert_eq!(answer.status, 200, "{request:?}: {answer:?}");
                    self.records.insert(id, vec![state]);
                }
            }
        }
        repeated
    }
}

#[test]
fn twenty_kills_under_load_lose_and_double_nothing() {
    let home = Home::new(&configs::built_in());
    let known = Mutex::new(Known::default());
    let (mut sent_again, mut repeated) = (0, 0);
    for round in 0..20 {
        let server = home.serve();
        let (sender, acknowledgements) = channel();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (client, sender, known) = (server.client(), sender.clone(), &known);
                let label = format!("r{round}t{thread}");
                scope.spawn(move || write(client, known, &sender, &label, thread % 2 == 0));
            }
            drop(sender);
            acknowledgements.iter().take(25 + round).for_each(drop);
            server.kill();
        });
        let server = home.serve();
        let mut client = server.client();
        sent_again += known.lock().unwrap().cut_off.len();
        repeated += known.lock().unwrap().send_again(&mut client);
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
    println!("{sent_again} requests sent again, {repeated} of them had been done");
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
