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
    /// Of several columns for one field the first that is there is taken.
    columns: &'static [(&'static str, Meaning)],
}

const PROGRAMS: [Program; 4] = [
    // Google Contacts, now and before 2024.
    Program {
        marks: &["E-mail 1 - Value", "Phone 1 - Value", "Labels", "Group Membership"],
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
            ("Notes", NOTE),
        ],
    },
    // Names that are usual without being any one program's.
    Program {
        marks: &[],
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
    pub(super) targets: Vec<Option<Option<Target>>>,
}

pub(super) fn recognize(catalog: &Catalog, collection: &Collection, header: &[String]) -> Recognized {
    let has = |name: &&str| header.iter().any(|column| column == name);
    let known = PROGRAMS.iter().find(|program| program.marks.iter().filter(|name| has(name)).count() >= 2);
    let is_known = known.is_some();
    let columns = known.map_or(PROGRAMS[3].columns, |program| program.columns);
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
            None if *meaning == NONE => targets[at] = Some(None),
            None => {}
        }
    }
    Recognized { is_known, targets }
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
