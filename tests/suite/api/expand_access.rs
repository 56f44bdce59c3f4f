//! Who may see what with `expand`: every admission of both collections × every kind of key, and how it is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

const ADMISSIONS: [(&str, &str); 3] = [
    ("open", "authentication = false"),
    ("met", "authentication = true"),
    ("closed", "authentication = true\nauthorization = true"),
];

/// A target and a source of each admission; each source refers to every target.
fn config() -> String {
    let mut config = String::new();
    for (name, access) in ADMISSIONS {
        let fields = "[collection.fields]\ntitle = { type = \"string\" }\n";
        writeln!(config, "[[collection]]\nname = \"{name}\"\n{fields}[collection.access]\n{access}").unwrap();
    }
    for (name, access) in ADMISSIONS {
        writeln!(config, "[[collection]]\nname = \"from_{name}\"\n[collection.fields]").unwrap();
        for (target, _) in ADMISSIONS {
            writeln!(config, "to_{target} = {{ type = \"integer\", references = \"{target}\" }}").unwrap();
        }
        writeln!(config, "[collection.access]\n{access}").unwrap();
    }
    configs::patient(&config)
}

fn make(home: &Home, name: &str, scopes: &[String]) -> String {
    let scopes: Vec<&str> = scopes.iter().flat_map(|scope| ["--scope", scope]).collect();
    home.run(&[&["keys", "create", name], &scopes[..]].concat()).exits(0).stdout.trim_end().to_owned()
}

/// Who may come in: `rights` is what a known key may read.
fn expected(source: &str, target: &str, rights: Option<&[String]>) -> Result<(), (u16, String)> {
    for collection in [&format!("from_{source}"), target] {
        let admission = collection.trim_start_matches("from_");
        let is_allowed =
            |rights: &[String]| rights.iter().any(|scope| *scope == format!("{collection}:read"));
        match (admission, rights) {
            ("open", _) | ("met", None) => {}
            (_, None) => return Err((401, String::new())),
            (_, Some(rights)) if is_allowed(rights) => {}
            _ => {
                let message = format!(
                    "This access key may not read {collection}: it needs the scope {collection}:read"
                );
                // Who is unknown in one place is known in none; who is known hears of the first that lacks.
                return Err((403, message));
            }
        }
    }
    Ok(())
}

