//! Histories over several nodes of one database: for the checker they are one server.

use super::clients::MigrationPlan;
use super::hold_on;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_history_over_two_nodes_shows_one_moment_each() {
    hold_on(
        2,
        "256MiB",
        500..503,
        &MigrationPlan { writers: 8, readers: 8, writes: 40, new_filters_late: false },
    );
}

/// A node builds a set while the other one writes what belongs into it.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_history_over_three_nodes_with_late_filters_shows_one_moment_each() {
    hold_on(
        3,
        "256MiB",
        600..602,
        &MigrationPlan { writers: 9, readers: 9, writes: 30, new_filters_late: true },
    );
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_history_over_two_nodes_with_almost_no_memory_shows_one_moment_each() {
    hold_on(
        2,
        "64KiB",
        700..702,
        &MigrationPlan { writers: 6, readers: 6, writes: 30, new_filters_late: false },
    );
}
