//! One fault of a query in words.

use super::entry::{Entry, Place};
use super::names::{did_you_mean, nearest, one_of};
use super::shape::{filter_values, mismatch_of_text, values};
use crate::api::App;
use crate::api::error::names_message;
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;
use crate::catalog::field::Field;
use crate::catalog::name::{ID, RESSOURCE_URI};
use crate::record::fault::{Fault, shorten};
use crate::record::listing::operator::LONGEST_PART;
use crate::record::listing::search::{LONGEST, MOST_WORDS};
use crate::record::listing::{Column, ListingError, NamesError, Operator};
use crate::record::upsert::{BY, RuleError};
use crate::transfer::format::{Choice, Format};
use crate::transfer::vcard::Version;

impl Entry {
    /// A fault of the query of an upsert, in which `by` was given.
    pub(super) fn of_rule(error: &RuleError, by: Option<&str>) -> Self {
        let parameter = |name: &str, detail: String| Self::new(Place::Parameter(name.to_owned()), detail);
        match error {
            RuleError::GivenTwice => parameter(BY, "the parameter is given more than once".into()),
            RuleError::NotAParameter(name) => {
                let near = nearest(name, &[BY]);
                let detail = format!("there is no parameter {}{}", shorten(name), did_you_mean(near));
                let suggestion = near.map(str::to_owned);
                Self { accepted: Some(BY.into()), suggestion, ..parameter(name, detail) }
            }
            RuleError::Unknown(rules) => {
                let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
                let detail = "there is no such unique rule".into();
                Self { value: by.map(shorten), accepted: Some(rules.join(" or ")), ..parameter(BY, detail) }
            }
        }
    }

    /// A fault of the query of a list, of a fetch, or of an export of some form.
    pub(super) fn of_query(
        app: &App,
        (collection, export): (&Collection, Option<Format>),
        fault: &Fault<ListingError>,
        suggests: bool,
    ) -> Self {
        let parameter = |name: &str, detail: String| Self::new(Place::Parameter(name.to_owned()), detail);
        let entry = match &fault.error {
            ListingError::GivenTwice(name) => parameter(name, "the parameter is given more than once".into()),
            ListingError::UnknownParameter(name) => {
                let names = parameters(collection, export);
                // A key under a wrong name is no less a key: it is told what it should be called, and not repeated.
                let all: Vec<&str> = names.iter().copied().chain(app.key_parameters.names()).collect();
                let near = suggests.then(|| nearest(name, &all)).flatten();
                let detail = format!("there is no parameter {}{}", shorten(name), did_you_mean(near));
                let suggestion = near.map(str::to_owned);
                Self { accepted: Some(one_of(&names)), suggestion, ..parameter(name, detail) }
            }
            ListingError::NotAFilter { name, field, takes } => {
                let takes: Vec<String> =
                    takes.iter().map(|operator| format!("{field}.{}", operator.name())).collect();
                let takes: Vec<&str> = takes.iter().map(String::as_str).collect();
                let near = suggests.then(|| nearest(name, &takes)).flatten();
                let detail = format!("there is no filter {}{}", shorten(name), did_you_mean(near));
                let suggestion = near.map(str::to_owned);
                Self { accepted: Some(one_of(&takes)), suggestion, ..parameter(name, detail) }
            }
            ListingError::CountOutOfRange { name, limit } => {
                let accepted = format!("an integer from 1 to {limit}");
                let detail = format!("the text is not {accepted}");
                Self { accepted: Some(accepted), ..parameter(name, detail) }
            }
            ListingError::PartOutOfRange(name) => {
                let accepted = format!("a text of 1 to {LONGEST_PART} characters");
                let detail = format!("the text is not {accepted}, case and accents aside");
                Self { accepted: Some(accepted), ..parameter(name, detail) }
            }
            ListingError::SearchOutOfRange(name) => {
                let accepted = format!("1 to {MOST_WORDS} words, and at most {LONGEST} characters");
                Self {
                    accepted: Some(accepted.clone()),
                    ..parameter(name, format!("the text is not {accepted}"))
                }
            }
            ListingError::Names { parameter: name, reason } => {
                let names = names(collection, name);
                let unknown = if let NamesError::Unknown(unknown) = reason { Some(unknown) } else { None };
                let near = unknown.filter(|_| suggests).and_then(|unknown| nearest(unknown, &names));
                let detail = names_message(collection.name(), reason) + &did_you_mean(near);
                let accepted = format!("names separated by commas, each {}", one_of(&names));
                let suggestion = near.map(str::to_owned);
                Self { accepted: Some(accepted), suggestion, ..parameter(name, detail) }
            }
            ListingError::AfterBesideOffset { after, offset } => {
                parameter(after, format!("it cannot be given together with {offset}"))
            }
            ListingError::Refused { name, why } => {
                let (_, accepted) = mismatch(collection, export, name);
                Self { accepted: Some(accepted), ..parameter(name, why.to_string()) }
            }
            ListingError::DoesNotValidate(name) => {
                let (detail, accepted) = mismatch(collection, export, name);
                Self { accepted: Some(accepted), ..parameter(name, detail) }
            }
        };
        Self { value: fault.given.clone(), ..entry }
    }
}

