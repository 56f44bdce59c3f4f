//! Triggers of other tools on the tables of collections: whatever they do to a write, answers say what is stored.

use dev::client::Client;
use dev::configs;
use dev::request::Request;

use crate::support::batch::batch;
use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

/// Makes a trigger of another tool.
fn trigger(server: &Server, when: &str, body: &str) {
    server.home().execute(&format!(
        "CREATE FUNCTION tool() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$; \
         CREATE TRIGGER tool {when} ON users FOR EACH ROW EXECUTE FUNCTION tool()"
    ));
}

fn user(name: &str, family: &str) -> Request {
    Request::new("POST /users/").json(format!(r#"{{"first_name":"{name}","last_name":"{family}"}}"#))
}

/// The families in the database, and as a node tells them: by lists, filters and fetches.
#[track_caller]
fn is_as_stored(server: &Server, client: &mut Client) {
    let rows = server.home().query("SELECT id || ' ' || last_name FROM users ORDER BY id");
    let list = client.ask("GET /users/?count=1000").json();
    let told = list["object_list"].as_array().unwrap().iter();
    let told = told.map(|it| format!("{} {}", it["id"], it["last_name"].as_str().unwrap()));
    assert_eq!(told.collect::<Vec<_>>(), rows);
    for family in ["new", "later", "archived"] {
        let stored = rows.iter().filter(|row| row.ends_with(&format!(" {family}"))).count();
        let found = client.ask(&format!("GET /users/?last_name={family}")).json();
        assert_eq!(found["meta"]["total_count"], stored, "{family}");
    }
    for row in rows {
        let (id, family) = row.split_once(' ').unwrap();
        assert_eq!(client.ask(&format!("GET /users/{id}/")).json()["last_name"], family);
    }
}

/// Its own change is logged before that of the statement which it follows.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_a_trigger_changes_after_a_row_is_what_every_node_shows() {
    let home = Home::new(&configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let mut clients: Vec<Client> = nodes.iter().map(Server::client).collect();
    trigger(
        &nodes[0],
        "AFTER INSERT OR UPDATE",
        "IF NEW.last_name = 'later' THEN UPDATE users SET last_name = 'archived' WHERE id = NEW.id; \
         ELSIF NEW.last_name = 'gone' THEN DELETE FROM users WHERE id = NEW.id; END IF; RETURN NULL;",
    );
    for name in ["a", "b", "c"] {
        assert_eq!(nodes[0].send(&user(name, "new")).status, 201);
    }
    for sql in [
        "UPDATE users SET last_name = 'later' WHERE id = 1",
        "INSERT INTO users (first_name, last_name) VALUES ('d', 'later'), ('e', 'new')",
        "UPDATE users SET last_name = 'gone' WHERE id = 2",
        "INSERT INTO users (first_name, last_name) VALUES ('f', 'gone')",
        "BEGIN; UPDATE users SET last_name = 'later' WHERE id = 3; UPDATE users SET last_name = 'new' WHERE id = 3; COMMIT",
    ] {
        home.execute(sql);
        nodes.iter().zip(&mut clients).for_each(|(node, client)| is_as_stored(node, client));
    }
    assert_eq!(nodes[1].send(&user("g", "later")).status, 201);
    assert_eq!(nodes[1].status(r#"PUT /users/1/ {"last_name":"later"}"#), 200);
    nodes.iter().zip(&mut clients).for_each(|(node, client)| is_as_stored(node, client));
}

/// A node knows by itself what it has created, but not what a trigger does to that.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_a_trigger_does_to_the_creates_of_a_batch_is_what_every_node_shows() {
    let home = Home::new(&configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let mut clients: Vec<Client> = nodes.iter().map(Server::client).collect();
    assert_eq!(nodes[0].send(&user("a", "new")).status, 201);
    trigger(
        &nodes[0],
        "AFTER INSERT",
        "IF NEW.last_name = 'later' THEN UPDATE users SET last_name = 'archived' WHERE id = NEW.id; \
         ELSIF NEW.last_name = 'gone' THEN DELETE FROM users WHERE id = NEW.id; \
         ELSIF NEW.last_name = 'first' THEN UPDATE users SET last_name = NEW.first_name WHERE id = 1; END IF; \
         RETURN NULL;",
    );
    for (round, family) in ["later", "new", "gone", "first", "later"].into_iter().enumerate() {
        // Few are followed at once, many beside the next questions.
        for number in [2, 150] {
            let items = (0..number).map(|place| {
                let family = if place == 1 { family } else { "new" };
                let body = format!(r#"{{"first_name":"n{round}","last_name":"{family}"}}"#);
                format!(r#"{{"method":"POST","path":"/users/","body":{body}}}"#)
            });
            assert_eq!(nodes[round % 2].send(&batch(&items.collect::<Vec<_>>())).status, 200);
            nodes.iter().zip(&mut clients).for_each(|(node, client)| is_as_stored(node, client));
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_create_that_a_trigger_leaves_out_is_refused_and_the_others_get_their_own_ids() {
    let server = Server::start(&configs::long_pages());
    trigger(&server, "BEFORE INSERT", "IF NEW.last_name = 'left out' THEN RETURN NULL; END IF; RETURN NEW;");
    // At once, so that they share statements.
    let answers = race(48, |place| {
        let family = if place % 3 == 0 { "left out" } else { "new" };
        (format!("n{place}"), family, server.send(&user(&format!("n{place}"), family)))
    });
    for (name, family, answer) in &answers {
        if *family == "left out" {
            assert_eq!(answer.status, 409, "{answer:?}");
            assert!(answer.error().contains("a trigger undoes it"), "{answer:?}");
        } else {
            let stored = server.ask(&format!("GET /users/{}/", answer.created_id())).json();
            assert_eq!(stored["first_name"], name.as_str(), "the Location of another's record");
        }
    }
    assert_eq!(server.total("/users/"), 32);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_trigger_that_sets_ids_and_fields_is_shown_in_the_answer() {
    let server = Server::start(&configs::long_pages());
    trigger(
        &server,
        "BEFORE INSERT",
        "NEW.id := NEW.id + 1000000; NEW.last_name := upper(NEW.last_name); RETURN NEW;",
    );
    let answers = race(24, |place| {
        let request = user(&format!("n{place}"), "new").header("Prefer", "return=representation");
        (format!("n{place}"), server.send(&request))
    });
    for (name, answer) in &answers {
        let id = answer.created_id();
        assert!(id > 1_000_000, "{answer:?}");
        assert_eq!(answer.json(), server.ask(&format!("GET /users/{id}/")).json());
        assert_eq!(answer.json()["first_name"], name.as_str());
        assert_eq!(answer.json()["last_name"], "NEW");
    }
}

/// Batches at once share a statement that judges nothing beforehand.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_triggers_do_to_batches_at_once_is_refused_or_shown_in_each_answer() {
    let item = |name: &str, family: &str| {
        let body = format!(r#"{{"first_name":"{name}","last_name":"{family}"}}"#);
        format!(r#"{{"method":"POST","path":"/users/","body":{body}}}"#)
    };
    for (body, others) in [
        ("IF NEW.last_name = 'odd' THEN RETURN NULL; END IF; RETURN NEW;", 80),
        ("IF NEW.last_name = 'odd' THEN RAISE 'no'; END IF; RETURN NEW;", 80),
        ("IF NEW.last_name = 'odd' THEN NEW.id := NEW.id + 1000000; END IF; RETURN NEW;", 96),
    ] {
        let server = Server::start(&configs::long_pages());
        trigger(&server, "BEFORE INSERT", body);
        let answers = race(16, |thread| {
            let mut client = server.client();
            let send = |turn| {
                let family = if (thread + turn) % 6 == 0 { "odd" } else { "new" };
                let name = format!("t{thread}n{turn}");
                let items = [item(&name, "new"), item(&name, family), item(&name, "new")];
                (name, client.send(&batch(&items)))
            };
            (0..6).map(send).collect::<Vec<_>>()
        });
        let mut stored = 0;
        for (name, answer) in answers.iter().flatten() {
            if answer.status != 200 {
                assert!(answer.status == 409 && answer.error().starts_with("item 1: "), "{answer:?}");
                continue;
            }
            stored += 1;
            let results = answer.json();
            for result in results["results"].as_array().unwrap() {
                let uri = result["ressource_uri"].as_str().unwrap();
                assert_eq!(server.ask(&format!("GET {uri}")).json()["first_name"], name.as_str());
            }
        }
        assert_eq!((stored, server.total("/users/")), (others, 3 * others), "{body}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn an_update_or_delete_that_a_trigger_prevents_is_refused() {
    let server = Server::start(&configs::on_delete("cascade"));
    let id = server.create_user("Jane", "new");
    trigger(&server, "BEFORE UPDATE OR DELETE", "RETURN NULL;");
    let change = format!(r#"PUT /users/{id}/ {{"last_name":"later"}}"#);
    for request in [change.as_str(), &format!("DELETE /users/{id}/")] {
        for keyed in [Request::text(request), Request::text(request).key(request)] {
            let answer = server.send(&keyed);
            assert_eq!(answer.status, 409, "{answer:?}");
            assert!(answer.error().contains("a trigger undoes it"), "{answer:?}");
        }
    }
    assert_eq!(server.ask(&format!("GET /users/{id}/")).json()["last_name"], "new");
    assert_eq!(server.status(r#"PUT /users/77/ {"last_name":"later"}"#), 404);
}
