//! The words for a query that is refused.

use std::borrow::Cow;

use super::messages::echo;
use crate::http::query::{MAX_PAIRS, QueryError};
use crate::record::listing::operator::LONGEST_PART;
use crate::record::listing::search::{LONGEST, MOST_WORDS};
use crate::record::listing::sort::MOST_NAMES;
use crate::record::listing::{ListingError, NamesError, Operator};
use crate::record::upsert::{BY, RuleError};

pub(super) fn query_message(error: QueryError) -> Cow<'static, str> {
    match error {
        QueryError::BadPercent => {
            "The query has a % that is not followed by two hexadecimal digits. Write %25 for a \
             percent sign"
                .into()
        }
        QueryError::NotUtf8 => "The query is not UTF-8".into(),
        QueryError::TooManyPairs => format!("The query has more than {MAX_PAIRS} parameters").into(),
    }
}

/// Why the query of a list is refused; also said where a command takes one.
pub fn listing_message(collection: &str, error: &ListingError) -> String {
    match error {
        ListingError::UnknownParameter(name) => format!("{} is not a field of {collection}", echo(name)),
        ListingError::NotAFilter { name, field, takes } => {
            format!("{} is not a filter of {collection}: {field} takes {}", echo(name), operators(takes))
        }
        ListingError::GivenTwice(name) => format!("{name} is given twice"),
        ListingError::DoesNotValidate(name) => format!("{name} does not validate"),
        ListingError::Refused { name, why } => format!("{name} does not validate: {why}"),
        ListingError::PartOutOfRange(name) => {
            format!("{name} does not validate: it has 1 to {LONGEST_PART} characters")
        }
        ListingError::SearchOutOfRange(name) => {
            format!(
                "{name} does not validate: it has 1 to {MOST_WORDS} words, and at most {LONGEST} characters"
            )
        }
        ListingError::Names { parameter, reason } => {
            format!("{parameter} does not validate: {}", names_message(collection, reason))
        }
        ListingError::CountOutOfRange { name, limit } => {
            format!("{name} does not validate: it is a number from 1 to {limit}")
        }
        ListingError::AfterBesideOffset { after, offset } => {
            format!("{after} and {offset} exclude each other. Send one of them")
        }
    }
}

/// Why an upsert finds no rule.
pub(super) fn rule_message(error: &RuleError) -> String {
    match error {
        RuleError::NotAParameter(name) => {
            format!("{} is not a parameter of this request: it takes {BY}", echo(name))
        }
        RuleError::GivenTwice => format!("{BY} is given twice"),
        RuleError::Unknown(rules) => format!("{BY} does not validate: it is {}", any_of(rules)),
    }
}

fn any_of(rules: &[String]) -> String {
    rules.join(" or ")
}

fn operators(operators: &[Operator]) -> String {
    operators.iter().map(|operator| operator.name()).collect::<Vec<_>>().join(", ")
}

/// Why a list of names is none.
pub(in crate::api) fn names_message(collection: &str, error: &NamesError) -> String {
    match error {
        NamesError::None => "it names no field".into(),
        NamesError::NotOneToThree => format!("it names 1 to {MOST_NAMES} fields"),
        NamesError::Unknown(name) => format!("{} is not a field of {collection}", echo(name)),
        NamesError::Twice(name) => format!("{name} is named twice"),
        NamesError::NoReference(name) => format!("{name} refers to no collection"),
        NamesError::NotFetched(target) => format!("records of {target} cannot be fetched"),
    }
}
