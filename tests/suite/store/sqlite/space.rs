//! Space that nothing takes any more: given back by a server that rests, without taking anything else along.

use std::sync::Arc;

use dev::configs;
use dev::request::Request;
use dev::waiting::{wait_for, wait_until};

use crate::support::home::Home;

/// More free pages than a server keeps for what is written next.
const FREE: i64 = 2_000;

fn file_bytes(home: &Home) -> u64 {
    std::fs::metadata(home.database_file()).unwrap().len()
}

fn free_pages(home: &Home) -> i64 {
    home.query("PRAGMA freelist_count").remove(0).parse().unwrap()
}

/// Makes much of a file free, with records before and behind.
fn make_free(home: &Arc<Home>) {
    let server = home.serve();
    server.create_user("before", "Doe");
    server.stop();
    home.execute(&format!(
        "CREATE TABLE filler (text TEXT);
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {FREE})
         INSERT INTO filler SELECT printf('%.*c', 4000, 'x') FROM n;
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500)
         INSERT INTO users (first_name, last_name) SELECT 'n' || n, printf('%.*c', 500, 'y') FROM n;
         DROP TABLE filler;"
    ));
    assert!(free_pages(home) >= FREE, "{}", free_pages(home));
}

#[test]
fn a_server_that_rests_makes_its_file_smaller() {
    let home = Home::new(&configs::long_pages());
    make_free(&home);
    let before = file_bytes(&home);
    let server = home.serve();
    let contents = server.contents();
    wait_for(|| {
        let now = file_bytes(&home);
        if now > before - 3_000_000 { Err(format!("{now} of {before} bytes")) } else { Ok(()) }
    });
    assert!(server.contents() == contents);
    let request = Request::new("POST /users/").key("k").json(r#"{"first_name":"after","last_name":"Doe"}"#);
    assert_eq!(server.send(&request).created_id(), 502);
    let home = server.kill();
    home.is_sound();
    assert_eq!(home.serve().total("/users/"), 502);
}

#[test]
fn a_file_of_before_that_cannot_be_cut_is_served_as_it_is() {
    let home = Home::new(&configs::long_pages());
    home.serve().stop();
    home.execute("PRAGMA auto_vacuum = NONE; VACUUM");
    make_free(&home);
    let before = (file_bytes(&home), free_pages(&home));
    let server = home.serve();
    assert_eq!(server.create_user("after", "Doe"), 502);
    // After some seconds of rest the log is empty, and the free pages would be gone.
    let log = home.path("carnet.db-wal");
    wait_until("the log is not cut", || !std::fs::metadata(&log).is_ok_and(|log| log.len() > 0));
    server.stop().is_sound();
    assert_eq!(file_bytes(&home), before.0);
    assert!(free_pages(&home) >= before.1 - 10);
}