/// Why the text of a parameter is refused, and what it takes.
fn mismatch(collection: &Collection, export: Option<Format>, name: &str) -> (String, String) {
    match export.and_then(|format| Choice::find(collection, format, name)) {
        Some(Choice::Spreadsheet) => {
            return ("the text is not true or false".into(), "true or false".into());
        }
        Some(Choice::Vcard) => {
            let versions = Version::ALL.map(Version::name);
            return (format!("the text is not {}", one_of(&versions)), one_of(&versions));
        }
        None => {}
    }
    let (field, operator) = name.split_once('.').unwrap_or((name, ""));
    if let Some(on) = Column::find(collection, field) {
        let (kind, _) = on.kind(collection);
        let values = || on.field(collection).map_or_else(|| values(kind), filter_values);
        return match Operator::NAMED.into_iter().find(|named| named.name() == operator) {
            Some(Operator::Null) => ("the text is not true or false".into(), "true or false".into()),
            None | Some(Operator::Ne | Operator::In) => (mismatch_of_text(kind), values()),
            Some(_) if kind.is_text() => (
                "the text has the character U+0000, or nothing that could be compared".into(),
                "a text with a character that is no accent and no space".into(),
            ),
            Some(_) => (mismatch_of_text(kind), values()),
        };
    }
    if Control::of(collection, name) == Some(Control::Search) {
        return ("the text has the character U+0000".into(), "words".into());
    }
    if Control::of(collection, name) == Some(Control::After) {
        return (
            "the text is no cursor, or one of another collection, another sort or another search".into(),
            "the cursor of a Link, or nothing to begin at the start".into(),
        );
    }
    ("the text is not an integer from 0 on".into(), format!("an integer from 0 to {}", i64::MAX))
}

/// What a list of names may name.
fn names<'a>(collection: &'a Collection, parameter: &str) -> Vec<&'a str> {
    let fields = collection.fields().iter();
    match Control::parse(parameter) {
        Some(Control::Expand) => fields.filter(|field| field.is_expandable()).map(Field::name).collect(),
        Some(Control::Fields) => fields.map(Field::name).chain([ID, RESSOURCE_URI]).collect(),
        _ => fields.map(Field::name).chain([ID]).collect(),
    }
}

/// The parameters of a list or an export, without operators, and without those that carry an access key.
fn parameters(collection: &Collection, export: Option<Format>) -> Vec<&str> {
    let fields = collection.fields().iter().map(Field::name);
    if let Some(format) = export {
        let controls = Control::ALL.into_iter().filter(|control| format.takes(*control));
        let controls = controls.filter(|control| Control::of(collection, control.name()).is_some());
        let choices = Choice::of(format).iter().map(|choice| choice.name_in(collection));
        let mut names: Vec<&str> = fields.chain([ID]).collect();
        names.extend(controls.map(|control| -> &str { control.name() }));
        names.extend(choices.map(|choice| -> &str { choice }));
        return names;
    }
    let pages = collection.pagination().into_iter();
    let pages = pages.flat_map(|pages| [pages.offset_key.as_str(), pages.count_key.as_str()]);
    let mut names: Vec<&str> = fields.chain([ID]).chain(pages).collect();
    for control in Control::ALL {
        if Control::of(collection, control.name()).is_some() {
            names.push(control.name());
        }
    }
    names
}
