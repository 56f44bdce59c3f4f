//! A field: its kind, whether it must have a value, what it refers to.

use std::borrow::Cow;

use super::card_property::CardProperty;
use super::date::{Date, Datetime};
use super::name::FieldName;
use super::rule::{Mismatch, TextRules};
use super::wording::Wording;

/// A value as a configuration writes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// A day or a moment without quotes, as TOML knows them.
    Bare(String),
}

/// What values a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Any Unicode text except U+0000.
    String,
    /// 64 bits, exact.
    Integer,
    /// Any finite double.
    Float,
    Boolean,
    /// A day, without a time of day.
    Date,
    /// A moment, to the microsecond.
    Datetime,
}

impl FieldKind {
    /// What the id of a record is, and so a field that refers to one.
    pub const OF_IDS: FieldKind = FieldKind::Integer;
    /// Every kind there is.
    pub const ALL: [FieldKind; 6] = [
        FieldKind::String,
        FieldKind::Integer,
        FieldKind::Float,
        FieldKind::Boolean,
        FieldKind::Date,
        FieldKind::Datetime,
    ];

    /// Its name in the configuration and in `/schema/`.
    pub fn name(self) -> &'static str {
        match self {
            FieldKind::String => "string",
            FieldKind::Integer => "integer",
            FieldKind::Float => "float",
            FieldKind::Boolean => "boolean",
            FieldKind::Date => "date",
            FieldKind::Datetime => "datetime",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it holds texts: they are compared byte for byte, and may be empty.
    pub fn is_text(self) -> bool {
        match self {
            FieldKind::String => true,
            FieldKind::Integer
            | FieldKind::Float
            | FieldKind::Boolean
            | FieldKind::Date
            | FieldKind::Datetime => false,
        }
    }

    /// Whether it holds days.
    pub fn is_day(self) -> bool {
        self == FieldKind::Date
    }

    /// A literal as a value of this kind, if it is one.
    pub fn take(self, literal: &Literal) -> Option<Literal> {
        match (self, literal) {
            (FieldKind::String, Literal::Text(text)) => (!text.contains('\0')).then(|| literal.clone()),
            (FieldKind::Integer, Literal::Integer(_)) | (FieldKind::Boolean, Literal::Boolean(_)) => {
                Some(literal.clone())
            }
            // Adding zero makes one of the two zeros.
            (FieldKind::Float, Literal::Float(float)) => {
                float.is_finite().then_some(Literal::Float(*float + 0.0))
            }
            (FieldKind::Float, Literal::Integer(integer)) => Some(Literal::Float(*integer as f64)),
            (FieldKind::Date, Literal::Text(text) | Literal::Bare(text)) => {
                Date::parse(text).map(|day| Literal::Text(day.to_string()))
            }
            (FieldKind::Datetime, Literal::Text(text) | Literal::Bare(text)) => {
                Datetime::parse(text).map(|moment| Literal::Text(moment.to_string()))
            }
            _ => None,
        }
    }

    /// Whether it makes sense to ask for what stands before or behind a value.
    pub fn has_ranges(self) -> bool {
        match self {
            FieldKind::String
            | FieldKind::Integer
            | FieldKind::Float
            | FieldKind::Date
            | FieldKind::Datetime => true,
            FieldKind::Boolean => false,
        }
    }
}

/// What a delete of the record that is referred to does to those that refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// The delete is refused.
    Restrict,
    /// The reference is cleared.
    SetNull,
    /// The referring records are deleted too.
    Cascade,
}

impl OnDelete {
    /// Every rule there is.
    pub const ALL: [OnDelete; 3] = [OnDelete::Restrict, OnDelete::SetNull, OnDelete::Cascade];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            OnDelete::Restrict => "restrict",
            OnDelete::SetNull => "set_null",
            OnDelete::Cascade => "cascade",
        }
    }

    /// The rule of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// A reference to the `id` of a record of a collection declared above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The position of the target in [`super::Catalog::collections`].
    pub target: usize,
    pub on_delete: OnDelete,
    /// Whether records of the target can be fetched, and so be shown with those that refer to them.
    pub is_fetched: bool,
}

