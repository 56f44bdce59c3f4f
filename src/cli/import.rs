//! `carnet import`: the entries of a file become records, here or at a server.

mod outcome;
mod passes;
mod remote_report;
mod server;

use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::new_file::NewFile;
use super::{WrongUsage, environment, progress, terminal};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::config::{Config, ConfigError};
use crate::observe::{Level, LogSettings, Observer};
use crate::store::snapshot::{self, Of};
use crate::store::url::StorageUrl;
use crate::store::write::Origin;
use crate::store::{OpenError, OpenSettings, Store};
use crate::transfer::format::Format;
use crate::transfer::import::{self, Import, ImportError, Options, Pace, Said};
pub(super) use outcome::FaultyFile;

/// A command reads nothing twice: what a server keeps in memory would only be followed.
const MEMORY: usize = 16 << 20;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[arg(help = "The file, by its ending .csv, .tsv, .jsonl, .ndjson, .json or .vcf; - is standard input")]
    file: PathBuf,
    #[arg(long, value_name = "COLLECTION")]
    #[arg(help = "The collection that the entries go into")]
    into: String,
    #[arg(long, value_name = "FORMAT", value_parser = ["csv", "jsonl", "json", "vcard"])]
    #[arg(help = "What the file is, where its ending does not say it")]
    format: Option<String>,
    #[arg(long = "match", value_name = "FIELDS|id|none")]
    #[arg(help = "Which record an entry means: the one that is equal in these fields")]
    matching: Option<String>,
    #[arg(long, value_name = "WHAT", value_parser = ["update", "keep", "refuse"], default_value = "update")]
    #[arg(
        help = "What is done with a record that an entry means: set what the entry gives, leave it, or refuse the file"
    )]
    existing: String,
    #[arg(long, value_name = "COLUMN=FIELD")]
    #[arg(
        help = "Which field a column or a property is for, such as 'Given name=first_name' or 'Town=address.city'"
    )]
    map: Vec<String>,
    #[arg(long, value_name = "NAME")]
    #[arg(help = "A column or a property that is left out")]
    ignore: Vec<String>,
    #[arg(long)]
    #[arg(help = "Leave out everything that is no field")]
    ignore_rest: bool,
    #[arg(long, value_name = "FIELD=VALUE")]
    #[arg(help = "A value for entries that have none")]
    fill: Vec<String>,
    #[arg(long, value_name = "NAME")]
    #[arg(help = "What the text of the file is, where it is not UTF-8: windows-1252, utf-16le, utf-16be")]
    encoding: Option<String>,
    #[arg(long, value_name = "CHARACTER")]
    #[arg(help = "What stands between the cells of a CSV file [default: what makes most of them fields]")]
    delimiter: Option<String>,
    #[arg(long)]
    #[arg(help = "The file comes from a spreadsheet: take off the ' before formulas, take TRUE and FALSE")]
    spreadsheet: bool,
    #[arg(long)]
    #[arg(help = "Say what would be done, and do nothing")]
    dry_run: bool,
    #[arg(long, value_name = "FILE")]
    #[arg(help = "Where all faults are written, as CSV; never over an existing file")]
    faults: Option<PathBuf>,
    #[arg(long, value_name = "URL")]
    #[arg(
        help = "Send the file to the carnet server there, as http://127.0.0.1:8080 [its access key: env CARNET_KEY]"
    )]
    server: Option<String>,
}

/// With a server neither a configuration nor a store is looked at: those that count are there.
pub(super) fn run(
    config: impl FnOnce() -> Result<Config, ConfigError>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    if arguments.matching.as_deref() == Some("none") {
        terminal::remark(
            "Every entry becomes a new record, and an import that is stopped cannot go on (--match none)",
        );
    }
    match &arguments.server {
        Some(url) => server::run(url, arguments),
        None => run_here(config()?, arguments),
    }
}

