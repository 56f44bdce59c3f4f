//! Copying: everything, with its ids, into an empty store; or nothing at all. Through a file, from and to the engine
//! of this run.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;

/// A store with users, of whom the last is gone, and a key.
fn filled() -> Arc<Home> {
    let home = Home::new(&configs::guarded());
    home.add_key("alice", "the-key-of-alice-1");
    home.serve().stop();
    home.execute(
        "INSERT INTO address (country, city, street, number) VALUES ('Italia', 'Roma', 'via', 7);
         INSERT INTO users (id, first_name, last_name, address) VALUES (2, 'Jöhn', '', NULL), (5, 'Jane', 'Roe', 1)",
    );
    let server = home.serve();
    let last = server.ask(r#"POST /users/?accesskey=the-key-of-alice-1 {"first_name":"a","last_name":"b"}"#);
    assert_eq!(last.created_id(), 6);
    assert_eq!(server.status("DELETE /users/6/?accesskey=the-key-of-alice-1"), 200);
    server.stop()
}

#[test]
fn records_ids_keys_and_the_counter_of_ids_arrive_and_come_back() {
    let (home, other, third) = (filled(), Home::new(&configs::guarded()), Home::new(&configs::guarded()));
    home.run(&["keys", "create", "root", "--admin"]).exits(0);
    let file = home.file_url("between.db");
    let there = home.copy(&home.database_url(), &file).exits(0);
    let back = home.copy(&file, &other.database_url()).exits(0);
    let direct = home.copy_into(&third).exits(0);
    // Name, number and digest are those of the records, wherever they are.
    assert_eq!(there.stdout, back.stdout);
    assert_eq!(there.stdout, direct.stdout);
    let lines: Vec<Vec<&str>> = there.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.iter().map(|line| line[..2].join(" ")).collect::<Vec<_>>(), ["address 1", "users 2"]);
    assert!(lines.iter().all(|line| line[2].len() == 32), "{lines:?}");
    let everything = "SELECT id || first_name || last_name || coalesce(address, 0) FROM users ORDER BY id";
    for copy in [other, third] {
        copy.is_sound();
        assert_eq!(copy.query(everything), ["2Jöhn0", "5JaneRoe1"]);
        for keys in
            ["SELECT created FROM _carnet_keys ORDER BY name", "SELECT name FROM _carnet_keys WHERE admin"]
        {
            assert_eq!(copy.query(keys), home.query(keys));
        }
        assert_eq!(copy.query("SELECT name FROM _carnet_keys WHERE admin"), ["root"]);
        let indexed = (copy.stored().indexed("users"), copy.stored().unique("users"));
        assert_eq!(indexed, (home.stored().indexed("users"), home.stored().unique("users")));
        let server = copy.serve();
        let next =
            server.ask(r#"POST /users/?accesskey=the-key-of-alice-1 {"first_name":"a","last_name":"b"}"#);
        assert_eq!(next.created_id(), 7, "an id that was given once");
        assert_eq!(server.status("GET /users/"), 401);
    }
}

#[test]
fn values_of_every_type_are_the_same_to_the_bit() {
    let (home, other) = (Home::new(&configs::kinds()), Home::new(&configs::kinds()));
    let server = home.serve();
    for (place, float) in ["0.1", "-1.7976931348623157e308", "5e-324", "-0.0"].iter().enumerate() {
        let (size, long) = (i64::MIN + place as i64, "é".repeat(3000));
        server.create("/things/", &format!(
            r#"{{"name":"{place} \u0001 \uD83D\uDE00 {long}","size":{size},"weight":{float},"fragile":{},"height":{float}}}"#, place % 2 == 0
        ));
    }
    server.create(
        "/things/",
        r#"{"name":"","size":1,"weight":1,"fragile":true,"note":"","code":9223372036854775807,"sold":false}"#,
    );
    let (before, file) = (server.walk("/things/"), home.file_url("between.db"));
    // Beside the server, which goes on.
    home.copy(&home.database_url(), &file).exits(0);
    home.copy(&file, &other.database_url()).exits(0);
    assert_eq!(other.serve().walk("/things/"), before);
}

#[test]
fn a_store_that_is_not_empty_is_refused_and_stays_as_it_is() {
    let home = filled();
    for (what, config) in [("records in users", configs::built_in()), ("access keys", configs::guarded())] {
        let other = Home::new(&config);
        match what {
            "access keys" => other.add_key("bob", "the-key-of-bob-123"),
            _ => drop(other.serve().create_user("a", "b")),
        }
        let before = other.stored_bytes();
        home.copy_into(&other).exits(1).says(&["not empty", what]);
        assert!(other.stored_bytes() == before, "{what}");
    }
}

#[test]
fn an_empty_store_of_a_server_that_has_run_is_filled() {
    let (home, other) = (filled(), Home::new(&configs::guarded()));
    let server = other.serve();
    let first = server.create_address();
    assert_eq!(server.status(&format!("DELETE /address/{first}/")), 200);
    server.stop();
    home.copy_into(&other).exits(0);
    let server = other.serve();
    assert_eq!(server.ids("/users/?accesskey=the-key-of-alice-1"), [2, 5]);
    assert_eq!(server.create_address(), 2);
}

#[test]
fn what_is_not_the_same_when_it_is_read_back_is_not_kept() {
    let (home, other) = (filled(), Home::new(&configs::guarded()));
    other.serve().stop();
    other.execute(other.either(
        "CREATE TRIGGER spoil AFTER INSERT ON users BEGIN UPDATE users SET last_name = 'x' WHERE id = new.id; END",
        "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN NEW.last_name := 'x'; RETURN NEW; END $$;
         CREATE TRIGGER spoil BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION spoil()",
    ));
    let before = stored(&other);
    home.copy_into(&other).exits(1).says(&["users: 2 were read", "nothing was copied"]);
    assert!(stored(&other) == before, "something was left");
}

#[test]
fn a_source_that_is_not_there_is_refused_and_not_made() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.copy_into(&other).exits(1).says(&["no carnet store"]);
    assert!(!home.has_store() && !other.has_store());
}

