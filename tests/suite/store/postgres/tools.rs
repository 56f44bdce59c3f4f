//! Other tools write by plain SQL while nodes run: the next answer of every node shows it.

use std::collections::BTreeMap;

use dev::client::Client;
use dev::configs;
use dev::waiting::wait_until;

use crate::support::exchange::id_of;
use crate::support::home::Home;
use crate::support::server::Server;

/// Nodes that have asked for everything at least once, so that there is something to be wrong about.
struct Nodes {
    nodes: Vec<Server>,
    clients: Vec<Client>,
}

impl Nodes {
    fn start(config: &str) -> Nodes {
        let home = Home::new(config);
        let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
        let clients = nodes.iter().map(Server::client).collect();
        Nodes { nodes, clients }
    }

    /// Runs statements, then compares every node with what the database itself says, each by its first look.
    #[track_caller]
    fn after(&mut self, sql: &str) {
        let home = self.nodes[0].home();
        home.execute(sql);
        let rows = home.query("SELECT id || ' ' || first_name || ' ' || last_name FROM users ORDER BY id");
        let mut families: BTreeMap<&str, usize> =
            ["Doe", "Roe", "Poe"].iter().map(|family| (*family, 0)).collect();
        for row in &rows {
            *families.entry(row.rsplit(' ').next().unwrap()).or_default() += 1;
        }
        for client in &mut self.clients {
            let last = client.ask(&format!("GET /users/?offset={}", rows.len().saturating_sub(5))).json();
            assert_eq!(last["meta"]["total_count"], rows.len(), "after {sql}");
            for record in last["object_list"].as_array().unwrap() {
                let text = |field: &str| record[field].as_str().unwrap().to_owned();
                let row = format!("{} {} {}", id_of(record), text("first_name"), text("last_name"));
                assert!(rows.contains(&row), "after {sql}: {row} is not there");
            }
            for (family, number) in &families {
                let found = client.ask(&format!("GET /users/?last_name={family}")).json();
                assert_eq!(found["meta"]["total_count"], *number, "{family} after {sql}");
            }
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_other_tools_write_is_in_the_next_answer_of_every_node() {
    let mut nodes = Nodes::start(&configs::on_delete("cascade"));
    let many =
        "INSERT INTO users (first_name, last_name) SELECT 'n' || i, 'Doe' FROM generate_series(1, 700) AS i";
    for sql in [
        "INSERT INTO users (first_name, last_name) VALUES ('a', 'Doe'), ('b', 'Roe')",
        "UPDATE users SET last_name = 'Roe' WHERE first_name = 'a'",
        "UPDATE users SET last_name = 'Nobody' WHERE first_name = 'nobody'",
        "DELETE FROM users WHERE first_name = 'b'",
        // Up to here statement by statement, then several in one transaction.
        "BEGIN; INSERT INTO users (first_name, last_name) VALUES ('c', 'Poe'); UPDATE users SET last_name = 'Doe'; \
         INSERT INTO users (first_name, last_name) VALUES ('d', 'Roe'); DELETE FROM users WHERE first_name = 'a'; COMMIT",
        "BEGIN; DELETE FROM users; INSERT INTO users (first_name, last_name) VALUES ('x', 'Doe'); ROLLBACK",
        "BEGIN; SAVEPOINT s; DELETE FROM users; ROLLBACK TO s; \
         INSERT INTO users (first_name, last_name) VALUES ('e', 'Poe'); COMMIT",
        "BEGIN; INSERT INTO users (first_name, last_name) VALUES ('f', 'Poe'); SAVEPOINT s; DELETE FROM users; \
         ROLLBACK TO s; COMMIT",
        // What is changed twice, and what is gone before anybody saw it.
        "BEGIN; INSERT INTO users (first_name, last_name) VALUES ('g', 'Poe'); UPDATE users SET last_name = 'Roe' \
         WHERE first_name = 'g'; DELETE FROM users WHERE first_name = 'g'; COMMIT",
        "UPDATE users SET id = id + 1000 WHERE last_name = 'Poe'",
        "UPDATE users SET id = id + 100",
        // Another way to say each.
        "INSERT INTO users (id, first_name, last_name) VALUES (5000, 'h', 'Doe') ON CONFLICT (id) DO UPDATE SET last_name = 'Roe'",
        "INSERT INTO users (id, first_name, last_name) VALUES (5000, 'h', 'Doe') ON CONFLICT (id) DO UPDATE SET last_name = 'Roe'",
        "INSERT INTO users (id, first_name, last_name) VALUES (5000, 'h', 'Doe') ON CONFLICT (id) DO NOTHING",
        "WITH gone AS (DELETE FROM users WHERE last_name = 'Roe' RETURNING first_name) \
         INSERT INTO users (first_name, last_name) SELECT first_name, 'Poe' FROM gone",
        // A rule of deletion that the database follows by itself.
        "INSERT INTO address (country, city, street, number) VALUES ('a', 'b', 'c', 1); \
         UPDATE users SET address = (SELECT max(id) FROM address) WHERE last_name = 'Poe'",
        "DELETE FROM address",
        // More than are told one by one: forget what you know.
        many,
        "BEGIN; INSERT INTO users (first_name, last_name) SELECT 'm' || i, 'Roe' FROM generate_series(1, 2500) AS i; ROLLBACK",
        "INSERT INTO users (first_name, last_name) SELECT 'm' || i, 'Roe' FROM generate_series(1, 2500) AS i",
        "UPDATE users SET last_name = 'Poe' WHERE id % 2 = 0",
        "BEGIN; UPDATE users SET last_name = 'Doe' WHERE last_name = 'Roe'; DELETE FROM users WHERE id % 7 = 0; COMMIT",
        "DELETE FROM users WHERE last_name = 'Poe'",
        "BEGIN; TRUNCATE users; ROLLBACK",
        "BEGIN; TRUNCATE users; INSERT INTO users (first_name, last_name) VALUES ('z', 'Doe'); COMMIT",
        many,
        "TRUNCATE users",
        "INSERT INTO users (first_name, last_name) VALUES ('last', 'Doe')",
        "TRUNCATE address CASCADE",
    ] {
        nodes.after(sql);
    }
    nodes.nodes[0].home().is_sound();
}

/// Many small commits, more than the log of changes may be behind by.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_node_that_is_far_behind_starts_anew_and_is_right() {
    let mut nodes = Nodes::start(&configs::built_in());
    nodes.after("INSERT INTO users (first_name, last_name) VALUES ('a', 'Doe')");
    for node in &nodes.nodes {
        node.signal("STOP");
    }
    let home = nodes.nodes[0].home();
    home.execute(
        "DO $$ BEGIN FOR i IN 1..3000 LOOP \
           INSERT INTO users (first_name, last_name) VALUES ('n' || i, CASE i % 2 WHEN 0 THEN 'Doe' ELSE 'Roe' END); \
           COMMIT; END LOOP; END $$",
    );
    // What the nodes themselves do to it now and then.
    home.execute(
        "DELETE FROM _carnet_commits WHERE number <= (SELECT max(number) - 1000 FROM _carnet_commits)",
    );
    for node in &nodes.nodes {
        node.signal("CONT");
    }
    nodes.after("UPDATE users SET last_name = 'Poe' WHERE first_name = 'n7'");
}

/// The log may be lost, as after a crash: nobody may take that for silence.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_lost_log_of_changes_is_noticed() {
    let mut nodes = Nodes::start(&configs::built_in());
    nodes.after("INSERT INTO users (first_name, last_name) VALUES ('a', 'Doe'), ('b', 'Roe')");
    nodes.after("BEGIN; UPDATE users SET last_name = 'Poe'; TRUNCATE _carnet_changes; COMMIT");
    nodes.after("BEGIN; DELETE FROM users; DELETE FROM _carnet_changes; COMMIT");
    nodes.after("INSERT INTO users (first_name, last_name) VALUES ('c', 'Doe')");
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_table_that_refers_to_records_since_the_start_keeps_them() {
    let server = Server::start(&configs::built_in());
    let (kept, free) = (server.create_user("Jane", "Doe"), server.create_user("John", "Doe"));
    server.home().execute(&format!(
        "CREATE TABLE orders (id bigint PRIMARY KEY, buyer bigint REFERENCES users (id)); INSERT INTO orders VALUES (1, {kept})"
    ));
    assert!(server.refuses(&format!("DELETE /users/{kept}/"), 409).contains("orders"));
    assert_eq!(server.status(&format!("DELETE /users/{free}/")), 200);
    assert_eq!(server.total("/users/"), 1);
}

/// As in a dump that was restored on another server: the transactions of the first are in it.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_transaction_is_not_taken_for_one_of_another_server_with_its_number() {
    let server = Server::start(&configs::built_in());
    server.create_user("Jane", "Doe");
    assert_eq!(server.total("/users/"), 1);
    // The numbers of the next transactions, each once; other tests on this server use some of them up.
    server.home().execute(
        "INSERT INTO _carnet_transactions SELECT (pg_current_xact_id()::text::bigint + n)::text::xid8, 'epoch' \
         FROM generate_series(1, 20) AS n",
    );
    server.create_user("John", "Doe");
    assert_eq!(server.total("/users/"), 2);
    assert_eq!(server.ids("/users/?last_name=Doe").len(), 2);
}

/// A rewritten table looks empty to whoever looks at a moment before that.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_node_that_starts_while_a_table_is_rewritten_serves_all_of_it() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(
        "INSERT INTO users (first_name, last_name) SELECT 'n' || i, 'Doe' FROM generate_series(1, 3000) AS i",
    );
    let node = home.serve();
    // Rewritten once the node stands before the table, to read it anew.
    let rewriting = "BEGIN; LOCK TABLE users; \
         DO $$ BEGIN FOR i IN 1..6000 LOOP PERFORM pg_sleep(0.01); EXIT WHEN EXISTS (SELECT FROM pg_locks \
           WHERE relation = 'users'::regclass AND NOT granted); END LOOP; END $$; \
         ALTER TABLE users ALTER COLUMN first_name TYPE text COLLATE \"C\" USING first_name || ''; COMMIT";
    let held = "SELECT FROM pg_locks WHERE relation = 'users'::regclass AND mode = 'AccessExclusiveLock'";
    std::thread::scope(|scope| {
        scope.spawn(|| home.execute(rewriting));
        let is_held = format!("SELECT EXISTS ({held} AND granted)");
        wait_until("nobody holds the table", || home.query(&is_held) == ["t"]);
        home.execute("SELECT _carnet_raise()");
    });
    assert_eq!(node.total("/users/"), 3000);
    assert_eq!(node.total("/users/?last_name=Doe"), 3000);
}

