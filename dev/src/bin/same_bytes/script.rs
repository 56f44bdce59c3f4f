//! The requests, in their order: what follows from the description of the server, from lists, and from dice.

use dev::dice::Dice;
use dev::request::Request;

use crate::bodies::{Collection, json};
use crate::lists::{BELOW, HEADERS, METHODS, PATHS, QUERIES, list};
use crate::pair::{KEYS, Pair};
use crate::wrong;

/// How many requests are left to the dice for each configuration.
const RANDOM: usize = 500;

/// Everything, in its order.
pub(crate) fn run(pair: &mut Pair<'_>, seed: u64) {
    let mut dice = Dice::new(seed);
    let collections = look(pair);
    fill(pair, &collections, &mut dice);
    every_method(pair, &collections, &mut dice);
    lists(pair, &collections, &mut dice);
    wrong_bodies(pair, &collections, &mut dice);
    conditions(pair, &collections, &mut dice);
    retries(pair, &collections, &mut dice);
    keys(pair, &collections);
    by_chance(pair, &collections, &mut dice);
    wrong::run(pair);
    look(pair);
    pair.ask(&Request::new("GET /metrics"));
}

/// Requests by chance alone.
pub(crate) fn random(pair: &mut Pair<'_>, seed: u64) {
    let collections = look(pair);
    by_chance(pair, &collections, &mut Dice::new(seed));
}

fn by_chance(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    for _ in 0..RANDOM {
        let request = any(dice.pick(collections), dice);
        pair.ask(&request);
    }
}

/// What the server says about itself and what it holds. Gives the collections.
pub(crate) fn look(pair: &mut Pair<'_>) -> Vec<Collection> {
    let index = pair.ask(&Request::new("GET /schema/"));
    let names: Vec<String> = match index.map(|answer| serde_json::from_slice(&answer.body)) {
        Some(Ok(serde_json::Value::Object(names))) => names.keys().cloned().collect(),
        _ => Vec::new(),
    };
    for coding in ["identity", "gzip", "zstd"] {
        pair.ask(&Request::new("GET /openapi.json").header("Accept-Encoding", coding));
        console(pair, coding);
    }
    let mut collections = Vec::new();
    for name in names {
        let schema = pair.ask(&Request::new(&format!("GET /schema/{name}/")));
        collections.extend(schema.map(|schema| Collection::new(&name, &schema)));
        for (_, key, _) in KEYS {
            pair.ask(&Request::new(&format!("GET /{name}/")).header("X-API-Key", key));
        }
        for id in 1..30 {
            pair.ask(&known(Request::new(&format!("GET /{name}/{id}/"))));
        }
    }
    collections
}

/// The page of the console, and the files that it names.
fn console(pair: &mut Pair<'_>, coding: &str) {
    let page = pair.ask(&Request::new("GET /console/").header("Accept-Encoding", "identity"));
    let page = page.map(|answer| String::from_utf8_lossy(&answer.body).into_owned()).unwrap_or_default();
    for path in page.split('"').filter(|text| text.contains("app.js") || text.contains("licences.txt")) {
        let path = path.rsplit("console/").next().unwrap_or_default().trim_start_matches('/');
        let request = Request::new(&format!("GET /console/{path}")).header("Accept-Encoding", coding);
        let tag = pair.ask(&request).and_then(|answer| answer.header("ETag").map(str::to_owned));
        pair.ask(&request.header("If-None-Match", tag.as_deref().unwrap_or("*")));
    }
}

/// Some records in every collection.
fn fill(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    for collection in collections {
        for number in 0..30 {
            let request = known(Request::new(&format!("POST /{}/", collection.name)));
            let request =
                if number % 3 == 0 { request.header("Prefer", "return=representation") } else { request };
            pair.ask(&request.json(json(&collection.good(dice))));
        }
    }
}

