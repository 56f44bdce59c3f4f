//! The forms of files, and what can be chosen of each.

use super::vcard::VcardMapping;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    Jsonl,
    Vcard,
}

impl Format {
    /// Every one there is.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Jsonl, Format::Vcard];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Vcard => "vcard",
        }
    }

    /// How the names of its files end.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Vcard => "vcf",
            _ => self.name(),
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Jsonl => "application/x-ndjson",
            Self::Vcard => "text/vcard; charset=utf-8",
        }
    }

    /// The same without its parameters.
    pub fn media_type(self) -> &'static str {
        self.content_type().split(';').next().unwrap_or_default()
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The one whose files end so.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.ending() == ending)
    }

    /// What a file to be read is, by the ending of its name, with the delimiter that it says besides.
    pub fn of_name(name: &str) -> Option<(Self, Option<u8>)> {
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        match ending.as_str() {
            "tsv" => Some((Self::Csv, Some(b'\t'))),
            "ndjson" | "json" => Some((Self::Jsonl, None)),
            ending => Some((Self::of_ending(ending)?, None)),
        }
    }

    /// Whether its exports have this parameter of a list.
    pub fn takes(self, control: Control) -> bool {
        match control {
            Control::Search => true,
            Control::Expand => self != Self::Vcard,
            Control::Sort | Control::Fields | Control::After => false,
        }
    }

    /// The reference that is followed in every export of this form: a card has an address. Records that nobody can fetch
    /// are in no card.
    pub fn follows(self, catalog: &Catalog, collection: &Collection) -> Option<usize> {
        let reference = match self {
            Self::Vcard => VcardMapping::of(catalog, collection).address_reference(),
            Self::Csv | Self::Jsonl => None,
        };
        reference.filter(|&position| collection.fields()[position].is_expandable())
    }
}

/// A parameter of an export that a list has not. Where a field has its name, that one keeps it, and the long form, with
/// an underscore before it, is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Spreadsheet,
    Vcard,
}

impl Choice {
    /// What exports of this form take.
    pub fn of(format: Format) -> &'static [Choice] {
        match format {
            Format::Csv => &[Choice::Spreadsheet],
            Format::Jsonl => &[],
            Format::Vcard => &[Choice::Vcard],
        }
    }

    /// The shortest name that it goes by in this collection.
    pub fn name_in(self, collection: &Collection) -> &'static str {
        let long = match self {
            Self::Spreadsheet => "_spreadsheet",
            Self::Vcard => "_vcard",
        };
        if collection.has_parameter(&long[1..]) { long } else { &long[1..] }
    }

    /// What a parameter of this name chooses.
    pub fn find(collection: &Collection, format: Format, name: &str) -> Option<Self> {
        let is_named = |choice: &Choice| {
            let short = choice.name_in(collection);
            name == short || name.strip_prefix('_') == Some(short)
        };
        Self::of(format).iter().copied().find(is_named)
    }
}
