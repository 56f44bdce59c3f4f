//! Every route × every method × every kind of key: who is let in, and that all who are unknown hear the same.

use std::collections::BTreeSet;

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];

/// What a caller presents, and what it is worth.
struct Kind {
    called: &'static str,
    secret: Option<String>,
    /// Reading and writing of `open`, `met` and `closed`; nothing for who is not known.
    rights: Option<fn(collection: &str, writes: bool) -> bool>,
    is_admin: bool,
}

/// Collections of each admission, with every verb.
fn config() -> String {
    let collection = |name: &str, access: &str| {
        format!(
            "[[collection]]\nname = \"{name}\"\nunique_verbs = [\"GET\", \"PUT\", \"PATCH\", \"DELETE\"]\n\
             [collection.fields]\ntitle = {{ type = \"string\" }}\n[collection.access]\n{access}\n"
        )
    };
    configs::patient(
        &[
            collection("open", "authentication = false"),
            collection("met", "authentication = true"),
            collection("closed", "authentication = true\nauthorization = true"),
        ]
        .concat(),
    )
}

fn make(home: &Home, name: &str, options: &[&str]) -> String {
    let made = home.run(&[&["keys", "create", name], options].concat()).exits(0);
    made.stdout.trim_end().to_owned()
}

fn kinds(home: &Home) -> Vec<Kind> {
    let nobody = |called, secret| Kind { called, secret, rights: None, is_admin: false };
    let known =
        |called, secret, rights| Kind { called, secret: Some(secret), rights: Some(rights), is_admin: false };
    let revoked = make(home, "revoked", &[]);
    home.run(&["keys", "revoke", "revoked"]).exits(0);
    let expired = make(home, "expired", &["--expires", "1s"]);
    let before = make(home, "rotated", &["--scope", "met:read,closed:read"]);
    let after = home.run(&["keys", "rotate", "rotated"]).exits(0).stdout.trim_end().to_owned();
    let over = make(home, "replaced", &[]);
    home.run(&["keys", "rotate", "replaced", "--grace", "0s"]).exits(0);
    let admin = make(home, "admin", &["--admin", "--scope", "open:read"]);
    vec![
        nobody("none", None),
        nobody("unknown", Some("nobody-has-this-key-at-all".into())),
        nobody("revoked", Some(revoked)),
        nobody("expired", Some(expired)),
        nobody("the old secret after its grace", Some(over)),
        known(
            "of another collection",
            make(home, "other", &["--scope", "open:write", "--scope", "open:read"]),
            |_, _| false,
        ),
        known("*:read", make(home, "reader", &["--scope", "*:read"]), |_, writes| !writes),
        known("*:write", make(home, "writer", &["--scope", "*:write"]), |_, writes| writes),
        known("closed:read", make(home, "one", &["--scope", "closed:read"]), |name, writes| {
            name == "closed" && !writes
        }),
        known("met:write", make(home, "two", &["--scope", "met:write"]), |name, writes| {
            name == "met" && writes
        }),
        known("*", make(home, "star", &["--scope", "*"]), |_, _| true),
        known("without a scope", make(home, "plain", &[]), |_, _| true),
        known("the secret before, within its grace", before, |_, writes| !writes),
        known("the new secret", after, |_, writes| !writes),
        Kind { is_admin: true, ..known("admin", admin, |_, _| false) },
    ]
}

/// What stands at a path: which methods it has, and who may use them.
enum Route {
    Public,
    Records {
        collection: String,
        methods: &'static [&'static str],
    },
    /// Everybody is told what they may do, but for who presents a key that is none.
    Me,
    Keys(&'static [&'static str]),
    /// As a create, and then its body is none (`import_requests.rs` has those that are let in).
    Import {
        collection: String,
    },
    /// There is none, which everybody is told: reports are for their makers.
    ImportReport,
    /// Some collections are open to everybody, so it is for the items to say who may what (`batch_access.rs`).
    Batch,
}