/// Every method of every path, for callers of every kind.
fn every_method(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    let mut paths: Vec<String> = list(PATHS).map(str::to_owned).collect();
    for collection in collections {
        paths.push(format!("/schema/{}/", collection.name));
        paths.push(format!("/{}/", collection.name.to_uppercase()));
        paths.extend(list(BELOW).map(|below| format!("/{}{below}", collection.name)));
    }
    for path in paths {
        for method in METHODS {
            let request = Request::new(&format!("{method} {path}"));
            pair.ask(&with_lines(called(request, dice), chosen(dice)));
        }
        for headers in ["", "Accept: application/problem+json", "Accept: text/html\nAccept-Encoding: gzip"] {
            pair.ask(&with_lines(Request::new(&format!("GET {path}")), headers));
        }
    }
    for headers in list(HEADERS) {
        for collection in collections {
            for method in ["GET", "HEAD", "OPTIONS"] {
                let request = Request::new(&format!("{method} /{}/", collection.name));
                pair.ask(&with_lines(known(request), headers));
                let request = Request::new(&format!("{method} /{}/1/", collection.name));
                pair.ask(&with_lines(known(request), headers));
            }
        }
    }
}

/// Pages and filters, right and wrong.
fn lists(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    for collection in collections {
        let mut queries: Vec<String> = list(QUERIES).map(str::to_owned).collect();
        for field in &collection.fields {
            let name = &field.name;
            for value in [
                "",
                "1",
                "-0",
                "01",
                "+1",
                "1.0",
                "1e0",
                "true",
                "TRUE",
                "Doe",
                "%22",
                "%00",
                "null",
                "9223372036854775808",
                "1e400",
            ] {
                queries.push(format!("?{name}={value}"));
            }
            queries.push(format!("?{name}={0}&{name}={0}", encoded(&field.text(dice))));
            for _ in 0..6 {
                let other = dice.pick(&collection.fields);
                let (text, more) = (encoded(&field.text(dice)), encoded(&other.text(dice)));
                queries.push(format!("?{name}={text}"));
                queries.push(format!("?{name}={text}&{}={more}&offset=1&count=2", other.name));
            }
        }
        for query in queries {
            let request = known(Request::new(&format!("GET /{}/{query}", collection.name)));
            pair.ask(&request);
            pair.ask(&with_lines(request, chosen(dice)));
        }
    }
}

/// Creates and updates that are refused, and some that are not.
fn wrong_bodies(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    for collection in collections {
        for body in collection.wrong(dice) {
            for line in [format!("POST /{}/", collection.name), format!("PUT /{}/1/", collection.name)] {
                let request = known(Request::new(&line)).json(body.clone());
                pair.ask(&request);
                pair.ask(&request.header("Accept", "application/problem+json"));
            }
        }
        let good = json(&collection.good(dice));
        for kind in [
            "application/json",
            "APPLICATION/JSON;charset=UTF-8",
            "application/merge-patch+json",
            "application/vnd.x+json",
            "text/json",
            "",
            ";",
            "application/json; charset=\"utf-8\"",
            "application/json; charset=utf-16",
            "application/x-www-form-urlencoded",
        ] {
            for line in ["POST /%/", "PUT /%/1/", "PATCH /%/1/"] {
                let request = known(Request::new(&line.replace('%', &collection.name)));
                pair.ask(&request.header("Content-Type", kind).body(good.clone()));
            }
        }
        // Without a word about it; in pieces; too much of it.
        let post = || known(Request::new(&format!("POST /{}/", collection.name)));
        pair.ask(&post().body(good.clone()));
        pair.ask(&post());
        let pieces = [format!("{:x}\r\n", good.len()).as_bytes(), &good, b"\r\n0\r\n\r\n"].concat();
        pair.ask(&post().header("Transfer-Encoding", "chunked").json(pieces));
        for size in [1_000, 1_100, 4_096, 5_000, (1 << 20) - 2, 1 << 20, (1 << 20) + 1, 3 << 20] {
            pair.ask(&post().json(format!("\"{}\"", "x".repeat(size)).into_bytes()));
        }
    }
}

