//! A row of a CSV file as what it gives, by its columns.

use super::columns::{self, Columns, Use};
use super::csv::Row;
use super::entry::{Entry, Fault, Given, TWO_RECORDS, Target, UNCLEAR};
use super::programs::{Unclear, birthday};
use super::vcard::split_street;
use crate::catalog::collection::Collection;
use crate::record::representation::id_of;

/// What Google writes between the values of one cell.
const JOINT: &str = " ::: ";

impl Columns {
    /// What a row gives that has a cell for each column. What of it nobody takes is named.
    pub(super) fn entry(
        &self,
        mut row: Row,
        collection: &Collection,
        is_spreadsheet: bool,
        mut not_taken: impl FnMut(&str),
    ) -> Result<Entry, Fault> {
        let mut given = Vec::with_capacity(self.uses.len());
        for (at, used) in self.uses.iter().enumerate() {
            // Those of a day are read with it.
            if matches!(used, Use::OfDay | Use::Ignored) {
                continue;
            }
            let mut cell = row.cells[at].take();
            if is_spreadsheet {
                cell = cell.map(unguarded);
            }
            if self.joins_values
                && let Some(text) = &mut cell
                && let Some(end) = text.find(JOINT)
            {
                text.truncate(end);
                not_taken(&format!("{}+", self.names[at]));
            }
            match used {
                Use::Day { target, beside } => {
                    let beside = beside.map(|[year, month]| [&row.cells[year], &row.cells[month]]);
                    match birthday(cell.as_deref(), beside) {
                        Ok(day) => given.push((*target, columns::given(day))),
                        Err(Unclear) => {
                            not_taken(&format!("{}.{UNCLEAR}", self.names[at]));
                        }
                    }
                }
                Use::Field(target) => given.push((*target, columns::given(cell))),
                Use::OwnPath => {
                    let id = cell.map(|path| match id_of(collection, &path) {
                        Some(id) => id.to_string(),
                        // It is no id either, and is refused as it stands.
                        None => path,
                    });
                    given.push((Target::Id, columns::given(id)));
                }
                Use::Street { street, number } => match cell {
                    None => given.push((*street, Given::Nothing)),
                    Some(text) => {
                        let (found, name) = split_street(&text)
                            .map_or((None, text.as_str()), |(found, name)| (Some(found), name));
                        given.push((*street, Given::Text(name.to_owned())));
                        given.extend(found.map(|found| (*number, Given::Text(found.to_string()))));
                    }
                },
                Use::OfDay | Use::Ignored => {}
            }
        }
        one_id(row.line, &mut given)?;
        Ok(Entry { line: row.line, given })
    }
}

/// A row may have the id of its record and its path. Both say the same, or one of them nothing.
fn one_id(line: u64, given: &mut Vec<(Target, Given)>) -> Result<(), Fault> {
    let mut ids = given.iter().filter(|(target, id)| *target == Target::Id && *id != Given::Nothing);
    let (one, other) = (ids.next().cloned(), ids.next());
    if other.is_some() && other != one.as_ref() {
        return Err(Fault::at(line, TWO_RECORDS));
    }
    if let Some(one) = one {
        given.retain(|(target, _)| *target != Target::Id);
        given.push(one);
    }
    Ok(())
}

/// A text of a spreadsheet without the guard that kept it from being a formula.
fn unguarded(cell: String) -> String {
    let behind = cell.trim_start_matches('\'');
    let is_guarded = behind.len() < cell.len() && behind.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_guarded { cell[1..].to_owned() } else { cell }
}
