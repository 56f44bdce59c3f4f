//! The columns of the exports that people have, by what they hold.

use super::entry::Target;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;

/// What a column holds, whatever a program calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Field(&'static [&'static str]),
    /// A field of the address, which may be a record of its own.
    Address(&'static str),
}
use Meaning::{Address, Field};

const GIVEN: Meaning = Field(&["first_name", "given_name"]);
const FAMILY: Meaning = Field(&["last_name", "family_name", "surname"]);
const FULL: Meaning = Field(&["name", "full_name"]);
const EMAIL: Meaning = Field(&["email"]);
const PHONE: Meaning = Field(&["phone", "mobile", "tel"]);
const COMPANY: Meaning = Field(&["company", "organization"]);
const TITLE: Meaning = Field(&["title"]);
const NICKNAME: Meaning = Field(&["nickname"]);
const NOTE: Meaning = Field(&["note"]);
const URL: Meaning = Field(&["url"]);
const BIRTHDAY: Meaning = Field(&["birthday", "born"]);
/// A column that means something else than its name says.
const NONE: Meaning = Field(&[]);

/// A program, by the columns that only its exports have.
struct Program {
    marks: &'static [&'static str],
    /// Whether it writes several values into one cell.
    joins_values: bool,
    /// Of several columns for one field the first that is there is taken.
    columns: &'static [(&'static str, Meaning)],
}

const PROGRAMS: [Program; 4] = [
    // Google Contacts, now and before 2024.
    Program {
        marks: &[
            "E-mail 1 - Value",
            "Phone 1 - Value",
            "Labels",
            "Group Membership",
            "Organization Name",
            "File As",
        ],
        joins_values: true,
        columns: &[
            ("First Name", GIVEN),
            ("Given Name", GIVEN),
            ("Last Name", FAMILY),
            ("Family Name", FAMILY),
            ("Name", FULL),
            ("Nickname", NICKNAME),
            ("Birthday", BIRTHDAY),
            ("Notes", NOTE),
            ("E-mail 1 - Value", EMAIL),
            ("Phone 1 - Value", PHONE),
            ("Address 1 - Street", Address("street")),
            ("Address 1 - City", Address("city")),
            ("Address 1 - Region", Address("region")),
            ("Address 1 - Postal Code", Address("postal_code")),
            ("Address 1 - Country", Address("country")),
            ("Organization Name", COMPANY),
            ("Organization 1 - Name", COMPANY),
            ("Organization Title", TITLE),
            ("Organization 1 - Title", TITLE),
            ("Website 1 - Value", URL),
        ],
    },
    // Outlook, and Outlook on the web.
    Program {
        marks: &["E-mail Address", "Business Street", "Home Street"],
        joins_values: false,
        columns: &[
            ("First Name", GIVEN),
            ("Last Name", FAMILY),
            ("Title", NONE),
            ("Job Title", TITLE),
            ("Nickname", NICKNAME),
            ("Company", COMPANY),
            ("E-mail Address", EMAIL),
            ("Mobile Phone", PHONE),
            ("Home Phone", PHONE),
            ("Primary Phone", PHONE),
            ("Business Phone", PHONE),
            ("Home Street", Address("street")),
            ("Home City", Address("city")),
            ("Home State", Address("region")),
            ("Home Postal Code", Address("postal_code")),
            ("Home Country/Region", Address("country")),
            ("Home Country", Address("country")),
            ("Birthday", BIRTHDAY),
            ("Notes", NOTE),
            ("Web Page", URL),
            ("Personal Web Page", URL),
        ],
    },
    // Thunderbird.
    Program {
        marks: &["Primary Email", "Home ZipCode", "Screen Name"],
        joins_values: false,
        columns: &[
            ("First Name", GIVEN),
            ("Last Name", FAMILY),
            ("Display Name", FULL),
            ("Nickname", NICKNAME),
            ("Primary Email", EMAIL),
            ("Mobile Number", PHONE),
            ("Home Phone", PHONE),
            ("Work Phone", PHONE),
            ("Home Address", Address("street")),
            ("Home City", Address("city")),
            ("Home State", Address("region")),
            ("Home ZipCode", Address("postal_code")),
            ("Home Country", Address("country")),
            ("Job Title", TITLE),
            ("Organization", COMPANY),
            ("Web Page 1", URL),
            ("Birth Day", BIRTHDAY),
            // Nothing by themselves.
            ("Birth Year", NONE),
            ("Birth Month", NONE),
            ("Notes", NOTE),
        ],
    },
    // Names that are usual without being any one program's.
    Program {
        marks: &[],
        joins_values: false,
        columns: &[
            ("Forename", GIVEN),
            ("Surname", FAMILY),
            ("E-mail", EMAIL),
            ("Email Address", EMAIL),
            ("Telephone", PHONE),
            ("Phone Number", PHONE),
            ("Organisation", COMPANY),
            ("Street", Address("street")),
            ("City", Address("city")),
            ("Country", Address("country")),
        ],
    },
];