/// What a client has seen, in every form, for every method.
fn conditions(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    for collection in collections {
        for id in 1..6 {
            for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE"] {
                let line = format!("{method} /{}/{id}/", collection.name);
                let seen = pair.ask(&known(Request::new(&format!("GET /{}/{id}/", collection.name))));
                let tag =
                    seen.as_ref().and_then(|answer| answer.header("ETag")).unwrap_or("\"none\"").to_owned();
                let mut values = vec![
                    format!("\"x\", {tag}"),
                    format!("W/{tag}"),
                    "*".into(),
                    "\"x\"".into(),
                    tag.replace('"', ""),
                ];
                // At last what does it.
                values.push(tag.clone());
                for value in values {
                    for name in ["If-None-Match", "If-Match"] {
                        let request = known(Request::new(&line)).header(name, &value);
                        let has_body = method.starts_with('P');
                        pair.ask(&if has_body {
                            request.json(json(&collection.good(dice)))
                        } else {
                            request
                        });
                    }
                }
            }
        }
    }
}

/// The same write again, with its key.
fn retries(pair: &mut Pair<'_>, collections: &[Collection], dice: &mut Dice) {
    for collection in collections {
        let name = &collection.name;
        for line in [
            format!("POST /{name}/"),
            format!("PUT /{name}/7/"),
            format!("PATCH /{name}/7/"),
            format!("DELETE /{name}/8/"),
        ] {
            let body = json(&collection.good(dice));
            for key in ["\"one\"", "two", "\"\"", "\"a b\"", "ä", &"x".repeat(300)] {
                for other in [false, false, true] {
                    let body = if other { json(&collection.good(dice)) } else { body.clone() };
                    let request =
                        known(Request::new(&line)).header("Idempotency-Key", &format!("{key}{name}"));
                    let request = request.header("Prefer", "return=representation");
                    pair.ask(&if line.starts_with("DELETE") && !other {
                        request
                    } else {
                        request.json(body)
                    });
                }
            }
        }
    }
}

