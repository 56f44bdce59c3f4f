//! A file as entries, whatever its format. It can be read as often as needed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};

use super::columns::{self, Columns, Use};
use super::csv::Rows;
use super::encoding::Decoder;
use super::entry::{Entry, Fault, Given, Target};
use super::format::Format;
use super::import::Options;
use super::jsonl::read::{self as json, Objects};
use super::vcard::{Cards, VcardMapping};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::fault::shorten;
use crate::store::StoreId;

/// How many names of what was not taken are kept.
const MOST_NAMES: usize = 1_000;

type Text = BufReader<Decoder<File>>;

/// One reading of a file.
pub(super) struct Source<'a> {
    catalog: &'a Catalog,
    collection: &'a Collection,
    options: &'a Options,
    form: Form,
    /// How many cards have a `UID` of another program.
    pub(super) foreign_uids: u64,
    /// What was not taken, with how often.
    pub(super) not_taken: BTreeMap<String, u64>,
}

enum Form {
    Csv { rows: Rows<Text>, columns: Columns },
    Objects(Objects<Text>),
    Cards { cards: Cards<Text>, mapping: VcardMapping, store: StoreId },
}

impl<'a> Source<'a> {
    /// Begins to read, and judges the header where there is one.
    pub(super) fn open(
        catalog: &'a Catalog,
        collection: &'a Collection,
        options: &'a Options,
        store: StoreId,
        mut file: &File,
    ) -> io::Result<Result<Self, Vec<Fault>>> {
        file.rewind()?;
        let mut text = BufReader::new(Decoder::new(file.try_clone()?, options.encoding)?);
        match text.fill_buf() {
            // It is not what its first bytes say.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Ok(Err(vec![Fault::at(1, &error.to_string())]));
            }
            start => start?,
        };
        let form = match options.format {
            Format::Jsonl => {
                // An array is no line that could become a record.
                let is_array = text.fill_buf()?.trim_ascii_start().first() == Some(&b'[');
                Form::Objects(Objects::new(text, is_array))
            }
            Format::Vcard => {
                let mapping = VcardMapping::of(catalog, collection).adjusted(catalog, collection, options);
                Form::Cards { cards: Cards::new(text), mapping, store }
            }
            Format::Csv => {
                let (delimiter, says_so) = match options.delimiter {
                    Some(delimiter) => (delimiter, separator(text.fill_buf()?).is_some()),
                    None => {
                        let start = text.fill_buf()?;
                        let found = separator(start);
                        let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
                        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
                        let guess = || columns::delimiter(catalog, collection, &line);
                        (found.unwrap_or_else(guess), found.is_some())
                    }
                };
                let mut rows = Rows::new(text, delimiter);
                let header = if says_so { rows.skip_line() } else { Ok(()) };
                let header = match header.and_then(|()| rows.next_row()) {
                    Ok(Some(row)) => row.cells.into_iter().map(Option::unwrap_or_default).collect(),
                    Ok(None) => return Ok(Err(vec![Fault::at(1, "the file has no header")])),
                    Err(fault) => return Ok(Err(vec![fault])),
                };
                match Columns::of(catalog, collection, header, options) {
                    Ok(columns) if columns.taken() == 0 => {
                        let words = format!("no column is a field of {}", collection.name());
                        return Ok(Err(vec![Fault::at(1, &words)]));
                    }
                    Ok(columns) => Form::Csv { rows, columns },
                    Err(faults) => return Ok(Err(faults)),
                }
            }
        };
        Ok(Ok(Self { catalog, collection, options, form, foreign_uids: 0, not_taken: BTreeMap::new() }))
    }

    /// Which column is for which field, in words.
    pub(super) fn mapping(&self) -> Vec<(String, String)> {
        let columns = match &self.form {
            Form::Csv { columns, .. } => columns,
            Form::Cards { mapping, .. } => return mapping.pairs(self.catalog),
            Form::Objects(_) => return Vec::new(),
        };
        let name = |target: &Target| self.name_of(*target);
        let uses = columns.names.iter().zip(&columns.uses);
        uses.map(|(column, used)| {
            let field = match used {
                Use::Field(target) => name(target),
                Use::OwnPath => "id".to_owned(),
                Use::Street { street, number } => format!("{} and {}", name(street), name(number)),
                Use::Day { target, .. } => name(target),
                Use::OfDay => "the same day".to_owned(),
                Use::Ignored => "left out".to_owned(),
            };
            (column.clone(), field)
        })
        .collect()
    }

    /// The fields that have a column; `None` where entries differ in what they give.
    pub(super) fn fields(&self) -> Option<Vec<usize>> {
        let Form::Csv { columns, .. } = &self.form else { return None };
        let fields = columns.uses.iter().filter_map(|used| match used {
            Use::Field(Target::Field(position)) | Use::Day { target: Target::Field(position), .. } => {
                Some(*position)
            }
            Use::Field(Target::Part { reference, .. }) => Some(*reference),
            _ => None,
        });
        Some(fields.collect())
    }

    /// A field as a person names it.
    pub(super) fn name_of(&self, target: Target) -> String {
        name_of(self.catalog, self.collection, target)
    }

    /// The next entry. After a fault the next one may be asked for.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, Fault> {
        let entry = match &mut self.form {
            Form::Csv { rows, columns } => {
                let Some(row) = rows.next_row()? else { return Ok(None) };
                let (found, wanted) = (row.cells.len(), columns.uses.len());
                if found != wanted {
                    let words = format!("line {} has {found} cells, and the header has {wanted}", row.line);
                    return Err(Fault::new(row.line, words));
                }
                let not_taken = &mut self.not_taken;
                columns
                    .entry(row, self.collection, self.options.spreadsheet, |name| note(not_taken, name, 1))?
            }
            Form::Cards { cards, mapping, store } => {
                let card = match cards.next() {
                    None => return Ok(None),
                    Some(Ok(card)) => card?,
                    Some(Err(error)) => return Err(Fault::new(0, error.to_string())),
                };
                let taken = mapping.take(&card, *store)?;
                for (name, number) in taken.not_taken {
                    note(&mut self.not_taken, &name, number);
                }
                self.foreign_uids += u64::from(taken.has_foreign_uid);
                taken.entry
            }
            Form::Objects(objects) => {
                let Some((line, object)) = objects.next()? else { return Ok(None) };
                let not_taken = &mut self.not_taken;
                json::entry(self.collection, self.options, line, &object, |name| {
                    note(not_taken, name, 1);
                })?
            }
        };
        Ok(Some(self.completed(entry)))
    }

    /// What the options say about every entry.
    fn completed(&self, mut entry: Entry) -> Entry {
        if self.options.ignores("id") {
            entry.given.retain(|(target, _)| *target != Target::Id);
        }
        drop_empty_parts(&mut entry);
        for (target, text) in &self.options.fill {
            let is_wanted = match target {
                Target::Part { reference, .. } => {
                    entry.given.iter().any(|(other, _)| is_part_of(*other, *reference))
                }
                Target::Id | Target::Field(_) => true,
            };
            let given = entry.given.iter_mut().find(|(other, _)| other == target);
            match given {
                Some((_, given @ Given::Nothing)) => *given = Given::Text(text.clone()),
                Some(_) => {}
                None if is_wanted => entry.given.push((*target, Given::Text(text.clone()))),
                None => {}
            }
        }
        entry
    }
}

