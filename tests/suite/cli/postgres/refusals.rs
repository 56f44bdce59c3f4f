//! A database that cannot be used: one sentence that says why and what to do, no password in it, nothing touched.

use std::process::Command;
use std::sync::Arc;

use dev::configs;
use dev::process::{Outcome, Process};
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

/// A password that is easy to find again.
const CANARY: &str = "canary-in-the-url-3";

/// The command that serves from this address.
fn serving(home: &Arc<Home>, url: &str) -> Command {
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--database", url, "--config"]);
    command.arg(home.path("book.toml"));
    command
}

/// Tries to serve from this address.
#[track_caller]
fn refused(home: &Arc<Home>, url: &str) -> Outcome {
    let mut process = Process::start(serving(home, url));
    if let Some(line) = process.next_line() {
        panic!("the server should not have started, yet says: {line}");
    }
    let outcome = process.outcome();
    assert!(!outcome.output().contains(CANARY), "{}", outcome.output());
    outcome
}

/// The address of the test's own store, with another role, password and database where they are given.
fn address(home: &Home, role: Option<(&str, &str)>, database: Option<&str>) -> String {
    let url = home.database_url();
    let (authority, rest) = url.trim_start_matches("postgres://").rsplit_once('/').unwrap();
    let (own_role, host) = authority.rsplit_once('@').unwrap();
    let (own_database, options) = rest.split_once('?').unwrap_or((rest, ""));
    let role = role.map_or(own_role.to_owned(), |(name, password)| format!("{name}:{password}"));
    format!("postgres://{role}@{host}/{}?{options}", database.unwrap_or(own_database))
}

