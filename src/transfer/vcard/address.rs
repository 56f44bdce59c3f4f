//! `ADR`: the record that a reference names, as the components of an address and back.

use super::mapping::{AddressFields, NUMBER, OF_ADDRESSES, PARTS, STREET};
use super::street::split_street;
use super::text::join;

/// The components that RFC 9554 adds: the number of the house and the name of the street.
const STREET_NUMBER: usize = 10;
const STREET_NAME: usize = 11;
const COMBINED: usize = 2;
/// The components of an address before RFC 9554.
const SHORTEST: usize = 7;

/// What an address of a card gives.
pub(super) struct Address {
    /// Texts by the fields of the record; empty for no value.
    pub(super) given: Vec<(usize, String)>,
    /// The names of the components that have no field.
    pub(super) not_taken: Vec<&'static str>,
}

impl Address {
    pub(super) fn read(mut components: Vec<String>, fields: &AddressFields) -> Self {
        components.resize(OF_ADDRESSES.len().max(components.len()), String::new());
        let (street, number) = street(&components, fields);
        let mut address = Self { given: Vec::new(), not_taken: Vec::new() };
        for (part, (_, component)) in PARTS.iter().enumerate() {
            let Some(field) = fields.0[part] else { continue };
            let text = match part {
                STREET => street.clone(),
                NUMBER => match &number {
                    Some(number) => number.clone(),
                    // There is none: the field is not given.
                    None => continue,
                },
                _ => components[*component].clone(),
            };
            address.given.push((field, text));
        }
        let is_of_field = |place: usize| {
            let has_field = |part: usize| fields.0[part].is_some();
            match place {
                // With a number alone, what else there is of the street has no field.
                COMBINED if !has_field(STREET) => has_field(NUMBER) && street.is_empty(),
                STREET_NUMBER | STREET_NAME => true,
                _ => PARTS.iter().enumerate().any(|(part, (_, of))| *of == place && has_field(part)),
            }
        };
        let names = OF_ADDRESSES.into_iter().chain(std::iter::repeat("other"));
        let places = components.iter().zip(names).enumerate();
        let others = places.filter(|(place, (text, _))| !text.is_empty() && !is_of_field(*place));
        address.not_taken.extend(others.map(|(_, (_, name))| name));
        // An address of nothing that has a field is none.
        if address.given.iter().all(|(_, text)| text.is_empty()) {
            address.given.clear();
        }
        address
    }
}

/// The street, and the number where it has a field of its own.
fn street(components: &[String], fields: &AddressFields) -> (String, Option<String>) {
    let combined = &components[COMBINED];
    let (name, number) = (&components[STREET_NAME], &components[STREET_NUMBER]);
    if fields.0[NUMBER].is_none() {
        let whole = if combined.is_empty() { join(&[number, name]) } else { combined.clone() };
        return (whole, None);
    }
    if !name.is_empty() || (!number.is_empty() && number == combined) {
        return (name.clone(), Some(number.clone()));
    }
    match split_street(combined) {
        Some((number, street)) => (street.to_owned(), Some(number.to_string())),
        None => (combined.clone(), (!number.is_empty()).then(|| number.clone())),
    }
}

/// The components of an address whose fields, where it has them, hold these texts, in the order of [`PARTS`]; `None`
/// where all are empty.
///
/// The number and the name of the street stand by themselves where they are asked for, and where nobody could split what
/// is written for both: a street without a number may begin with one.
pub(super) fn write(texts: [Option<String>; 6], is_split: bool) -> Option<Vec<String>> {
    let has_number = texts[NUMBER].is_some();
    let texts = texts.map(Option::unwrap_or_default);
    if texts.iter().all(String::is_empty) {
        return None;
    }
    let (street, number) = (&texts[STREET], &texts[NUMBER]);
    let combined = join(&[number, street]);
    let is_found = match split_street(&combined) {
        Some((found, rest)) => found.to_string() == *number && rest == street,
        None => number.is_empty(),
    };
    let is_split = has_number && (is_split || !is_found);
    let mut components = vec![String::new(); if is_split { OF_ADDRESSES.len() } else { SHORTEST }];
    for (text, (_, component)) in texts.iter().zip(PARTS) {
        components[component].clone_from(text);
    }
    components[COMBINED] = combined;
    if is_split {
        components[STREET_NUMBER].clone_from(number);
        components[STREET_NAME].clone_from(street);
    }
    Some(components)
}
