//! What a harness was asked for.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, bail};

pub(crate) const USAGE: &str = "see ./faults/run --help";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Which harness.
    pub(crate) harness: String,
    /// What the dice begin with.
    pub(crate) seed: u64,
    /// How many kills, cuts, states, histories or stops.
    pub(crate) count: usize,
    pub(crate) engine: Engine,
    /// The built carnet.
    pub(crate) binary: PathBuf,
    /// Break it on purpose: then finding nothing is the failure.
    pub(crate) is_control: bool,
    /// Repeat every write whose outcome is unknown with its `Idempotency-Key`.
    pub(crate) retries: bool,
    /// Which of the harness's kinds.
    pub(crate) kind: Option<String>,
    /// How many operations each client of a history does.
    pub(crate) operations: usize,
    /// Where databases and logs are made.
    pub(crate) scratch: PathBuf,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> anyhow::Result<Options> {
        let (harness, rest) = arguments.split_first().context(USAGE)?;
        let mut options = Options {
            harness: harness.clone(),
            seed: 1,
            count: 10,
            engine: Engine::Sqlite,
            binary: "target/debug/carnet".into(),
            is_control: false,
            retries: true,
            kind: None,
            operations: 2_000,
            scratch: std::env::temp_dir(),
        };
        let mut rest = rest.iter();
        while let Some(name) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{name} wants a value; {USAGE}"));
            match name.as_str() {
                "--seed" => options.seed = value()?.parse().context("--seed wants a number")?,
                "--count" => options.count = value()?.parse().context("--count wants a number")?,
                "--engine" => {
                    options.engine = match value()?.as_str() {
                        "sqlite" => Engine::Sqlite,
                        "postgres" => Engine::Postgres,
                        _ => bail!("--engine is sqlite or postgres; {USAGE}"),
                    }
                }
                "--binary" => options.binary = value()?.into(),
                "--control" => options.is_control = true,
                "--no-retry" => options.retries = false,
                "--kind" => options.kind = Some(value()?.clone()),
                "--operations" => {
                    options.operations = value()?.parse().context("--operations wants a number")?;
                }
                "--scratch" => options.scratch = value()?.into(),
                _ => bail!("unknown option {name}; {USAGE}"),
            }
        }
        options.binary = options.binary.canonicalize().with_context(|| {
            format!("there is no program {}; build carnet, or say --binary PATH", options.binary.display())
        })?;
        Ok(options)
    }

    /// The kind that was asked for, or the usual one.
    pub(crate) fn kind_or<'a>(&'a self, usual: &'a str) -> &'a str {
        self.kind.as_deref().unwrap_or(usual)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        })
    }
}

/// The command that does the same again.
impl fmt::Display for Options {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            to,
            "faults {} --engine {} --seed {} --count {}",
            self.harness, self.engine, self.seed, self.count
        )?;
        if let Some(kind) = &self.kind {
            write!(to, " --kind {kind}")?;
        }
        if self.harness == "histories" {
            write!(to, " --operations {}", self.operations)?;
        }
        to.write_str(if self.is_control { " --control" } else { "" })?;
        to.write_str(if self.retries { "" } else { " --no-retry" })
    }
}
