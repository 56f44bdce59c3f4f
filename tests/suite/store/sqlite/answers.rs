//! Stored answers in a file: cleared away as new ones are stored, and counted.

use dev::configs;
use dev::request::Request;

use crate::support::home::Home;

#[test]
fn each_answer_that_is_stored_makes_room_for_more_than_itself() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    let user = |name: &str| {
        let body = format!(r#"{{"first_name":"{name}","last_name":"Doe"}}"#);
        server.send(&Request::new("POST /users/").key(name).json(body)).created_id()
    };
    (0..12).for_each(|number| _ = user(&format!("old{number}")));
    home.execute("UPDATE _carnet_answers SET moment = '2020-01-01T00:00:00Z'");
    (0..3).for_each(|number| _ = user(&format!("new{number}")));
    let old = home.query("SELECT count(*) FROM _carnet_answers WHERE moment < '2021'").remove(0);
    assert!(old.parse::<i64>().unwrap() <= 6, "{old} are still there");
}

/// A file of a version that did not count what stored answers take.
#[test]
fn a_file_in_which_stored_answers_are_not_counted_is_counted_once() {
    let home = Home::new(&configs::with_server("base_url = \"http://book.example.org\""));
    let server = home.serve();
    let create = Request::new("POST /users/").key("a").json(r#"{"first_name":"John","last_name":"Doe"}"#);
    let first = server.send(&create);
    let update = Request::new("PUT /users/1/").key("b").json(r#"{"last_name":"Roe"}"#);
    assert_eq!(server.send(&update).status, 200);
    let counted = server.metric("carnet_store_answers_bytes");
    assert!(counted > 2 * 256, "{counted}");
    server.stop();
    home.execute(
        "DROP TRIGGER _carnet_answer_inserted; DROP TRIGGER _carnet_answer_updated;
         DROP TRIGGER _carnet_answer_deleted; DROP TABLE _carnet_answer_bytes",
    );
    let server = home.serve();
    assert_eq!(server.metric("carnet_store_answers_bytes"), counted);
    server.send(&create).repeats(&first);
}