#[test]
fn a_source_that_a_start_would_change_is_refused() {
    let (home, other) = (filled(), Home::new(&configs::built_in()));
    let before = home.stored_bytes();
    home.configure(&configs::users(r#"unique = [["first_name"]]"#, ""));
    home.copy_into(&other).exits(1).says(&["not in line", "make users unique by first_name"]);
    assert!(home.stored_bytes() == before && !other.has_store());
}

#[test]
fn a_collection_that_was_never_stored_is_copied_as_an_empty_one() {
    let (home, other) = (Home::new(&configs::guarded()), Home::new(&configs::guarded()));
    home.add_key("alice", "the-key-of-alice-1");
    home.copy_into(&other).exits(0);
    assert_eq!(other.serve().status("GET /users/?accesskey=the-key-of-alice-1"), 200);
}

/// All that is stored, but for the counter of a log's lines: a server never takes such a number back.
fn stored(home: &Home) -> Vec<Vec<u8>> {
    let bytes = home.stored_bytes();
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    lines.filter(|line| !line.starts_with(b"sequence _carnet_places")).collect()
}

/// Whenever it is ended: what is there is all or nothing.
fn ended_by(signal: &str) {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(
        "INSERT INTO users (first_name, last_name)
         WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000) SELECT 'a' || n, 'b' FROM n",
    );
    let other = Home::new(&configs::built_in());
    other.serve().stop();
    let before = stored(&other);
    let mut process = home.start_copy(&home.database_url(), &other.database_url());
    process.wait_for_error("copying address");
    process.signal(signal);
    let code = process.wait().code();
    if code == Some(0) {
        assert_eq!(other.serve().total("/users/"), 60_000);
    } else {
        assert!(stored(&other) == before, "something was left: {}", process.stderr());
        home.copy_into(&other).exits(0);
    }
    assert_eq!(other.query("SELECT count(*) FROM users"), ["60000"]);
}

#[test]
fn a_copy_that_is_killed_leaves_the_target_as_it_was() {
    ended_by("KILL");
}

#[test]
fn a_copy_that_is_told_to_stop_leaves_the_target_as_it_was() {
    ended_by("TERM");
    ended_by("INT");
}
