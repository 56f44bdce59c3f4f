//! From what was declared to a [`Catalog`], or to everything that is wrong with it.
//!
//! A [`Fault`] says where by a path of keys (`collection`, 1, `fields`, `address`, `references`); `config`
//! knows on which line that stands.

mod check;
mod rules;

use super::Catalog;
use super::field::Literal;
use super::wording::Wording;
use check::Checker;

/// A collection as somebody wrote it down; nothing about it is known to be right.
#[derive(Debug, Clone, Default)]
pub struct Declaration {
    pub name: String,
    pub show_id: bool,
    pub fields: Vec<FieldDeclaration>,
    pub unique: Vec<Vec<String>>,
    pub list_verbs: Vec<String>,
    pub unique_verbs: Vec<String>,
    pub pagination: Option<PaginationDeclaration>,
    pub authentication: bool,
    pub authorization: bool,
    pub rate_limit: Option<RateLimitDeclaration>,
    pub wording: Wording,
    /// What its records are called: text, with names of fields in braces.
    pub title: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct FieldDeclaration {
    pub name: String,
    pub kind: String,
    pub required: bool,
    pub references: Option<String>,
    pub on_delete: Option<String>,
    pub keep_order: bool,
    pub searchable: bool,
    pub format: Option<String>,
    pub choices: Option<Vec<String>>,
    pub max_length: Option<i64>,
    pub default: Option<Literal>,
    /// The property of a vCard that it is.
    pub vcard: Option<String>,
    pub wording: Wording,
}

#[derive(Debug, Clone)]
pub struct PaginationDeclaration {
    pub page_size: i64,
    pub offset_key: String,
    pub count_key: String,
}

#[derive(Debug, Clone, Copy)]
pub struct RateLimitDeclaration {
    pub quota: i64,
    pub interval: i64,
}

/// One step on the way to the key that a fault is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(usize),
}

/// One thing that is wrong with a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub path: Vec<Step>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// How to mend it.
    pub remedy: Remedy,
}

/// How a fault is mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// In these words.
    Advice(String),
    /// With one of these instead of `given`; the nearest is worth naming first.
    OneOf { given: String, choices: Vec<String> },
}

impl Remedy {
    fn one_of<'a>(given: &str, choices: impl IntoIterator<Item = &'a str>) -> Self {
        let choices = choices.into_iter().map(str::to_owned).collect();
        Self::OneOf { given: given.to_owned(), choices }
    }
}

impl Catalog {
    /// Makes the catalog, or says everything that stands against it.
    ///
    /// `key_parameters` are the query parameters that carry an access key: no field may be called so.
    pub fn declare(declarations: &[Declaration], key_parameters: &[&str]) -> Result<Self, Vec<Fault>> {
        Checker::check(declarations, key_parameters).map(|collections| Self { collections })
    }
}
