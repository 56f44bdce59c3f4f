//! A server that is never idle clears old answers away as it stores new ones.

use crate::support::configs;
use crate::support::home::Home;
use crate::support::request::Request;

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
