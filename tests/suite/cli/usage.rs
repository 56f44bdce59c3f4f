//! Help, version, and wrong usage.

use crate::support::home::Home;

#[test]
fn the_version_is_that_of_the_package() {
    let outcome = Home::empty().run_bare(&["--version"]).exits(0);
    assert_eq!(outcome.stdout.trim_end(), format!("carnet {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_names_every_command() {
    let home = Home::empty();
    home.run_bare(&["--help"]).exits(0).says(&[
        "serve",
        "init",
        "check",
        "keys",
        "openapi",
        "--config",
        "--database",
    ]);
    home.run_bare(&["serve", "--help"]).exits(0).says(&[
        "--listen",
        "--base-url",
        "CARNET_LISTEN",
        "CARNET_BASE_URL",
    ]);
    home.run_bare(&["keys", "--help"]).exits(0).says(&["create", "list", "revoke"]);
    home.run_bare(&["keys", "create", "--help"]).exits(0).says(&["--key"]);
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 0);
}

#[test]
fn wrong_usage_exits_with_2_and_says_so_on_standard_error() {
    let home = Home::empty();
    for arguments in [
        &["nonsense"][..],
        &["--nonsense"],
        &["serve", "--nonsense"],
        &["serve", "--listen"],
        &["serve", "--listen", "nowhere"],
        &["serve", "--listen", "127.0.0.1:99999"],
        &["serve", "--database", "oracle:book"],
        &["serve", "--base-url", "not a url"],
        &["serve", "--config", "missing.toml"],
        &["check", "--config", "missing.toml"],
        &["keys"],
        &["keys", "nonsense"],
        &["keys", "revoke"],
    ] {
        let outcome = home.run_bare(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {outcome:?}");
        assert!(outcome.stdout.is_empty() && !outcome.stderr.is_empty(), "{arguments:?}: {outcome:?}");
    }
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 0);
}

#[test]
fn what_others_call_otherwise_gets_a_tip() {
    let home = Home::empty();
    for (arguments, tip) in [
        (&["--port", "9123"][..], "tip: address and port are one option: --listen 127.0.0.1:9123"),
        (&["serve", "--port=9123"], "--listen 127.0.0.1:9123"),
        (&["serve", "-p", "9123"], "--listen 127.0.0.1:9123"),
        (&["--host", "0.0.0.0"], "--listen 0.0.0.0:8080"),
        (&["--listen", "localhost:9123"], "did you mean `127.0.0.1:9123`?"),
        (&["--listen", "9123"], "did you mean `127.0.0.1:9123`?"),
        (&["localhost:9123"], "tip: where to listen: --listen 127.0.0.1:9123"),
        (&["keys", "delete", "me"], "tip: to take a key away: carnet keys revoke NAME"),
        (&["keys", "add", "me"], "carnet keys create NAME"),
        (&["keys", "ls"], "carnet keys list"),
        (&["check", "foo.toml"], "tip: the configuration file: --config foo.toml"),
        (&["foo.toml"], "--config foo.toml"),
        (&["openapi", "foo.toml"], "--config foo.toml"),
        (&["serve", "book.db"], "--database sqlite:book.db"),
        (&["--database", "book.db"], "write `sqlite:book.db`"),
        (&["--db", "book.db"], "--database sqlite:PATH"),
        (&["check", "-c", "foo.toml"], "--config FILE"),
        (&["--tls-cert", "a.pem"], "tls_cert and tls_key under [server]"),
        (&["-v"], "CARNET_LOG=debug"),
        (&["copy", "a.db", "b.db"], "carnet copy --from URL --to URL"),
        (&["start"], "carnet serve"),
        (&["migrate"], "carnet check"),
        (&["dump"], "carnet backup FILE"),
        (&["move"], "carnet copy --from URL --to URL"),
        (&["version"], "carnet --version"),
    ] {
        let outcome = home.run_bare(arguments).exits(2);
        assert!(outcome.stdout.is_empty() && outcome.stderr.contains(tip), "{arguments:?}: {outcome:?}");
    }
    for arguments in [["serve", "postgres://ann:hush-hush@h/d"], ["--postgres://ann:hush-hush@h/d", "serve"]]
    {
        let outcome = home.run_bare(&arguments).exits(2);
        assert!(!outcome.stderr.contains("hush"), "{outcome:?}");
    }
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 0);
}

#[test]
fn completions_are_made_for_every_shell() {
    let home = Home::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        home.run_bare(&["completions", shell]).exits(0).says(&["carnet", "revoke", "listen"]);
    }
    home.run_bare(&["completions", "tcsh"]).exits(2);
}

#[test]
fn the_manual_is_printed_or_written_page_by_page() {
    let home = Home::empty();
    home.run_bare(&["man"]).exits(0).says(&[".TH carnet 1", "CARNET_DATABASE", "carnet init"]);
    home.run_bare(&["man", "pages"]).exits(1).says(&["pages"]);
    std::fs::create_dir(home.path("pages")).unwrap();
    home.run_bare(&["man", "pages"]).exits(0);
    for page in ["carnet.1", "carnet-serve.1", "carnet-keys-create.1"] {
        assert!(home.path("pages").join(page).is_file(), "{page}");
    }
}
