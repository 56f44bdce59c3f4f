//! Another database stands at the address: one that was upgraded or restored, and counts its promotions anew.

use dev::cluster::Cluster;
use dev::configs;

use super::ledger::Ledger;
use crate::support::home::Home;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_cluster_that_was_made_anew_is_served_though_the_one_before_was_promoted() {
    let first = Cluster::start();
    let promoted = first.follower("b");
    assert_eq!(promoted.query("SELECT pg_promote()"), ["t"]);
    first.kill();
    let new = Cluster::start();
    for cluster in [&promoted, &new] {
        cluster.query("CREATE ROLE node SUPERUSER LOGIN PASSWORD 'of-the-tests'");
    }
    let url = |clusters: &[&Cluster]| {
        let hosts: Vec<String> = clusters.iter().map(|it| format!("127.0.0.1:{}", it.port)).collect();
        format!("postgres://node:of-the-tests@{}/postgres", hosts.join(","))
    };
    // As after pg_upgrade: the tables are there, and the timeline is the first one again.
    let upgraded = Home::at(&url(&[&new]), &configs::built_in()).serve();
    upgraded.create_user("Jane", "Doe");
    upgraded.stop();
    let home = Home::at(&url(&[&promoted, &new]), &configs::built_in());
    let server = home.serve();
    assert_eq!(server.total("/users/"), 0, "the one that was promoted is served first");
    promoted.kill();
    Ledger::default().until(&server, "GET /users/", 200);
    assert_eq!(server.total("/users/"), 1);
    server.create_user("John", "Doe");
}
