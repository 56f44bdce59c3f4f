//! `carnet copy` at the command line: what is wrong usage, and what is never said.

use dev::configs;

use crate::support::home::Home;

#[test]
fn both_ends_must_be_named() {
    let home = Home::new(&configs::built_in());
    home.run_bare(&["copy"]).exits(2).says(&["--from", "--to"]);
    home.run_bare(&["copy", "--from", "sqlite:a.db"]).exits(2).says(&["--to"]);
    home.copy("a.db", "sqlite:b.db").exits(2).says(&["--from", "sqlite:PATH"]);
    home.copy("sqlite:a.db", "mysql://b").exits(2).says(&["--to", "sqlite:PATH"]);
    home.copy("sqlite:a.db", "sqlite:a.db").exits(2).says(&["the same store"]);
}

#[test]
fn a_password_is_never_said() {
    let home = Home::new(&configs::built_in());
    for (from, to) in [
        ("postgres://u:hidden@127.0.0.1:1/d", "sqlite:b.db"),
        ("sqlite:a.db", "postgres://u:hidden@127.0.0.1:1/d"),
        ("postgres://u:hidden@127.0.0.1:1/d?nonsense=1", "sqlite:b.db"),
        ("mysql://u:hidden@127.0.0.1:1/d", "sqlite:b.db"),
    ] {
        let outcome = home.copy(from, to);
        assert!(matches!(outcome.code, Some(1 | 2)) && !outcome.output().contains("hidden"), "{outcome:?}");
    }
    assert!(!home.path("b.db").exists());
}
