//! `$n` in the body of an item of a batch: the record that item n creates or finds.

use super::DraftError;
use crate::catalog::field::Field;
use crate::record::Value;
use crate::record::value::{integer, text};

/// The items of a batch before the one whose body is read. A body that stands alone has none, and no `$n` either.
#[derive(Debug, Default)]
pub struct Earlier<'a> {
    /// The position of the collection in which each item creates or finds a record, if it does.
    items: Option<&'a [Option<usize>]>,
    /// The fields that refer to one of them, by position, each with its item.
    pub references: Vec<(usize, usize)>,
}

impl<'a> Earlier<'a> {
    pub fn new(items: &'a [Option<usize>]) -> Self {
        Self { items: Some(items), references: Vec::new() }
    }

    /// The item that `$n` names, if it has a record of this collection.
    pub fn find(&self, text: &str, collection: usize) -> Option<usize> {
        let number = text.strip_prefix('$').and_then(integer)?;
        let item = usize::try_from(number).ok()?;
        (*self.items?.get(item)? == Some(collection)).then_some(item)
    }

    /// The value of a field that is none of its kind, until it is known which record it refers to.
    pub(super) fn refer(
        &mut self,
        (position, field): (usize, &Field),
        json: &str,
    ) -> Result<Value, DraftError> {
        let refused = || DraftError::DoesNotValidate(field.name().to_owned());
        let (Some(reference), true) = (field.reference(), self.items.is_some()) else {
            return Err(refused());
        };
        let given = text(json).filter(|text| text.starts_with('$')).ok_or_else(refused)?;
        match self.find(&given, reference.target) {
            Some(item) => {
                self.references.push((position, item));
                Ok(0.into())
            }
            None => {
                let target = field.target_name().unwrap_or_default().to_owned();
                Err(DraftError::NoEarlierItem { member: field.name().to_owned(), given, target })
            }
        }
    }
}
