//! Orders that stay (`keep_order`), and orders that do not fit: which of them are there, and when they are made anew.

use std::sync::Arc;

use dev::waiting::wait_until;

use crate::support::batch::{batch, delete};
use crate::support::home::Home;
use crate::support::server::Server;

/// More than what is sorted for each request.
const PEOPLE: usize = 4_000;

/// People with names that have little in common, of whom every second has a nick.
fn filled(server: &str, keeps: &str, people: usize) -> Arc<Home> {
    let home = Home::new(&format!(
        "{server}\n[[collection]]\nname = \"people\"\n[collection.fields]\n\
         name = {{ type = \"string\", required = true{keeps} }}\nnick = {{ type = \"string\"{keeps} }}\n\
         [collection.pagination]\npage_size = 20\n"
    ));
    home.serve().stop();
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {people})
         INSERT INTO people (id, name, nick)
         SELECT i + 1, ((i * 7919) % 10007) || ' of the ' || i || 'th house', CASE WHEN i % 2 = 0 THEN 'n' || i END
         FROM n"
    ));
    home
}

fn bytes(server: &Server) -> u64 {
    server.metric("carnet_store_orders_bytes")
}

/// How many scans a list costs.
fn scans(server: &Server, list: &str) -> u64 {
    let total = || server.metric("carnet_store_scans_total");
    let before = total();
    assert_eq!(server.status(&format!("GET {list}")), 200);
    total() - before
}

#[test]
fn what_is_kept_is_there_from_the_start_on_for_both_directions() {
    let server = filled("", ", keep_order = true", PEOPLE).serve();
    for sort in ["name", "-name", "nick", "-nick"] {
        assert_eq!(server.status(&format!("GET /people/?sort={sort}")), 200);
    }
    let all = bytes(&server);
    let again = server.stop().serve();
    wait_until("not all orders are there", || bytes(&again) == all);
}

#[test]
fn what_did_not_fit_is_made_once_it_does() {
    let home = filled("[server]\nmemory = \"128KiB\"", "", PEOPLE);
    let server = home.serve();
    let list = "/people/?sort=name";
    for _ in 0..2 {
        assert!(scans(&server, list) > 0);
    }
    let gone: Vec<String> = (1..=PEOPLE - 1_100).map(|id| delete(&format!("/people/{id}/"))).collect();
    for items in gone.chunks(1_000) {
        assert_eq!(server.send(&batch(items)).status, 200);
    }
    assert_eq!(bytes(&server), 0);
    assert_eq!(server.status(&format!("GET {list}")), 200);
    assert!(bytes(&server) > 0, "the order is not made");
}

/// Only here a tool makes memory forget a collection at a known moment.
mod sqlite {
    use super::*;

    #[test]
    fn what_is_kept_and_was_forgotten_is_made_again_by_itself() {
        let home = filled("", ", keep_order = true", PEOPLE);
        let server = home.serve();
        wait_until("nothing is made", || bytes(&server) > 0);
        for sort in ["name", "nick", "-nick"] {
            assert_eq!(server.status(&format!("GET /people/?sort={sort}")), 200);
        }
        let all = bytes(&server);
        home.execute(
            "CREATE TRIGGER meddles AFTER INSERT ON people
             BEGIN UPDATE people SET nick = 'x' WHERE id = 1 AND nick <> 'x'; END",
        );
        server.create("/people/", r#"{"name":"Ada"}"#);
        assert!(bytes(&server) < all / 2, "it is not forgotten");
        wait_until("it is not made again", || bytes(&server) > all / 10 * 9);
    }
}
