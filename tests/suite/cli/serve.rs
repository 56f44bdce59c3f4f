//! `carnet serve`: its first line, its logs, and what keeps it from starting.

use std::net::TcpListener;

use dev::configs;
use dev::process::Process;

use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn the_first_line_says_where_it_listens_and_connections_are_accepted_from_then_on() {
    let home = Home::new(&configs::built_in());
    let mut command = home.command_here(&["serve"]);
    command.args(["--listen", "127.0.0.1:0"]);
    let mut process = Process::start(command);
    let line = process.next_line().unwrap();
    let port = line.strip_prefix("carnet listening on http://127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
    assert_ne!(port.parse::<u16>().unwrap(), 0);
    assert!(std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
    process.signal("TERM");
    assert_eq!(process.wait().code(), Some(0));
}

#[test]
fn a_port_in_use_is_exit_1_with_the_address() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let home = Home::new(&configs::built_in());
    let outcome = home.run(&["serve", "--listen", &address]).exits(1);
    assert!(outcome.stdout.is_empty() && outcome.stderr.contains(&address), "{outcome:?}");
    assert!(outcome.stderr.contains("another program listens there"), "{outcome:?}");
    assert!(!home.has_store(), "a store was made by a server that cannot serve");
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 1, "only the configuration");
}

#[test]
fn an_address_that_cannot_be_had_is_told_with_what_to_do() {
    let home = Home::new(&configs::built_in());
    let denied = [
        "strace",
        "-D",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=bind",
        "-e",
        "inject=bind:error=EACCES",
    ];
    let refused = home.run_under(&denied, &["serve", "--listen", "127.0.0.1:80"]).exits(1);
    assert!(!refused.stderr.contains("another program"), "{refused:?}");
    refused.says(&["127.0.0.1:80", "may not use ports below 1024", "--listen", "cap_net_bind_service"]);
    // An address of documents, which no machine has.
    let refused = home.run(&["serve", "--listen", "192.0.2.1:8080"]).exits(1);
    refused.says(&["192.0.2.1:8080", "no address 192.0.2.1", "127.0.0.1", "--listen"]);
    assert!(!home.has_store());
}

#[test]
fn logs_go_to_standard_error_and_standard_output_stays_with_its_one_line() {
    let mut server = Server::start(&configs::built_in());
    for path in ["/users/", "/nothing/", "/users/?nope=1"] {
        server.ask(&format!("GET {path}"));
    }
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(server.stdout().lines().count(), 1, "{}", server.stdout());
}

#[test]
fn logs_are_json_where_there_is_no_terminal() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\n{}", configs::built_in()));
    let mut server = home.serve();
    server.ask("GET /users/");
    server.signal("TERM");
    server.wait();
    let logs = server.stderr();
    assert!(!logs.is_empty(), "nothing was logged");
    for line in logs.lines() {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(line);
        assert!(parsed.is_ok_and(|value| value.is_object()), "not a JSON object: {line}");
    }
}

#[test]
fn logs_are_text_where_the_configuration_says_so() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\nformat = \"text\"\n{}", configs::built_in()));
    let mut server = home.serve();
    server.ask("GET /users/");
    server.signal("TERM");
    server.wait();
    assert!(!server.stderr().is_empty(), "nothing was logged");
    assert!(server.stderr().lines().all(|line| !line.starts_with('{')), "{}", server.stderr());
}

#[test]
fn answers_say_where_their_time_went_where_the_configuration_asks_for_it() {
    let timed = Server::start(&format!("[server]\nserver_timing = true\n{}", configs::built_in()));
    let header = timed.ask("GET /users/").header("Server-Timing").unwrap().to_owned();
    let steps: Vec<&str> = header.split(", ").map(|step| step.split(';').next().unwrap()).collect();
    assert_eq!(steps, ["route", "access", "listing", "store", "envelope"]);
    let plain = Server::start(&configs::built_in());
    assert!(plain.ask("GET /users/").header("Server-Timing").is_none());
}

#[test]
fn the_environment_sets_the_level_of_the_log() {
    let said = |level: &str| {
        let home = Home::new(&configs::built_in());
        let mut command = home.command_here(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("CARNET_LOG", level);
        let mut server = Server::launch(&home, command);
        server.ask("GET /users/");
        server.signal("TERM");
        server.wait();
        server.stderr()
    };
    assert!(said("debug").contains(r#""event":"request""#), "a read is told at debug");
    let info = said("info");
    assert!(info.contains(r#""event":"listening""#) && !info.contains(r#""event":"request""#), "{info}");
    assert_eq!(said("off"), "");
}
