//! What somebody says about a file: as flags of the command, or as parameters of a request.

use std::path::PathBuf;

use super::Match;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
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
        for text in &said.map {
            let (column, field) = pair("map", text)?;
            map.push((column, target("map", &field)?));
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
        let matching = said.matching.as_deref().map(|text| matching(collection, text)).transpose()?;
        let Said { ignore, ignore_rest, spreadsheet, dry_run, .. } = said;
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

    pub fn ignores(&self, name: &str) -> bool {
        self.ignore.iter().any(|ignored| ignored == name)
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
    let is_rule = collection.unique().iter().any(|rule| {
        let mut rule = rule.clone();
        rule.sort_unstable();
        rule == fields
    });
    Ok(if is_rule { Match::Rule(fields) } else { Match::Fields(fields) })
}
