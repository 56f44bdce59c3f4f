//! The property of a vCard that a field stands for: declared, or by the name of the field.

use std::fmt;

/// What of a card a field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardProperty {
    /// A component of `N`, by its place in [`CardProperty::OF_NAMES`].
    Name(usize),
    /// The whole text of a property, by its name in capitals; of `ORG` the first component.
    Text(String),
    /// `ADR`: the record that a reference names, by its fields.
    Address,
}

/// What says how to read a card, or which card it is, or is structured.
const NOT_FIELDS: [&str; 7] = ["BEGIN", "END", "VERSION", "PRODID", "REV", "N", "AGENT"];

/// The properties of fields that have one of these names.
const BY_NAME: [(&str, &str); 18] = [
    ("first_name", "N.given"),
    ("given_name", "N.given"),
    ("last_name", "N.family"),
    ("family_name", "N.family"),
    ("surname", "N.family"),
    ("name", "FN"),
    ("full_name", "FN"),
    ("email", "EMAIL"),
    ("phone", "TEL"),
    ("mobile", "TEL"),
    ("tel", "TEL"),
    ("company", "ORG"),
    ("organization", "ORG"),
    ("title", "TITLE"),
    ("note", "NOTE"),
    ("nickname", "NICKNAME"),
    ("url", "URL"),
    ("uid", "UID"),
];
/// The names of fields of days that are a `BDAY`.
const BIRTHDAYS: [&str; 2] = ["birthday", "born"];

impl CardProperty {
    /// The components of `N`.
    pub const OF_NAMES: [&str; 5] = ["family", "given", "middle", "prefix", "suffix"];
    /// Where the family name and the given name stand among them.
    pub const FAMILY: usize = 0;
    pub const GIVEN: usize = 1;

    /// Understands the name of a property, in any case: `TEL`, `X-SHOE-SIZE`, `N.middle`, `ADR`.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.to_ascii_uppercase();
        if let Some(component) = name.strip_prefix("N.") {
            let place = Self::OF_NAMES.iter().position(|known| known.eq_ignore_ascii_case(component));
            return place.map(Self::Name);
        }
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_name =
            name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.bytes().all(is_of_name);
        match name.as_str() {
            "ADR" => Some(Self::Address),
            name if NOT_FIELDS.contains(&name) || name.len() > 64 => None,
            _ => is_name.then_some(Self::Text(name)),
        }
    }

    /// What a field of this name is, where it is not declared; of references others know.
    pub fn by_name(name: &str, is_day: bool) -> Option<Self> {
        if is_day {
            return BIRTHDAYS.contains(&name).then(|| Self::Text("BDAY".to_owned()));
        }
        let (_, property) = BY_NAME.iter().find(|(known, _)| *known == name)?;
        Self::parse(property)
    }
}

/// As it is declared.
impl fmt::Display for CardProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(place) => write!(f, "N.{}", Self::OF_NAMES[*place]),
            Self::Text(name) => f.write_str(name),
            Self::Address => f.write_str("ADR"),
        }
    }
}
