//! The catalog: every declared collection, in the order of registration, references resolved.
//!
//! Having a [`Catalog`] means that its rules held: names are legal and unique, every reference points at
//! a collection declared above. Who wrote the declaration, and where, is the business of `config`.

pub mod card_property;
pub mod collection;
pub mod control;
pub mod date;
pub mod declaration;
pub mod field;
pub mod name;
pub mod rule;
pub mod wording;

use collection::{Admission, Collection};

/// The declared collections, in order.
#[derive(Debug, Default)]
pub struct Catalog {
    collections: Vec<Collection>,
}

impl Catalog {
    /// The collections in the order of registration: a referenced one stands before its referrers.
    pub fn collections(&self) -> &[Collection] {
        &self.collections
    }

    /// The collection of this name.
    pub fn find(&self, name: &str) -> Option<&Collection> {
        // A handful of short names: comparing them beats hashing one.
        self.collections.iter().find(|collection| collection.name() == name)
    }

    /// The collection at this place in the order of registration.
    pub fn at(&self, position: usize) -> &Collection {
        &self.collections[position]
    }

    /// Who may come in where any collection may be asked for: whoever at least one of them lets in.
    pub fn admission(&self) -> Admission {
        let each = || self.collections.iter().map(Collection::admission);
        match (each().min(), each().max()) {
            (Some(least), Some(most)) if least == most => least,
            // A key is read: some ask for it.
            _ => Admission::Identified,
        }
    }

    /// Who refers to `target`: each referring collection with the position of its field.
    pub fn referrers(&self, target: &Collection) -> impl Iterator<Item = (&Collection, usize)> {
        let target = target.position();
        self.collections.iter().flat_map(move |collection| {
            collection.fields().iter().enumerate().filter_map(move |(position, field)| {
                let reference = field.reference()?;
                (reference.target == target).then_some((collection, position))
            })
        })
    }
}
