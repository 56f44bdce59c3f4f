//! Many clients at once, so that commits come in groups and readers stand in each other's way.

use super::clients::MigrationPlan;
use super::hold;

#[test]
fn a_history_of_many_clients_shows_one_moment_each() {
    hold(
        "128KiB",
        400..406,
        &MigrationPlan { writers: 16, readers: 16, writes: 20, new_filters_late: false },
    );
}
