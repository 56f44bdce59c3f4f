//! Unknown keys: so many from one address in a minute, and nobody else is held up.

use dev::answer::Answer;
use dev::client::Client;
use dev::configs;
use dev::request::Request;

use crate::support::batch::batch;
use crate::support::home::Home;
use crate::support::server::Server;

const KEY: &str = "the-key-of-a-regular-customer";
const LIMIT: u32 = 3;

fn serve(config: &str) -> Server {
    let home = Home::new(&configs::with_unknown_keys(LIMIT, config));
    home.add_key("regular", KEY);
    home.serve()
}

fn with(line: &str, key: &str) -> Request {
    Request::new(line).header("X-API-Key", key)
}

fn statuses(client: &mut Client, request: &Request, times: u32) -> Vec<u16> {
    (0..times).map(|_| client.send(request).status).collect()
}

/// It is refused, and told when to come back.
#[track_caller]
fn is_too_many(answer: &Answer) {
    assert_eq!(answer.status, 429, "{answer:?}");
    let seconds: u32 = answer.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{answer:?}");
    assert_eq!(
        answer.error(),
        format!("Too many unknown access keys came from this address. Try again in {seconds} seconds")
    );
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
}

#[test]
fn exactly_so_many_unknown_keys_are_answered_401_and_the_next_429() {
    let server = serve(&configs::guarded());
    let mut client = server.client();
    for number in 0..LIMIT {
        assert_eq!(client.send(&with("GET /users/", &format!("wrong-{number}"))).status, 401);
    }
    is_too_many(&client.send(&with("GET /users/", "wrong-again")));
    // Wherever a key is looked at, and wherever it stands.
    for request in [
        with("POST /users/", "wrong"),
        with("GET /users/1/", "wrong"),
        with("GET /_/me/", "wrong"),
        with("GET /_/keys/", "wrong"),
        with("DELETE /_/keys/regular/", "wrong"),
        Request::new("GET /users/?accesskey=wrong"),
        Request::new("GET /users/").header("Authorization", "Bearer wrong"),
    ] {
        is_too_many(&client.send(&request));
    }
    // A known key is served from the same address and on the same connection; without one nothing has changed.
    assert_eq!(client.send(&with("GET /users/", KEY)).status, 200);
    assert_eq!(client.send(&with("GET /_/keys/", KEY)).status, 403);
    assert_eq!(client.send(&Request::new("GET /users/")).status, 401);
    assert_eq!(client.send(&Request::new("GET /users/?accesskey=")).status, 401);
    // Nobody is asked for a key here.
    for request in
        [with("GET /address/", "wrong"), with("OPTIONS /users/", "wrong"), with("BREW /users/", "wrong")]
    {
        assert!(matches!(client.send(&request).status, 200 | 204 | 405), "{request:?}");
    }
}

#[test]
fn who_presents_no_key_or_a_known_one_or_is_not_asked_is_not_counted() {
    let server = serve(&configs::guarded());
    let mut client = server.client();
    for request in [
        Request::new("GET /users/"),
        Request::new("GET /users/?accesskey="),
        Request::new("GET /users/").header("Authorization", "Basic d3Jvbmc6d3Jvbmc="),
        Request::new("GET /_/keys/"),
        Request::new("GET /_/me/"),
        with("GET /_/me/", KEY),
        with("GET /users/", KEY),
        with("GET /_/keys/", KEY),
        with("GET /address/", "wrong"),
        with("GET /", "wrong"),
        with("GET /users", KEY),
        with("OPTIONS /users/", "wrong"),
        with("PATCH /users/", "wrong"),
    ] {
        statuses(&mut client, &request, LIMIT + 1);
    }
    assert_eq!(server.metric("carnet_access_unknown_keys_total"), 0);
    assert_eq!(statuses(&mut client, &with("GET /users/", "wrong"), LIMIT + 1), [401, 401, 401, 429]);
    assert_eq!(server.metric("carnet_access_unknown_keys_total"), u64::from(LIMIT) + 1);
}

/// Where each key has its quota, an answer before access is judged tells whether a key is known.
#[test]
fn an_unknown_key_counts_also_where_only_the_quota_would_betray_it() {
    let server = serve(&configs::guarded_and_rate_limited(100));
    let mut client = server.client();
    let answer = client.send(&with("OPTIONS /users/", KEY));
    assert!(answer.status == 204 && answer.header("RateLimit").is_some(), "{answer:?}");
    for line in ["OPTIONS /users/", "PATCH /users/"] {
        let answer = client.send(&with(line, "wrong"));
        assert!(matches!(answer.status, 204 | 405) && answer.header("RateLimit").is_none(), "{answer:?}");
    }
    assert_eq!(server.metric("carnet_access_unknown_keys_total"), 2);
    assert_eq!(statuses(&mut client, &with("GET /users/", "wrong"), 2), [401, 429]);
    assert_eq!(client.send(&with("OPTIONS /users/", "wrong")).status, 204);
}