/// One declared field.
#[derive(Debug)]
pub struct Field {
    pub(super) name: FieldName,
    pub(super) kind: FieldKind,
    pub(super) rules: TextRules,
    pub(super) default: Option<Literal>,
    pub(super) required: bool,
    pub(super) reference: Option<Reference>,
    pub(super) target_name: Option<String>,
    pub(super) keeps_order: bool,
    pub(super) is_searchable: bool,
    pub(super) card_property: Option<CardProperty>,
    pub(super) wording: Wording,
    pub(super) member: String,
}

impl Field {
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    pub fn kind(&self) -> FieldKind {
        self.kind
    }

    /// What its texts must be besides, where it holds texts.
    pub fn rules(&self) -> &TextRules {
        &self.rules
    }

    /// What it holds where a create leaves it out, known to fit; `None`: nothing.
    pub fn default(&self) -> Option<&Literal> {
        self.default.as_ref()
    }

    /// Whether a create must say something of it.
    pub fn must_be_given(&self) -> bool {
        self.required && self.default.is_none()
    }

    /// What is wrong with a text that is no value of its kind, where there is more to say than that.
    pub fn mismatch(&self) -> Option<Mismatch> {
        match self.kind {
            FieldKind::Date => Some(Mismatch::NotADay),
            FieldKind::Datetime => Some(Mismatch::NotAMoment),
            FieldKind::String | FieldKind::Integer | FieldKind::Float | FieldKind::Boolean => {
                self.rules.mismatch()
            }
        }
    }

    pub fn is_required(&self) -> bool {
        self.required
    }

    pub fn reference(&self) -> Option<Reference> {
        self.reference
    }

    /// Whether the record that it refers to can be shown with its own (`expand`).
    pub fn is_expandable(&self) -> bool {
        self.reference.is_some_and(|reference| reference.is_fetched)
    }

    /// The name of the collection that it refers to.
    pub fn target_name(&self) -> Option<&str> {
        self.target_name.as_deref()
    }

    /// Whether records stay sorted by it in memory, from the start and whatever it takes.
    pub fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    /// Whether its words are looked through by a search; it holds texts then.
    pub fn is_searchable(&self) -> bool {
        self.is_searchable
    }

    /// What of a vCard it was declared to be; where nothing is declared, its name may say it.
    pub fn card_property(&self) -> Option<&CardProperty> {
        self.card_property.as_ref()
    }

    /// What people call it.
    pub fn wording(&self) -> &Wording {
        &self.wording
    }

    /// The beginning of its member in JSON, `"name":`, made once.
    pub fn member(&self) -> &str {
        &self.member
    }

    /// A value that it would accept, as text: shown in `/schema/`, in OpenAPI and in the greeting.
    pub fn example(&self) -> Cow<'static, str> {
        let example = match (self.kind, self.name()) {
            (FieldKind::Integer, _) => "42",
            (FieldKind::Float, _) => "1.5",
            (FieldKind::Boolean, _) => "true",
            (FieldKind::Date, _) => "1815-12-10",
            (FieldKind::Datetime, _) => "2027-01-31T12:00:00Z",
            // Words that a person would write there, for the names that are met most.
            (FieldKind::String, "first_name") => "Ada",
            (FieldKind::String, "last_name") => "Lovelace",
            (FieldKind::String, "name") => "Ada Lovelace",
            (FieldKind::String, "email") => "ada@example.org",
            (FieldKind::String, "country") => "France",
            (FieldKind::String, "city") => "Paris",
            (FieldKind::String, "street") => "quai de Valmy",
            (FieldKind::String, _) => "text",
        };
        match self.kind.is_text() {
            true => self.rules.example(example).into(),
            false => example.into(),
        }
    }
}
