//! A flag beats the environment, the environment beats the file, the file beats the default.

use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;

use dev::configs;
use dev::process::Process;

use crate::support::home::Home;
use crate::support::server::Server;

/// A folder whose `carnet.toml` says where to listen and where to store.
fn configured() -> Arc<Home> {
    let home = Home::empty();
    let config = configs::with_server(
        "listen = \"127.0.0.1:0\"\ndatabase = \"sqlite:file.db\"\nbase_url = \"https://file.example\"",
    );
    std::fs::write(home.path("carnet.toml"), config).unwrap();
    home
}

fn serve(home: &Arc<Home>, change: impl FnOnce(&mut Command)) -> Server {
    let mut command = home.command(&["serve"]);
    change(&mut command);
    Server::launch(home, command)
}

fn base_url(server: &Server) -> String {
    let answer = server.ask(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#);
    answer.header("Location").unwrap().split("/users/").next().unwrap().to_owned()
}

/// Which stores there are in a folder.
fn stores(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".db")).collect();
    names.sort();
    names
}

#[test]
fn carnet_toml_in_the_working_directory_is_read() {
    let home = configured();
    let server = serve(&home, |_| {});
    assert_eq!(base_url(&server), "https://file.example");
    server.stop();
    assert_eq!(stores(&home), ["file.db"]);
}

#[test]
fn no_subcommand_serves() {
    let home = configured();
    let server = Server::launch(&home, home.command(&[]));
    assert_eq!(server.status("GET /users/"), 200);
}

#[test]
fn the_environment_beats_the_file() {
    let home = configured();
    let server = serve(&home, |command| {
        command.env("CARNET_DATABASE", "sqlite:env.db").env("CARNET_BASE_URL", "https://env.example");
    });
    assert_eq!(base_url(&server), "https://env.example");
    server.stop();
    assert_eq!(stores(&home), ["env.db"]);
}

#[test]
fn a_flag_beats_the_environment() {
    let home = configured();
    let server = serve(&home, |command| {
        command.env("CARNET_DATABASE", "sqlite:env.db").env("CARNET_BASE_URL", "https://env.example");
        command.env("CARNET_LISTEN", "256.0.0.1:nonsense").env("CARNET_CONFIG", "missing.toml");
        command.args(["--database", "sqlite:flag.db", "--base-url", "https://flag.example"]);
        command.args(["--listen", "127.0.0.1:0", "--config", "carnet.toml"]);
    });
    assert_eq!(base_url(&server), "https://flag.example");
    server.stop();
    assert_eq!(stores(&home), ["flag.db"]);
}

#[test]
fn listen_follows_the_same_order() {
    // Whoever is beaten names a port that is taken, so that listening to him would fail.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let home = configured();
    assert_ne!(serve(&home, |_| {}).address().port(), 8080);
    let config = configs::with_server(&format!("listen = \"{taken}\""));
    std::fs::write(home.path("carnet.toml"), config).unwrap();
    serve(&home, |command| {
        command.env("CARNET_LISTEN", "127.0.0.1:0");
    });
    serve(&home, |command| {
        command.env("CARNET_LISTEN", &taken).args(["--listen", "127.0.0.1:0"]);
    });
}

#[test]
fn the_configuration_file_may_be_named_by_flag_or_environment() {
    let home = configured();
    home.configure(&configs::kinds());
    let mut command = home.command(&["openapi"]);
    command.env("CARNET_CONFIG", "book.toml");
    Process::start(command).outcome().exits(0).says(&["/things/"]);
    home.run_bare(&["openapi", "--config", "book.toml"]).exits(0).says(&["/things/"]);
    home.run_bare(&["openapi"]).exits(0).says(&["/users/"]);
}

#[test]
fn the_default_store_is_carnet_db_in_the_working_directory() {
    let home = Home::empty();
    let whole = format!("store: sqlite:{} (new;", home.path("carnet.db").display());
    home.run_bare(&["keys", "create"]).exits(0).says(&[&whole]);
    assert_eq!(stores(&home), ["carnet.db"]);
}

#[test]
fn with_nothing_at_all_the_built_in_address_book_is_served() {
    let home = Home::empty();
    let server = serve(&home, |command| {
        command.env("CARNET_LISTEN", "127.0.0.1:0");
    });
    server.check(
        "GET /users/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":0,"next":"null","previous":"null","filters":{}},"object_list":[]}"#,
    );
    server.create_address();
    server.check(
        "GET /address/1/",
        r#"200 OK {"country":"France","city":"Paris","street":"Rivoli","number":5,"ressource_uri":"/address/1/"}"#,
    );
    server.stop();
    assert_eq!(stores(&home), ["carnet.db"]);
}
