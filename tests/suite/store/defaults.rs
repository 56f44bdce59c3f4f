//! Defaults are those of the columns: other tools and older configurations get them, and they follow the configuration.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;

fn config(keys: &str, fields: &str) -> String {
    format!(
        "[[collection]]\nname = \"parcels\"\n{keys}\n[collection.fields]\ncode = {{ type = \"string\" }}\n{fields}\n\
         [collection.pagination]\npage_size = 20\n"
    )
}

/// A store with some parcels.
fn with_parcels() -> Arc<Home> {
    let home = Home::new(&config("", ""));
    home.serve().stop();
    home.execute("INSERT INTO parcels (id, code) VALUES (41, 'a'), (52, 'a'), (63, NULL)");
    home
}

#[test]
fn other_tools_get_them_too() {
    let home = Home::new(&configs::defaults());
    home.serve().stop();
    home.execute("INSERT INTO parcels (code) VALUES ('a')");
    let server = home.serve();
    server.create("/parcels/", r#"{"code":"b"}"#);
    let mut parcels = server.walk("/parcels/");
    for parcel in &mut parcels {
        for own in ["id", "code", "ressource_uri"] {
            parcel.as_object_mut().unwrap().remove(own);
        }
    }
    assert_eq!(parcels[0], parcels[1]);
}

#[test]
fn a_new_field_with_a_default_is_given_to_every_record() {
    let home = with_parcels();
    home.configure(&config(
        "",
        "country = { type = \"string\", required = true, max_length = 2, default = \"FR\" }
         since = { type = \"date\", required = true, default = 1815-12-10 }
         at = { type = \"datetime\", default = \"2027-01-31T14:00:00+02:00\" }
         size = { type = \"integer\", default = -9223372036854775808 }
         plain = { type = \"integer\" }",
    ));
    home.run(&["check"]).exits(0).says(&["add the field country to parcels"]);
    let server = home.serve();
    for id in [41, 52, 63] {
        let parcel = server.ask(&format!("GET /parcels/{id}/"));
        let fields = r#","country":"FR","since":"1815-12-10","at":"2027-01-31T12:00:00Z","size":-9223372036854775808,"plain":null,"#;
        assert!(parcel.body_text().contains(fields), "{parcel:?}");
    }
    assert_eq!(server.ids("/parcels/?country=FR&sort=-since"), [63, 52, 41]);
    server.stop();
    // Nothing is left to do.
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
}

#[test]
fn a_unique_rule_over_a_new_field_asks_the_table_where_all_records_get_the_same() {
    let home = with_parcels();
    let before = home.stored_bytes();
    let country = "country = { type = \"string\", default = \"FR\" }";
    for (rule, ids) in
        [("[[\"country\"]]", "(records 41, 52, 63)"), ("[[\"code\", \"country\"]]", "(records 41, 52)")]
    {
        home.configure(&config(&format!("unique = {rule}"), country));
        home.refused_start().exits(2).says(&["parcels must now be unique by", ids]);
        assert!(home.stored_bytes() == before, "the store was touched");
    }
    // Without a default no record has a value, and so the rule is met.
    home.configure(&config("unique = [[\"country\"]]", "country = { type = \"string\" }"));
    home.serve().stop();
}

#[test]
fn a_default_follows_the_configuration() {
    let home = with_parcels();
    let field = |weight: &str, note: &str| {
        config("", &format!("weight = {{ type = \"float\"{weight} }}\nnote = {{ type = \"string\"{note} }}"))
    };
    let insert = |id: i64| home.execute(&format!("INSERT INTO parcels (id, code) VALUES ({id}, 'x')"));
    home.configure(&field(", default = 1e-7", ", default = \"it's\""));
    home.serve().stop();
    insert(71);
    home.configure(&field(", default = 2.5", ", default = 'b\\'"));
    home.run(&["check"]).exits(0).says(&["change the default of the field weight of parcels"]);
    home.serve().stop();
    insert(72);
    home.configure(&field("", ""));
    home.serve().stop();
    insert(73);
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
    let server = home.serve();
    let told: Vec<String> = server
        .walk("/parcels/")
        .iter()
        .map(|parcel| format!("{} {} {}", parcel["id"], parcel["weight"], parcel["note"]))
        .collect();
    assert_eq!(
        told,
        [
            "41 1e-7 \"it's\"",
            "52 1e-7 \"it's\"",
            "63 1e-7 \"it's\"",
            "71 1e-7 \"it's\"",
            "72 2.5 \"b\\\\\"",
            "73 null null"
        ]
    );
}