#[test]
fn where_callers_are_only_identified_nobody_is_refused_and_unknown_keys_count() {
    let server = serve(&configs::identified());
    let mut client = server.client();
    assert_eq!(statuses(&mut client, &with("GET /users/", "wrong"), LIMIT + 2), [200; LIMIT as usize + 2]);
    assert_eq!(server.metric("carnet_access_unknown_keys_total"), u64::from(LIMIT) + 2);
    is_too_many(&client.send(&with("GET /_/keys/", "wrong")));
    assert_eq!(client.send(&Request::new("GET /users/")).status, 200);
    assert_eq!(client.send(&with("GET /users/", KEY)).status, 200);
}

#[test]
fn items_of_a_batch_that_need_a_known_key_count_where_others_need_none() {
    let config = "[[collection]]\nname = \"open\"\n[collection.fields]\ntitle = { type = \"string\" }\n\
        [[collection]]\nname = \"closed\"\n[collection.fields]\ntitle = { type = \"string\" }\n\
        [collection.access]\nauthentication = true\nauthorization = true\n";
    let server = serve(config);
    let mut client = server.client();
    let create = |collection: &str| {
        let item = format!(r#"{{"method":"POST","path":"/{collection}/","body":{{}}}}"#);
        batch(&[item]).header("X-API-Key", "wrong")
    };
    assert_eq!(statuses(&mut client, &create("closed"), LIMIT), vec![401; LIMIT as usize]);
    let refused = client.send(&create("closed"));
    assert_eq!((refused.status, refused.header("Retry-After").is_some()), (429, true), "{refused:?}");
    assert!(refused.error().starts_with("item 0: Too many unknown access keys"), "{refused:?}");
    // Where nobody is asked who they are, nobody is refused.
    assert_eq!(client.send(&create("open")).status, 200);
}

#[test]
fn two_addresses_are_counted_apart() {
    let server = serve(&configs::guarded());
    let (mut one, mut other) =
        (Client::from("127.0.0.1", server.address()), Client::from("127.0.0.2", server.address()));
    let wrong = with("GET /users/", "wrong");
    assert_eq!(statuses(&mut one, &wrong, LIMIT + 1), [401, 401, 401, 429]);
    assert_eq!(statuses(&mut other, &wrong, LIMIT + 1), [401, 401, 401, 429]);
    // Nobody makes up another address.
    for header in ["X-Forwarded-For", "Forwarded"] {
        is_too_many(&one.send(&wrong.clone().header(header, "192.0.2.7")));
    }
}

#[test]
fn behind_a_trusted_proxy_the_address_of_its_client_counts() {
    let home = Home::new(&format!(
        "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n{}",
        configs::with_unknown_keys(LIMIT, &configs::guarded())
    ));
    let server = home.serve();
    let mut client = server.client();
    let mut of = |address: &str| {
        let request = with("GET /users/", "wrong").header("X-Forwarded-For", address);
        client.send(&request).status
    };
    assert_eq!([(); 4].map(|()| of("192.0.2.1")), [401, 401, 401, 429]);
    assert_eq!(of("192.0.2.2"), 401);
    assert_eq!(of("::ffff:192.0.2.1"), 429);
    // A household has one network of IPv6, and as many addresses as it likes.
    let household = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::"];
    assert_eq!(household.map(&mut of), [401, 401, 401, 429]);
    assert_eq!(of("2001:db8:1:3::1"), 401);
}

#[test]
fn zero_switches_it_off_and_thirty_is_the_default() {
    let server = Server::start(&configs::patient(&configs::guarded()));
    let mut client = server.client();
    assert!(statuses(&mut client, &with("GET /users/", "wrong"), 100).iter().all(|status| *status == 401));
    let server = Server::start(&configs::guarded());
    let mut client = server.client();
    let found = statuses(&mut client, &with("GET /users/", "wrong"), 32);
    assert_eq!(found, [vec![401; 30], vec![429; 2]].concat());
}

#[test]
fn the_log_says_it_once_with_the_address_and_without_the_key() {
    let config = format!("[log]\nlevel = \"warn\"\nformat = \"json\"\n{}", configs::guarded());
    let mut server = Server::start(&configs::with_unknown_keys(LIMIT, &config));
    let mut client = server.client();
    statuses(&mut client, &with("GET /users/", "wrong-and-secret"), LIMIT + 5);
    server.signal("TERM");
    server.wait();
    let log = server.stderr();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("unknown_keys_refused")).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(lines[0].contains(r#""client":"127.0.0.1","limit":3"#), "{log}");
    assert!(!log.contains("wrong-and-secret"), "{log}");
}
