//! What stands behind the dot of a filter, `number.gte`: which fields take it, and what it makes of a text.

use super::condition::{Comparison, Condition};
use super::{Column, ListingError};
use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::catalog::rule::Mismatch;
use crate::record::{Value, fold, judge};

/// The most characters that `prefix` and `contains` take, counted in the fold.
pub const LONGEST_PART: usize = 64;

/// How a filter compares. Ordered as messages and documents list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// Without a dot.
    Equals,
    Ne,
    In,
    Null,
    Lt,
    Lte,
    Gt,
    Gte,
    Folded,
    Prefix,
    Contains,
}

impl Operator {
    /// Those that are written behind a dot.
    pub const NAMED: [Operator; 10] = [
        Operator::Ne,
        Operator::In,
        Operator::Null,
        Operator::Lt,
        Operator::Lte,
        Operator::Gt,
        Operator::Gte,
        Operator::Folded,
        Operator::Prefix,
        Operator::Contains,
    ];

    /// What is written behind the dot; nothing for equality.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equals => "",
            Self::Ne => "ne",
            Self::In => "in",
            Self::Null => "null",
            Self::Lt => "lt",
            Self::Lte => "lte",
            Self::Gt => "gt",
            Self::Gte => "gte",
            Self::Folded => "folded",
            Self::Prefix => "prefix",
            Self::Contains => "contains",
        }
    }

    /// The operators that a column takes.
    pub fn of(collection: &Collection, on: Column) -> impl Iterator<Item = Self> {
        let (kind, is_required) = on.kind(collection);
        Self::NAMED.into_iter().filter(move |operator| operator.is_for(kind, is_required))
    }

    fn is_for(self, kind: FieldKind, is_required: bool) -> bool {
        match self {
            Self::Equals | Self::Ne | Self::In => true,
            Self::Null => !is_required,
            Self::Lt | Self::Lte | Self::Gt | Self::Gte => kind.has_ranges(),
            Self::Folded | Self::Prefix | Self::Contains => kind.is_text(),
        }
    }

    /// The side of the bound that it asks for, where it asks for a range.
    fn comparison(self) -> Option<Comparison> {
        match self {
            Self::Lt => Some(Comparison::Less),
            Self::Lte => Some(Comparison::LessOrEqual),
            Self::Gt => Some(Comparison::Greater),
            Self::Gte => Some(Comparison::GreaterOrEqual),
            _ => None,
        }
    }

    /// What the parameter of this name asks for with a text. The one condition of `in` is that of one of its values.
    pub(super) fn condition(
        self,
        collection: &Collection,
        on: Column,
        name: &str,
        text: &str,
    ) -> Result<Condition, ListingError> {
        let (kind, is_required) = on.kind(collection);
        let value = |text: &str| match on.field(collection) {
            Some(field) => judge::from_query(field, text),
            None => Value::from_query(kind, text).ok_or(None),
        };
        let refuse = |why: Option<Mismatch>| match why {
            Some(why) => ListingError::Refused { name: name.to_owned(), why },
            None => ListingError::DoesNotValidate(name.to_owned()),
        };
        let condition = match self {
            Self::Equals | Self::In | Self::Ne => {
                let plain = match text {
                    "" => empty(kind, is_required),
                    text => Condition::Equals(value(text).map_err(refuse)?),
                };
                Some(if self == Self::Ne { Condition::Not(Box::new(plain)) } else { plain })
            }
            Self::Null => match text {
                "true" => Some(Condition::Absent),
                "false" => Some(Condition::Not(Box::new(Condition::Absent))),
                _ => None,
            },
            Self::Prefix | Self::Contains => {
                let part = (!text.contains('\0')).then(|| fold::fold(text));
                if part.as_ref().is_some_and(|part| !(1..=LONGEST_PART).contains(&part.chars().count())) {
                    return Err(ListingError::PartOutOfRange(name.to_owned()));
                }
                part.map(if self == Self::Prefix { Condition::Prefix } else { Condition::Contains })
            }
            Self::Folded => folded(text, fold::fold).map(Condition::Folded),
            Self::Lt | Self::Lte | Self::Gt | Self::Gte => {
                let bound = if kind.is_text() {
                    folded(text, fold::sort_key).and_then(|key| Value::from_query(kind, &key))
                } else {
                    Some(value(text).map_err(refuse)?)
                };
                self.comparison().zip(bound).map(|(comparison, bound)| Condition::Compare(comparison, bound))
            }
        };
        condition.ok_or_else(|| refuse(None))
    }
}

/// What an empty text asks for: no value, and where a value may be empty, that one.
fn empty(kind: FieldKind, is_required: bool) -> Condition {
    match (Value::from_query(kind, ""), is_required) {
        (Some(empty), true) => Condition::Equals(empty),
        (Some(_), false) => Condition::AbsentOrEmpty,
        (None, true) => Condition::Never,
        (None, false) => Condition::Absent,
    }
}

/// The fold of a text; `None` where nothing is left that could be compared.
fn folded(text: &str, fold: fn(&str) -> String) -> Option<String> {
    (!text.contains('\0')).then(|| fold(text)).filter(|folded| !folded.is_empty())
}
