//! Recorded histories: clients write and read at once, and a checker looks for what cannot have been.
//!
//! Each writer works through its own records one request after the other, so what it has done is a row of
//! states, and any moment of the store is one number for each writer: how far it was. `checker.rs` says what
//! must hold of those numbers, `clients.rs` records the histories, `controls.rs` shows that the checker sees.

mod crowd;
mod whole_changes;
mod checker;
mod clients;
mod controls;
mod postgres;

use std::sync::Arc;

use crate::support::home::Home;
use crate::support::server::Server;
use clients::MigrationPlan;

/// The kinds of which each has more records that nobody changes than are read at once, when a filter is new.
pub(super) const KINDS: [&str; 4] = ["k0", "k1", "k2", "k3"];
/// Records of each kind that nobody changes. They come before all others.
pub(super) const STILL: usize = 1_050;
pub(super) const ALL_STILL: usize = STILL * KINDS.len();

/// One collection of notes, with so much memory.
pub(super) fn notes(memory: &str) -> String {
    format!(
        r#"
[server]
memory = "{memory}"

[[collection]]
name = "notes"

[collection.fields]
owner = {{ type = "string", required = true }}
kind  = {{ type = "string" }}
zone  = {{ type = "string", required = true }}
seq   = {{ type = "integer", required = true }}
pad   = {{ type = "string" }}

[collection.pagination]
page_size = 6000
"#
    )
}

/// A stopped store with the records that nobody changes, their kinds in turn. The later half of them has ids
/// that are so large that several threads read them at the start.
pub(super) fn still_life(memory: &str) -> Arc<Home> {
    let home = Home::new(&notes(memory));
    home.serve().stop();
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {ALL_STILL})
         INSERT INTO notes (id, owner, kind, zone, seq)
         SELECT CASE WHEN i < {half} THEN i + 1 ELSE 250000 + i END, 'still', 'k' || (i % {kinds}), 'z', i FROM n",
        half = ALL_STILL / 2,
        kinds = KINDS.len(),
    ));
    home
}

/// Records histories with these seeds and checks them.
fn hold(memory: &str, seeds: std::ops::Range<u64>, plan: &MigrationPlan) {
    hold_on(1, memory, seeds, plan);
}

/// The same, with so many servers of one store.
#[expect(clippy::print_stdout, reason = "how much was tried belongs to the result")]
fn hold_on(nodes: usize, memory: &str, seeds: std::ops::Range<u64>, plan: &MigrationPlan) {
    let (mut writes, mut reads, mut snapshots) = (0, 0, 0);
    for seed in seeds.clone() {
        let home = still_life(memory);
        let servers: Vec<Server> = (0..nodes).map(|_| home.serve()).collect();
        let history = clients::record(&servers, seed, plan);
        writes += history.writers.iter().map(|writer| writer.done.len()).sum::<usize>();
        reads += history.reads.len();
        match checker::check(&history) {
            Ok(number) => snapshots += number,
            Err(faults) => {
                let shown: Vec<&String> = faults.iter().take(10).collect();
                panic!("seed {seed}, memory {memory}: {} faults, such as {shown:#?}", faults.len());
            }
        }
        servers.into_iter().for_each(|server| server.stop().is_sound());
    }
    println!(
        "{nodes} nodes, memory {memory}, seeds {seeds:?}: {writes} writes, {reads} reads, {snapshots} of them snapshots"
    );
}

/// Everything is evicted and read again all the time.
#[test]
fn histories_with_almost_no_memory_show_one_moment_each() {
    hold("64KiB", 100..104, &MigrationPlan { writers: 6, readers: 6, writes: 50, new_filters_late: false });
}

#[test]
fn histories_with_little_memory_show_one_moment_each() {
    hold("1MiB", 200..203, &MigrationPlan { writers: 6, readers: 6, writes: 50, new_filters_late: false });
}

/// Each set is asked for the first time while its records are being written.
#[test]
fn histories_in_which_sets_are_built_beside_the_writers_show_one_moment_each() {
    hold("256MiB", 300..304, &MigrationPlan { writers: 8, readers: 4, writes: 40, new_filters_late: true });
}
