//! One request that changes many records: nobody sees half of it, whichever way they look.

use std::sync::atomic::{AtomicBool, Ordering};

use dev::configs;

use crate::support::ends::Ends;
use crate::support::home::Home;

/// How many users live at one address; they fill many blocks of neighbours.
const USERS: i64 = 600;

/// Deletes addresses with all that hangs on them, while readers look at two users of the address in turn:
/// who has seen the first one changed finds the second one changed as well.
fn seen_by_fetches(rule: &str, memory: &str, has_changed: impl Fn(u16, &str) -> bool + Sync) {
    let home = Home::new(&format!("[server]\nmemory = \"{memory}\"\n{}", configs::on_delete(rule)));
    home.serve().stop();
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
         INSERT INTO address (id, country, city, street, number) SELECT i + 1, 'a', 'b', 'c', i FROM n;
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 8 * {USERS})
         INSERT INTO users (id, first_name, last_name, address) SELECT i + 1, 'n', 'Doe', i / {USERS} + 1 FROM n",
    ));
    let server = home.serve();
    for address in 1..=8 {
        let first = (address - 1) * USERS + 1;
        // Twice, so that the blocks are kept.
        for id in (first..first + USERS).chain(first..first + USERS) {
            assert_eq!(server.status(&format!("GET /users/{id}/")), 200);
        }
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (server, is_over, has_changed) = (&server, &is_over, &has_changed);
            for reader in 0..4 {
                scope.spawn(move || {
                    let mut client = server.client();
                    let mut look = |id: i64| {
                        let answer = client.ask(&format!("GET /users/{id}/"));
                        has_changed(answer.status, answer.body_text())
                    };
                    let mut place = reader * 37;
                    while !is_over.load(Ordering::Relaxed) {
                        place = (place + 101) % USERS;
                        let (one, other) = (first + place, first + (place + USERS / 2) % USERS);
                        if look(one) {
                            assert!(look(other), "{rule}: user {one} has changed, user {other} has not");
                        }
                    }
                });
            }
            let _ends = Ends(is_over);
            assert_eq!(server.client().ask(&format!("DELETE /address/{address}/")).status, 200);
        });
    }
}

#[test]
fn a_deletion_that_clears_many_fields_is_seen_whole_by_fetches() {
    seen_by_fetches("set_null", "256MiB", |_, body| body.contains(r#""address":null"#));
}

#[test]
fn a_deletion_that_takes_many_records_along_is_seen_whole_by_fetches() {
    seen_by_fetches("cascade", "256MiB", |status, _| status == 404);
}
