//! One fault in words: where it is, what is wrong, what was given, what would be accepted.

use serde_json::{Map, Value};

use super::names::{did_you_mean, nearest, one_of};
use super::shape::Shape;
use crate::api::error::draft_message;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::draft::DraftError;
use crate::record::fault::{Fault, shorten};

/// A member of `errors`.
pub(super) struct Entry {
    pub(super) place: Place,
    pub(super) detail: String,
    pub(super) value: Option<String>,
    pub(super) accepted: Option<String>,
    pub(super) suggestion: Option<String>,
}

/// Where a fault is.
pub(super) enum Place {
    /// The body as a whole.
    Body,
    /// A member of the body.
    Member(String),
    /// A member of a member, from the outside in.
    Inner(Vec<String>),
    Parameter(String),
}

impl Entry {
    pub(super) fn new(place: Place, detail: impl Into<String>) -> Self {
        Self { place, detail: detail.into(), value: None, accepted: None, suggestion: None }
    }

    /// A fault of a body.
    pub(super) fn of_body(shape: &Shape<'_>, fault: &Fault<DraftError>, suggests: bool) -> Self {
        let member = |name: &str, detail: String| Self::new(Place::Member(name.to_owned()), detail);
        let entry = match &fault.error {
            DraftError::GivenTwice(name) => member(name, "the member is given more than once".into()),
            DraftError::UnknownField(name) => {
                let names = shape.names();
                let near = suggests.then(|| nearest(name, &names)).flatten();
                let detail = format!("there is no field {}{}", shorten(name), did_you_mean(near));
                let suggestion = near.map(str::to_owned);
                Self { accepted: Some(one_of(&names)), suggestion, ..member(name, detail) }
            }
            DraftError::AssignedByService(name) => {
                member(name, "the service assigns it; leave it out".into())
            }
            DraftError::CannotBeChanged(name) => {
                let detail = "it is not the record's own, which cannot be changed; leave it out";
                Self { accepted: shape.own(name), ..member(name, detail.into()) }
            }
            DraftError::Missing(name) => {
                let accepted = shape.accepted(name);
                Self { accepted, ..member(name, "a value is required, and none is given".into()) }
            }
            DraftError::DoesNotValidate(name) => {
                let given = fault.given.as_deref().unwrap_or_default();
                Self { accepted: shape.accepted(name), ..member(name, shape.mismatch(name, given)) }
            }
            DraftError::Refused { field, why } => {
                Self { accepted: shape.accepted(field), ..member(field, why.to_string()) }
            }
            DraftError::NoValue { field, rule } => {
                let detail = format!("records are found by {rule}, and it has no value");
                Self { accepted: shape.values(field), ..member(field, detail) }
            }
            DraftError::NoEarlierItem { member: name, given, target } => {
                let given = shorten(given);
                let detail = format!("{given} is not an earlier item that creates a record of {target}");
                Self { accepted: shape.accepted(name), ..member(name, detail) }
            }
            DraftError::NoKeyName => {
                let accepted = shape.accepted("name");
                Self { accepted, ..member("name", "the text cannot be the name of an access key".into()) }
            }
            DraftError::NoScopes(error) => {
                let accepted = shape.accepted("scopes");
                Self { accepted, ..member("scopes", shorten(&error.to_string())) }
            }
            DraftError::NoMoment(error) => {
                Self { accepted: shape.accepted("expires"), ..member("expires", error.to_string()) }
            }
            DraftError::NoGrace => {
                let accepted = shape.accepted("grace");
                Self { accepted, ..member("grace", "the text is no such length of time".into()) }
            }
            // It cannot be read at all. No name of a collection stands in these words.
            error => {
                let message = draft_message("", error).into_owned();
                Self { accepted: Some("a JSON object".into()), ..Self::new(Place::Body, message) }
            }
        };
        Self { value: fault.given.clone(), ..entry }
    }

    /// The same fault, of a body that is itself a part of one.
    pub(super) fn within(self, outer: Vec<String>) -> Self {
        let inner = match &self.place {
            Place::Member(name) => vec![name.clone()],
            Place::Inner(names) => names.clone(),
            Place::Body | Place::Parameter(_) => Vec::new(),
        };
        Self { place: Place::Inner([outer, inner].concat()), ..self }
    }

    /// A reference to nothing.
    pub(super) fn dangling(
        catalog: &Catalog,
        collection: &Collection,
        field: &str,
        given: Option<String>,
    ) -> Self {
        let position = collection.find_field(field);
        let reference = position.and_then(|position| collection.fields()[position].reference());
        let target = reference.map_or(field, |reference| catalog.at(reference.target).name());
        let which = given.as_deref().unwrap_or("of this id");
        Self {
            value: given.clone(),
            accepted: Some(format!("the id of a record of {target}")),
            ..Self::new(Place::Member(field.to_owned()), format!("there is no record {which} in {target}"))
        }
    }

    /// One of the fields that must be unique together.
    pub(super) fn duplicate(fields: &[String], field: &str, given: Option<String>) -> Self {
        let detail = format!("there is already {}", duplicate(fields));
        Self { value: given, ..Self::new(Place::Member(field.to_owned()), detail) }
    }

    /// The fault as one phrase.
    pub(super) fn summary(&self) -> String {
        match &self.place {
            Place::Body | Place::Inner(_) => self.detail.clone(),
            Place::Member(name) | Place::Parameter(name) => format!("{}: {}", shorten(name), self.detail),
        }
    }

    pub(super) fn into_json(self) -> Value {
        let (place, name) = match self.place {
            Place::Body => ("pointer", String::new()),
            Place::Member(name) => ("pointer", pointer(&shorten(&name))),
            Place::Inner(names) => ("pointer", names.iter().map(|name| pointer(&shorten(name))).collect()),
            Place::Parameter(name) => ("parameter", shorten(&name)),
        };
        let mut entry = Map::new();
        entry.insert(place.into(), name.into());
        entry.insert("detail".into(), self.detail.into());
        for (name, text) in
            [("value", self.value), ("accepted", self.accepted), ("suggestion", self.suggestion)]
        {
            if let Some(text) = text {
                entry.insert(name.into(), text.into());
            }
        }
        entry.into()
    }
}

/// What is already there where a unique rule is broken.
pub(super) fn duplicate(fields: &[String]) -> String {
    let fields = match fields {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        fields => fields.concat(),
    };
    format!("a record with this {fields}")
}

/// A JSON pointer (RFC 6901) to a member of the body.
fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}
