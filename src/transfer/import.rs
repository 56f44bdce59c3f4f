//! An import: the whole file is judged first, then matched with what is there, then stored in chunks.
//!
//! One fault, and nothing is stored. What is stored is whole chunks, so that another run goes on where one was stopped.

mod chunk;
mod options;
mod pieces;
mod plan;
mod report;
mod rules;
mod state;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::Arc;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

pub use super::entry::{Fault, Faults};
use super::entry::{Given, Target};
use super::format::Format;
use super::judge::{Judge, Judged};
use super::matching;
use super::matching::Match;
pub use super::remedy::Remedy;
use super::source::Source;
pub use super::spool::nameless_file;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, representation};
use crate::store::copy::{CopyError, Progress, Watch};
use crate::store::imports::{FileState, ImportedFile};
use crate::store::keys::KeyAdminError;
use crate::store::snapshot::{self, Of};
use crate::store::write::Origin;
use crate::store::{Store, StoreError, StoreId};
use chunk::Chunks;
pub use chunk::Pace;
pub use options::{Existing, Options, Said};
use plan::Plan;
pub use report::Report;
pub use state::State;

/// Why an import came to no end.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("the file cannot be read")]
    File(#[from] io::Error),
    #[error("the file was changed while it was imported")]
    Changed,
    /// Entries give records of a collection that whoever imports may not write to.
    #[error("the file gives records of a collection that may not be written")]
    Forbidden(usize),
    #[error("the import was stopped")]
    Stopped,
    #[error("{place}: {cause}")]
    Failed { place: String, cause: String },
    #[error(transparent)]
    Read(CopyError),
    #[error("{0}")]
    Store(StoreError),
}

impl ImportError {
    /// The error, and what can be done about an import that was matched like this.
    pub fn told(&self, matching: Option<&Match>) -> String {
        match self {
            Self::Changed | Self::Stopped | Self::Store(_) => {
                let next = match matching {
                    Some(Match::None) => "the same file again would be stored twice (match none)",
                    _ => "the same command goes on",
                };
                format!("{self}. What is stored is whole; {next}")
            }
            _ => self.to_string(),
        }
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<CopyError> for ImportError {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Stopped => Self::Stopped,
            CopyError::Failed { place, cause } => Self::Failed { place, cause },
            other => Self::Read(other),
        }
    }
}

/// A file, and where its entries go.
pub struct Import<'a> {
    pub of: Of<'a>,
    pub catalog: &'a Arc<Catalog>,
    pub collection: &'a Collection,
    pub options: &'a Options,
    pub file: &'a File,
    /// By which a card that was exported is known again.
    pub store_id: StoreId,
    /// Of the moment when it was opened.
    pub stamp: Stamp,
    /// Whose writes they are.
    pub origin: Origin,
    /// The collections that whoever imports may not write to.
    pub forbidden: Vec<usize>,
    pub pace: Pace,
}

/// When a file was changed last, and how long it is.
pub type Stamp = (Option<SystemTime>, u64);

pub fn stamp(file: &File) -> io::Result<Stamp> {
    let about = file.metadata()?;
    Ok((about.modified().ok(), about.len()))
}

