//! The faults of a body or a query: the first one ends the reading, or all of them are collected.
//!
//! Both are the same reading with another collector, so they cannot disagree about the first fault.

/// The most faults that are collected; the others are counted.
pub const MOST_FAULTS: usize = 100;
/// How many characters of a client's own text are kept with a fault.
pub const LONGEST_GIVEN: usize = 100;

/// One fault, and what was given where that is what is wrong: JSON as it was written, or the text of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<E> {
    pub error: E,
    pub given: Option<String>,
}

/// All faults of a body or a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<E> {
    /// In the order in which they are judged, at most [`MOST_FAULTS`].
    pub faults: Vec<Fault<E>>,
    /// How many there are besides.
    pub more: usize,
}

/// Where the reading of a body or a query reports its faults.
pub struct Collector<E> {
    /// `None` where the first fault ends the reading.
    found: Option<Found<E>>,
}

impl<E> Collector<E> {
    /// One that ends the reading at the first fault.
    pub fn first() -> Self {
        Self { found: None }
    }

    /// Notes a fault. `Err` where it ends the reading.
    pub fn report(&mut self, error: E, given: Option<&str>) -> Result<(), E> {
        let Some(found) = &mut self.found else { return Err(error) };
        if found.faults.len() < MOST_FAULTS {
            found.faults.push(Fault { error, given: given.map(shorten) });
        } else {
            found.more += 1;
        }
        Ok(())
    }

    /// The value, or `None` where a fault was noted in its place.
    pub fn accept<T>(&mut self, value: Result<T, E>, given: &str) -> Result<Option<T>, E> {
        match value {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.report(error, Some(given)).map(|()| None),
        }
    }
}

/// Runs a reading to its end and gives all of its faults.
pub fn collect<T, E>(read: impl FnOnce(&mut Collector<E>) -> Result<T, E>) -> Found<E> {
    let mut collector = Collector { found: Some(Found { faults: Vec::new(), more: 0 }) };
    // A body that cannot be read at all ends the reading whoever collects.
    if let Err(error) = read(&mut collector) {
        let _ = collector.report(error, None);
    }
    collector.found.unwrap_or(Found { faults: Vec::new(), more: 0 })
}

/// A client's own text, cut where it would become the larger part of an answer.
pub fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_GIVEN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// What is said where another record has the same values in the fields of a unique rule.
pub fn not_unique(fields: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = fields.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [field] => format!("{field} must be unique"),
        fields => format!("{} must be unique together", fields.join(",")),
    }
}