/// What the columns of a header are in the table of the program that wrote it: `Some(None)` is one that means nothing
/// here. `is_known` says whether the program is known by name, so that its table comes before the names of fields.
pub(super) struct Recognized {
    pub(super) is_known: bool,
    /// Whether a cell may hold several values.
    pub(super) joins_values: bool,
    pub(super) targets: Vec<Option<Option<Target>>>,
}

pub(super) fn recognize(catalog: &Catalog, collection: &Collection, header: &[String]) -> Recognized {
    let has = |name: &&str| header.iter().any(|column| column == name);
    let known = PROGRAMS.iter().find(|program| program.marks.iter().filter(|name| has(name)).count() >= 2);
    // Of a header that is no program's, a column is still what those of its name are.
    let columns: Vec<&(&str, Meaning)> = match known {
        Some(program) => program.columns.iter().collect(),
        None => PROGRAMS.iter().rev().flat_map(|program| program.columns).collect(),
    };
    let mut targets = vec![None; header.len()];
    let mut taken = Vec::new();
    for (name, meaning) in columns {
        let Some(at) = header.iter().position(|column| column == name) else { continue };
        match target(catalog, collection, *meaning) {
            Some(target) if taken.contains(&target) => {}
            Some(target) => {
                taken.push(target);
                targets[at] = Some(Some(target));
            }
            None if *meaning == NONE && known.is_some() => targets[at] = Some(None),
            None => {}
        }
    }
    let joins_values = known.is_some_and(|program| program.joins_values);
    Recognized { is_known: known.is_some(), joins_values, targets }
}

/// Whether a program that is known by its marks writes a column of this name.
pub(super) fn has_column(name: &str) -> bool {
    PROGRAMS[..3].iter().any(|program| program.columns.iter().any(|(column, _)| *column == name))
}

/// The columns with the year and the month of a day that this column has the day of the month of.
pub(super) fn beside_day(name: &str) -> Option<[&'static str; 2]> {
    (name == "Birth Day").then_some(["Birth Year", "Birth Month"])
}

/// A day that is none by itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unclear;

/// A birthday as the programs write it, as a field of days takes it. Google writes `--12-09` without a year, Outlook
/// numbers in the order of the country, and zeros where there is none, Thunderbird three cells.
pub(super) fn birthday(
    cell: Option<&str>,
    beside: Option<[&Option<String>; 2]>,
) -> Result<Option<String>, Unclear> {
    let text = cell.unwrap_or_default().trim();
    if let Some(beside) = beside {
        let [year, month] = beside.map(|part| part.as_deref().unwrap_or_default().trim());
        return match (year, month, text) {
            ("", "", "") => Ok(None),
            (year, month, day) if !year.is_empty() => Ok(Some(format!("{year:0>4}-{month:0>2}-{day:0>2}"))),
            _ => Err(Unclear),
        };
    }
    let is_of_numbers = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
    match text {
        "" | "0/0/00" | "00/00/00" | "0/0/0000" => Ok(None),
        _ if text.starts_with("--") || (is_of_numbers && text.contains('/')) => Err(Unclear),
        _ => Ok(Some(text.to_owned())),
    }
}

fn target(catalog: &Catalog, collection: &Collection, meaning: Meaning) -> Option<Target> {
    match meaning {
        Field(names) => names.iter().find_map(|name| collection.find_field(name)).map(Target::Field),
        Address(name) => {
            address(catalog, collection, name).or_else(|| collection.find_field(name).map(Target::Field))
        }
    }
}

/// The field of this name in the first collection that is referred to and has a city.
fn address(catalog: &Catalog, collection: &Collection, name: &str) -> Option<Target> {
    collection.fields().iter().enumerate().find_map(|(reference, field)| {
        let target = catalog.at(field.reference()?.target);
        target.find_field("city")?;
        Some(Target::Part { reference, field: target.find_field(name)? })
    })
}
