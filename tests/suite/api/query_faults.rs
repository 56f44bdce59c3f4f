//! Filters with operators, `sort`, `fields` and cursors that are refused: each with its own words.

use dev::configs;

use crate::support::home::Home;
use crate::support::server::Server;

const OF_TEXT: &str = "last_name takes ne, in, lt, lte, gt, gte, folded, prefix, contains";

const WORDS: &str = "search does not validate: it has 1 to 8 words, and at most 200 characters";

/// A collection in which everything that is no filter has another meaning; `_…` works.
const SHADOWED: &str = r#"
[[collection]]
name = "notes"
show_id = false
[collection.fields]
sort = { type = "string" }
fields = { type = "string" }
search = { type = "string", searchable = true }
[collection.pagination]
page_size = 20
offset_key = "after"
"#;

#[test]
fn every_bad_query_has_its_words_on_a_connection_that_is_kept() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let mut client = server.client();
    let long = format!("last_name.prefix={}", "x".repeat(65));
    let endless = format!("search={}", "é".repeat(201).replace('é', "%C3%A9"));
    for (query, message) in [
        ("nick.gt=1", "nick.gt is not a field of users".to_owned()),
        ("offset.gt=1", "offset.gt is not a field of users".into()),
        ("sort.gt=1", "sort.gt is not a field of users".into()),
        ("search=", WORDS.into()),
        ("search=-", WORDS.into()),
        ("search=a+b+c+d+e+f+g+h+i", WORDS.into()),
        (&endless, WORDS.into()),
        ("search=a%00", "search does not validate".into()),
        ("search=a&_search=b", "_search is given twice".into()),
        ("search.gt=1", "search.gt is not a field of users".into()),
        ("last_name.like=x", format!("last_name.like is not a filter of users: {OF_TEXT}")),
        ("last_name.null=true", format!("last_name.null is not a filter of users: {OF_TEXT}")),
        ("last_name.=x", format!("last_name. is not a filter of users: {OF_TEXT}")),
        ("last_name.gt.x=x", format!("last_name.gt.x is not a filter of users: {OF_TEXT}")),
        (
            "address.prefix=1",
            "address.prefix is not a filter of users: address takes ne, in, null, lt, lte, gt, gte".into(),
        ),
        ("id.null=true", "id.null is not a filter of users: id takes ne, in, lt, lte, gt, gte".into()),
        ("address.gt=abc", "address.gt does not validate".into()),
        ("address.gt=", "address.gt does not validate".into()),
        ("address.null=yes", "address.null does not validate".into()),
        ("address.null=", "address.null does not validate".into()),
        ("id.in=1&id.in=x", "id.in does not validate".into()),
        ("last_name.prefix=", "last_name.prefix does not validate: it has 1 to 64 characters".into()),
        (&long, "last_name.prefix does not validate: it has 1 to 64 characters".into()),
        (
            "last_name.contains=%CC%81%CC%88",
            "last_name.contains does not validate: it has 1 to 64 characters".into(),
        ),
        ("last_name.contains=%00", "last_name.contains does not validate".into()),
        ("last_name.prefix=a%00", "last_name.prefix does not validate".into()),
        ("last_name.gt=%00", "last_name.gt does not validate".into()),
        ("last_name.gt=", "last_name.gt does not validate".into()),
        ("last_name.lte=%CC%81", "last_name.lte does not validate".into()),
        ("last_name.folded=+", "last_name.folded does not validate".into()),
        ("last_name.ne=%00", "last_name.ne does not validate".into()),
        ("address.gt=1&address.gt=2", "address.gt is given twice".into()),
        ("sort=id&_sort=id", "_sort is given twice".into()),
        ("_fields=id&fields=id", "fields is given twice".into()),
        ("after=&after=", "after is given twice".into()),
        ("sort=", "sort does not validate: it names 1 to 3 fields".into()),
        ("sort=-", "sort does not validate: it names 1 to 3 fields".into()),
        ("sort=id,", "sort does not validate: it names 1 to 3 fields".into()),
        ("sort=first_name,last_name,address,id", "sort does not validate: it names 1 to 3 fields".into()),
        ("sort=nick", "sort does not validate: nick is not a field of users".into()),
        ("sort=id,nick", "sort does not validate: nick is not a field of users".into()),
        ("_sort=--id", "_sort does not validate: -id is not a field of users".into()),
        ("sort=id,-id", "sort does not validate: id is named twice".into()),
        ("fields=", "fields does not validate: it names no field".into()),
        ("fields=nick", "fields does not validate: nick is not a field of users".into()),
        ("fields=id,id", "fields does not validate: id is named twice".into()),
        (
            "fields=ressource_uri,ressource_uri",
            "fields does not validate: ressource_uri is named twice".into(),
        ),
        ("after=x", "after does not validate".into()),
        ("_after=AAAA", "_after does not validate".into()),
        ("after=&offset=0", "after and offset exclude each other. Send one of them".into()),
        ("offset=0&_after=", "_after and offset exclude each other. Send one of them".into()),
    ] {
        let answer = client.ask(&format!("GET /users/?{query}"));
        assert_eq!((answer.status, answer.error()), (400, message), "{query}");
    }
    assert_eq!(client.opened(), 1, "the connection was kept");
    assert_eq!(server.ids("/users/"), [1]);
}