/// A path of the document becomes a route and a path to try. One that is not known here has been forgotten.
fn route(template: &str) -> (Route, String) {
    let path = template
        .replace("{id}", "999")
        .replace("{n}", "999")
        .replace("{name}", if template.starts_with("/_/") { "nobody" } else { "open" });
    let parts: Vec<&str> = template.trim_matches('/').split('/').collect();
    let route = match parts.as_slice() {
        ["" | "schema" | "openapi.json" | "livez" | "readyz" | "metrics" | "console"]
        | ["schema", "{name}"] => Route::Public,
        [name @ ("open" | "met" | "closed")] => {
            Route::Records { collection: (*name).into(), methods: &["GET", "POST"] }
        }
        [name @ ("open" | "met" | "closed"), "{id}"] => {
            Route::Records { collection: (*name).into(), methods: &["GET", "PUT", "PATCH", "DELETE"] }
        }
        ["_", "batch"] => Route::Batch,
        ["_", "export", file] => {
            let name = file.split('.').next().unwrap_or_default();
            Route::Records { collection: name.into(), methods: &["GET"] }
        }
        ["_", "import", name] => Route::Import { collection: (*name).into() },
        ["_", "imports", "{n}"] => Route::ImportReport,
        ["_", "me"] => Route::Me,
        ["_", "keys"] => Route::Keys(&["GET", "POST"]),
        ["_", "keys", "{name}"] => Route::Keys(&["DELETE"]),
        ["_", "keys", "{name}", "rotate"] => Route::Keys(&["POST"]),
        _ => panic!("{template} is new: say here who may use it"),
    };
    (route, path)
}

/// The status that a refusal must have; `None`: the caller is let in.
fn expected(route: &Route, method: &str, kind: &Kind) -> Option<u16> {
    let asked = if method == "HEAD" { "GET" } else { method };
    let methods: &[&str] = match route {
        Route::Public | Route::ImportReport | Route::Me => &["GET"],
        Route::Batch | Route::Import { .. } => &["POST"],
        Route::Records { methods, .. } | Route::Keys(methods) => methods,
    };
    match asked {
        "OPTIONS" => return Some(204),
        asked if !methods.contains(&asked) => return Some(405),
        _ => {}
    }
    let may = |allowed: bool| if allowed { None } else { Some(403) };
    match (route, kind.rights) {
        (Route::Public, _) => None,
        (Route::Me, rights) => (kind.secret.is_some() && rights.is_none()).then_some(401),
        // The body has no items.
        (Route::Batch, _) => Some(400),
        (Route::ImportReport, _) => Some(404),
        (Route::Import { collection }, None) if collection == "closed" => Some(401),
        (Route::Import { collection }, Some(rights)) if collection != "open" && !rights(collection, true) => {
            Some(403)
        }
        (Route::Import { .. }, _) => Some(415),
        (Route::Records { collection, .. }, _) if collection == "open" => None,
        (Route::Records { collection, .. }, None) => (collection == "closed").then_some(401),
        (Route::Records { collection, .. }, Some(rights)) => may(rights(collection, asked != "GET")),
        (Route::Keys(_), None) => Some(401),
        (Route::Keys(_), Some(_)) => may(kind.is_admin),
    }
}

/// Everything of an answer but what differs from one to the next.
fn all_of(answer: &Answer) -> String {
    let mut headers: Vec<String> =
        answer.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    headers.retain(|line| {
        !line.to_lowercase().starts_with("date:") && !line.to_lowercase().starts_with("x-request-id:")
    });
    format!("{}\n{}\n{}", answer.status, headers.join("\n"), answer.body_text())
}

fn is_over(server: &Server, secret: &str) {
    let request = Request::new("GET /closed/").header("X-API-Key", secret);
    wait_until("the key does not end", || server.send(&request).status == 401);
}

