//! Days and moments in the tables: as other tools write and read them, in copies, and what no tool may put there.

use dev::configs;

use crate::support::home::Home;

#[test]
fn other_tools_read_and_write_them() {
    let home = Home::new(&configs::dates());
    let server = home.serve();
    server.create(
        "/events/",
        r#"{"name":"a","born":"0001-01-01","met":"2027-01-31T14:00:00.5+02:00","day":"9999-12-31"}"#,
    );
    server.stop();
    let row = home.either(
        "SELECT born || ' ' || met || ' ' || day FROM events",
        "SELECT born || ' ' || to_char(met AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') || ' ' || day FROM events",
    );
    assert_eq!(home.query(row), ["0001-01-01 2027-01-31T12:00:00.500000Z 9999-12-31"]);
    home.execute(
        "INSERT INTO events (name, born, met) VALUES ('b', '2024-02-29', '2027-01-31T12:00:00.250000Z'), ('c', NULL, NULL)",
    );
    let server = home.serve();
    assert_eq!(server.ask("GET /events/2/").json()["met"], "2027-01-31T12:00:00.25Z");
    assert_eq!(server.ids("/events/?met.lt=2027-01-31T12:00:00.5Z"), [2]);
    assert_eq!(server.ids("/events/?sort=-met"), [1, 2, 3]);
}

#[test]
fn no_tool_puts_in_what_is_no_day_or_no_moment() {
    let home = Home::new(&configs::dates());
    home.serve().stop();
    home.execute("INSERT INTO events (name) VALUES ('a')");
    for day in ["2023-02-29", "0000-01-01", "now-ish", "", "10000-01-01", "infinity", "-infinity"] {
        home.cannot_execute(&format!("UPDATE events SET born = '{day}'"));
    }
    for moment in [
        "2027-02-29T12:00:00.000000Z",
        "2027-01-31T24:00:01.000000Z",
        "infinity",
        "",
        "0000-12-31T23:59:59.999999Z",
    ] {
        home.cannot_execute(&format!("UPDATE events SET met = '{moment}'"));
    }
    if home.either(true, false) {
        // Each moment has one text, or texts would not compare as moments do.
        for moment in [
            "2027-01-31T12:00:00Z",
            "2027-01-31 12:00:00.000000Z",
            "2027-01-31T14:00:00.000000+02:00",
            "2027-01-31",
        ] {
            home.cannot_execute(&format!("UPDATE events SET met = '{moment}'"));
        }
        home.execute("UPDATE events SET met = '9999-12-31T23:59:59.999999Z', born = '9999-12-31'");
    }
    home.is_sound();
}

#[test]
fn a_copy_has_the_same_days_moments_and_digest() {
    let (home, other) = (Home::new(&configs::dates()), Home::new(&configs::dates()));
    let server = home.serve();
    for (born, met) in [
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("1999-12-31", "1999-12-31T23:59:59.999999Z"),
        ("2000-01-01", "2000-01-01T00:00:00Z"),
        ("9999-12-31", "9999-12-31T23:59:59.999999Z"),
    ] {
        server.create("/events/", &format!(r#"{{"name":"a","born":"{born}","met":"{met}"}}"#));
    }
    server.create("/events/", r#"{"name":"none"}"#);
    let (before, file) = (server.walk("/events/"), home.file_url("between.db"));
    let there = home.copy(&home.database_url(), &file).exits(0);
    let back = home.copy(&file, &other.database_url()).exits(0);
    assert_eq!(there.stdout, back.stdout);
    let server = other.serve();
    assert_eq!(server.walk("/events/"), before);
    assert_eq!(server.ids("/events/?sort=-met"), [4, 3, 2, 1, 5]);
}

#[test]
fn the_digest_of_days_and_moments_is_the_same_on_every_engine() {
    let home = Home::new(&configs::dates());
    home.serve().stop();
    home.execute(
        "INSERT INTO events (id, name, born, met, day) VALUES
         (1, 'a', '1815-12-10', '2027-01-31T12:00:00.000001Z', '2000-01-01'), (2, '', NULL, NULL, '0001-01-01')",
    );
    let copied = home.copy(&home.database_url(), &home.file_url("copy.db")).exits(0);
    assert_eq!(copied.stdout.split_whitespace().nth(2), Some("33ac086737947672a4568bdd7ef7bdd5"));
}

#[test]
fn a_string_does_not_become_a_day_by_itself() {
    let home =
        Home::new(&configs::dates().replace("born = { type = \"date\" }", "born = { type = \"string\" }"));
    home.serve().stop();
    home.configure(&configs::dates());
    home.refused_start()
        .exits(2)
        .says(&["the field born of events is stored as string and declared as date"]);
}
