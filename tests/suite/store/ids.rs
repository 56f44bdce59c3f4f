//! Ids: ascending, never used again.

use crate::support::configs;
use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn ids_ascend_and_are_not_used_again_after_a_delete_and_a_restart() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    assert_eq!([server.create_user("a", "a"), server.create_user("b", "b")], [1, 2]);
    assert_eq!(server.status("DELETE /users/2/"), 200);
    server.stop();
    let server = home.serve();
    assert_eq!(server.create_user("c", "c"), 3);
    assert_eq!(server.status("DELETE /users/3/"), 200);
    assert_eq!(server.status("DELETE /users/1/"), 200);
    server.kill();
    let server = home.serve();
    assert_eq!(server.total("/users/"), 0);
    assert_eq!(server.create_user("d", "d"), 4);
}

#[test]
fn each_collection_counts_for_itself() {
    let server = Server::start(&configs::built_in());
    server.create_user("a", "a");
    server.create_user("b", "b");
    assert_eq!(server.create_address(), 1);
    assert_eq!(server.create_user("c", "c"), 3);
}

#[test]
fn ids_go_on_after_the_highest_that_another_tool_wrote() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute("INSERT INTO users (id, first_name, last_name) VALUES (9000000000000, 'Jane', 'Roe')");
    let server = home.serve();
    assert_eq!(server.create_user("a", "a"), 9_000_000_000_001);
    assert_eq!(server.ids("/users/"), [9_000_000_000_000, 9_000_000_000_001]);
    assert_eq!(server.status("GET /users/9000000000001/"), 200);
}
