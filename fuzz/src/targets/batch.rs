//! The body of a batch through the real server: a refusal names an item that is there, and what is done has one result
//! for each item.

use dev::answer::Answer;
use serde_json::Value;

use crate::is_planted;
use crate::targets::router;

/// With the key of somebody who may do everything.
const HEAD: &[u8] = b"\x06POST /_/batch/\nContent-Type: application/json\nPrefer: return=representation\n\n";
const REQUESTS: &str = "requests";

pub(crate) fn run(input: &[u8]) {
    let Some(answer) = router::answer(&[HEAD, input].concat()) else { return };
    // A second opinion: the same bytes as a tree. Of a member that is there twice it knows the last.
    let tree: Value = serde_json::from_slice(input).unwrap_or_default();
    let text = String::from_utf8_lossy(input);
    let items = tree[REQUESTS].as_array().map_or(&[][..], Vec::as_slice);
    if answer.status != 200 {
        if text.matches(REQUESTS).count() == 1 && !text.contains("\\u") {
            let item = named(&answer, items.len());
            assert!(item.is_none_or(|item| item < items.len()), "{} items, {answer:?}", items.len());
        }
        return;
    }
    let results = answer.json();
    let results = results["results"].as_array().expect("results");
    assert_eq!(results.len(), items.len(), "{answer:?}");
    for (item, result) in items.iter().zip(results) {
        let is_gone = item["method"] == "DELETE";
        let is_new = result["status"] == 201;
        assert!(is_new || result["status"] == 200, "{result}");
        assert!(item["method"] != "POST" || is_new, "{item} {result}");
        let id = result["ressource_uri"].as_str();
        assert_eq!(id.is_none(), is_gone, "{item} {result}");
        assert_eq!(result["record"]["ressource_uri"].as_str(), id, "{item} {result}");
    }
}

/// The item that a refusal names.
fn named(answer: &Answer, items: usize) -> Option<usize> {
    let error = answer.error();
    let digits: String = error.strip_prefix("item ")?.chars().take_while(char::is_ascii_digit).collect();
    let item: usize = digits.parse().expect("an item has a number");
    // The planted bug: what is not there is said of another item.
    Some(if is_planted() && answer.status == 404 { item + items } else { item })
}
