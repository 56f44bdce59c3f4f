//! Columns that another tool adds to a collection: left alone, and in nobody's way.

use dev::configs;

use crate::support::home::Home;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_column_of_another_tool_is_left_alone_and_named() {
    let home = Home::new(&configs::built_in());
    let running = home.serve();
    running.create_user("Jane", "Doe");
    home.execute(
        "ALTER TABLE users ADD COLUMN nick text, ADD COLUMN seen timestamptz NOT NULL DEFAULT now(), \
         ADD COLUMN whole text NOT NULL GENERATED ALWAYS AS (first_name || ' ' || last_name) STORED, \
         ADD COLUMN place bigint GENERATED ALWAYS AS IDENTITY; \
         CREATE INDEX nicks ON users (nick); UPDATE users SET nick = 'J'",
    );
    let checked = home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
    for column in ["nick", "seen", "whole", "place"] {
        let note = format!(
            "# note: the column {column} of users was added by another tool: it is kept as it is, and not served\n"
        );
        assert!(checked.stdout.contains(&note), "{}", checked.stdout);
    }
    let started = home.serve();
    for (node, id) in [(&running, 2), (&started, 3)] {
        assert_eq!(node.create_user("John", "Roe"), id);
        assert_eq!(node.status(r#"PUT /users/1/ {"last_name":"Poe"}"#), 200);
        node.check(
            "GET /users/1/",
            r#"200 OK {"first_name":"Jane","last_name":"Poe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
        );
    }
    let rows = "SELECT concat_ws(' ', id, nick, whole, place) FROM users ORDER BY id";
    assert_eq!(home.query(rows), ["1 J Jane Poe 1", "2 John Roe 2", "3 John Roe 3"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_column_without_which_no_record_can_be_created_is_refused_until_it_is_mended() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute("ALTER TABLE users ADD COLUMN nick text NOT NULL");
    let refused = home.refused_start().exits(2).says(&[
        "the column nick of users was added by another tool, must have a value and has no default: \
         no record could be created",
        r#"ALTER TABLE "users" ALTER COLUMN "nick" DROP NOT NULL;"#,
    ]);
    assert!(!refused.stderr.contains("would be lost"), "{}", refused.stderr);
    home.execute(r#"ALTER TABLE "users" ALTER COLUMN "nick" DROP NOT NULL;"#);
    assert_eq!(home.serve().create_user("Jane", "Doe"), 1);
}

/// A field that is gone from the file is another matter: its values would be lost.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_column_that_was_a_field_is_still_refused() {
    let home = Home::new(&configs::kinds());
    home.serve().stop();
    for field in ["note ", "code ", "height ", "sold "] {
        let lines = configs::kinds().replace(r#"["code"], "#, "");
        let lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with(field)).collect();
        home.configure(&lines.join("\n"));
        home.refused_start().exits(2).says(&["is stored but no longer declared, and would be lost"]);
    }
}
