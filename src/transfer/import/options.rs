//! What somebody says about a file: as flags of the command, or as parameters of a request.

use std::path::PathBuf;

use super::Match;
use crate::catalog::Catalog;
use crate::catalog::card_property::CardProperty;
use crate::catalog::collection::Collection;
use crate::catalog::name::ID;
use crate::transfer::columns;
use crate::transfer::encoding::Encoding;
use crate::transfer::entry::Target;
use crate::transfer::format::Format;

/// What is done with a record that an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Update,
    Keep,
    Refuse,
}

/// The options of an import, understood.
#[derive(Debug)]
pub struct Options {
    pub format: Format,
    /// None where it follows from the file and the collection.
    pub matching: Option<Match>,
    pub existing: Existing,
    pub map: Vec<(String, Target)>,
    pub ignore: Vec<String>,
    pub ignore_rest: bool,
    pub fill: Vec<(Target, String)>,
    pub encoding: Option<Encoding>,
    pub delimiter: Option<u8>,
    pub spreadsheet: bool,
    pub dry_run: bool,
    /// Where what does not fit into memory is kept, without a name.
    pub folder: PathBuf,
}

/// The options as they are said, each by the name that it has everywhere.
#[derive(Debug, Default)]
pub struct Said {
    pub matching: Option<String>,
    pub existing: Option<String>,
    pub map: Vec<String>,
    pub ignore: Vec<String>,
    pub ignore_rest: bool,
    pub fill: Vec<String>,
    pub encoding: Option<String>,
    pub delimiter: Option<String>,
    pub spreadsheet: bool,
    pub dry_run: bool,
}

impl Said {
    /// What each is called.
    pub const NAMES: [&str; 10] = [
        "match",
        "existing",
        "map",
        "ignore",
        "ignore_rest",
        "fill",
        "encoding",
        "delimiter",
        "spreadsheet",
        "dry_run",
    ];
}

impl Options {
    /// What is said, or what is wrong with it, by the name of the option.
    pub fn parse(
        catalog: &Catalog,
        collection: &Collection,
        format: Format,
        said: Said,
        folder: PathBuf,
    ) -> Result<Self, (&'static str, String)> {
        let existing = match said.existing.as_deref() {
            None | Some("update") => Existing::Update,
            Some("keep") => Existing::Keep,
            Some("refuse") => Existing::Refuse,
            Some(text) => return Err(("existing", format!("{text} is not update, keep or refuse"))),
        };
        let target = |option: &'static str, name: &str| {
            let none = || (option, format!("{name} is no field of {}", collection.name()));
            columns::find(catalog, collection, name).ok_or_else(none)
        };
        let (mut map, mut fill) = (Vec::new(), Vec::new());
        let is_card = format == Format::Vcard;
        for text in &said.map {
            let (mut column, field) = pair("map", text)?;
            let target = target("map", &field)?;
            if is_card {
                column = property(&column);
                let is_text = matches!(
                    CardProperty::parse(&column),
                    Some(CardProperty::Name(_) | CardProperty::Text(_))
                );
                if !is_text || !matches!(target, Target::Field(_)) {
                    return Err(("map", format!("{column} of a card cannot be {field}")));
                }
            }
            map.push((column, target));
        }
        for text in &said.fill {
            let (field, value) = pair("fill", text)?;
            fill.push((target("fill", &field)?, value));
        }
        let encoding = match &said.encoding {
            None => None,
            Some(name) => Some(Encoding::parse(name).ok_or_else(|| {
                ("encoding", format!("{name} is not known; there are {}", Encoding::NAMES))
            })?),
        };
        let delimiter = match said.delimiter.as_deref() {
            None => None,
            Some("\\t" | "tab" | "\t") => Some(b'\t'),
            Some(text) => match text.as_bytes() {
                [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Some(*byte),
                _ => return Err(("delimiter", "it is one character, or tab".to_owned())),
            },
        };
        let of_csv = [("delimiter", said.delimiter.is_some()), ("spreadsheet", said.spreadsheet)];
        if let Some((option, _)) = of_csv.into_iter().find(|(_, is_said)| *is_said && format != Format::Csv) {
            return Err((option, "it is for CSV".to_owned()));
        }
        let matching = said.matching.as_deref().map(|text| matching(collection, text)).transpose()?;
        let Said { mut ignore, ignore_rest, spreadsheet, dry_run, .. } = said;
        if is_card {
            ignore = ignore.iter().map(|name| property(name)).collect();
        }
        Ok(Self {
            format,
            matching,
            existing,
            map,
            ignore,
            ignore_rest,
            fill,
            encoding,
            delimiter,
            spreadsheet,
            dry_run,
            folder,
        })
    }

    /// Whether somebody has said to leave this out. Who leaves out a property of a card leaves out its parts.
    pub fn ignores(&self, name: &str) -> bool {
        let whole = name.split_once('.').filter(|_| self.format == Format::Vcard).map(|(whole, _)| whole);
        self.ignore.iter().any(|ignored| ignored == name || Some(ignored.as_str()) == whole)
    }

    /// The field that a column, a member or a property was said to be for.
    pub fn mapped(&self, name: &str) -> Option<Target> {
        self.map.iter().find(|(column, _)| column == name).map(|(_, target)| *target)
    }
}

/// The name of a property as it is reported: `TEL+`, `X-SHOE-SIZE`, `ADR.code`. An id is none.
fn property(name: &str) -> String {
    if name == ID {
        return name.to_owned();
    }
    match name.split_once('.') {
        Some((whole, part)) => format!("{}.{}", whole.to_ascii_uppercase(), part.to_ascii_lowercase()),
        None => name.to_ascii_uppercase(),
    }
}

fn pair(option: &'static str, text: &str) -> Result<(String, String), (&'static str, String)> {
    let (one, other) =
        text.split_once('=').ok_or_else(|| (option, format!("{text} does not say NAME=VALUE")))?;
    Ok((one.to_owned(), other.to_owned()))
}

fn matching(collection: &Collection, text: &str) -> Result<Match, (&'static str, String)> {
    match text {
        "id" => return Ok(Match::Id),
        "none" => return Ok(Match::None),
        _ => {}
    }
    let mut fields = Vec::new();
    for name in text.split(',') {
        let none = || ("match", format!("{name} is no field of {}", collection.name()));
        fields.push(collection.find_field(name.trim()).ok_or_else(none)?);
    }
    fields.sort_unstable();
    fields.dedup();
    Ok(Match::Fields(fields))
}
