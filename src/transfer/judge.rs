//! What an entry says, as values that fit their fields, or all that is wrong with it.

use super::entry::{Entry, Fault, Given, Target};
use super::remedy::Remedy;
use super::source::name_of;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::record::fault::shorten;
use crate::record::{RecordId, Value, judge};

/// An entry that can be stored, as far as it can tell by itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub(super) line: u64,
    pub(super) id: Option<RecordId>,
    /// The values that are given, each with the position of its field, in the order of the fields.
    pub(super) values: Vec<(usize, Value)>,
    /// The records that are referred to by what they hold, each with the position of the reference.
    pub(super) parts: Vec<(usize, Vec<Value>)>,
}

/// Judges entries of one collection.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) collection: &'a Collection,
    /// Whether texts come from a spreadsheet, which writes TRUE and FALSE.
    pub(super) spreadsheet: bool,
    /// Whether entries are cards, which have many lines.
    pub(super) is_card: bool,
}

impl Judge<'_> {
    /// All faults of an entry, or what it says.
    pub(super) fn judge(&self, entry: Entry) -> Result<Judged, Vec<Fault>> {
        let line = entry.line;
        let mut faults = Vec::new();
        let mut judged = Judged { line, id: None, values: Vec::new(), parts: Vec::new() };
        let mut parts: Vec<(usize, Vec<Option<Value>>)> = Vec::new();
        // What was given for these is wrong, which is said once.
        let mut wrong: Vec<Target> = Vec::new();
        for (target, given) in entry.given {
            let value = match target {
                Target::Id => {
                    judged.id = self.id(line, given, &mut faults);
                    continue;
                }
                Target::Field(position) => self.value(&self.collection.fields()[position], &given),
                Target::Part { reference, field } => match self.target(reference) {
                    // Said below, with what can be done about it.
                    Some(found) if given == Given::Nothing && found.fields()[field].must_be_given() => {
                        continue;
                    }
                    Some(found) => self.value(&found.fields()[field], &given),
                    None => continue,
                },
            };
            let value = match value {
                Ok(value) => value,
                Err(why) => {
                    let name = name_of(self.catalog, self.collection, target);
                    faults.push(self.fault(line, &format!("{name} {why}")));
                    wrong.push(target);
                    continue;
                }
            };
            match target {
                Target::Field(position) => judged.values.push((position, value)),
                Target::Part { reference, field } => {
                    let at = parts.iter().position(|(known, _)| *known == reference).unwrap_or_else(|| {
                        let fields = self.target(reference).map_or(0, |target| target.fields().len());
                        parts.push((reference, vec![None; fields]));
                        parts.len() - 1
                    });
                    parts[at].1[field] = Some(value);
                }
                Target::Id => {}
            }
        }
        for (reference, values) in parts {
            let Some(target) = self.target(reference) else { continue };
            let mut whole = Vec::with_capacity(values.len());
            for (position, (field, value)) in target.fields().iter().zip(values).enumerate() {
                let is_wrong = wrong.contains(&Target::Part { reference, field: position });
                if value.is_none() && field.must_be_given() && !is_wrong {
                    faults.push(self.missing_part(line, reference, field));
                }
                whole.push(value.unwrap_or_else(|| Value::default_of(field)));
            }
            judged.parts.push((reference, whole));
        }
        judged.values.sort_by_key(|(position, _)| *position);
        if faults.is_empty() { Ok(judged) } else { Err(faults) }
    }

    /// What is wrong with the entry on this line.
    pub(super) fn fault(&self, line: u64, what: &str) -> Fault {
        let place = if self.is_card { "the card at line" } else { "line" };
        Fault::new(line, format!("{place} {line}: {what}"))
    }

    /// The collection that a field refers to.
    pub(super) fn target(&self, reference: usize) -> Option<&Collection> {
        self.collection.fields()[reference].reference().map(|found| self.catalog.at(found.target))
    }

    /// The fields that a new record would lack.
    pub(super) fn missing<'s>(&'s self, judged: &'s Judged) -> impl Iterator<Item = &'s Field> {
        self.collection
            .fields()
            .iter()
            .enumerate()
            .filter(|(position, field)| {
                field.must_be_given()
                    && judged.values.iter().all(|(given, _)| given != position)
                    && judged.parts.iter().all(|(given, _)| given != position)
            })
            .map(|(_, field)| field)
    }

    fn id(&self, line: u64, given: Given, faults: &mut Vec<Fault>) -> Option<RecordId> {
        let (text, shown) = match &given {
            Given::Nothing => return None,
            Given::Text(text) => (text, format!("\"{}\"", shorten(text))),
            Given::Json(json) => (json, shorten(json)),
        };
        let id = RecordId::parse(text);
        if id.is_none() {
            faults.push(self.fault(line, &format!("id does not validate: {shown}")));
        }
        id
    }

    fn value(&self, field: &Field, given: &Given) -> Result<Value, String> {
        let (text, judged) = match given {
            Given::Nothing if field.is_required() => return Err("is missing".to_owned()),
            Given::Nothing => return Ok(Value::Null),
            Given::Text(text) => {
                let plain = match text.as_str() {
                    "TRUE" if self.reads_booleans(field) => "true",
                    "FALSE" if self.reads_booleans(field) => "false",
                    text => text,
                };
                (text, judge::from_text(field, plain))
            }
            Given::Json(json) => (json, judge::from_json(field, json)),
        };
        judged.map_err(|why| match (why, given) {
            (Some(why), _) => format!("does not validate: {why}"),
            (None, Given::Json(_)) => format!("does not validate: {}", shorten(text)),
            (None, _) => format!("does not validate: \"{}\"", shorten(text)),
        })
    }

    /// What is said of a record that is referred to by what it holds, and lacks a field.
    fn missing_part(&self, line: u64, reference: usize, field: &Field) -> Fault {
        let name = field.name();
        let own = format!("{}.{name}", self.collection.fields()[reference].name());
        let words = match name {
            "number" if self.is_card => format!("ADR has no house number, and {name} is required"),
            _ => format!("{own} is missing"),
        };
        let fault = self.fault(line, &words);
        if name == "number" { fault.with(Remedy::Fill(own)) } else { fault }
    }

    fn reads_booleans(&self, field: &Field) -> bool {
        self.spreadsheet && !field.kind().is_text()
    }
}