#[test]
fn every_route_and_method_lets_in_those_who_may_and_nobody_else() {
    let home = Home::new(&config());
    let kinds = kinds(&home);
    let server = home.serve();
    let expired = kinds.iter().find(|kind| kind.called == "expired").unwrap();
    is_over(&server, expired.secret.as_ref().unwrap());
    let document = server.ask("GET /openapi.json").json();
    let mut templates: Vec<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
    templates.push("/console/".into());
    let (mut refused, mut tried) = (BTreeSet::new(), 0);
    for template in &templates {
        let (route, path) = route(template);
        for method in METHODS {
            for kind in &kinds {
                let mut request = Request::new(&format!("{method} {path}"));
                if let Some(secret) = &kind.secret {
                    request = request.header("Authorization", &format!("Bearer {secret}"));
                }
                if ["POST", "PUT", "PATCH"].contains(&method) {
                    request = request.json("{}");
                }
                let answer = server.send(&request);
                let about = format!("{method} {path} with {}: {answer:?}", kind.called);
                match expected(&route, method, kind) {
                    Some(status) => assert_eq!(answer.status, status, "{about}"),
                    None => assert!(matches!(answer.status, 200 | 201 | 404), "{about}"),
                }
                if answer.status == 401 && method != "HEAD" {
                    refused.insert(all_of(&answer));
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 1_500, "{tried}");
    assert_eq!(refused.len(), 1, "those who are unknown can be told apart: {refused:#?}");
}

/// Not by the table above, which could be wrong in the same way: by what the server answers.
#[test]
fn what_a_caller_is_told_that_they_may_is_what_they_are_let_in_for() {
    let no_writes = "[[collection]]\nname = \"fixed\"\nlist_verbs = [\"GET\"]\nunique_verbs = [\"GET\"]\n\
                     [collection.fields]\ntitle = { type = \"string\" }\n";
    let home = Home::new(&format!("{}{no_writes}", config()));
    let kinds = kinds(&home);
    let server = home.serve();
    is_over(&server, kinds.iter().find(|kind| kind.called == "expired").unwrap().secret.as_ref().unwrap());
    let (mut told, mut refused) = (BTreeSet::new(), 0);
    for kind in kinds {
        let with = |line: &str| {
            let request = Request::new(line);
            match &kind.secret {
                Some(secret) => request.header("Authorization", &format!("Bearer {secret}")),
                None => request,
            }
        };
        let me = server.send(&with("GET /_/me/"));
        if me.status != 200 {
            assert!(me.status == 401 && kind.rights.is_none(), "{}: {me:?}", kind.called);
            refused += 1;
            continue;
        }
        let me = me.json();
        assert_eq!(me["admin"], server.send(&with("GET /_/keys/")).status == 200, "{}", kind.called);
        for collection in ["open", "met", "closed", "fixed"] {
            let mut may = Vec::new();
            let read = with(&format!("GET /{collection}/"));
            let write = with(&format!("POST /{collection}/")).json(r#"{"title":"a"}"#);
            for (right, request) in [("read", read), ("write", write)] {
                if matches!(server.send(&request).status, 200 | 201) {
                    may.push(right);
                }
            }
            assert_eq!(me["may"][collection], serde_json::json!(may), "{} and {collection}", kind.called);
            told.insert(may);
        }
    }
    // Each of them was seen: nothing, one right, the other, both.
    assert_eq!((told.len(), refused), (4, 4), "{told:?}");
}

/// The document tells of every route; those of the console stand outside of it.
#[test]
fn the_table_has_every_route_of_the_program() {
    let source = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/route.rs")).unwrap();
    let labels = source.split("impl Labels").nth(1).unwrap();
    let templates = labels.split('"').skip(1).step_by(2).filter(|text| text.starts_with('/'));
    let mut seen = 0;
    for template in templates.filter(|template| !template.starts_with("/console/<build>")) {
        let written = template.replace("<id>", "{id}").replace("<name>", "{name}");
        let written =
            if written == "/schema/{name}/" { written } else { written.replace("/{name}/", "/open/") };
        let written =
            if template.starts_with("/_/") { template.replace("<name>", "{name}") } else { written };
        let written = written.replace("<file>", "open.csv").replace("<n>", "{n}");
        route(&written);
        seen += 1;
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn a_key_without_the_right_hears_which_scope_it_lacks() {
    let home = Home::new(&config());
    let secret = make(&home, "reader", &["--scope", "closed:read"]);
    let server = home.serve();
    server.check_request(
        &Request::new("POST /closed/").header("X-API-Key", &secret).json("{not json"),
        r#"403 Forbidden {"error":"This access key may not write closed: it needs the scope closed:write"}"#,
    );
    server.check_request(
        &Request::new("GET /met/").header("X-API-Key", &secret),
        r#"403 Forbidden {"error":"This access key may not read met: it needs the scope met:read"}"#,
    );
    // Whether there is such a record is not said.
    let of = |id: u8| {
        let request = Request::new(&format!("DELETE /closed/{id}/")).header("X-API-Key", &secret);
        server.send(&request).text(&server.base_url())
    };
    server.ask(&format!("GET /closed/?accesskey={secret}"));
    assert_eq!(of(1), of(99));
    assert_eq!(server.metric("carnet_access_unknown_keys_total"), 0);
}

#[test]
fn what_a_key_may_not_does_not_count_and_says_where_it_stands() {
    let home = Home::new(&configs::guarded_and_rate_limited(2));
    let secret = make(&home, "reader", &["--scope", "users:read"]);
    let server = home.serve();
    let left = |method: &str| {
        let answer = server.send(&Request::new(&format!("{method} /users/")).header("X-API-Key", &secret));
        let limit = answer.header("RateLimit").unwrap().to_owned();
        (answer.status, limit.split(';').nth(1).unwrap().to_owned())
    };
    assert_eq!(left("POST"), (403, "r=2".into()));
    assert_eq!(left("GET"), (200, "r=1".into()));
    assert_eq!(left("POST"), (403, "r=1".into()));
    assert_eq!(left("GET"), (200, "r=0".into()));
    assert_eq!(left("GET"), (429, "r=0".into()));
    assert_eq!(left("POST"), (403, "r=0".into()));
}

#[test]
fn a_key_ends_at_its_moment_and_the_keys_are_not_read_anew_for_it() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\nformat = \"json\"\n{}", config()));
    let mut server = home.serve();
    // On a busy machine a short life may be over before anybody looks.
    let mut made = 0;
    let was_seen = [2, 4, 8, 16, 32].into_iter().any(|seconds| {
        made += 1;
        let secret = make(&home, &format!("short-{made}"), &["--expires", &format!("{seconds}s")]);
        let request = Request::new("GET /closed/").header("X-API-Key", &secret);
        let begun = std::time::Instant::now();
        let mut was_good = false;
        wait_until("the key is never good", || {
            was_good = server.send(&request).status == 200;
            was_good || begun.elapsed().as_secs() > seconds
        });
        is_over(&server, &secret);
        was_good
    });
    assert!(was_seen, "no key was ever good");
    let name = format!("short-{made}");
    let listed = home.run(&["keys", "list", "--json"]).exits(0).stdout;
    assert!(listed.contains(&name), "it is still listed: {listed}");
    home.run(&["keys", "rotate", &name]).exits(1).says(&["expired"]);
    server.signal("TERM");
    server.wait();
    let reloads = server.stderr().matches("keys_reloaded").count();
    assert!(reloads <= made, "{}", server.stderr());
}

/// From before there were scopes: everything stays allowed, and nothing ends.
#[test]
fn the_keys_of_an_earlier_version_keep_the_right_to_everything() {
    let home = Home::new(&config());
    let secret = make(&home, "early", &[]);
    for column in ["scopes", "expires", "previous_hash", "previous_until", "first_hash"] {
        home.execute(&format!("ALTER TABLE _carnet_keys DROP COLUMN {column}"));
    }
    home.execute("DROP TABLE _carnet_key_uses");
    let server = home.serve();
    let request = Request::new("POST /closed/").header("X-API-Key", &secret).json("{}");
    assert_eq!(server.send(&request).status, 201);
    let other = Home::new(&config());
    home.copy_into(&other).exits(0);
    assert_eq!(other.serve().send(&request).status, 201);
}
