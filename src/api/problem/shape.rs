//! What a body should have been: which members it may have, what each takes, and why something else is not that.

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::{Field, FieldKind};
use crate::catalog::name::RESSOURCE_URI;
use crate::record::access_key::{LONGEST_GRACE, LONGEST_NAME};
use crate::record::{RecordId, Value, representation};

/// What a body should have been.
pub(super) enum Shape<'a> {
    /// `id` is that of the record that is updated.
    Record { catalog: &'a Catalog, collection: &'a Collection, id: Option<RecordId> },
    /// An access key, or a new secret of one.
    Key(&'static [&'static str]),
    /// A batch, or an item of one.
    Batch(&'static [&'static str]),
}

impl Shape<'_> {
    /// The members that the body may have.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Record { collection, .. } => collection.fields().iter().map(Field::name).collect(),
            Self::Key(members) | Self::Batch(members) => members.to_vec(),
        }
    }

    /// What a member that the service assigns must be, where it is sent back.
    pub(super) fn own(&self, member: &str) -> Option<String> {
        let Self::Record { collection, id: Some(id), .. } = self else { return None };
        let path = || format!("\"{}\"", representation::path(collection, *id));
        Some(if member == RESSOURCE_URI { path() } else { id.to_string() })
    }

    fn field(&self, name: &str) -> Option<&Field> {
        let Self::Record { collection, .. } = self else { return None };
        collection.find_field(name).map(|position| &collection.fields()[position])
    }

    /// What a member takes.
    pub(super) fn accepted(&self, name: &str) -> Option<String> {
        let values = self.values(name)?;
        let takes_null = self.field(name).is_some_and(|field| !field.is_required());
        Some(if takes_null { format!("{values}; or null") } else { values })
    }

    /// The values of a member.
    pub(super) fn values(&self, name: &str) -> Option<String> {
        let (Some(field), Self::Record { catalog, .. }) = (self.field(name), self) else {
            return accepted_of_keys(name);
        };
        Some(match field.reference() {
            Some(reference) => format!("the id of a record of {}", catalog.at(reference.target).name()),
            None => values_of(field),
        })
    }

    /// Why JSON is not what a member takes.
    pub(super) fn mismatch(&self, name: &str, given: &str) -> String {
        let is = described(given);
        let Some(field) = self.field(name) else {
            return match name {
                "scopes" => format!("{is} where an array of strings is wanted"),
                "admin" => format!("{is} where true or false is wanted"),
                _ if is == "a string" => "the string holds what is no character, or U+0000".into(),
                _ => format!("{is} where a string is wanted"),
            };
        };
        let unquoted = given.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let wanted = wanted(field.kind());
        match field.kind() {
            FieldKind::String if unquoted.is_some() || given.starts_with('"') => {
                "the string has the character U+0000, or half of a surrogate pair".into()
            }
            FieldKind::Integer if is == "a number" && given.contains(['.', 'e', 'E']) => {
                format!("a number with a point or an exponent where {wanted} is wanted")
            }
            FieldKind::Integer if given == "-0" => "minus zero is not an integer here; write 0".into(),
            FieldKind::Integer if is == "a number" => "the integer has more than 64 bits".into(),
            FieldKind::Float if is == "a number" => {
                "the number is too large or too small for a double".into()
            }
            kind if unquoted.is_some_and(|text| Value::from_json(kind, text).is_some()) => {
                format!("a string where {wanted} is wanted; write it without quotes")
            }
            _ => format!("{is} where {wanted} is wanted"),
        }
    }
}

/// What JSON is, by its first character.
fn described(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
        None => "something else",
    }
}

/// Why a text in a query is not a value of this kind.
pub(super) fn mismatch_of_text(kind: FieldKind) -> String {
    match kind {
        FieldKind::String => "the text has the character U+0000".into(),
        FieldKind::Integer
        | FieldKind::Float
        | FieldKind::Boolean
        | FieldKind::Date
        | FieldKind::Datetime => {
            format!("the text is not {}", wanted(kind))
        }
    }
}

/// What a value should be, in a word or two.
fn wanted(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::String => "a string",
        FieldKind::Integer => "an integer",
        FieldKind::Float => "a number",
        FieldKind::Boolean => "true or false",
        FieldKind::Date => "a day such as 1815-12-10",
        FieldKind::Datetime => "a moment such as 2027-01-31T12:00:00Z",
    }
}

/// The values of a kind.
pub(super) fn values(kind: FieldKind) -> String {
    match kind {
        FieldKind::String => "a string without the character U+0000".into(),
        FieldKind::Integer => format!("an integer from {} to {}", i64::MIN, i64::MAX),
        FieldKind::Float => "a number that a double can hold".into(),
        FieldKind::Boolean => "true or false".into(),
        FieldKind::Date => "a day of the years 0001 to 9999, such as 1815-12-10".into(),
        FieldKind::Datetime => "a moment with an offset, such as 2027-01-31T12:00:00Z".into(),
    }
}

/// The values that a field takes.
fn values_of(field: &Field) -> String {
    let rules = field.rules();
    match (rules.format, rules.max_length) {
        (Some(format), None) => format.values().to_owned(),
        (Some(format), Some(most)) => format!("{}, of at most {most} characters", format.values()),
        (None, _) => filter_values(field),
    }
}

/// The values that can be asked of a field.
pub(super) fn filter_values(field: &Field) -> String {
    let rules = field.rules();
    match (rules.choices.as_slice(), rules.max_length) {
        ([], None) => values(field.kind()),
        ([], Some(most)) => format!("{}, of at most {most} characters", values(field.kind())),
        (choices, _) => format!("one of {}", choices.join(", ")),
    }
}

/// What the members of bodies about access keys take.
fn accepted_of_keys(name: &str) -> Option<String> {
    Some(match name {
        "name" => format!("a text of 1 to {LONGEST_NAME} characters, none of them a control character, and not . or .."),
        "scopes" => "an array of scopes: COLLECTION:read, COLLECTION:write, *:read or *:write, or * for everything".into(),
        "expires" => {
            "a time from now such as 12h or 90d, a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z".into()
        }
        "admin" => "true or false".into(),
        "grace" => format!("a whole number with s, m, h, d or w, such as 7d, and at most {LONGEST_GRACE} days"),
        _ => return None,
    })
}
