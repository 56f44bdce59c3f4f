//! `carnet check`: what a configuration means, and that looking changes nothing.

use dev::configs;

use crate::support::home::Home;

#[test]
fn check_prints_what_a_configuration_means() {
    let home = Home::new(&configs::built_in());
    let outcome = home.run(&["check"]).exits(0);
    for part in ["address", "users", "first_name", "country", "20", "127.0.0.1:8080"] {
        assert!(outcome.stdout.contains(part), "{part} is not in:\n{}", outcome.stdout);
    }
}

#[test]
fn check_prints_the_defaults_that_apply() {
    let home =
        Home::new("[[collection]]\nname = \"notes\"\n[collection.fields]\ntext = { type = \"string\" }\n");
    home.run(&["check"]).exits(0).says(&["notes", "text", "GET", "DELETE"]);
}

#[test]
fn check_changes_nothing() {
    let home = Home::new(&configs::built_in());
    home.run(&["check"]).exits(0);
    assert!(!home.has_store());
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 1, "only the configuration");
}

#[test]
fn check_without_any_file_is_about_the_built_in_configuration() {
    let home = Home::empty();
    home.run_bare(&["check"]).exits(0).says(&["users", "address"]);
    assert_eq!(std::fs::read_dir(home.folder()).unwrap().count(), 0);
}

#[test]
fn check_works_beside_a_running_server() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    home.run(&["check"]).exits(0);
    assert_eq!(server.ids("/users/"), [1]);
}

#[test]
fn every_configuration_of_this_suite_is_right() {
    for config in [
        configs::built_in(),
        configs::unique(),
        configs::guarded(),
        configs::guarded_by("token"),
        configs::identified(),
        configs::rate_limited(200, 100),
        configs::renamed(),
        configs::unpaged(),
        configs::on_delete("set_null"),
        configs::on_delete("cascade"),
        configs::verbs(r#"["GET"]"#, r#"["GET", "PATCH"]"#),
        configs::ids_shown_the_other_way(),
        configs::kinds(),
        configs::with_server(
            "drain = 10\nmax_body = \"2MiB\"\ntrusted_proxies = [\"10.0.0.0/8\", \"::1/128\"]",
        ),
        format!("[log]\nlevel = \"debug\"\nformat = \"json\"\n{}", configs::built_in()),
    ] {
        Home::new(&config).run(&["check"]).exits(0);
    }
}

#[test]
fn check_shows_which_property_of_a_vcard_each_field_is() {
    Home::new(&configs::built_in()).run(&["check"]).exits(0).says(&[
        "\n# note: in a vCard of `users` first_name is N.given, last_name is N.family, address.street is ADR.street, \
         address.number is ADR.street, address.city is ADR.locality, address.country is ADR.country\n",
    ]);
}
