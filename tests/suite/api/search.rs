//! `search`: records by the beginnings of their words.

use dev::configs;
use dev::request::Request;
use serde_json::json;

use crate::support::home::Home;
use crate::support::server::Server;

/// The names of five users, by id from 1 on.
const NAMES: [(&str, &str); 5] = [
    ("Marie", "Dupont"),
    ("Jean-Pierre", "Müller"),
    ("Mar", "Dupo"),
    ("Ada", "O’Neil Lovelace"),
    ("Dupont", "Marie-Claire"),
];

fn book(config: &str) -> Server {
    let server = Server::start(config);
    NAMES.iter().for_each(|(first, last)| _ = server.create_user(first, last));
    server
}

#[test]
fn each_word_begins_one_of_the_record_in_any_order() {
    for config in [configs::built_in(), configs::with_server("memory = \"8KiB\"")] {
        let server = book(&config);
        for (search, ids) in [
            ("mari+dup", &[1, 5][..]),
            ("DUP+MAR", &[1, 3, 5]),
            ("pierre", &[2]),
            ("jean+mul", &[2]),
            ("M%C3%9CL", &[2]),
            ("o%27neil", &[4]),
            ("oneil+love+ada", &[4]),
            ("ada+ada+a", &[4]),
            ("ierre", &[]),
            ("mari+lov", &[]),
            // Every word is a whole one: these come first.
            ("mar", &[3, 1, 5]),
            ("dupo", &[3, 1, 5]),
            ("dupont", &[1, 5]),
            ("dupont+mar", &[1, 5]),
        ] {
            // Also from what the first request has left behind.
            for _ in 0..2 {
                assert_eq!(server.ids(&format!("/users/?search={search}")), ids, "{search}");
                let mut sorted = ids.to_vec();
                sorted.sort_unstable();
                assert_eq!(server.ids(&format!("/users/?sort=id&search={search}")), sorted, "{search}");
                sorted.reverse();
                assert_eq!(server.ids(&format!("/users/?search={search}&sort=-id")), sorted, "{search}");
            }
        }
        assert_eq!(server.ids("/users/?search=dup&sort=-first_name"), [1, 3, 5]);
        assert_eq!(server.ids("/users/?search=dup&id.gt=1"), [3, 5]);
        assert_eq!(server.ids("/users/?search=mar&first_name=Marie"), [1]);
        assert_eq!(server.ids("/users/?search=mar&last_name.prefix=dup&sort=last_name"), [3, 1]);
        assert_eq!(server.ids("/users/?search=mar&count=1&offset=1"), [1]);
    }
}

#[test]
fn a_typo_in_a_long_word_is_forgiven_where_nothing_is_found() {
    for config in [configs::built_in(), configs::with_server("memory = \"8KiB\"")] {
        let server = book(&config);
        for (search, ids) in [
            // One letter more, one less, another one, two that have changed places.
            ("Mueller", &[2][..]),
            ("lovlace", &[4]),
            ("lovelacce", &[4]),
            ("dupomt", &[1, 5]),
            ("dupotn", &[1, 5]),
            ("lvoel", &[4]),
            ("dupomt+mariw", &[1, 5]),
            // Not in the first letter, not in a short word, not twice.
            ("xueller", &[]),
            ("umller", &[]),
            ("mari", &[1, 5]),
            ("marr", &[]),
            ("dupxxt", &[]),
            // What finds something is not asked for anything else, whatever the filters leave of it.
            ("dupon", &[1, 5]),
            ("dupon&first_name=Mar", &[]),
            ("dupomt&first_name=Marie", &[1]),
        ] {
            for _ in 0..2 {
                assert_eq!(server.ids(&format!("/users/?search={search}")), ids, "{search}");
            }
        }
        assert_eq!(server.ids("/users/?search=dupomt&sort=-id"), [5, 1]);
        // Somebody is called so now: nobody sees strangers any more.
        server.create_user("Dupomt", "Eve");
        assert_eq!(server.ids("/users/?search=dupomt"), [6]);
        assert_eq!(server.ids("/users/?search=dupomt&first_name=Marie"), [] as [i64; 0]);
        assert_eq!(server.status("DELETE /users/6/"), 200);
        assert_eq!(server.ids("/users/?search=dupomt"), [1, 5]);
    }
}