/// A name that no other test has.
fn own_name(home: &Home, what: &str) -> String {
    format!("{}_{what}", home.query("SELECT current_schema()").remove(0))
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn an_address_that_cannot_be_understood_is_wrong_usage() {
    let home = Home::new(&configs::built_in());
    for url in [
        "postgres:book",
        "postgres://ann@db:port/book",
        "postgres://ann@db/book?sslmode=sometimes",
        "postgres://ann@db/book?colour=blue",
        "postgres://ann@db/book?target_session_attrs=read-only",
        "postgres://ann@db/bo%zzok",
    ] {
        refused(&home, url).exits(2);
        refused(&home, &url.replace("ann@", &format!("ann:{CANARY}@"))).exits(2);
    }
    refused(&home, "postgres://ann@db/book?colour=blue").says(&["colour"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_server_that_is_not_there_is_named() {
    let home = Home::new(&configs::built_in());
    // A port that was free a moment ago, on which nobody listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://ann:{CANARY}@127.0.0.1:{port}/book");
    refused(&home, &url).exits(1).says(&[&format!("127.0.0.1:{port}"), "refuses connections"]);
    let url = format!("postgres://ann:{CANARY}@no-such-host.invalid/book");
    refused(&home, &url).exits(1).says(&["no-such-host.invalid"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_database_and_a_role_that_are_not_there_are_named() {
    let home = Home::new(&configs::built_in());
    let nowhere = own_name(&home, "nowhere");
    refused(&home, &address(&home, None, Some(&nowhere))).exits(1).says(&["has no database", &nowhere]);
    refused(&home, &address(&home, Some((&nowhere, CANARY)), None)).exits(1).says(&[&nowhere]);
    assert!(!home.has_store());
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_role_that_may_not_enter_a_database_is_told_the_grant() {
    let home = Home::new(&configs::built_in());
    let (closed, role) = (own_name(&home, "closed"), own_name(&home, "outsider"));
    home.execute(&format!("CREATE ROLE {role} LOGIN PASSWORD '{CANARY}'"));
    home.execute(&format!("CREATE DATABASE {closed}"));
    home.execute(&format!("REVOKE CONNECT ON DATABASE {closed} FROM PUBLIC"));
    let grant = format!("GRANT CONNECT ON DATABASE \"{closed}\" TO \"{role}\"");
    let url = address(&home, Some((&role, CANARY)), Some(&closed));
    refused(&home, &url).exits(1).says(&[&grant]);
    home.execute(&format!("DROP DATABASE {closed}"));
    home.execute(&format!("DROP ROLE {role}"));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_role_without_rights_is_told_which_and_how_to_get_them() {
    let home = Home::new(&configs::built_in());
    let schema = home.query("SELECT current_schema()").remove(0);
    let role = own_name(&home, "guest");
    home.execute(&format!("CREATE ROLE {role} LOGIN PASSWORD '{CANARY}'"));
    let url = address(&home, Some((&role, CANARY)), None);
    refused(&home, &url).exits(1);
    home.execute(&format!("GRANT USAGE ON SCHEMA {schema} TO {role}"));
    let grant = format!("GRANT CREATE ON SCHEMA \"{schema}\" TO \"{role}\"");
    refused(&home, &url).exits(1).says(&[&grant]);
    assert!(!home.has_store());
    // Once somebody else has made the tables, reading and writing is all that is needed.
    home.serve().stop();
    let before = home.stored_bytes();
    let outcome = refused(&home, &url).exits(1);
    assert!(home.stored_bytes() == before, "something was touched");
    let said = outcome.output();
    let grants: Vec<&str> =
        said.split("GRANT ").skip(1).map(|rest| rest.split(';').next().unwrap()).collect();
    assert!(!grants.is_empty(), "{said}");
    for grant in grants {
        home.execute(&format!("GRANT {grant}"));
    }
    // Nobody needs to change what is in the audit trail.
    home.execute(&format!("REVOKE UPDATE, DELETE ON _carnet_audit FROM {role}"));
    let server = Server::launch(&home, serving(&home, &url));
    assert_eq!(server.create_user("Jane", "Doe"), 1);
    server.stop();
    home.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_database_of_another_encoding_is_refused() {
    let home = Home::new(&configs::built_in());
    let database = own_name(&home, "latin");
    home.execute(&format!("CREATE DATABASE {database} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"));
    let url = address(&home, None, Some(&database)).split('?').next().unwrap().to_owned();
    refused(&home, &url).exits(1).says(&["LATIN1", "UTF8"]);
    home.execute(&format!("DROP DATABASE {database}"));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_a_newer_carnet_wrote_is_left_alone() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute("UPDATE _carnet_version SET format = 99");
    let before = home.stored_bytes();
    home.refused_start().exits(1).says(&["newer carnet", "99"]);
    home.run(&["check"]).exits(1);
    home.run(&["keys", "create", "ann"]).exits(1);
    assert!(home.stored_bytes() == before, "something was touched");
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_password_is_in_no_log_no_message_and_no_list_of_the_server() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\n{}", configs::built_in()));
    let role = own_name(&home, "ann");
    let schema = home.query("SELECT current_schema()").remove(0);
    home.execute(&format!(
        "CREATE ROLE {role} LOGIN PASSWORD '{CANARY}'; GRANT USAGE, CREATE ON SCHEMA {schema} TO {role}"
    ));
    let url = address(&home, Some((&role, CANARY)), None);
    let mut server = Server::launch(&home, serving(&home, &url));
    assert_eq!(server.create_user("Jane", "Doe"), 1);
    let seen = home.query(&format!(
        "SELECT concat_ws(' ', application_name, query) FROM pg_stat_activity WHERE usename = '{role}'"
    ));
    assert!(!seen.is_empty() && seen.iter().all(|line| !line.contains(CANARY)), "{seen:?}");
    // Its connections are taken away: what it says about the loss, and the next answer, hold no password either.
    home.execute(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'"));
    wait_until("the database is not found again", || server.ask("GET /users/").status == 200);
    server.signal("TERM");
    server.wait();
    let said = server.stderr();
    assert!(said.contains("database_lost") && !said.contains(CANARY), "{said}");
    let checked = home.run_bare(&["check", "--database", &url]).exits(0);
    assert!(!checked.output().contains(CANARY), "{}", checked.output());
    home.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}
