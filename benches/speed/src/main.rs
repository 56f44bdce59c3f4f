//! The tool behind `./bench`: it fills databases, starts the servers, drives them in turns, and reports.
//!
//! `speed run …` is the benchmark; `speed bare` and `speed one-commit` are the servers to compare with.

mod bare;
mod batches;
mod files;
mod fill;
mod goals;
mod http;
mod load;
mod machine;
mod one_commit;
mod options;
mod plot;
mod postgres;
mod process;
mod queries;
mod reads;
mod report;
mod results;
mod rows;
mod starts;
mod substance;
mod writes;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::fill::Filled;
use crate::options::Options;
use crate::results::Results;

/// What every part of the run needs to know.
pub(crate) struct Bench {
    pub(crate) options: Options,
    /// One for each size, smallest first.
    pub(crate) filled: Vec<Filled>,
    /// Scratch space of this run: copies of databases that are written to, bodies, logs.
    pub(crate) scratch: PathBuf,
}

fn main() -> ExitCode {
    match command() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("./bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "run" => run(Options::parse(rest)?),
        Some((command, [body])) if command == "bare" => bare::serve_file(Path::new(body)),
        Some((command, [body, head])) if command == "bare" => {
            bare::serve_answer(Path::new(body), Path::new(head))
        }
        Some((command, [database])) if command == "one-commit" => one_commit::serve(Path::new(database)),
        _ => bail!("usage: speed run … | bare BODY [HEAD] | one-commit DATABASE (./bench calls it)"),
    }
}

fn run(options: Options) -> anyhow::Result<()> {
    let scratch = options.data.join("scratch");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).context("cannot clear the last run's scratch space")?;
    }
    std::fs::create_dir_all(&scratch)?;
    if options.is_files {
        return files::measure(&options, &scratch);
    }
    if options.postgres.is_some() {
        return postgres::run(&options, &scratch);
    }
    let machine = machine::describe(&options);
    eprintln!("{machine}");
    let sizes = options.sizes().into_iter();
    let filled = sizes.map(|size| fill::prepare(&options, size)).collect::<anyhow::Result<_>>()?;
    let bench = Bench { options, filled, scratch };

    let mut results = Results::default();
    starts::measure(&bench, &mut results).context("while measuring starts")?;
    reads::measure(&bench, &mut results).context("while measuring reads")?;
    writes::measure(&bench, &mut results).context("while measuring writes")?;
    queries::measure(&bench, &mut results).context("while measuring queries")?;
    std::fs::remove_dir_all(&bench.scratch)?;
    report::write(&bench, &machine, &results)
}
