//! What `./bench` was asked for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

const SEE: &str = "see ./bench --help";

/// The options, and the places and facts that the script passes along.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) is_full: bool,
    pub(crate) is_quick: bool,
    /// Files in and out, nothing else.
    pub(crate) is_files: bool,
    pub(crate) writes_docs: bool,
    pub(crate) rounds: usize,
    pub(crate) only: Option<String>,
    pub(crate) carnet: PathBuf,
    /// Where PostgreSQL is measured: its address, its folder and its programs.
    pub(crate) postgres: Option<(String, PathBuf, PathBuf)>,
    /// None: it was asked to be left out.
    pub(crate) pocketbase: Option<PathBuf>,
    /// Where databases are kept, and results written.
    pub(crate) data: PathBuf,
    /// The root of the repository.
    pub(crate) source: PathBuf,
    /// Which carnet this is, and the day.
    pub(crate) version: String,
    pub(crate) date: String,
    /// As it was typed.
    pub(crate) command: String,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Options { command: "./bench".into(), ..Options::default() };
        let mut rounds = None;
        let mut leaves_out_pocketbase = false;
        let (mut cluster, mut programs) = (None, PathBuf::new());
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{name} wants a value; {SEE}"));
            let mut typed = vec![name.clone()];
            match name.as_str() {
                "--full" => options.is_full = true,
                "--quick" => options.is_quick = true,
                "--files" => options.is_files = true,
                "--write-docs" => options.writes_docs = true,
                "--no-pocketbase" => leaves_out_pocketbase = true,
                "--rounds" => {
                    let given = value()?;
                    rounds = Some(
                        given
                            .parse()
                            .ok()
                            .filter(|&rounds| rounds > 0)
                            .context("--rounds wants 1 or more")?,
                    );
                    typed.push(given.clone());
                }
                "--only" => {
                    let given = value()?;
                    options.only = Some(given.to_lowercase());
                    typed.push(if given.contains(' ') { format!("'{given}'") } else { given.clone() });
                }
                "--engine" => {
                    let given = value()?;
                    if !["sqlite", "postgres"].contains(&given.as_str()) {
                        bail!("--engine is sqlite or postgres; {SEE}");
                    }
                    typed.push(given.clone());
                }
                "--url" => cluster = Some((value()?.clone(), value()?.into())),
                "--programs" => programs = value()?.into(),
                "--carnet" => options.carnet = value()?.into(),
                "--pocketbase" => options.pocketbase = Some(value()?.into()),
                "--data" => options.data = value()?.into(),
                "--source" => options.source = value()?.into(),
                "--version" => options.version = value()?.clone(),
                "--date" => options.date = value()?.clone(),
                _ => bail!("unknown option {name}; {SEE}"),
            }
            let is_internal = [
                "--carnet",
                "--pocketbase",
                "--data",
                "--source",
                "--version",
                "--date",
                "--url",
                "--programs",
            ];
            if !is_internal.contains(&name.as_str()) {
                options.command = format!("{} {}", options.command, typed.join(" "));
            }
        }
        if options.is_full && options.is_quick {
            bail!("--full and --quick contradict each other; {SEE}");
        }
        if options.writes_docs && (options.is_quick || options.is_files || options.only.is_some()) {
            bail!("--write-docs wants a whole run: neither --quick, --files nor --only");
        }
        options.postgres = cluster.map(|(url, folder)| (url, folder, programs));
        if leaves_out_pocketbase {
            options.pocketbase = None;
        }
        options.rounds = rounds.unwrap_or(if options.is_quick { 2 } else { 5 });
        Ok(options)
    }

    pub(crate) fn sizes(&self) -> Vec<u64> {
        match (self.is_quick, self.is_full) {
            (true, _) => vec![1_000, 100_000],
            (_, false) => vec![1_000, 100_000, 1_000_000],
            (_, true) => vec![1_000, 100_000, 1_000_000, 10_000_000],
        }
    }

    /// How long one server is driven before it is another's turn.
    pub(crate) fn slice(&self) -> Duration {
        Duration::from_millis(if self.is_quick { 400 } else { 2_000 })
    }

    /// Whether a line of the report was asked for.
    pub(crate) fn wants(&self, line: &str) -> bool {
        self.only.as_ref().is_none_or(|only| line.to_lowercase().contains(only))
    }
}
