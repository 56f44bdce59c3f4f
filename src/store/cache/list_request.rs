//! What to list, what is shown of it, and where to ask for room.

use super::embedded::Embedded;
use crate::catalog::collection::Collection;
use crate::record::listing::Listing;
use crate::store::Room;
use crate::store::page::PageBuilder;

/// What to list, and where to ask for room.
pub(in crate::store) struct ListRequest<'a, 'b> {
    pub(in crate::store) collection: &'a Collection,
    pub(in crate::store) listing: &'a Listing,
    pub(in crate::store) room: &'a mut Room<'b>,
}

impl<'a> ListRequest<'a, '_> {
    /// What is shown of each record.
    pub(in crate::store) fn shown(&self) -> Shown<'a> {
        Shown { collection: self.collection, listing: self.listing }
    }
}

/// What is shown of each record of a list.
#[derive(Clone, Copy)]
pub(in crate::store) struct Shown<'a> {
    collection: &'a Collection,
    listing: &'a Listing,
}

impl Shown<'_> {
    /// Whether records are shown as they are.
    pub(in crate::store) fn is_all(self) -> bool {
        self.listing.projection.is_none() && self.listing.expansion.is_none()
    }

    /// Adds what is shown of a record that `write` appends; nothing is embedded into it.
    pub(in crate::store) fn push<E>(
        self,
        builder: &mut PageBuilder<'_, '_>,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.is_all() {
            return builder.push(write);
        }
        let mut record = Vec::new();
        write(&mut record)?;
        builder.push(|out| self.write(&record, &Embedded::default(), out));
        Ok(())
    }

    /// Appends what is shown of a record.
    pub(in crate::store) fn write(self, record: &[u8], embedded: &Embedded, out: &mut Vec<u8>) {
        match &self.listing.projection {
            Some(projection) => projection.cut(self.collection, record, out),
            None => out.extend_from_slice(record),
        }
        if let Some(expansion) = &self.listing.expansion {
            embedded.append(self.collection, expansion, record, out);
        }
    }
}
