//! Entries that only the store refuses, while they are stored: each is named, all others come in, in their order, and
//! none is tried again and again.

use std::fs;

use dev::configs;

use crate::support::home::Home;

/// More than a chunk on PostgreSQL, and one chunk on SQLite.
const ENTRIES: usize = 600;

fn file(names: impl Iterator<Item = usize>) -> String {
    names.fold("last_name\n".to_owned(), |file, name| file + &format!("L{name}\n"))
}

/// Without a look at what is there.
const IMPORT: [&str; 6] = ["import", "a.csv", "--into", "users", "--match", "none"];

/// A rule over a field that files do not give, so that the store is the first to see that names are taken.
fn with_a_rule() -> std::sync::Arc<Home> {
    let required = r#"first_name = { type = "string", required = true"#;
    let config = configs::unique().replacen(required, r#"first_name = { type = "string", default = "F""#, 1);
    Home::new(&config)
}

#[test]
fn a_file_of_which_everything_is_refused_is_tried_a_few_times() {
    let home = with_a_rule();
    fs::write(home.path("a.csv"), file(0..ENTRIES)).unwrap();
    home.run(&IMPORT).exits(0);
    let refused = home.run(&[&IMPORT[..], &["--faults", "faults.csv"]].concat()).exits(1);
    assert_eq!(refused.stdout, format!("read {ENTRIES}: created 0, updated 0, unchanged 0\n"));
    let faults = fs::read_to_string(home.path("faults.csv")).unwrap();
    let lines: Vec<&str> = faults.lines().skip(1).collect();
    assert_eq!(lines.len(), ENTRIES, "{faults}");
    for (at, line) in lines.into_iter().enumerate() {
        let words = format!("line {}: first_name,last_name must be unique together", at + 2);
        assert!(line.contains(&words), "{line} is not {words}");
    }
    // A create that is refused uses its id, so that ids count how often entries were tried.
    let server = home.serve();
    let tried = usize::try_from(server.create_user("Ada", "Lovelace")).unwrap() - ENTRIES;
    assert!((ENTRIES..5 * ENTRIES).contains(&tried), "{tried} tries of {ENTRIES} entries");
    server.stop().is_sound();
}

#[test]
fn what_stands_between_refused_entries_comes_in_in_its_order() {
    let home = with_a_rule();
    fs::write(home.path("a.csv"), file((0..ENTRIES).filter(|name| name % 3 == 0 || name % 100 < 10)))
        .unwrap();
    home.run(&IMPORT).exits(0);
    let taken = home.query("SELECT last_name FROM users");
    fs::write(home.path("a.csv"), file(0..ENTRIES)).unwrap();
    let summary = format!("read {ENTRIES}: created {}, updated 0, unchanged 0\n", ENTRIES - taken.len());
    assert_eq!(home.run(&IMPORT).exits(1).stdout, summary);
    let wanted = (0..ENTRIES).map(|name| format!("L{name}")).filter(|name| !taken.contains(name));
    let stored = home.query("SELECT last_name FROM users ORDER BY id");
    assert_eq!(stored[taken.len()..], wanted.collect::<Vec<_>>());
}

/// The first who lives at an address would create it, and is refused: the next one does.
#[test]
fn an_address_is_made_by_the_first_of_its_users_that_is_not_refused() {
    let home = with_a_rule();
    fs::write(home.path("a.csv"), file([0, 1, 3].into_iter())).unwrap();
    home.run(&IMPORT).exits(0);
    let header = "last_name,address.country,address.city,address.street,address.number\n";
    let rows = (0..6).map(|name| format!("L{name},FR,Paris,rue,{}\n", name / 3)).collect::<String>();
    fs::write(home.path("a.csv"), header.to_owned() + &rows).unwrap();
    let summary = "read 6: created 3, updated 0, unchanged 0; address: created 2\n";
    assert_eq!(home.run(&IMPORT).exits(1).stdout, summary);
    let lives = "SELECT last_name || ' ' || number FROM users JOIN address ON address.id = users.address ORDER BY users.id";
    assert_eq!(home.query(lives), ["L2 0", "L4 1", "L5 1"]);
}