#[test]
fn faults_come_in_the_order_of_the_query_and_those_between_parameters_last() {
    let server = Server::start(&configs::built_in());
    server
        .faults("GET /users/?sort=nick&address.gt=x", "sort does not validate: nick is not a field of users");
    server.faults("GET /users/?address.gt=x&sort=nick", "address.gt does not validate");
    server.faults("GET /users/?after=&offset=0&nope=1", "nope is not a field of users");
    server.faults("GET /users/?after=x&offset=0&nope=1", "after does not validate");
}

#[test]
fn a_boolean_takes_neither_ranges_nor_parts() {
    let server = Server::start(&configs::kinds());
    server
        .faults("GET /things/?fragile.gt=true", "fragile.gt is not a filter of things: fragile takes ne, in");
    server.faults("GET /things/?sold.lt=true", "sold.lt is not a filter of things: sold takes ne, in, null");
    server.faults("GET /things/?fragile.ne=yes", "fragile.ne does not validate");
    server.faults("GET /things/?weight.gt=x", "weight.gt does not validate");
    server.faults(
        "GET /things/?weight.folded=1",
        "weight.folded is not a filter of things: weight takes ne, in, lt, lte, gt, gte",
    );
}

#[test]
fn without_pages_there_are_no_cursors() {
    let server = Server::start(&configs::unpaged());
    for parameter in ["after", "_after", "offset"] {
        server.faults(&format!("GET /users/?{parameter}="), &format!("{parameter} is not a field of users"));
    }
    server.faults("GET /users/?sort=nick", "sort does not validate: nick is not a field of users");
    server.faults("GET /users/?_fields=nick", "_fields does not validate: nick is not a field of users");
}

#[test]
fn a_name_that_is_taken_keeps_its_meaning_and_the_long_one_works() {
    let home = Home::new(SHADOWED);
    home.run(&["check"]).exits(0).says(&[
        "# note: `sort` has another meaning in lists of `notes`; for what it means elsewhere write `_sort`",
        "# note: `fields` has another meaning in lists of `notes`; for what it means elsewhere write `_fields`",
        "# note: `after` has another meaning in lists of `notes`; for what it means elsewhere write `_after`",
    ]);
    let server = home.serve();
    server.create("/notes/", r#"{"sort":"id","fields":"a","search":"b"}"#);
    server.check(
        "GET /notes/?sort=id&fields=a&after=0&search=b&_search=b",
        r#"200 OK {"meta":{"count":20,"after":0,"total_count":1,"next":"null","previous":"null","filters":{"sort":"id","fields":"a","search":"b","_search":"b"}},"object_list":[{"sort":"id","fields":"a","search":"b","ressource_uri":"/notes/1/"}]}"#,
    );
    server.check(
        "GET /notes/1/?fields=x",
        r#"200 OK {"sort":"id","fields":"a","search":"b","ressource_uri":"/notes/1/"}"#,
    );
    server.faults("GET /notes/?_sort=nick", "_sort does not validate: nick is not a field of notes");
    server.faults("GET /notes/?_after=&after=0", "_after and after exclude each other. Send one of them");
    server.faults("GET /notes/?after=x", "after does not validate");
    server.faults("GET /notes/1/?_fields=nick", "_fields does not validate: nick is not a field of notes");
}

#[test]
fn a_parameter_that_carries_a_key_keeps_its_name() {
    let home = Home::new(&configs::guarded_by("sort"));
    home.add_key("tests", "a-key-for-the-tests");
    home.run(&["check"]).exits(0).says(&["# note: `sort` has another meaning in lists of `users`"]);
    let server = home.serve();
    server.faults(
        "GET /users/?sort=a-key-for-the-tests&_sort=nick",
        "_sort does not validate: nick is not a field of users",
    );
}
