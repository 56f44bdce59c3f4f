//! The words for a batch that is refused for its form.

use std::borrow::Cow;

use super::messages::draft_message;
use crate::record::draft::batch::{BatchError, ItemError, MOST_ITEMS, REQUESTS, VERBS};

pub(super) fn batch_message(error: &BatchError) -> Cow<'static, str> {
    match error {
        BatchError::Missing => format!("{REQUESTS} is missing. Send 1 to {MOST_ITEMS} items").into(),
        BatchError::NotItems => {
            format!("{REQUESTS} does not validate: it is an array of 1 to {MOST_ITEMS} items").into()
        }
        BatchError::NotAnObject(item) => format!("item {item} is not a JSON object").into(),
        // These are said of the body, and of the item.
        BatchError::Body(error) => draft_message("batch", error),
        BatchError::Item(item, error) => format!("item {item}: {}", item_message(error)).into(),
    }
}

pub(super) fn item_message(error: &ItemError) -> Cow<'static, str> {
    match error {
        ItemError::Members(error) => draft_message(REQUESTS, error),
        ItemError::Missing(member) => format!("{member} is missing").into(),
        ItemError::UnknownMethod => {
            let [first, second, third, last] = VERBS.map(|verb| verb.name());
            format!("method does not validate: it is {first}, {second}, {third} or {last}").into()
        }
        ItemError::HasQuery => "path does not validate: it has no query".into(),
        ItemError::NotAText(member) => format!("{member} does not validate").into(),
        ItemError::NotOf(member, verb) => format!("{member} is not a field of a {} item", verb.name()).into(),
    }
}