impl Import<'_> {
    /// Judges everything, and stores it unless something is wrong or nothing is to be stored.
    pub async fn run(&self, store: Option<&Store>, watch: &Watch) -> Result<Report, ImportError> {
        let mut report = Report::default();
        tell(watch, Progress::Judging { name: self.collection.name().to_owned() });
        let Some(seen) = self.judge(&mut report, watch).await? else {
            report.settle(self.options);
            return Ok(report);
        };
        tell(watch, Progress::Done);
        for &reference in &seen.parts {
            let target = self.collection.fields()[reference].reference().map(|reference| reference.target);
            if let Some(target) = target.filter(|target| self.forbidden.contains(target)) {
                return Err(ImportError::Forbidden(target));
            }
        }
        let file = if seen.has_ids && self.options.matching.is_none() { Some(self.hashed()?) } else { None };
        let state = match (&file, self.served().or(store)) {
            (Some(file), Some(store)) => store.file_state(file.clone()).await.map_err(broken)?,
            _ => FileState::Unknown,
        };
        let matched = snapshot::with(self.of, self.catalog, async |snapshot| {
            Ok(self.matched(snapshot, seen, state, &mut report).await)
        });
        let plan = matched.await??;
        report.settle(self.options);
        if let (Some(plan), true, Some(store)) = (plan, report.faults.count == 0, store) {
            let file = file.filter(|_| plan.by == Match::Id);
            if let Some(file) = &file {
                // Before the first chunk: a run that is stopped can go on by the same rule.
                store.note_file(file.clone(), state == FileState::Over).await.map_err(broken)?;
            }
            let entries = report.read;
            tell(watch, Progress::Importing { name: self.collection.name().to_owned(), entries });
            Box::pin(self.store(plan, store, &mut report, watch)).await?;
            if let Some(file) = file {
                store.note_file(file, true).await.map_err(broken)?;
            }
            tell(watch, Progress::Done);
        }
        Ok(report)
    }

    /// What was found out about an entry is known by its number: it must still be the same.
    fn is_as_judged(&self) -> Result<(), ImportError> {
        let now = stamp(self.file)?;
        if now == self.stamp { Ok(()) } else { Err(ImportError::Changed) }
    }

    fn served(&self) -> Option<&Store> {
        match self.of {
            Of::Served(store) => Some(store),
            Of::Url(_) => None,
        }
    }

    fn hashed(&self) -> io::Result<ImportedFile> {
        let (mut hasher, mut file) = (Sha256::new(), self.file);
        file.rewind()?;
        let mut piece = vec![0; 1 << 16];
        loop {
            match file.read(&mut piece)? {
                0 => break,
                length => hasher.update(&piece[..length]),
            }
        }
        Ok(ImportedFile { collection: self.collection.name().to_owned(), hash: hasher.finalize().into() })
    }

    fn judge_of(&self) -> Judge<'_> {
        let Self { catalog, collection, options, .. } = *self;
        let is_card = options.format == Format::Vcard;
        Judge { catalog, collection, spreadsheet: options.spreadsheet, is_card }
    }

    fn open(&self) -> io::Result<Result<Source<'_>, Vec<Fault>>> {
        Source::open(self.catalog, self.collection, self.options, self.store_id, self.file)
    }

    /// Reads the whole file. `None` where not even its header can be read.
    async fn judge(&self, report: &mut Report, watch: &Watch) -> Result<Option<Seen>, ImportError> {
        let mut source = match self.open()? {
            Ok(source) => source,
            Err(faults) => {
                faults.into_iter().for_each(|fault| report.faults.push(fault));
                return Ok(None);
            }
        };
        report.mapping = source.mapping();
        let judge = self.judge_of();
        let mut seen = Seen::default();
        loop {
            let entry = match source.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(fault) => {
                    report.read += 1;
                    report.faults.push(fault);
                    continue;
                }
            };
            report.read += 1;
            seen.has_ids |=
                entry.given.iter().any(|(target, given)| *target == Target::Id && *given != Given::Nothing);
            match judge.judge(entry) {
                Ok(judged) => {
                    seen.note(self.collection, &judged);
                    if report.first.len() < report::FIRST {
                        report.first.push(self.shown(&judged));
                    }
                }
                Err(faults) => faults.into_iter().for_each(|fault| report.faults.push(fault)),
            }
            if report.read.is_multiple_of(1_000) {
                tell(watch, Progress::Moved(1_000));
                // Whoever paints the bar, or hears a signal, is the same task.
                tokio::task::yield_now().await;
            }
        }
        tell(watch, Progress::Moved(report.read % 1_000));
        report.not_taken = std::mem::take(&mut source.not_taken);
        if source.foreign_uids > 0 {
            report.ignored.insert("UID".to_owned(), source.foreign_uids);
        }
        Ok(Some(seen))
    }

    /// The record that an entry would become, as JSON.
    fn shown(&self, judged: &Judged) -> String {
        let id = judged.id.unwrap_or(RecordId::FIRST);
        let record = representation::of(self.collection, id, &matching::values(self.collection, judged));
        let mut text = String::from_utf8_lossy(&record).into_owned();
        if judged.id.is_none() {
            text = without_id(&text);
        }
        for (reference, values) in &judged.parts {
            let field = &self.collection.fields()[*reference];
            if let Some(target) = self.judge_of().target(*reference) {
                let part = representation::of(target, RecordId::FIRST, values);
                text =
                    format!("{text} with {} {}", field.name(), without_id(&String::from_utf8_lossy(&part)));
            }
        }
        text
    }

    async fn store(
        &self,
        plan: Plan,
        store: &Store,
        report: &mut Report,
        watch: &Watch,
    ) -> Result<(), ImportError> {
        report.begin_storing();
        let mut chunks = Chunks::new(self, plan, store);
        let mut source = self.open()?.map_err(|_| ImportError::Changed)?;
        let judge = self.judge_of();
        while let Some(entry) = source.next().map_err(|_| ImportError::Changed)? {
            chunks.add(judge.judge(entry).map_err(|_| ImportError::Changed)?, report)?;
            if chunks.is_full() {
                tell(watch, Progress::Moved(chunks.entries()));
                self.is_as_judged()?;
                chunks.write(report).await?;
            }
        }
        tell(watch, Progress::Moved(chunks.entries()));
        self.is_as_judged()?;
        chunks.finish(report).await?;
        report.sort_faults();
        Ok(())
    }
}

/// What the entries of a file have, taken together.
#[derive(Debug, Default)]
struct Seen {
    has_ids: bool,
    /// References that give a record by its id.
    references: BTreeSet<usize>,
    /// References that give a record by what it holds.
    parts: BTreeSet<usize>,
}

impl Seen {
    fn note(&mut self, collection: &Collection, judged: &Judged) {
        let is_reference = |position: usize| collection.fields()[position].reference().is_some();
        let given =
            judged.values.iter().filter(|(position, value)| is_reference(*position) && value.id().is_some());
        self.references.extend(given.map(|(position, _)| *position));
        self.parts.extend(judged.parts.iter().map(|(position, _)| *position));
    }
}

/// A record that has no id yet: its fields alone.
fn without_id(record: &str) -> String {
    let end = record.rfind(",\"ressource_uri\":").unwrap_or(record.len());
    let fields = &record[..end];
    let fields = match fields.rfind(",\"id\":") {
        Some(id) if fields[id + 6..].bytes().all(|byte| byte.is_ascii_digit()) => &fields[..id],
        _ => fields,
    };
    format!("{fields}}}")
}

fn broken(error: KeyAdminError) -> ImportError {
    match error {
        KeyAdminError::Failed(error) => error.into(),
        other => StoreError::Broken(other.to_string()).into(),
    }
}

fn tell(watch: &Watch, progress: Progress) {
    // Nobody need be watching.
    let _ = watch.send(progress);
}