/// Access keys, presented in every way, and managed.
fn keys(pair: &mut Pair<'_>, collections: &[Collection]) {
    let admin = |line: &str| Request::new(line).header("X-API-Key", KEYS[0].1);
    for collection in collections {
        for (_, key, _) in KEYS.into_iter().chain([("", "nobody-has-this-key", &[][..]), ("", "", &[])]) {
            for method in ["GET", "POST", "DELETE"] {
                let path = format!("/{}/{}", collection.name, if method == "DELETE" { "99/" } else { "" });
                for parameter in ["accesskey", "apikey", "token"] {
                    pair.ask(&Request::new(&format!("{method} {path}?{parameter}={key}")));
                }
                let request = || Request::new(&format!("{method} {path}"));
                pair.ask(&request().header("X-API-Key", key));
                pair.ask(&request().header("Authorization", &format!("Bearer {key}")));
                pair.ask(&request().header("Authorization", &format!("Basic {key}")));
                pair.ask(
                    &request()
                        .header("Authorization", &format!("Bearer {key}"))
                        .header("X-API-Key", KEYS[1].1),
                );
            }
        }
        let twice = format!("GET /{}/?accesskey={}&apikey={}", collection.name, KEYS[1].1, KEYS[1].1);
        pair.ask(&Request::new(&twice));
    }
    for method in METHODS {
        for path in [
            "/_/me/",
            "/_/keys/",
            "/_/keys",
            "/_/keys/nobody/",
            "/_/keys/nobody/rotate/",
            "/_/keys/%ff/",
            "/_/keys/a/b/",
        ] {
            let line = format!("{method} {path}");
            pair.ask(&Request::new(&line));
            pair.ask(&Request::new(&line).header("X-API-Key", KEYS[1].1));
            pair.ask(&Request::new(&line).header("X-API-Key", "nobody-has-this-key"));
            if method != "POST" {
                pair.ask(&admin(&line));
            }
        }
    }
    for body in [
        r#"{"name":"ann","scopes":["users:read"],"expires":"90d"}"#,
        r#"{"name":"ann"}"#,
        r#"{"name":"root"}"#,
        r#"{"name":""}"#,
        r#"{"name":1}"#,
        r#"{"name":"Ann's phone","admin":true}"#,
        r#"{"name":"x","scopes":[]}"#,
        r#"{"name":"x","scopes":["nothing:read","users:own"]}"#,
        r#"{"name":"x","expires":"yesterday"}"#,
        r#"{"name":"x","expires":"2001-01-01T00:00:00Z"}"#,
        r#"{"nme":"a","admin":1,"scopes":1}"#,
        "{",
        "[]",
        "",
    ] {
        pair.ask(&admin("POST /_/keys/").json(body));
        pair.ask(&admin("POST /_/keys/").header("Accept", "application/problem+json").json(body));
    }
    pair.ask(&admin("GET /_/keys/"));
    for body in [r#"{"grace":"1h"}"#, r#"{"grace":"0s"}"#, r#"{"grace":"x"}"#, r#"{"grce":1}"#, "[]"] {
        pair.ask(&admin("POST /_/keys/ann/rotate/").json(body));
        pair.ask(&admin("POST /_/keys/nobody/rotate/").json(body));
    }
    pair.ask(&admin("POST /_/keys/ann/rotate/"));
    for name in ["ann", "Ann%27s%20phone", "ann"] {
        pair.ask(&admin(&format!("DELETE /_/keys/{name}/")));
    }
    pair.ask(&admin("GET /_/keys/"));
}

/// Any request at all.
fn any(collection: &Collection, dice: &mut Dice) -> Request {
    let (name, id) = (&collection.name, dice.below(45));
    let line = match dice.below(10) {
        0..3 => format!("POST /{name}/"),
        3 | 4 => format!("PUT /{name}/{id}/"),
        5 => format!("PATCH /{name}/{id}/"),
        6 => format!("DELETE /{name}/{id}/"),
        7 => format!("GET /{name}/{id}/"),
        8 => format!("GET /{name}/?offset={}&count={}", dice.below(40), dice.below(22)),
        _ if collection.fields.is_empty() => format!("GET /{name}/"),
        _ => {
            let field = dice.pick(&collection.fields);
            format!("GET /{name}/?{}={}", field.name, encoded(&field.text(dice)))
        }
    };
    let request = called(Request::new(&line), dice);
    let request = if dice.once_in(2) { request } else { with_lines(request, chosen(dice)) };
    if !line.starts_with('P') {
        return request;
    }
    let mut body = collection.good(dice);
    if line.contains("PUT") || line.contains("PATCH") {
        body.retain(|_, _| dice.once_in(2));
    }
    request.json(json(&body))
}

/// A caller who may.
fn known(request: Request) -> Request {
    request.header("X-API-Key", KEYS[1].1)
}

/// A caller of any kind, mostly one who may.
fn called(request: Request, dice: &mut Dice) -> Request {
    match dice.below(8) {
        0 => request,
        1 => request.header("X-API-Key", KEYS[2].1),
        2 => request.header("Authorization", "Bearer nobody-has-this-key"),
        _ => known(request),
    }
}

fn with_lines(mut request: Request, lines: &str) -> Request {
    for (name, value) in lines.lines().filter_map(|line| line.split_once(": ")) {
        request = request.header(name, value);
    }
    request
}

/// Some header fields.
fn chosen(dice: &mut Dice) -> &'static str {
    let all: Vec<&str> = list(HEADERS).collect();
    all[dice.below(all.len())]
}

/// A text as it stands in a query.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
