//! More clients than reading connections: those who wait for each other still get their answers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::history::notes;
use crate::support::home::Home;

const KINDS: usize = 60;
/// Records of each kind: few enough to be read at once when the filter is new, enough to take a while.
const OF_A_KIND: usize = 400;

/// Some clients ask for filters that are not known (any more): that reads the database and then changes what
/// is in memory. Others ask for long pages while writers commit all the time: that reads the database while
/// memory is held still. Neither may keep what the other needs.
#[test]
fn new_filters_and_long_pages_beside_writers_all_get_their_answers() {
    let home = Home::new(&notes("64KiB"));
    home.serve().stop();
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {KINDS} * {OF_A_KIND})
         INSERT INTO notes (id, owner, kind, zone, seq) SELECT i + 1, 'still', 'k' || (i % {KINDS}), 'z', i FROM n"
    ));
    let server = home.serve();
    let (is_over, next) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (server, is_over, next) = (&server, &is_over, &next);
        for writer in 0..4 {
            scope.spawn(move || {
                let mut client = server.client();
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let id = 1 + (number * 64 + writer * 32) % 2_000;
                    let answer = client.ask(&format!(r#"PUT /notes/{id}/ {{"pad":"{number}"}}"#));
                    assert_eq!(answer.status, 200, "{answer:?}");
                }
            });
        }
        for _ in 0..24 {
            scope.spawn(move || {
                let mut client = server.client();
                while !is_over.load(Ordering::Relaxed) {
                    let kind = next.fetch_add(1, Ordering::Relaxed) % KINDS;
                    let answer = client.ask(&format!("GET /notes/?kind=k{kind}&count=1")).json();
                    assert_eq!(answer["meta"]["total_count"], OF_A_KIND);
                }
            });
        }
        let patient: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(move || {
                    let mut client = server.client();
                    for _ in 0..40 {
                        let answer = client.ask("GET /notes/?count=6000").json();
                        assert_eq!(answer["meta"]["total_count"], KINDS * OF_A_KIND);
                    }
                })
            })
            .collect();
        let ends: Vec<_> = patient.into_iter().map(|client| client.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(Result::is_ok), "a client did not get its answer");
    });
}
