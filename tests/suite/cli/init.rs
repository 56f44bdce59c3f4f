//! `carnet init`: the built-in configuration, written down, never over anything.

use std::process::Command;

use dev::configs;
use dev::process::Process;

use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn init_writes_carnet_toml_where_it_is_called() {
    let home = Home::empty();
    home.run_bare(&["init"]).exits(0);
    let written = std::fs::read_to_string(home.path("carnet.toml")).unwrap();
    for part in ["[[collection]]", "\"address\"", "\"users\"", "page_size", "#"] {
        assert!(written.contains(part), "{part} is not in:\n{written}");
    }
    home.run_bare(&["check"]).exits(0);
}

#[test]
fn init_writes_the_file_that_it_is_given() {
    let home = Home::empty();
    home.run_bare(&["init", "other.toml"]).exits(0);
    assert!(home.path("other.toml").exists() && !home.path("carnet.toml").exists());
}

/// Types what `init` tells to type.
#[track_caller]
fn serves_what_it_says(arguments: &[&str], file: &str, variable: Option<&str>) {
    let home = Home::empty();
    let variable = || variable.map(|file| ("CARNET_CONFIG", file));
    let mut init = home.command(arguments);
    init.envs(variable());
    let said = Process::start(init).outcome().exits(0).stderr;
    assert!(said.starts_with(&format!("wrote {file};")) && home.path(file).is_file(), "{said}");
    let lines: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
    let typed = |line: &str| {
        let program = home.command(&[]);
        let line = line.replacen("carnet", &format!("exec {}", program.get_program().display()), 1);
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(home.folder());
        for (name, _) in program.get_envs() {
            shell.env_remove(name);
        }
        shell.envs(variable());
        shell
    };
    let [check, serve] = lines.as_slice() else { panic!("{said}") };
    let meaning = Process::start(typed(check)).outcome().exits(0).stdout;
    assert!(meaning.starts_with(&format!("# the configuration of {file} ")), "{meaning}");
    Server::launch(&home, typed(&format!("{serve} --listen 127.0.0.1:0"))).stop();
}

#[test]
fn init_tells_how_to_serve_the_very_file_that_it_wrote() {
    serves_what_it_says(&["init"], "carnet.toml", None);
    serves_what_it_says(&["init", "other.toml"], "other.toml", None);
    serves_what_it_says(&["init", "my own.toml"], "my own.toml", None);
    serves_what_it_says(&["init", "--config", "other.toml"], "other.toml", None);
    serves_what_it_says(&["--config", "other.toml", "init", "other.toml"], "other.toml", None);
    serves_what_it_says(&["init"], "other.toml", Some("other.toml"));
    serves_what_it_says(&["init", "third.toml"], "third.toml", Some("other.toml"));
}

#[test]
fn init_refuses_what_it_would_not_heed() {
    let home = Home::empty();
    home.run_bare(&["init", "one.toml", "--config", "other.toml"]).exits(2).says(&["one.toml", "other.toml"]);
    home.run_bare(&["init", "--database", "sqlite:here.db"]).exits(2).says(&["--database", "[server]"]);
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 0);
    home.run_bare(&["init", "no/such/folder/a.toml"]).exits(1).says(&["mkdir -p no/such/folder"]);
}

#[test]
fn init_never_writes_over_a_file() {
    let home = Home::empty();
    for name in ["carnet.toml", "other.toml"] {
        std::fs::write(home.path(name), "precious").unwrap();
    }
    for arguments in [&["init"][..], &["init", "other.toml"]] {
        let outcome = home.run_bare(arguments);
        assert!(matches!(outcome.code, Some(1 | 2)), "{outcome:?}");
        assert!(outcome.stderr.contains(arguments.get(1).unwrap_or(&"carnet.toml")), "{outcome:?}");
    }
    for name in ["carnet.toml", "other.toml"] {
        assert_eq!(std::fs::read_to_string(home.path(name)).unwrap(), "precious");
    }
}

#[test]
fn the_written_the_built_in_and_the_contracts_configuration_are_one() {
    let home = Home::empty();
    let built_in = home.run_bare(&["openapi"]).exits(0).stdout;
    home.run_bare(&["init"]).exits(0);
    let written = home.run_bare(&["openapi"]).exits(0).stdout;
    assert_eq!(written, built_in);
    home.configure(&configs::built_in());
    let contracts = Process::start(home.command(&["openapi", "--config", "book.toml"])).outcome().exits(0);
    assert_eq!(contracts.stdout, built_in);
}

#[test]
fn the_openapi_command_prints_what_the_server_serves() {
    for config in [configs::built_in(), configs::kinds(), configs::guarded()] {
        let server = Server::start(&config);
        let printed: serde_json::Value =
            serde_json::from_str(&server.home().run(&["openapi"]).exits(0).stdout).unwrap();
        let mut served = server.ask("GET /openapi.json").json();
        // Where the document says which server it is about, only the running one knows the address.
        let mut printed = printed;
        printed.as_object_mut().unwrap().shift_remove("servers");
        served.as_object_mut().unwrap().shift_remove("servers");
        assert_eq!(printed, served);
    }
}
