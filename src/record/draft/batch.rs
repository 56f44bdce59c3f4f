//! The body of a batch, and the form of its items. What an item means is judged by whoever knows the paths.

use serde_json::value::RawValue;

use super::{DraftError, Members, text};
use crate::catalog::collection::Verb;
use crate::record::fault::Collector;

/// How many items a batch may have.
pub const MOST_ITEMS: usize = 1_000;
/// The one member of the body.
pub const REQUESTS: &str = "requests";
/// What an item may ask for.
pub const VERBS: [Verb; 4] = [Verb::Post, Verb::Put, Verb::Patch, Verb::Delete];
/// The members of an item.
pub const METHOD: &str = "method";
pub const PATH: &str = "path";
pub const BODY: &str = "body";
pub const BY: &str = "by";
const IF_MATCH: &str = "if_match";
const IF_NONE_MATCH: &str = "if_none_match";
pub const MEMBERS: [&str; 6] = [METHOD, PATH, BODY, BY, IF_MATCH, IF_NONE_MATCH];

/// An item whose form is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemForm<'a> {
    pub verb: Verb,
    pub path: String,
    /// JSON; nothing for a delete.
    pub body: &'a str,
    pub by: Option<String>,
    pub if_match: Option<String>,
    pub if_none_match: Option<String>,
}

/// Why a batch is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchError {
    Body(DraftError),
    Missing,
    NotItems,
    /// The place of the item.
    NotAnObject(usize),
    Item(usize, ItemError),
}

