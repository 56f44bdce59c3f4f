//! Where the fault of a batch is. Items are judged one after the other, so there is the first fault alone.

use super::entry::{Entry, Place};
use super::shape::Shape;
use crate::api::App;
use crate::api::error::ApiError;
use crate::record::draft::batch::{
    BODY, BY, BatchError, ItemError, ItemForm, MEMBERS, METHOD, PATH, REQUESTS, items,
};
use crate::record::draft::{self, DraftError};
use crate::record::fault::Fault;

/// The fault of the body of a batch; none where something else is refused.
pub(super) fn entry(app: &App, error: &ApiError, body: &[u8]) -> Option<Entry> {
    match error {
        ApiError::Draft { error, .. } => Some(of_members(&[REQUESTS], error)),
        ApiError::Batch(BatchError::NotAnObject(item)) => {
            Some(Entry::new(Place::Inner(place_of(*item)), error.row().message))
        }
        ApiError::Batch(_) => Some(Entry::new(Place::Member(REQUESTS.into()), error.row().message)),
        ApiError::Item { item, error } => Some(of_item(app, *item, error, body)?.within(place_of(*item))),
        _ => None,
    }
}

fn place_of(item: usize) -> Vec<String> {
    vec![REQUESTS.into(), item.to_string()]
}

/// The fault of an item, as if it stood alone.
fn of_item(app: &App, item: usize, error: &ApiError, body: &[u8]) -> Option<Entry> {
    // It was read before, as far as it is needed here.
    let form = || ItemForm::parse(item, items(body).ok()?.into_iter().nth(item)?).ok();
    match error {
        ApiError::ItemForm(ItemError::Members(error)) => Some(of_members(&MEMBERS, error)),
        ApiError::ItemForm(form) => {
            let member = match form {
                ItemError::Missing(member) | ItemError::NotAText(member) | ItemError::NotOf(member, _) => {
                    member
                }
                ItemError::UnknownMethod => METHOD,
                ItemError::HasQuery | ItemError::Members(_) => PATH,
            };
            Some(Entry::new(Place::Member(member.into()), error.row().message))
        }
        ApiError::Draft { collection, error } => {
            let collection = app.catalog.find(collection)?;
            let shape = Shape::Record { catalog: &app.catalog, collection, id: None };
            let given = match error {
                DraftError::DoesNotValidate(name) | DraftError::Refused { field: name, .. } => {
                    form().and_then(|form| draft::given(form.body.as_bytes(), name))
                }
                _ => None,
            };
            let fault = Fault { error: error.clone(), given };
            Some(Entry::of_body(&shape, &fault, true).within(vec![BODY.into()]))
        }
        ApiError::Rule(error) => {
            let by = form().and_then(|form| form.by);
            Some(Entry { place: Place::Member(BY.into()), ..Entry::of_rule(error, by.as_deref()) })
        }
        _ => None,
    }
}

/// A fault of the form, which has these members.
fn of_members(members: &'static [&'static str], error: &DraftError) -> Entry {
    Entry::of_body(&Shape::Batch(members), &Fault { error: error.clone(), given: None }, true)
}
