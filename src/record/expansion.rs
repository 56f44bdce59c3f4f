//! Records that a record refers to, shown with it (`expand`).

use std::borrow::Cow;

use super::listing::{ListingError, NamesError};
use super::representation;
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;
use crate::catalog::name::ID;

/// What is shown behind the other members of a record.
const MEMBER: &[u8] = b",\"_expanded\":{";

/// Which references are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The positions of the fields, ascending.
    pub fields: Vec<usize>,
}

impl Expansion {
    /// Reads `address,employer`; `parameter` is the name under which it was given.
    pub(super) fn parse(collection: &Collection, parameter: &str, text: &str) -> Result<Self, ListingError> {
        let refuse = |reason| ListingError::Names { parameter: parameter.to_owned(), reason };
        let mut fields = Vec::new();
        for name in text.split(',') {
            let Some(position) = collection.find_field(name) else {
                return Err(refuse(match name {
                    "" => NamesError::None,
                    ID => NamesError::NoReference(name.to_owned()),
                    _ => NamesError::Unknown(name.to_owned()),
                }));
            };
            let field = &collection.fields()[position];
            match field.target_name() {
                None => return Err(refuse(NamesError::NoReference(name.to_owned()))),
                Some(_) if fields.contains(&position) => {
                    return Err(refuse(NamesError::Twice(name.to_owned())));
                }
                Some(_) if field.is_expandable() => fields.push(position),
                Some(target) => return Err(refuse(NamesError::NotFetched(target.to_owned()))),
            }
        }
        fields.sort_unstable();
        Ok(Self { fields })
    }

    /// The positions of the collections that a query would have shown, each once, whatever else is wrong with it: who
    /// may not read them is to hear that first.
    pub fn targets<'a>(
        collection: &Collection,
        pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
    ) -> Vec<usize> {
        let mut targets = Vec::new();
        for (name, text) in pairs {
            // Most parameters are something else, and this is asked for every request.
            if !name.ends_with("expand") || Control::of(collection, name) != Some(Control::Expand) {
                continue;
            }
            let fields = text.split(',').filter_map(|name| collection.find_field(name));
            let references = fields.filter_map(|position| collection.fields()[position].reference());
            targets.extend(references.map(|reference| reference.target));
        }
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Adds what the references lead to, one for each field, to the record at the end of `out`.
    pub fn append<'a>(
        &self,
        collection: &Collection,
        embedded: impl Iterator<Item = Option<&'a [u8]>>,
        out: &mut Vec<u8>,
    ) {
        // The brace that ends the record, which ends later now.
        out.pop();
        out.extend_from_slice(MEMBER);
        for (place, (&position, record)) in self.fields.iter().zip(embedded).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            representation::write_text(out, collection.fields()[position].name());
            out.push(b':');
            out.extend_from_slice(record.unwrap_or(b"null"));
        }
        out.extend_from_slice(b"}}");
    }
}

/// A record with what it refers to, as the record alone and what was added to it: [`join`] puts them together.
pub fn split(expanded: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    // Inside a text its quotes would be escaped, and no field begins with an underscore.
    let place = memchr::memmem::rfind(expanded, MEMBER)?;
    let record = [&expanded[..place], b"}"].concat();
    Some((record, &expanded[place..]))
}

/// Adds to a record, or to a part of one, what was added to it before.
pub fn join(mut record: Vec<u8>, added: &[u8]) -> Vec<u8> {
    record.pop();
    record.extend_from_slice(added);
    record
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::listing::tests::catalog;
    use crate::record::{RecordId, Value};

    proptest! {
        /// Whatever the texts are, also those that look like what is added.
        #[test]
        fn what_was_added_can_be_taken_away(
            title in "(.|,\"_expanded\":\\{|\\}){0,8}",
            embedded in "(.|,\"_expanded\":\\{|\\}){0,8}",
            has_other in any::<bool>(),
        ) {
            let catalog = catalog(&["things"]);
            let things = catalog.at(0);
            let of = |id, title| {
                let values = [Value::Text(title), Value::Null, Value::Null, Value::Null];
                representation::of(things, RecordId(id), &values)
            };
            let (record, embedded) = (of(1, title), of(2, embedded));
            let mut expanded = record.to_vec();
            let expansion = Expansion { fields: vec![0, 1] };
            let records = [Some(&embedded[..]), has_other.then_some(&record[..])];
            expansion.append(things, records.into_iter(), &mut expanded);
            let read: serde_json::Value = serde_json::from_slice(&expanded).unwrap();
            prop_assert_eq!(&read["_expanded"]["title"]["id"], 2);
            prop_assert_eq!(read["_expanded"]["size"].is_null(), !has_other);
            let (alone, added) = split(&expanded).unwrap();
            prop_assert_eq!(&alone, &record);
            prop_assert_eq!(join(alone, added), expanded);
        }
    }

    #[test]
    fn a_record_alone_has_nothing_added() {
        assert_eq!(split(br#"{"title":",\"_expanded\":{","ressource_uri":"/things/1/"}"#), None);
    }
}