#[test]
fn both_collections_let_the_caller_in_before_anything_else_is_said() {
    let home = Home::new(&config());
    let (mut tables, mut keys) = (Vec::new(), BTreeMap::new());
    for (source, _) in ADMISSIONS {
        for (target, _) in ADMISSIONS {
            let pair = [format!("from_{source}:read"), format!("{target}:read")];
            let mut kinds =
                vec![("none", None, None), ("unknown", Some("nobody-has-this-key-at-all".to_owned()), None)];
            for (called, scopes) in [("both", &pair[..]), ("source", &pair[..1]), ("target", &pair[1..])] {
                let secret =
                    keys.entry(scopes.to_vec()).or_insert_with(|| make(&home, &scopes.join(" "), scopes));
                let secret = secret.clone();
                kinds.push((called, Some(secret), Some(scopes.to_vec())));
            }
            tables.push((source, target, kinds));
        }
    }
    let all = make(&home, "all", &["*".into()]);
    let server = home.serve();
    let create = |path: &str, body: &str| {
        let request = Request::new(&format!("POST {path}")).header("X-API-Key", &all).json(body);
        assert_eq!(server.send(&request).status, 201, "{path}");
    };
    for (name, _) in ADMISSIONS {
        create(&format!("/{name}/"), r#"{"title":"secret"}"#);
    }
    for (name, _) in ADMISSIONS {
        create(&format!("/from_{name}/"), r#"{"to_open":1,"to_met":1,"to_closed":1}"#);
    }
    let (mut unauthorized, mut tried) = (BTreeSet::new(), 0);
    for (source, target, kinds) in tables {
        for (called, secret, rights) in kinds {
            let expected = expected(source, target, rights.as_deref());
            for (path, otherwise) in [
                (format!("/from_{source}/?expand=to_{target}"), 200),
                (format!("/from_{source}/1/?expand=to_{target}"), 200),
                (format!("/from_{source}/99/?expand=to_{target}"), 404),
                (format!("/from_{source}/99/?expand=to_{target},nick"), 404),
                (format!("/from_{source}/1/?expand=to_{target},nick"), 400),
                (format!("/from_{source}/?sort=nick&_expand=nick,to_{target}"), 400),
            ] {
                let mut request = Request::new(&format!("GET {path}"));
                if let Some(secret) = &secret {
                    request = request.header("Authorization", &format!("Bearer {secret}"));
                }
                let answer = server.send(&request);
                let about = format!("{path} with {called}: {answer:?}");
                match &expected {
                    Ok(()) => assert_eq!(answer.status, otherwise, "{about}"),
                    Err((401, _)) => {
                        assert_eq!(answer.status, 401, "{about}");
                        unauthorized.insert(answer.body_text().to_owned());
                    }
                    Err((status, message)) => {
                        assert_eq!((answer.status, answer.error()), (*status, message.clone()), "{about}");
                    }
                }
                assert_eq!(answer.body_text().contains("secret"), answer.status == 200, "{about}");
                let asks_for_keys = source != "open" || target != "open";
                let vary = answer.header("Vary").unwrap_or_default();
                assert_eq!(vary.contains("Authorization, X-API-Key"), asks_for_keys, "{about}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 9 * 5 * 6);
    assert_eq!(unauthorized.len(), 1, "{unauthorized:?}");
}

/// Two limited collections; a user is of both.
fn limited(teams: u32, cities: u32, users: u32) -> String {
    let collection = |name: &str, fields: &str, quota: u32| {
        format!(
            "[[collection]]\nname = \"{name}\"\n[collection.fields]\n{fields}\n\
             [collection.access]\nauthentication = true\n\
             [collection.rate_limit]\nquota = {quota}\ninterval = 3600\n"
        )
    };
    [
        collection("teams", "title = { type = \"string\" }", teams),
        collection("cities", "title = { type = \"string\" }", cities),
        collection(
            "users",
            "team = { type = \"integer\", references = \"teams\" }\n\
             rival = { type = \"integer\", references = \"teams\" }\n\
             city = { type = \"integer\", references = \"cities\" }",
            users,
        ),
    ]
    .concat()
}

/// Sends with a known key; the status, and how many requests the answer says are left.
fn left(server: &Server, line: &str) -> (u16, String) {
    let answer = server.send(&Request::new(line).header("X-API-Key", "first-key-of-the-tests"));
    let limit = answer.header("RateLimit").unwrap_or("none;none").to_owned();
    (answer.status, limit.split(';').nth(1).unwrap().to_owned())
}

#[test]
fn a_request_counts_once_in_each_collection_that_it_reads_or_in_none() {
    let home = Home::new(&limited(4, 2, 9));
    home.add_key("first", "first-key-of-the-tests");
    let server = home.serve();
    // The answer tells of the limit that is nearest.
    assert_eq!(left(&server, "GET /users/?expand=team,rival"), (200, "r=3".into()), "teams count once");
    assert_eq!(left(&server, "GET /users/"), (200, "r=7".into()));
    assert_eq!(left(&server, "GET /users/99/?expand=city,team"), (404, "r=1".into()));
    assert_eq!(left(&server, "GET /users/?expand=city,nick"), (400, "r=0".into()));
    for _ in 0..3 {
        let refused = server.send(
            &Request::new("GET /users/?expand=team,city").header("X-API-Key", "first-key-of-the-tests"),
        );
        assert_eq!(refused.status, 429);
        assert!(refused.error().starts_with("The rate limit of 2 requests in 3600 seconds"), "{refused:?}");
        assert!(
            refused.header("Retry-After").is_some() && refused.header("RateLimit").unwrap().contains("r=0")
        );
    }
    // Nothing of it counted: users have had four requests, teams two.
    assert_eq!(left(&server, "GET /users/"), (200, "r=4".into()));
    assert_eq!(left(&server, "GET /teams/"), (200, "r=1".into()));
    assert_eq!(left(&server, "GET /users/?expand=rival"), (200, "r=0".into()));
    assert_eq!(left(&server, "GET /users/?expand=team"), (429, "r=0".into()));
    assert_eq!(left(&server, "GET /users/"), (200, "r=2".into()));
    // Nobody counts those without a key.
    assert_eq!(server.status("GET /users/?expand=team,city"), 200);
}

#[test]
fn what_a_key_may_not_expand_does_not_count() {
    let home = Home::new(&limited(4, 2, 3));
    let secret = make(&home, "reader", &["users:read".into(), "teams:read".into()]);
    let server = home.serve();
    let left = |line: &str| {
        let answer = server.send(&Request::new(line).header("X-API-Key", &secret));
        (answer.status, answer.header("RateLimit").unwrap().split(';').nth(1).unwrap().to_owned())
    };
    assert_eq!(left("GET /users/?expand=team,city"), (403, "r=3".into()));
    assert_eq!(left("GET /users/?expand=team"), (200, "r=2".into()));
    assert_eq!(left("GET /teams/"), (200, "r=2".into()));
}

#[test]
fn an_open_list_asks_for_a_key_where_it_shows_what_is_closed() {
    let home = Home::new(&config());
    let server = home.serve();
    let document = server.ask("GET /openapi.json").json();
    let of = |path: &str| &document["paths"][path]["get"];
    for path in ["/from_open/", "/from_open/{id}/"] {
        assert!(of(path)["responses"]["401"].is_object(), "{path}");
        let security = of(path)["security"].as_array().unwrap();
        assert!(security.len() > 1 && security.contains(&serde_json::json!({})), "{security:?}");
    }
    assert!(document["paths"]["/from_open/"]["post"]["responses"]["401"].is_null());
    assert!(of("/open/")["responses"]["401"].is_null());
}