#[test]
fn every_write_is_followed() {
    let server = book(&configs::built_in());
    let found = |search: &str| server.ids(&format!("/users/?search={search}"));
    assert_eq!((found("mar"), found("zo"), found("dupont")), (vec![3, 1, 5], vec![], vec![1, 5]));
    let change = |id: i64, body: &str| {
        assert_eq!(server.send(&Request::new(&format!("PUT /users/{id}/")).json(body)).status, 200);
    };
    change(1, r#"{"first_name":"Zoë"}"#);
    change(5, r#"{"last_name":"Mar"}"#);
    change(2, r#"{"last_name":"Zoo Zoe"}"#);
    assert_eq!((found("mar"), found("zo"), found("zoe")), (vec![3, 5], vec![1, 2], vec![1, 2]));
    // The same word twice, in one field and in two, goes with the last of them.
    change(1, r#"{"last_name":"Zoe zoe"}"#);
    change(1, r#"{"first_name":"Eve"}"#);
    assert_eq!((found("zoe"), found("dupont")), (vec![1, 2], vec![5]));
    change(1, r#"{"last_name":"-"}"#);
    assert_eq!((found("zoe"), found("eve")), (vec![2], vec![1]));
    assert_eq!(server.status("DELETE /users/3/"), 200);
    assert_eq!(found("mar"), [5]);
}

#[test]
fn the_search_is_told_among_the_filters_and_kept_by_links() {
    let server = book(&configs::built_in());
    let answer = server.ask("GET /users/?_search=M%C3%A1r+dup&id.gt=1&count=1&fields=id");
    assert_eq!(answer.json()["meta"]["filters"], json!({"_search": "Már dup", "id.gt": "1"}));
    let base = server.base_url();
    assert_eq!(
        answer.header("Link").unwrap(),
        format!("<{base}/users/?_search=M%C3%A1r%20dup&id.gt=1&fields=id&count=1&offset=1>; rel=\"next\"")
    );
    let addresses = server.ask("GET /address/?search=x");
    assert_eq!((addresses.status, addresses.json()["meta"]["total_count"].as_i64()), (200, Some(0)));
}

#[test]
fn a_walk_shows_whole_words_first_and_goes_with_its_own_words_only() {
    let server = book(&configs::built_in());
    let next = |path: &str| -> Option<String> {
        let answer = server.ask(&format!("GET {path}"));
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let link = answer.header("Link")?.strip_suffix(">; rel=\"next\"")?.to_owned();
        Some(link.trim_start_matches('<').replace(&server.base_url(), ""))
    };
    let second = next("/users/?search=mar&count=1&after=").unwrap();
    assert_eq!(server.ids(&second), [1]);
    // What comes in before the place and behind it.
    server.create_user("Mar", "Xu");
    server.create_user("Marc", "Xu");
    assert_eq!(server.ids(&second), [6]);
    let third = next(&second).unwrap();
    let rest: Vec<i64> = [server.ids(&third), server.ids(&next(&third).unwrap())].concat();
    assert_eq!(rest, [1, 5]);
    let cursor = third.rsplit_once("after=").unwrap().1.to_owned();
    for list in [
        format!("search=marc&after={cursor}"),
        format!("after={cursor}"),
        format!("sort=id&search=mar&after={cursor}"),
    ] {
        server.faults(&format!("GET /users/?{list}"), "after does not validate");
    }
    // The same words in another order.
    let two = next("/users/?search=mar+dup&count=1&after=").unwrap();
    assert_eq!(server.status(&format!("GET {two}")), 200);
    server.faults(&format!("GET {}", two.replace("mar%20dup", "dup%20mar")), "after does not validate");
    // The same words, written otherwise, with other filters.
    assert_eq!(server.ids(&format!("/users/?search=-M%C3%81R&after={cursor}&id.lt=5")), [1]);
    // By typos it is a walk by ids, and with a sort one of that sort.
    let typo = next("/users/?search=dupomt&count=1&after=").unwrap();
    assert_eq!((server.ids(&typo), next(&typo)), (vec![5], None));
    let sorted = next("/users/?search=mar&sort=-id&count=2&after=").unwrap();
    assert_eq!(server.ids(&sorted), [5, 3]);
    assert_eq!(
        server.ids(&sorted.replace("search=mar", "search=dup").replace("count=2", "count=9")),
        [5, 3, 1]
    );
}

#[test]
fn where_nothing_is_searchable_a_search_is_unknown_and_check_says_what_it_takes() {
    let config = configs::built_in();
    let (address, users) = config.split_once("name = \"users\"").unwrap();
    let home = Home::new(&format!("{}name = \"users\"{users}", address.replace(", searchable = true", "")));
    let says = "# note: the search in `users` takes about 11 MB of memory for each million records, besides \
                [server] memory";
    let checked = home.run(&["check"]).exits(0).stdout;
    assert!(checked.contains(says) && !checked.contains("the search in `address`"), "{checked}");
    let server = home.serve();
    for name in ["search", "_search"] {
        server.faults(&format!("GET /address/?{name}=x"), &format!("{name} is not a field of address"));
        assert_eq!(server.total(&format!("/users/?{name}=x")), 0);
    }
    let parameters = server.ask("GET /openapi.json").json()["components"]["parameters"].clone();
    assert!(
        parameters["users-list-search"]["description"]
            .as_str()
            .unwrap()
            .contains("`first_name` or `last_name`")
    );
    assert!(parameters.get("address-list-search").is_none());
}

/// In lists that come whole, too.
#[test]
fn without_pages_the_whole_list_is_searched() {
    let server = book(&configs::unpaged());
    let answer = server.ask("GET /users/?search=mar");
    assert_eq!(answer.json()["meta"], json!({"filters": {"search": "mar"}}));
    let ids: Vec<i64> = answer.json()["object_list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids, [3, 1, 5]);
}