fn run_here(config: Config, arguments: &Arguments) -> anyhow::Result<()> {
    let catalog = config.catalog.clone();
    let collection = catalog.find(&arguments.into).ok_or_else(|| {
        let names: Vec<&str> = catalog.collections().iter().map(Collection::name).collect();
        WrongUsage(format!("there is no collection {}; there are {}", arguments.into, names.join(", ")))
    })?;
    let options = options(&catalog, collection, arguments)?;
    let file = open(&arguments.file, &options.folder)?;
    let stamp = import::stamp(&file)?;
    let faults_file = arguments.faults.as_deref().map(NewFile::begin).transpose()?;
    let log = LogSettings { level: Level::Warn, ..config.log };
    let observer = Arc::new(Observer::new(log).context("the log cannot be started")?);
    let url = config.storage.clone();
    let pace = match url {
        StorageUrl::Sqlite(_) => Pace::ALONE,
        StorageUrl::Postgres(_) => Pace::AMONG_OTHERS,
    };
    let report = progress::shown(async |watch| {
        let (store, store_id) = if options.dry_run {
            (None, snapshot::store_id(&url, &catalog).await?)
        } else {
            let store = open_store(&config, &catalog, observer).await?;
            let id = store.id();
            (Some(store), id)
        };
        let (url, catalog, options, file) = (&url, &catalog, &options, &file);
        let origin = Origin { request_id: "import".into(), ..Origin::default() };
        let (of, forbidden) = (Of::Url(url), Vec::new());
        let import =
            Import { of, catalog, collection, options, file, store_id, stamp, origin, forbidden, pace };
        let report = import.run(store.as_ref(), watch).await;
        if let Some(store) = store {
            store.close();
        }
        Ok::<_, Failure>(report?)
    })?;
    let report = report.map_err(|failure| match failure {
        Failure::Open(OpenError::Locked(path)) => in_use(&path, &config),
        Failure::Open(error) => anyhow::Error::new(error),
        Failure::Import(error @ ImportError::File(_)) => anyhow::Error::new(error),
        Failure::Import(error) => anyhow::anyhow!(error.told(options.matching.as_ref())),
    })?;
    outcome::conclude(&report, options.dry_run, faults_file)
}

/// A file has one owner, its running server, which can be sent what was to be imported.
fn in_use(path: &Path, config: &Config) -> anyhow::Error {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let mut address: SocketAddr = config.listen;
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    // Which port a server chose that was asked for any, only that server knows.
    let address = if address.port() == 0 { "HOST:PORT".to_owned() } else { address.to_string() };
    let path = path.display();
    anyhow::anyhow!(
        "{path} is in use by a running carnet server; send the file to it: carnet import … --server {scheme}://{address}"
    )
}

enum Failure {
    Open(OpenError),
    Import(ImportError),
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

impl From<crate::store::copy::CopyError> for Failure {
    fn from(error: crate::store::copy::CopyError) -> Self {
        Self::Import(error.into())
    }
}

async fn open_store(
    config: &Config,
    catalog: &Arc<Catalog>,
    observer: Arc<Observer>,
) -> Result<Store, OpenError> {
    let settings =
        OpenSettings { memory: MEMORY.min(config.store.memory), keeps_orders: false, ..config.store };
    Store::open(&config.storage, catalog.clone(), settings, observer).await
}

fn options(catalog: &Catalog, collection: &Collection, arguments: &Arguments) -> Result<Options, WrongUsage> {
    let (format, said) = said(arguments)?;
    Options::parse(catalog, collection, format, said, environment::temporary_folder())
        .map_err(|(option, words)| WrongUsage(format!("--{option}: {words}")))
}

/// What the file is, and the options as they were said.
fn said(arguments: &Arguments) -> Result<(Format, Said), WrongUsage> {
    let name = arguments.file.to_string_lossy();
    let by_name = Format::of_name(&name);
    let (format, delimiter) = match (arguments.format.as_deref(), by_name) {
        (Some("json"), _) => (Format::Jsonl, None),
        (Some(said), _) => {
            (Format::parse(said).unwrap_or(Format::Csv), by_name.and_then(|(_, delimiter)| delimiter))
        }
        (None, Some(found)) => found,
        (None, None) => return Err(WrongUsage(unknown_format(&name))),
    };
    let said = Said {
        matching: arguments.matching.clone(),
        existing: Some(arguments.existing.clone()),
        map: arguments.map.clone(),
        ignore: arguments.ignore.clone(),
        ignore_rest: arguments.ignore_rest,
        fill: arguments.fill.clone(),
        encoding: arguments.encoding.clone(),
        delimiter: arguments.delimiter.clone().or(delimiter.map(|byte| char::from(byte).to_string())),
        spreadsheet: arguments.spreadsheet,
        dry_run: arguments.dry_run,
    };
    Ok((format, said))
}

fn unknown_format(name: &str) -> String {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match ending.as_str() {
        "xlsx" | "xls" | "ods" => {
            format!(
                "{name} is a spreadsheet; save it as CSV UTF-8 there, and import that file with --spreadsheet"
            )
        }
        "ldif" => format!("{name} is LDIF; export it as CSV or vCard from the program it comes from"),
        _ => format!("the ending of {name} says no format; say --format csv, jsonl, json or vcard"),
    }
}

/// The file. Standard input, or a pipe that has a name, is kept in one without: it is read more than once.
fn open(path: &Path, folder: &Path) -> anyhow::Result<File> {
    if path.as_os_str() == "-" {
        return kept(io::stdin().lock(), folder).context("standard input cannot be read");
    }
    let opened = || {
        let file = File::open(path)?;
        if file.metadata()?.is_file() { Ok(file) } else { kept(file, folder) }
    };
    opened().with_context(|| format!("{} cannot be read", path.display()))
}

fn kept(mut from: impl io::Read, folder: &Path) -> io::Result<File> {
    let mut file = import::nameless_file(folder)?;
    io::copy(&mut from, &mut file)?;
    Ok(file)
}