/// Why an item is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemError {
    Members(DraftError),
    Missing(&'static str),
    UnknownMethod,
    HasQuery,
    NotAText(&'static str),
    /// What has no meaning with this method.
    NotOf(&'static str, Verb),
}

/// The items of a batch, as they were written.
pub fn items(body: &[u8]) -> Result<Vec<&RawValue>, BatchError> {
    let faults = &mut Collector::first();
    let members = Members::parse(body, faults).map_err(BatchError::Body)?;
    let [requests] = members.these([REQUESTS], faults).map_err(BatchError::Body)?;
    let items: Vec<&RawValue> =
        serde_json::from_str(requests.ok_or(BatchError::Missing)?).map_err(|_| BatchError::NotItems)?;
    if !(1..=MOST_ITEMS).contains(&items.len()) {
        return Err(BatchError::NotItems);
    }
    Ok(items)
}

impl<'a> ItemForm<'a> {
    /// Reads the item at a place; the first fault ends it.
    pub fn parse(place: usize, item: &'a RawValue) -> Result<Self, BatchError> {
        let faults = &mut Collector::first();
        let members = Members::read(item.get(), faults).map_err(|error| match error {
            DraftError::NotAnObject => BatchError::NotAnObject(place),
            error => BatchError::Item(place, ItemError::Members(error)),
        })?;
        Self::read(&members, faults).map_err(|error| BatchError::Item(place, error))
    }

    fn read(members: &Members<'a>, faults: &mut Collector<DraftError>) -> Result<Self, ItemError> {
        let [method, path, body, by, if_match, if_none_match] =
            members.these(MEMBERS, faults).map_err(ItemError::Members)?;
        let method = text(method.ok_or(ItemError::Missing(METHOD))?);
        let verb = VERBS.into_iter().find(|verb| method.as_deref() == Some(verb.name()));
        let verb = verb.ok_or(ItemError::UnknownMethod)?;
        let path = text(path.ok_or(ItemError::Missing(PATH))?).ok_or(ItemError::NotAText(PATH))?;
        if path.contains('?') {
            return Err(ItemError::HasQuery);
        }
        let is_upsert = verb == Verb::Put && !path.trim_matches('/').contains('/');
        for (name, is_given, has_meaning) in [
            (BODY, body.is_some(), verb != Verb::Delete),
            (BY, by.is_some(), is_upsert),
            (IF_MATCH, if_match.is_some(), verb != Verb::Post),
            (IF_NONE_MATCH, if_none_match.is_some(), verb != Verb::Post),
        ] {
            if is_given && !has_meaning {
                return Err(ItemError::NotOf(name, verb));
            }
        }
        let text_of = |json: Option<&str>, name| match json {
            Some(json) => text(json).map(Some).ok_or(ItemError::NotAText(name)),
            None => Ok(None),
        };
        let body = match (verb, body) {
            (Verb::Delete, _) => "",
            (_, body) => body.ok_or(ItemError::Missing(BODY))?,
        };
        Ok(Self {
            verb,
            path,
            body,
            by: text_of(by, BY)?,
            if_match: text_of(if_match, IF_MATCH)?,
            if_none_match: text_of(if_none_match, IF_NONE_MATCH)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &[u8]) -> Result<Vec<ItemForm<'_>>, BatchError> {
        items(body)?.into_iter().enumerate().map(|(place, item)| ItemForm::parse(place, item)).collect()
    }

    fn item(json: &str) -> Result<ItemForm<'_>, ItemError> {
        let body = format!(r#"{{"requests":[{{"method":"DELETE","path":"/a/1/"}},{json}]}}"#);
        let body: &'static [u8] = Box::leak(body.into_bytes().into_boxed_slice());
        match parse(body) {
            Ok(mut items) => Ok(items.remove(1)),
            Err(BatchError::Item(1, error)) => Err(error),
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn the_items_of_a_body_are_read_in_order() {
        let put =
            item(r#"{"by":"a,b","path":"/a","method":"PUT","if_match":"\"x\"","body":{"a":1.0}}"#).unwrap();
        let by = Some("a,b".to_owned());
        let if_match = Some("\"x\"".to_owned());
        let (verb, path) = (Verb::Put, "/a".to_owned());
        assert_eq!(put, ItemForm { verb, path, body: r#"{"a":1.0}"#, by, if_match, if_none_match: None });
        assert_eq!(item(r#"{"method":"POST","path":"/a/","body":null}"#).unwrap().body, "null");
    }

    #[test]
    fn the_body_is_an_object_with_an_array_of_few_items() {
        let many = |number: usize| {
            let one = r#"{"method":"DELETE","path":"/a/1/"}"#;
            format!(r#"{{"requests":[{}]}}"#, vec![one; number].join(","))
        };
        assert_eq!(parse(many(MOST_ITEMS).as_bytes()).map(|items| items.len()), Ok(MOST_ITEMS));
        for (body, error) in [
            ("[]", BatchError::Body(DraftError::NotAnObject)),
            ("{}", BatchError::Missing),
            (r#"{"requests":null}"#, BatchError::NotItems),
            (r#"{"requests":{}}"#, BatchError::NotItems),
            (r#"{"requests":[]}"#, BatchError::NotItems),
            (&many(MOST_ITEMS + 1), BatchError::NotItems),
            (r#"{"requests":[],"x":1}"#, BatchError::Body(DraftError::UnknownField("x".into()))),
            (r#"{"requests":[],"requests":1}"#, BatchError::Body(DraftError::GivenTwice("requests".into()))),
            (r#"{"requests":[7]}"#, BatchError::NotAnObject(0)),
        ] {
            assert_eq!(parse(body.as_bytes()), Err(error), "{body}");
        }
    }

    #[test]
    fn the_first_fault_of_an_item_is_the_error() {
        for (json, error) in [
            (r#"{"x":1}"#, ItemError::Members(DraftError::UnknownField("x".into()))),
            (r#"{"path":"","path":""}"#, ItemError::Members(DraftError::GivenTwice("path".into()))),
            ("{}", ItemError::Missing("method")),
            (r#"{"method":"GET"}"#, ItemError::UnknownMethod),
            (r#"{"method":"post"}"#, ItemError::UnknownMethod),
            (r#"{"method":null}"#, ItemError::UnknownMethod),
            (r#"{"method":"POST"}"#, ItemError::Missing("path")),
            (r#"{"method":"POST","path":7}"#, ItemError::NotAText("path")),
            (r#"{"method":"POST","path":"/a/?b"}"#, ItemError::HasQuery),
            (r#"{"method":"POST","path":"/a/"}"#, ItemError::Missing("body")),
            (r#"{"method":"DELETE","path":"/a/1/","body":{}}"#, ItemError::NotOf("body", Verb::Delete)),
            (r#"{"method":"PUT","path":"/a/1/","by":"b"}"#, ItemError::NotOf("by", Verb::Put)),
            (r#"{"method":"PATCH","path":"/a/","by":"b"}"#, ItemError::NotOf("by", Verb::Patch)),
            (r#"{"method":"POST","path":"/a/","if_match":"*"}"#, ItemError::NotOf("if_match", Verb::Post)),
            (
                r#"{"method":"POST","path":"/a/","if_none_match":"*"}"#,
                ItemError::NotOf("if_none_match", Verb::Post),
            ),
            (r#"{"method":"DELETE","path":"/a/1/","if_match":null}"#, ItemError::NotAText("if_match")),
            (r#"{"method":"PUT","path":"/a/","body":{},"by":1}"#, ItemError::NotAText("by")),
        ] {
            assert_eq!(item(json), Err(error), "{json}");
        }
    }
}
