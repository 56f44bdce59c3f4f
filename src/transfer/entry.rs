//! One entry of a file, as what it gives to the record it becomes.

use super::remedy::Remedy;

/// One entry of a file: a CSV row, a JSON line or a card, as what it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The line on which it begins, from 1.
    pub line: u64,
    pub given: Vec<(Target, Given)>,
}

/// What a part of an entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    Id,
    /// By position.
    Field(usize),
    /// A field of the record that a reference names.
    Part {
        reference: usize,
        field: usize,
    },
}

/// What is given for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// No value: clears the field.
    Nothing,
    /// As in a filter.
    Text(String),
    /// JSON as written.
    Json(String),
}

/// How a day is reported that is none by itself: it has no year, or nobody knows which of its numbers is the month.
pub(super) const UNCLEAR: &str = "unclear";

/// What is said of an entry whose id is not that of its path.
pub(super) const TWO_RECORDS: &str = "id and ressource_uri are of two records";

/// Why an entry or a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub line: u64,
    /// The whole sentence, without its full stop.
    pub words: String,
    /// What could be said about the file instead.
    pub remedy: Option<Remedy>,
}

/// All faults of a file: the first of them, and how many there are.
#[derive(Debug, Default)]
pub struct Faults {
    pub kept: Vec<Fault>,
    pub count: u64,
}

impl Faults {
    /// How many are kept; the others are counted.
    const MOST: usize = 100_000;

    pub fn push(&mut self, fault: Fault) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            self.kept.push(fault);
        }
    }

    pub fn append(&mut self, others: Self) {
        let unkept = others.count - others.kept.len() as u64;
        others.kept.into_iter().for_each(|fault| self.push(fault));
        self.count += unkept;
    }
}

impl Fault {
    pub fn new(line: u64, words: String) -> Self {
        Self { line, words, remedy: None }
    }

    /// What is wrong with the entry on this line.
    pub fn at(line: u64, what: &str) -> Self {
        Self::new(line, format!("line {line}: {what}"))
    }

    pub fn with(self, remedy: Remedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// All of it, with what could be said instead.
    pub fn told(&self) -> String {
        match &self.remedy {
            None => self.words.clone(),
            Some(remedy) => format!("{}. {}", self.words, remedy.words()),
        }
    }
}
