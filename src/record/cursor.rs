//! A place in a list that survives what is written before and behind it, and its text: the cursor.
//!
//! A cursor is base64url of a format, a hash, the sort key, and the id. The hash is over all that a cursor means: the
//! collection, the sort (or search), the key and the id, so that a text that was cut or mistyped is none. A key of any
//! length is a key, and without its hash such a text began a page somewhere else. It is not signed: a cursor says what
//! its holder was shown, and whoever makes one up gets a place, too.

use data_encoding::BASE64URL_NOPAD;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::RecordId;
use super::listing::Sorting;
use crate::catalog::collection::Collection;

/// The first byte. Another way to write the rest, or to make sort keys, is another number.
const FORMAT: u8 = 1;
const HASH: usize = size_of::<u64>();
const ID: usize = size_of::<i64>();
/// The longest sort key that is read: three texts of 64 characters with room to spare.
const LONGEST_KEY: usize = 2_048;

/// Where a page of a walk begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// At the start of the list.
    Start,
    /// Behind this record.
    Place(Place),
}

/// Where a record stands in an order: its sort key, and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Empty where the order is by id alone.
    pub key: Vec<u8>,
    pub id: RecordId,
}

/// A cursor that can be read, but may be of another list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    hash: [u8; HASH],
    place: Place,
}

impl Place {
    /// The cursor of this place.
    pub fn text(&self, collection: &Collection, sorting: Sorting<'_>) -> String {
        let hash = self.hash(collection, sorting);
        BASE64URL_NOPAD.encode(&[&[FORMAT], &hash[..], &self.bytes()].concat())
    }

    fn bytes(&self) -> Vec<u8> {
        [&self.key[..], &self.id.get().to_be_bytes()].concat()
    }

    /// The same on every node, whatever it is built with.
    fn hash(&self, collection: &Collection, sorting: Sorting<'_>) -> [u8; HASH] {
        // No name has a question mark.
        let list = format!("{}?{}", collection.name(), sorting.text(collection));
        xxh3_64_with_seed(&self.bytes(), xxh3_64(list.as_bytes())).to_be_bytes()
    }
}

impl Cursor {
    /// Reads any text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() > BASE64URL_NOPAD.encode_len(1 + HASH + LONGEST_KEY + ID) {
            return None;
        }
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (format, rest) = bytes.split_first()?;
        let (hash, rest) = rest.split_first_chunk()?;
        let (key, id) = rest.split_last_chunk()?;
        let id = RecordId::new(i64::from_be_bytes(*id))?;
        (*format == FORMAT).then(|| Self { hash: *hash, place: Place { key: key.to_vec(), id } })
    }

    /// The place, where the cursor is whole, and of this collection and this sorting.
    pub(super) fn place(self, collection: &Collection, sorting: Sorting<'_>) -> Option<Place> {
        let has_its_key = self.place.key.is_empty() || sorting.has_keys();
        (self.hash == self.place.hash(collection, sorting) && has_its_key).then_some(self.place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::listing::Sort;
    use crate::record::listing::sort::Direction;
    use crate::record::listing::tests::catalog;

    fn by(sort: &Sort) -> Sorting<'_> {
        Sorting { sort, search: None }
    }

    #[test]
    fn only_a_cursor_is_one() {
        let catalog = catalog(&["things"]);
        let place = Place { key: Vec::new(), id: RecordId(7) };
        let text = place.text(catalog.at(0), by(&Sort::default()));
        assert!(Cursor::parse(&text).is_some());
        let no_id = BASE64URL_NOPAD.encode(&[[FORMAT].as_slice(), &[0; HASH + ID]].concat());
        let long = Place { key: vec![0; LONGEST_KEY + 1], id: RecordId(7) };
        let other_format = format!("C{}", &text[1..]);
        for no in [
            "x",
            "=",
            "é",
            &text[1..],
            &format!("{text}="),
            &no_id,
            &other_format,
            &long.text(catalog.at(0), by(&Sort::default())),
        ] {
            assert_eq!(Cursor::parse(no), None, "{no}");
        }
        // A key in a list by ids alone.
        let keyed = Place { key: vec![1], id: RecordId(7) };
        let keyed = Cursor::parse(&keyed.text(catalog.at(0), by(&Sort::default()))).unwrap();
        assert_eq!(keyed.place(catalog.at(0), by(&Sort::default())), None);
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(key in proptest::collection::vec(any::<u8>(), 0..LONGEST_KEY), id in 1..=i64::MAX) {
            let catalog = catalog(&["things"]);
            let sort = Sort { fields: vec![(0, Direction::Ascending)], ids: Direction::Ascending };
            let place = Place { key, id: RecordId(id) };
            let text = place.text(catalog.at(0), by(&sort));
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert_eq!(Cursor::parse(&text).unwrap().place(catalog.at(0), by(&sort)), Some(place));
        }

        #[test]
        fn no_part_of_a_cursor_is_one(key in proptest::collection::vec(any::<u8>(), 0..64), id in 1..=i64::MAX) {
            let catalog = catalog(&["things"]);
            let sort = Sort { fields: vec![(0, Direction::Ascending)], ids: Direction::Ascending };
            let text = Place { key, id: RecordId(id) }.text(catalog.at(0), by(&sort));
            for end in 0..text.len() {
                let read = Cursor::parse(&text[..end]).and_then(|cursor| cursor.place(catalog.at(0), by(&sort)));
                prop_assert_eq!(read, None);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*", letters in "[A-Za-z0-9_-]{0,64}") {
            for text in [text, letters] {
                if let Some(cursor) = Cursor::parse(&text) {
                    let all = [&[FORMAT], &cursor.hash[..], &cursor.place.bytes()];
                    prop_assert_eq!(BASE64URL_NOPAD.encode(&all.concat()), text, "each place has one text");
                }
            }
        }
    }
}
