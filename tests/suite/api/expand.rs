//! `expand`: records with those that they refer to, in lists and fetches, of one moment.

use dev::answer::NOT_FOUND;
use dev::configs;
use dev::request::Request;
use serde_json::{Value, json};

use crate::support::server::Server;

const ADDRESS: &str = r#"{"country":"France","city":"Paris","street":"quai de Valmy","number":5,"ressource_uri":"/address/1/"}"#;

/// Two users at one address, and one without.
fn server(config: &str) -> Server {
    let server = Server::start(config);
    server.create("/address/", r#"{"country":"France","city":"Paris","street":"quai de Valmy","number":5}"#);
    server.create("/users/", r#"{"first_name":"Ada","last_name":"Lovelace","address":1}"#);
    server.create("/users/", r#"{"first_name":"\",\"_expanded\":{","last_name":"}}","address":1}"#);
    server.create("/users/", r#"{"first_name":"Jim","last_name":"Doe"}"#);
    server
}

/// What stands in `object_list`, as it was written.
fn objects(server: &Server, list: &str) -> String {
    let answer = server.ask(&format!("GET {list}"));
    assert_eq!(answer.status, 200, "{list}: {answer:?}");
    answer.body_text().split_once("\"object_list\":").unwrap().1.trim_end_matches('}').to_owned() + "}"
}

fn tag(server: &Server, line: &str) -> String {
    server.ask(line).header("ETag").unwrap().to_owned()
}

#[test]
fn a_record_gets_one_member_at_its_end() {
    for config in [configs::built_in(), configs::unpaged()] {
        let server = server(&config);
        let ada = format!(
            r#"{{"first_name":"Ada","last_name":"Lovelace","address":1,"id":1,"ressource_uri":"/users/1/","_expanded":{{"address":{ADDRESS}}}}}"#
        );
        let odd = format!(
            r#"{{"first_name":"\",\"_expanded\":{{","last_name":"}}}}","address":1,"id":2,"ressource_uri":"/users/2/","_expanded":{{"address":{ADDRESS}}}}}"#
        );
        let jim = r#"{"first_name":"Jim","last_name":"Doe","address":null,"id":3,"ressource_uri":"/users/3/","_expanded":{"address":null}}"#;
        for name in ["expand", "_expand"] {
            let list = server.ask(&format!("GET /users/?{name}=address"));
            let end = format!(r#""object_list":[{ada},{odd},{jim}]}}"#);
            assert!(list.body_text().ends_with(&end), "{} and not {end}", list.body_text());
            assert_eq!(list.json()["meta"]["filters"], json!({}), "it is no filter");
            assert_eq!((list.header("ETag"), list.header("Vary")), (None, None));
            for (id, record) in [(1, ada.as_str()), (2, &odd), (3, jim)] {
                let answer = server.ask(&format!("GET /users/{id}/?{name}=address"));
                assert_eq!((answer.status, answer.body_text()), (200, record));
                let head = server.ask(&format!("HEAD /users/{id}/?{name}=address"));
                assert_eq!(head.header("Content-Length"), Some(record.len().to_string().as_str()));
                assert_eq!(head.header("ETag"), answer.header("ETag"));
            }
        }
        server.check("GET /users/4/?expand=address", NOT_FOUND);
    }
}

#[test]
fn a_change_of_what_is_shown_shows_at_once() {
    let server = server(&configs::built_in());
    let city = |line: &str| server.ask(line).json().to_string().matches("Lyon").count();
    for line in ["GET /users/?expand=address", "GET /users/1/?expand=address"] {
        assert_eq!(city(line), 0, "{line}");
    }
    assert_eq!(server.status(r#"PUT /address/1/ {"city":"Lyon"}"#), 200);
    assert_eq!(city("GET /users/?expand=address"), 2);
    assert_eq!(city("GET /users/1/?expand=address"), 1);
    assert_eq!(server.status(r#"PUT /users/1/ {"address":null}"#), 200);
    assert_eq!(city("GET /users/?expand=address"), 1);
    assert_eq!(city("GET /users/1/?expand=address"), 0);
}

#[test]
fn fields_cut_the_record_and_not_what_is_embedded() {
    let server = server(&configs::built_in());
    let cut =
        format!(r#"{{"first_name":"Ada","ressource_uri":"/users/1/","_expanded":{{"address":{ADDRESS}}}}}"#);
    let fetched = server.ask("GET /users/1/?expand=address&fields=first_name");
    assert_eq!(fetched.body_text(), cut);
    let whole = tag(&server, "GET /users/1/?expand=address");
    assert_eq!(fetched.header("ETag"), Some(whole.as_str()), "that of the whole record");
    assert_eq!(objects(&server, "/users/?fields=first_name&expand=address&id=1"), format!("[{cut}]}}"));
}

#[test]
fn pages_and_cursors_keep_it() {
    let server = server(&configs::built_in());
    for number in 0..30 {
        let address = if number % 3 == 0 { "null" } else { "1" };
        let body = format!(r#"{{"first_name":"n{number}","last_name":"Roe","address":{address}}}"#);
        server.create("/users/", &body);
    }
    let is_expanded = |record: &Value| {
        let city = &record["_expanded"]["address"]["city"];
        record.get("_expanded").is_some() && city.is_null() == record["address"].is_null()
    };
    for begin in [
        "/users/?count=7&expand=address&last_name=Roe",
        "/users/?sort=-last_name&last_name.gt=d&expand=address&fields=address&count=7",
        "/users/?after=&expand=address&sort=last_name",
        "/users/?sort=-id&_expand=address",
    ] {
        let (mut next, mut seen) = (Some(begin.to_owned()), 0);
        while let Some(list) = next {
            let answer = server.ask(&format!("GET {list}"));
            let records = answer.json()["object_list"].as_array().unwrap().clone();
            assert!(!records.is_empty() && records.iter().all(is_expanded), "{list}: {answer:?}");
            seen += records.len();
            let link = answer.header("Link").unwrap_or_default().replace(&server.base_url(), "");
            let link = link.split(", <").find(|link| link.ends_with("rel=\"next\"")).map(str::to_owned);
            next = link.map(|link| link.trim_start_matches('<').split('>').next().unwrap().to_owned());
            if let Some(next) = &next {
                assert!(next.contains("expand=address"), "{next}");
            }
        }
        assert_eq!(seen as i64, server.total(begin), "{begin}");
    }
    let answer = server.ask("GET /users/?expand=address&count=2&fields=id&sort=-id&last_name=Roe");
    assert_eq!(
        answer.header("Link").unwrap().replace(&server.base_url(), ""),
        r#"</users/?last_name=Roe&sort=-id&fields=id&expand=address&count=2&offset=2>; rel="next""#
    );
}

#[test]
fn the_tag_has_a_part_for_the_record_and_one_for_the_rest() {
    let server = server(&configs::built_in());
    let plain = tag(&server, "GET /users/1/");
    let expanded = tag(&server, "GET /users/1/?expand=address");
    assert!(expanded.starts_with(&format!("{}.", plain.trim_end_matches('"'))), "{expanded} of {plain}");
    let held = |line: &str, tag: &str| server.send(&Request::new(line).header("If-None-Match", tag));
    let again = held("GET /users/1/?expand=address", &format!("\"x\", W/{expanded}"));
    assert_eq!((again.status, again.header("ETag")), (304, Some(expanded.as_str())));
    assert_eq!(held("GET /users/1/?expand=address", "*").status, 304);
    assert_eq!(held("GET /users/1/?expand=address", &plain).status, 200, "all of it is compared");
    assert_eq!(held("GET /users/1/", &expanded).status, 200, "all of it is compared");

    assert_eq!(server.status(r#"PUT /address/1/ {"number":6}"#), 200);
    let moved = held("GET /users/1/?expand=address", &expanded);
    assert_eq!(moved.status, 200);
    let moved = moved.header("ETag").unwrap().to_owned();
    assert_ne!(moved, expanded);
    assert_eq!(moved.split('.').next(), expanded.split('.').next(), "the record is the same");

    let update = |tag: &str, name: &str| {
        let update = Request::text(&format!(r#"PUT /users/1/ {{"first_name":"{name}"}}"#));
        server.send(&update.header("If-Match", tag)).status
    };
    assert_eq!(update(&format!("W/{expanded}"), "a"), 412);
    assert_eq!(update(&expanded, "a"), 200, "a write is guarded by the part of the record");
    assert_eq!(update(&moved, "b"), 412);
    let delete =
        Request::new("DELETE /users/1/").header("If-Match", &tag(&server, "GET /users/1/?expand=address"));
    assert_eq!(server.send(&delete).status, 200);
}

#[test]
fn a_compressed_answer_has_its_own_tag_that_guards_as_well() {
    let server = server(&configs::built_in());
    let long = "Name ".repeat(400);
    server.create("/users/", &format!(r#"{{"first_name":"Long","last_name":"{long}","address":1}}"#));
    let mut client = server.client();
    for coding in ["gzip", "zstd"] {
        let get = Request::new("GET /users/4/?expand=address").header("Accept-Encoding", coding);
        let tag = client.read_compressed(&get).header("ETag").unwrap().to_owned();
        assert!(tag.ends_with(&format!("-{coding}\"")) && tag.contains('.'), "{tag}");
        let held = server.send(&get.header("If-None-Match", &tag));
        assert_eq!((held.status, held.header("ETag")), (304, Some(tag.as_str())));
        let update = Request::text(&format!(r#"PUT /users/4/ {{"first_name":"{coding}"}}"#));
        assert_eq!(server.send(&update.header("If-Match", &tag)).status, 200);
    }
}

#[test]
fn several_references_stand_in_declared_order() {
    let config = configs::users_with_fields(
        "",
        "[collection.fields]\nhome = { type = \"integer\", references = \"address\" }\n\
         name = { type = \"string\" }\nwork = { type = \"integer\", references = \"address\" }\n",
        "",
    );
    let server = Server::start(&config);
    server.create_address();
    server.create_address();
    server.create("/users/", r#"{"name":"a","home":2,"work":1}"#);
    server.create("/users/", r#"{"name":"b","work":2}"#);
    let expanded = |query: &str| {
        let answer = server.ask(&format!("GET /users/?expand={query}")).json();
        let uri = |record: &Value| record["ressource_uri"].as_str().unwrap_or("none").to_owned();
        let records = answer["object_list"].as_array().unwrap().iter();
        let members = records.map(|record| {
            let members = record["_expanded"].as_object().unwrap().iter();
            members.map(|(name, record)| format!("{name} {}", uri(record))).collect::<Vec<_>>().join(", ")
        });
        members.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(expanded("home"), "home /address/2/; home none");
    for query in ["home,work", "work,home"] {
        assert_eq!(
            expanded(query),
            "home /address/2/, work /address/1/; home none, work /address/2/",
            "{query}"
        );
    }
}

#[test]
fn every_bad_expand_has_its_words() {
    let server = server(&configs::built_in());
    let contents = server.contents();
    for (text, reason) in [
        ("", "it names no field"),
        ("address,", "it names no field"),
        ("nick", "nick is not a field of users"),
        ("ressource_uri", "ressource_uri is not a field of users"),
        ("address.city", "address.city is not a field of users"),
        ("last_name", "last_name refers to no collection"),
        ("id", "id refers to no collection"),
        ("address,address", "address is named twice"),
    ] {
        for (name, path) in [("expand", "/users/"), ("_expand", "/users/1/")] {
            server
                .faults(&format!("GET {path}?{name}={text}"), &format!("{name} does not validate: {reason}"));
        }
        server.check(&format!("GET /users/9/?expand={text}"), NOT_FOUND);
        assert_eq!(server.status(&format!(r#"PUT /users/1/?expand={text} {{}}"#)), 200, "it means nothing");
    }
    server.faults("GET /users/?expand=address&_expand=address", "_expand is given twice");
    server.faults("GET /users/1/?expand=address&expand=address", "expand is given twice");
    server.faults("GET /users/?nope=1&expand=nick", "nope is not a field of users");
    server.faults("GET /address/?expand=x", "expand does not validate: x is not a field of address");
    assert_eq!(server.contents(), contents);
}

#[test]
fn what_cannot_be_fetched_is_not_shown() {
    let config = configs::built_in().replacen("show_id = false", "unique_verbs = [\"PUT\"]", 1);
    let server = server(&config);
    let message = "expand does not validate: records of address cannot be fetched";
    server.faults("GET /users/?expand=address", message);
    server.faults("GET /users/1/?expand=address", message);
    let document = server.ask("GET /openapi.json").body_text().to_owned();
    assert!(!document.contains("_expanded") && !document.contains("users-list-expand"));
}

#[test]
fn a_problem_says_what_expand_takes() {
    let server = server(&configs::built_in());
    let problem = |line: &str| {
        let request = Request::new(line).header("Accept", "application/problem+json");
        server.send(&request).json()["errors"].clone()
    };
    for path in ["/users/", "/users/1/"] {
        assert_eq!(
            problem(&format!("GET {path}?expand=adress&fields=nick")),
            json!([
                {
                    "parameter": "expand",
                    "detail": "adress is not a field of users; did you mean address?",
                    "value": "adress",
                    "accepted": "names separated by commas, each address",
                    "suggestion": "address",
                },
                {
                    "parameter": "fields",
                    "detail": "nick is not a field of users",
                    "value": "nick",
                    "accepted": "names separated by commas, each one of first_name, last_name, address, id, ressource_uri",
                },
            ])
        );
    }
}