/// Somebody empties the table that tells what is new.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn without_a_version_nobody_is_told_anything_that_may_be_old() {
    for lost in ["_carnet_version", "_carnet_commits"] {
        let home = Home::new(&configs::built_in());
        let node = home.serve();
        node.create_user("Jane", "Doe");
        assert_eq!(node.total("/users/"), 1);
        home.execute(&format!("DELETE FROM {lost}"));
        assert_eq!(node.status("GET /users/"), 503, "{lost}");
        drop(node);
        let node = home.serve();
        assert_eq!(node.total("/users/"), 1, "a start mends it");
        node.create_user("John", "Doe");
        assert_eq!(node.total("/users/?last_name=Doe"), 2);
    }
}

/// What a node reads of the log is bounded in bytes, too.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn large_records_that_change_meanwhile_do_not_fill_the_memory_of_a_node() {
    let node = Server::start(&configs::built_in());
    let id = node.create_user("Jane", "Doe");
    let home = node.home();
    assert_eq!(node.total("/users/?last_name=Doe"), 1);
    let before = node.peak_memory();
    node.signal("STOP");
    home.execute(&format!(
        "DO $$ BEGIN FOR i IN 1..40 LOOP UPDATE users SET first_name = repeat(md5(i::text), 32768) WHERE id = {id}; \
           COMMIT; END LOOP; UPDATE users SET first_name = 'short' WHERE id = {id}; END $$"
    ));
    node.signal("CONT");
    assert_eq!(node.ask(&format!("GET /users/{id}/")).json()["first_name"], "short");
    assert_eq!(node.total("/users/?first_name=short"), 1);
    let grown = node.peak_memory() - before;
    println!("{grown} KiB more");
    assert!(grown < 40 << 10, "{grown} KiB for what is 8 MiB at the most");
}
