//! From a record to its card: 3.0 or 4.0, in a fixed order, with CRLF and lines of at most 75 octets.

use super::address;
use super::mapping::{Slot, VcardMapping};
use super::text::join;
use crate::catalog::card_property::CardProperty;
use crate::record::RecordId;
use crate::record::value::Cell;
use crate::store::StoreId;

/// Which vCard is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Every phone takes it.
    V3,
    V4,
}

impl Version {
    /// Every version that is written.
    pub const ALL: [Version; 2] = [Version::V3, Version::V4];

    /// Its name in cards, flags and parameters.
    pub fn name(self) -> &'static str {
        match self {
            Version::V3 => "3.0",
            Version::V4 => "4.0",
        }
    }

    /// The version of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }
}

/// Octets of a line without its end.
const LONGEST_LINE: usize = 75;

/// Writes the records of one collection.
#[derive(Debug, Clone, Copy)]
pub struct VcardWriter<'a> {
    pub mapping: &'a VcardMapping,
    pub version: Version,
    pub store: StoreId,
}

impl VcardWriter<'_> {
    /// Appends the card of a record: `values` by the positions of the fields, `address` those of the record that
    /// [`VcardMapping::address_reference`] names, where there is one.
    ///
    /// What a card cannot say: control characters but the line feed and the tab, the empty text beside no value, and
    /// that there is no full name where there is a given or a family name.
    pub fn write(&self, out: &mut Vec<u8>, id: RecordId, values: &[Cell<'_>], address: Option<&[Cell<'_>]>) {
        let Self { mapping, version, store } = *self;
        let texts: Vec<String> = values.iter().map(|value| text(*value)).collect();
        let of = |position: Option<usize>| position.map_or("", |position| texts[position].as_str());
        line(out, "BEGIN", "VCARD");
        line(out, "VERSION", version.name());
        let uid = match of(mapping.text("UID")) {
            "" => format!("{}-{id}@{store}", mapping.collection),
            uid => escape(uid, ""),
        };
        line(out, "UID", &uid);
        let parts = [0, 1, 2, 3, 4].map(|place| of(mapping.name_part(place)));
        let full = match of(mapping.text("FN")) {
            "" => join(&[parts[CardProperty::GIVEN], parts[CardProperty::FAMILY]]),
            full => full.to_owned(),
        };
        line(out, "FN", &escape(&full, ",;"));
        // 3.0 must have it.
        if version == Version::V3 || parts.iter().any(|part| !part.is_empty()) {
            line(out, "N", &components(&parts));
        }
        for (slot, text) in mapping.slots.iter().zip(&texts) {
            let Some(Slot::Text { name, is_day }) = slot else { continue };
            match name.as_str() {
                _ if text.is_empty() => {}
                "FN" | "UID" => {}
                // The only form that 4.0 has.
                _ if *is_day && version == Version::V4 => line(out, name, &text.replace('-', "")),
                // A URI has no escapes; a backslash is none of its characters.
                "URL" => line(out, name, &escape(text, "")),
                _ => line(out, name, &escape(text, ",;")),
            }
        }
        if let (Some((_, fields)), Some(values)) = (mapping.address(), address) {
            let texts = fields.0.map(|field| field.map(|field| text(values[field])));
            if let Some(address) = address::write(texts, version == Version::V4) {
                line(out, "ADR", &components(&address));
            }
        }
        line(out, "END", "VCARD");
    }
}

/// A value as text; nothing where there is none.
fn text(value: Cell<'_>) -> String {
    let mut bytes = Vec::new();
    value.write_bare(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn components<T: AsRef<str>>(texts: &[T]) -> String {
    let escaped: Vec<String> = texts.iter().map(|text| escape(text.as_ref(), ",;")).collect();
    escaped.join(";")
}

/// A text as a value, with a backslash before these characters and itself. A card has no other control character than
/// the line feed and the tab.
fn escape(text: &str, special: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push('\t'),
            control if control.is_ascii_control() => {}
            '\\' => escaped.push_str("\\\\"),
            other => {
                if special.contains(other) {
                    escaped.push('\\');
                }
                escaped.push(other);
            }
        }
    }
    escaped
}

/// One line, folded where it is long, and never within a character.
fn line(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    let mut length = name.len() + 1;
    for character in value.chars() {
        if length + character.len_utf8() > LONGEST_LINE {
            out.extend_from_slice(b"\r\n ");
            length = 1;
        }
        length += character.len_utf8();
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests;
