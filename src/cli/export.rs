//! `carnet export`: records of a collection in a file, of one moment, while the store is served.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::new_file::NewFile;
use super::{WrongUsage, progress, terminal};
use crate::api;
use crate::catalog::collection::Collection;
use crate::config::Config;
use crate::store::copy::{CopyError, Progress, Watch};
use crate::store::extract;
use crate::transfer::export::Export;
use crate::transfer::format::{Choice, Format};

/// Standard output.
const STANDARD: &str = "-";

#[derive(Debug, Args)]
pub(super) struct Options {
    #[arg(help = "The collection whose records are exported")]
    collection: String,
    #[arg(long, value_name = "FILE")]
    #[arg(help = "The file to make, never over an existing one [default: -, standard output]")]
    to: Option<PathBuf>,
    #[arg(long, value_parser = ["csv", "jsonl", "vcard"])]
    #[arg(help = "The form, where the name of the file does not say it [default: csv]")]
    format: Option<String>,
    #[arg(long = "where", value_name = "FIELD=VALUE")]
    #[arg(help = "Only records that match, as in the query of a list: last_name=Doe, number.gte=10")]
    filters: Vec<String>,
    #[arg(long, value_name = "FIELD")]
    #[arg(help = "With the record that this field refers to: its fields as columns, or as _expanded")]
    expand: Vec<String>,
    #[arg(long)]
    #[arg(help = "CSV for a spreadsheet: it is told that it is UTF-8, and computes no text")]
    spreadsheet: bool,
    #[arg(long, value_name = "VERSION", value_parser = ["3.0", "4.0"])]
    #[arg(help = "Which vCard to write [default: 3.0, which every phone takes]")]
    vcard: Option<String>,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error("there is no carnet store at {0}")]
    NoStore(String),
    #[error("{place}: {cause}; nothing was exported")]
    Failed { place: String, cause: String },
    #[error("the export was stopped; there is no file")]
    Stopped,
    #[error(transparent)]
    Other(CopyError),
    #[error("{0:#}")]
    Target(anyhow::Error),
}

impl From<CopyError> for ExportError {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::NoSource(place) => Self::NoStore(place),
            CopyError::Failed { place, cause } => Self::Failed { place, cause },
            CopyError::Stopped => Self::Stopped,
            other => Self::Other(other),
        }
    }
}

pub(super) fn run(config: &Config, options: &Options) -> anyhow::Result<()> {
    let path = options.to.as_deref().filter(|path| *path != Path::new(STANDARD));
    let collection = config.catalog.find(&options.collection).ok_or_else(|| {
        let names: Vec<&str> = config.catalog.collections().iter().map(Collection::name).collect();
        WrongUsage(format!("there is no collection {}; there are {}", options.collection, names.join(", ")))
    })?;
    let export = understood(collection, format(path, options.format.as_deref())?, options)?;
    let begun = Instant::now();
    let mut target = match path {
        Some(path) => Target::File(NewFile::begin(path)?),
        None => Target::Standard,
    };
    let records =
        progress::shown(async |watch| written(config, collection, &export, &mut target, watch).await)??;
    if let Target::File(file) = target {
        file.finish()?;
    }
    let place = path.map_or("standard output".into(), |path| path.display().to_string());
    let (name, taken) = (collection.name(), begun.elapsed().as_secs_f64());
    terminal::remark(&format!("exported {records} records of {name} to {place} in {taken:.1} s"));
    Ok(())
}

/// What the options ask for, in the words of a query.
fn understood(collection: &Collection, format: Format, options: &Options) -> Result<Export, WrongUsage> {
    let mut pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    for filter in &options.filters {
        let Some((name, text)) = filter.split_once('=') else {
            return Err(WrongUsage(format!("--where {filter} does not say FIELD=VALUE")));
        };
        pairs.push((name.into(), text.into()));
    }
    if !options.expand.is_empty() {
        pairs.push(("_expand".into(), options.expand.join(",").into()));
    }
    if options.spreadsheet {
        if format != Format::Csv {
            return Err(WrongUsage("--spreadsheet is for CSV".into()));
        }
        pairs.push((Choice::Spreadsheet.name_in(collection).into(), "true".into()));
    }
    if let Some(version) = &options.vcard {
        if format != Format::Vcard {
            return Err(WrongUsage("--vcard is for vCard".into()));
        }
        pairs.push((Choice::Vcard.name_in(collection).into(), version.into()));
    }
    Export::parse(collection, format, pairs.iter()).map_err(|error| {
        WrongUsage(api::listing_message(collection.name(), &error).replace("_expand", "--expand"))
    })
}

/// The form that the name of the file says, else the one that is named.
fn format(path: Option<&Path>, named: Option<&str>) -> Result<Format, WrongUsage> {
    let named = named.and_then(Format::parse);
    let ending = path.and_then(Path::extension).map(|ending| ending.to_string_lossy().to_lowercase());
    let said = match ending.as_deref() {
        Some("ndjson") => Some(Format::Jsonl),
        Some(ending) => Format::of_ending(ending),
        None => None,
    };
    match (said, named, ending, path) {
        (Some(said), Some(named), _, Some(path)) if said != named => Err(WrongUsage(format!(
            "{} is the name of another format than --format {}; say one of them",
            path.display(),
            named.name()
        ))),
        (Some(said), ..) => Ok(said),
        (None, Some(named), ..) => Ok(named),
        (None, None, Some(ending), _) if ["xlsx", "xls", "ods"].contains(&&*ending) => {
            Err(WrongUsage(format!(
                "a .{ending} cannot be written; name the file .csv and say --spreadsheet: spreadsheets open that"
            )))
        }
        (None, None, _, Some(path)) => Err(WrongUsage(format!(
            "the name {} says no format; name the file .csv, .jsonl or .vcf, or say --format",
            path.display()
        ))),
        (None, None, _, None) => Ok(Format::Csv),
    }
}

enum Target {
    File(NewFile),
    Standard,
}

impl Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Standard => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
        }
    }
}

/// Writes all records, and says how many there are. A reader of standard output that has gone away has read enough.
async fn written(
    config: &Config,
    collection: &Collection,
    export: &Export,
    target: &mut Target,
    watch: &Watch,
) -> Result<u64, ExportError> {
    let _ = watch.send(Progress::Exporting { name: collection.name().to_owned() });
    let (onward, mut pieces) = extract::pieces();
    let catalog = &config.catalog;
    let reading =
        extract::extract(&config.storage, export.extract(catalog), |id| export.form(catalog, id), onward);
    let writing = async move {
        while let Some((records, piece)) = pieces.recv().await {
            let _ = watch.send(Progress::Moved(records));
            match target.write(&piece) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
                written => written.map_err(|error| ExportError::Target(error.into()))?,
            }
        }
        Ok(true)
    };
    // Where both failed, the reader only because nobody took what it read.
    match tokio::join!(reading, writing) {
        (_, Err(error)) => Err(error),
        (Err(CopyError::Stopped), Ok(false)) => Ok(0),
        (read, _) => Ok(read?),
    }
}
