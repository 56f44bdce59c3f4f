//! How other tools lock beside nodes that write: they wait for whom they must, and nobody fails for the other's sake.

use std::sync::atomic::{AtomicBool, Ordering};

use dev::cluster::Cluster;
use dev::configs;
use dev::schema;

use crate::support::home::Home;
use crate::support::server::Server;

/// Runs statements of a tool, so often by each of three sessions, while two nodes change the same record and create others.
/// Says how many of them went through.
fn beside_nodes(cluster: &Cluster, times: usize, sql: &str) -> usize {
    let home = Home::at(&cluster.url(), &configs::built_in());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let id = nodes[0].create_user("Jane", "Doe");
    let sql = sql.replace("{id}", &id.to_string());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for node in &nodes {
            let (mut client, is_over) = (node.client(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let answer = client.ask(&format!(r#"PUT /users/{id}/ {{"last_name":"Roe"}}"#));
                    assert_eq!(answer.status, 200, "{answer:?}");
                    let answer = client.ask(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#);
                    assert_eq!(answer.status, 201, "{answer:?}");
                }
            });
        }
        let tools: Vec<_> = (0..3)
            .map(|_| {
                let (url, sql) = (home.database_url(), sql.as_str());
                scope.spawn(move || (0..times).filter(|_| schema::query(&url, sql).is_ok()).count())
            })
            .collect();
        let done = tools.into_iter().map(|tool| tool.join().unwrap()).sum();
        is_over.store(true, Ordering::SeqCst);
        done
    })
}

/// As every ORM writes. Nodes and tools both lock the record first.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_tool_that_locks_a_record_and_then_changes_it_makes_no_deadlock() {
    let cluster = Cluster::passing();
    let done = beside_nodes(
        &cluster,
        40,
        "BEGIN; SELECT id FROM users WHERE id = {id} FOR UPDATE; UPDATE users SET last_name = 'Poe' WHERE id = {id}; COMMIT",
    );
    assert_eq!(done, 3 * 40);
    let deadlocks = "SELECT sum(deadlocks) FROM pg_stat_database";
    assert_eq!(cluster.query(deadlocks), ["0"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn no_isolation_level_of_a_tool_fails_for_the_sake_of_the_nodes() {
    let cluster = Cluster::passing();
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        let insert = "INSERT INTO users (first_name, last_name) VALUES ('a', 'Poe')";
        let sql = format!("BEGIN ISOLATION LEVEL {level}; {insert}; {insert}; COMMIT");
        assert_eq!(beside_nodes(&cluster, 20, &sql), 3 * 20, "{level}");
    }
}
