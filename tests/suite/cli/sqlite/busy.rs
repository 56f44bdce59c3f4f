//! Signals to a server whose writer is busy, or whose file is still being opened.

use dev::client::Client;
use dev::configs;
use dev::process::Process;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

/// How long a commit takes, in seconds. What slows it down ends with it, and the test with that.
const SLOW: u32 = 15;
const BODY: &str = r#"{"first_name":"late","last_name":"Doe"}"#;

/// A server in whose log a create is being written, and who waits for it.
fn busy(drain: u32) -> (Server, Client) {
    let home = Home::new(&configs::with_server(&format!("drain = {drain}")));
    let server = home.serve();
    server.create_user("early", "Doe");
    let home = server.stop();
    let server = home.serve_with_a_slow_commit(SLOW);
    let mut client = server.client();
    client.write(&Request::new("POST /users/").json(BODY.to_owned()).bytes("localhost")).unwrap();
    server.wait_for_requests(1);
    (server, client)
}

#[test]
fn a_writer_that_is_busy_holds_up_the_end_no_longer_than_drain() {
    let (mut server, client) = busy(1);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    assert!(server.stderr().contains("a write was still under way"), "{}", server.stderr());
    drop(client);
    let server = server.home().serve();
    assert_eq!(server.ids("/users/"), [1]);
    assert_eq!(server.create_user("next", "Doe"), 2);
    server.stop().is_sound();
}

#[test]
fn a_second_signal_ends_at_once_while_the_writer_is_busy() {
    let (mut server, client) = busy(600);
    server.signal("TERM");
    server.wait_for_error("\"event\":\"stopping\"");
    server.signal("INT");
    assert_eq!(server.wait().code(), Some(1), "{}", server.stderr());
    drop(client);
    assert_eq!(server.home().serve().ids("/users/"), [1]);
}

/// Another program holds the file, so that the start waits for it.
#[test]
fn a_stop_while_the_store_is_being_opened_ends_at_once_with_exit_0() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.hold_writers(|| {
        let mut process = Process::start(home.command_here(&["serve", "--listen", "127.0.0.1:0"]));
        // It writes its number there when it begins to open the file.
        let lock = format!("{}.lock", home.database_file().display());
        wait_until("it does not come to that", || {
            std::fs::read_to_string(&lock).unwrap_or_default().trim() == process.id().to_string()
        });
        process.signal("TERM");
        assert_eq!(process.wait().code(), Some(0), "{}", process.stderr());
        assert_eq!(process.stdout(), "");
    });
    home.serve().stop().is_sound();
}
