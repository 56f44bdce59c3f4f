//! Which field each column of a CSV file is for.

use super::entry::{Fault, Given, Target};
use super::import::Options;
use super::programs;
use super::remedy::Remedy;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::name::{ID, RESSOURCE_URI};
use crate::record::fold::fold;

/// What is done with the cells of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Use {
    Field(Target),
    /// The path of the record itself.
    OwnPath,
    /// A day as programs write it. Where its year and its month stand in columns of their own, at these positions, this
    /// one is the day of the month.
    Day {
        target: Target,
        beside: Option<[usize; 2]>,
    },
    /// The year or the month of such a day.
    OfDay,
    /// A street with its number, which are two fields.
    Street {
        street: Target,
        number: Target,
    },
    /// The user has said so.
    Ignored,
}

#[derive(Debug, Clone)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) uses: Vec<Use>,
    /// Whether a cell may hold several values, of which the first is taken.
    pub(super) joins_values: bool,
}

impl Columns {
    /// Finds the field of each column, or says what is wrong with the header, all of it.
    pub(super) fn of(
        catalog: &Catalog,
        collection: &Collection,
        names: Vec<String>,
        options: &Options,
    ) -> Result<Self, Vec<Fault>> {
        if names.iter().any(|name| name.contains('\r')) {
            let words =
                "a carriage return stands alone. Save the file with line feeds at the ends of its lines";
            return Err(vec![Fault::at(1, words)]);
        }
        let recognized = programs::recognize(catalog, collection, &names);
        let mut faults = Vec::new();
        let mut uses = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) && !options.ignores(name) {
                faults.push(Fault::at(1, &format!("the column {name} is given twice")));
            }
            let of_program = recognized.targets[at];
            let used = if let Some(target) = options.mapped(name) {
                Some(Use::Field(target))
            } else if options.ignores(name) {
                Some(Use::Ignored)
            } else if recognized.is_known && of_program.is_some() {
                of_program.flatten().map(Use::Field)
            } else if name == RESSOURCE_URI {
                Some(Use::OwnPath)
            } else {
                let named =
                    find(catalog, collection, name).or_else(|| find_folded(catalog, collection, name));
                named.or(of_program.flatten()).map(Use::Field)
            };
            match used {
                Some(used) => uses.push(used),
                None if options.ignore_rest => uses.push(Use::Ignored),
                None => {
                    let words = format!("the column {name} is no field of {}", collection.name());
                    faults.push(Fault::at(1, &words).with(Remedy::Column(name.clone())));
                    uses.push(Use::Ignored);
                }
            }
        }
        split_streets(catalog, collection, &names, &mut uses);
        find_birthdays(collection, &names, &mut uses);
        check_together(collection, &names, &uses, &mut faults);
        let joins_values = recognized.joins_values;
        if faults.is_empty() { Ok(Self { names, uses, joins_values }) } else { Err(faults) }
    }

    /// How many columns are for a field.
    pub(super) fn taken(&self) -> usize {
        self.uses.iter().filter(|used| **used != Use::Ignored).count()
    }
}

/// Two columns for one field, and a reference beside the fields of what it refers to, cannot both be right.
fn check_together(collection: &Collection, names: &[String], uses: &[Use], faults: &mut Vec<Fault>) {
    for (at, used) in uses.iter().enumerate() {
        let Use::Field(target) = used else { continue };
        if let Some(earlier) = uses[..at].iter().position(|earlier| earlier == used)
            && names[earlier] != names[at]
        {
            let words = format!("the columns {} and {} are for one field", names[earlier], names[at]);
            faults.push(Fault::at(1, &words));
        }
        if let Target::Part { reference, .. } = target
            && uses.contains(&Use::Field(Target::Field(*reference)))
        {
            let name = collection.fields()[*reference].name();
            let words = format!("{name} and {} together: give one of them", names[at]);
            faults.push(Fault::at(1, &words));
        }
    }
}

