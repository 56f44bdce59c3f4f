//! Access keys and their names: from the query, from headers, from a path.

use carnet::api::fuzzing::present;
use carnet::http::{HeaderMap, path, query};
use carnet::record::access_key::{AccessKey, KeyHash, KeyName, LONGEST_NAME};

use crate::is_planted;
use crate::targets::{headers, split_line};

pub(crate) fn run(input: &[u8]) {
    let (first, rest) = split_line(input);
    let headers = headers(rest);
    if let Ok(text) = std::str::from_utf8(first) {
        for parameter in ["accesskey", "token"] {
            presented(parameter, text, &headers);
        }
        texts(text);
    }
}

/// What is presented, by the words of the contract: the parameter counts, then Bearer, then the other header; each
/// may be given once.
fn presented(parameter: &str, text: &str, headers: &HeaderMap) {
    let expected = expected(parameter, text, headers);
    let found = present(parameter, text, headers);
    assert_eq!(found.is_some(), expected.is_some(), "{parameter} {text} {headers:?}");
    if let (Some(found), Some((pairs, access_key))) = (found, expected) {
        assert_eq!(found.access_key, access_key);
        assert_eq!(found.pairs, pairs, "a key is never a filter");
    }
}

type Expected = (Vec<(String, String)>, Option<String>);

fn expected(parameter: &str, text: &str, headers: &HeaderMap) -> Option<Expected> {
    let names: &[&str] = if parameter == "accesskey" { &["accesskey", "apikey"] } else { &[parameter] };
    let pairs = query::parse(text).ok()?;
    let (keys, pairs): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .partition(|(name, _)| names.contains(&name.as_str()));
    let access_key = match keys.as_slice() {
        [] => of_headers(headers)?,
        [(_, key)] => Some(key.clone()),
        _ => return None,
    };
    // An empty one is none.
    Some((pairs, access_key.filter(|access_key| !access_key.is_empty())))
}

/// `None` is a refusal, `Some(None)` nobody.
fn of_headers(headers: &HeaderMap) -> Option<Option<String>> {
    let one = |name: &str| {
        let values: Vec<&[u8]> = headers.get_all(name).iter().map(|value| value.as_bytes()).collect();
        match values.as_slice() {
            [] => Some(None),
            [value] => Some(std::str::from_utf8(value).ok()),
            _ => None,
        }
    };
    let bearer = one("authorization")?.and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        // The planted bug: the name of the scheme in one spelling only.
        let is_bearer = if is_planted() { scheme == "Bearer" } else { scheme.eq_ignore_ascii_case("bearer") };
        is_bearer.then(|| token.trim().to_owned())
    });
    match bearer {
        Some(bearer) => Some(Some(bearer)),
        None => Some(one("x-api-key")?.map(str::to_owned)),
    }
}

fn texts(text: &str) {
    if let Ok(access_key) = AccessKey::parse(text) {
        assert_eq!(access_key.reveal(), text);
        assert_eq!(access_key.hash(), KeyHash::of(text));
        assert_eq!(KeyHash::from_bytes(access_key.hash().as_bytes()), Some(access_key.hash()));
        assert_ne!(access_key.hash(), KeyHash::of(&format!("{text}x")));
        assert!(text.len() < 18 || !format!("{access_key:?}").contains(text));
        let shown = access_key.prefix();
        assert!(
            text.starts_with(&shown) && shown.chars().count() <= 4 && 4 * shown.chars().count() <= text.len()
        );
    } else {
        assert!(text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()));
    }
    if let Ok(name) = KeyName::parse(text) {
        assert_eq!(name.as_str(), text);
        assert!((1..=LONGEST_NAME).contains(&text.chars().count()));
        let mut segment = String::new();
        path::push(&mut segment, text);
        assert!(
            segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)),
            "{segment}"
        );
        assert_eq!(path::decode(&segment).as_deref(), Some(text), "a name is found again by its path");
    }
}