/// Counts what was not taken. Beyond so many names nobody reads them, and they are one.
fn note(not_taken: &mut BTreeMap<String, u64>, name: &str, number: u64) {
    let is_kept = not_taken.len() < MOST_NAMES || not_taken.contains_key(name);
    let name = if is_kept { shorten(name) } else { "others".to_owned() };
    *not_taken.entry(name).or_default() += number;
}

/// A field as a person names it.
pub(super) fn name_of(catalog: &Catalog, collection: &Collection, target: Target) -> String {
    match target {
        Target::Id => "id".to_owned(),
        Target::Field(position) => collection.fields()[position].name().to_owned(),
        Target::Part { reference, field } => {
            let own = &collection.fields()[reference];
            let part = own.reference().map(|found| catalog.at(found.target).fields()[field].name());
            format!("{}.{}", own.name(), part.unwrap_or_default())
        }
    }
}

fn is_part_of(target: Target, wanted: usize) -> bool {
    matches!(target, Target::Part { reference, .. } if reference == wanted)
}

/// Where nothing at all is given of a record that is referred to, there is none.
fn drop_empty_parts(entry: &mut Entry) {
    let references: Vec<usize> = entry
        .given
        .iter()
        .filter_map(|(target, _)| match target {
            Target::Part { reference, .. } => Some(*reference),
            Target::Id | Target::Field(_) => None,
        })
        .collect();
    for reference in references {
        let is_empty = entry
            .given
            .iter()
            .filter(|(target, _)| is_part_of(*target, reference))
            .all(|(_, given)| *given == Given::Nothing);
        if is_empty {
            entry.given.retain(|(target, _)| !is_part_of(*target, reference));
            if !entry.given.iter().any(|(target, _)| *target == Target::Field(reference)) {
                entry.given.push((Target::Field(reference), Given::Nothing));
            }
        }
    }
}

/// Excel's first line, `sep=;`.
fn separator(start: &[u8]) -> Option<u8> {
    let rest = start.strip_prefix(b"sep=")?;
    matches!(rest.get(1), Some(b'\r' | b'\n')).then(|| rest[0])
}