/// Where a program writes street and number into one column, and the address has both.
fn split_streets(catalog: &Catalog, collection: &Collection, names: &[String], uses: &mut [Use]) {
    for at in 0..uses.len() {
        let Use::Field(street @ Target::Part { reference, field }) = uses[at] else { continue };
        if !programs::has_column(&names[at]) {
            continue;
        }
        let Some(target) = collection.fields()[reference].reference().map(|found| catalog.at(found.target))
        else {
            continue;
        };
        if target.fields()[field].name() != "street" {
            continue;
        }
        if let Some(field) = target.find_field("number") {
            let number = Target::Part { reference, field };
            if !uses.contains(&Use::Field(number)) {
                uses[at] = Use::Street { street, number };
            }
        }
    }
}

/// Columns of programs that are fields of days.
fn find_birthdays(collection: &Collection, names: &[String], uses: &mut [Use]) {
    for at in 0..uses.len() {
        let Use::Field(target @ Target::Field(position)) = uses[at] else { continue };
        if !collection.fields()[position].kind().is_day() || !programs::has_column(&names[at]) {
            continue;
        }
        let parts = programs::beside_day(&names[at])
            .map(|parts| parts.map(|part| names.iter().position(|name| name == part)));
        let beside = match parts {
            Some([Some(year), Some(month)]) => Some([year, month]),
            _ => None,
        };
        for part in beside.into_iter().flatten() {
            uses[part] = Use::OfDay;
        }
        uses[at] = Use::Day { target, beside };
    }
}

/// The field of exactly this name: `last_name`, `address.city`, or `id`.
pub(super) fn find(catalog: &Catalog, collection: &Collection, name: &str) -> Option<Target> {
    if name == ID {
        return Some(Target::Id);
    }
    if let Some(position) = collection.find_field(name) {
        return Some(Target::Field(position));
    }
    let (reference, part) = name.split_once('.')?;
    let reference = collection.find_field(reference)?;
    let target = catalog.at(collection.fields()[reference].reference()?.target);
    Some(Target::Part { reference, field: target.find_field(part)? })
}

/// The field whose name is the same but for case, accents and what stands between words.
fn find_folded(catalog: &Catalog, collection: &Collection, name: &str) -> Option<Target> {
    let (first, part) = match name.split_once('.') {
        Some((first, part)) => (first, Some(part)),
        None => (name, None),
    };
    let position = |collection: &Collection, name: &str| {
        let folded = plain(name);
        collection.fields().iter().position(|field| plain(field.name()) == folded)
    };
    let reference = position(collection, first)?;
    match part {
        None => Some(Target::Field(reference)),
        Some(part) => {
            let target = catalog.at(collection.fields()[reference].reference()?.target);
            Some(Target::Part { reference, field: position(target, part)? })
        }
    }
}

fn plain(name: &str) -> String {
    fold(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The delimiter under which most cells of the header are fields.
pub(super) fn delimiter(catalog: &Catalog, collection: &Collection, line: &str) -> u8 {
    let fields = |delimiter: u8| {
        let names: Vec<String> =
            line.split(char::from(delimiter)).map(|cell| cell.trim_matches('"').to_owned()).collect();
        let recognized = programs::recognize(catalog, collection, &names);
        let is_field = |(name, of_program): (&String, &Option<_>)| {
            of_program.is_some()
                || name == RESSOURCE_URI
                || find(catalog, collection, name).is_some()
                || find_folded(catalog, collection, name).is_some()
        };
        (names.iter().zip(&recognized.targets).filter(|pair| is_field(*pair)).count(), names.len())
    };
    let mut best = b',';
    for delimiter in [b';', b'\t', b'|'] {
        if fields(delimiter) > fields(best) {
            best = delimiter;
        }
    }
    best
}

/// A cell as what it gives.
pub(super) fn given(cell: Option<String>) -> Given {
    cell.map_or(Given::Nothing, Given::Text)
}
