//! By which unique rule an upsert finds its record.

use std::borrow::Cow;

use crate::catalog::collection::Collection;

/// The parameter that names a rule.
pub const BY: &str = "by";

/// Why there is no such rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleError {
    NotAParameter(String),
    GivenTwice,
    /// The rules that there are.
    Unknown(Vec<String>),
}

/// Reads the query of an upsert: the position of the rule that it names, or of the first. Nothing else may be there, so
/// that nobody takes it for an update by filter.
pub fn parse<'a>(
    collection: &Collection,
    pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
) -> Result<usize, RuleError> {
    let mut by = None;
    for (name, value) in pairs {
        if name != BY {
            return Err(RuleError::NotAParameter(name.clone().into_owned()));
        }
        if by.replace(value.as_ref()).is_some() {
            return Err(RuleError::GivenTwice);
        }
    }
    rule(collection, by)
}

/// The position of the rule that is named so, or of the first.
pub fn rule(collection: &Collection, by: Option<&str>) -> Result<usize, RuleError> {
    let mut names = collection.unique().iter().map(|rule| collection.rule_name(rule));
    let found = match by {
        Some(by) => names.position(|name| name == by),
        None => names.next().map(|_| 0),
    };
    let all = || collection.unique().iter().map(|rule| collection.rule_name(rule)).collect();
    found.ok_or_else(|| RuleError::Unknown(all()))
}
