//! What a server, a database or a role is set to, and a node is not meant by.

use dev::cluster::Cluster;
use dev::waiting::wait_for;
use dev::{configs, schema};

use crate::support::home::Home;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn timeouts_and_quotes_that_the_server_is_set_to_are_not_those_of_a_node() {
    let cluster = Cluster::start();
    cluster.set("idle_session_timeout", "2s");
    cluster.set("quote_all_identifiers", "on");
    let has_transaction_timeout =
        cluster.query("SELECT count(*) FROM pg_settings WHERE name = 'transaction_timeout'") == ["1"];
    if has_transaction_timeout {
        cluster.set("transaction_timeout", "2s");
    }
    let home = Home::at(&cluster.url(), &configs::unique());
    // The second start compares what is there with what it would make.
    home.serve().stop();
    let server = home.serve();
    assert_eq!(server.create_user("Jane", "Doe"), 1);
    // Longer than the server lets others be idle; who asks meanwhile does so in one connection each.
    let long_idle = "SELECT pid FROM pg_stat_activity WHERE application_name = 'carnet' AND state = 'idle' \
         AND clock_timestamp() - state_change > interval '3 s'";
    let found = |sql: &str| cluster.query(sql).into_iter().next();
    wait_for(|| found(long_idle).ok_or_else(|| format!("no connection is left idle: {}", server.stderr())));
    assert_eq!(server.create_user("John", "Doe"), 2);
    // A transaction that takes longer than the server lets others take: no other lock is waited for so long.
    let waits = "SELECT pid FROM pg_stat_activity WHERE application_name = 'carnet' AND wait_event_type = 'Lock' \
         AND clock_timestamp() - xact_start > interval '2500 ms'";
    let unlimited = if has_transaction_timeout { "SET LOCAL transaction_timeout = 0; " } else { "" };
    let lock = format!("{unlimited}{}", schema::TAKE_TURN);
    std::thread::scope(|scope| {
        let written = schema::hold(&cluster.url(), &lock, || {
            let written =
                scope.spawn(|| server.client().ask(r#"POST /users/ {"first_name":"Jim","last_name":"Doe"}"#));
            wait_for(|| found(waits).ok_or_else(|| format!("nobody waits: {}", server.stderr())));
            written
        });
        assert_eq!(written.join().unwrap().status, 201);
    });
    assert!(!server.stderr().contains("database_lost"), "{}", server.stderr());
}
