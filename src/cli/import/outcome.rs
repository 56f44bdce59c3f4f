//! What an import came to, as it is printed: the same wherever it ran.

use std::fmt::Write;

use anyhow::Context;

use super::super::new_file::NewFile;
use super::super::terminal;
use crate::observe::is_harmful;
use crate::record::value::Cell;
use crate::transfer::csv::write::Dialect;
use crate::transfer::import::{Fault, Report};

/// How many faults are printed; all of them go to the file of `--faults`.
const SHOWN_FAULTS: usize = 20;

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(in crate::cli) struct FaultyFile(pub(super) String);

/// Prints what an import came to, and says by an error that it did not go well.
pub(super) fn conclude(report: &Report, dry_run: bool, faults_file: Option<NewFile>) -> anyhow::Result<()> {
    if dry_run {
        terminal::say(&visible(&preview(report)))?;
    }
    if let Some(mut file) = faults_file {
        file.write(&listed(&report.faults.kept)).context("the faults cannot be written")?;
        file.finish()?;
    }
    for fault in report.faults.kept.iter().take(SHOWN_FAULTS) {
        terminal::remark(&visible(&fault.told()));
    }
    let count = report.faults.count;
    if count == 0 {
        return Ok(terminal::say(&format!("{}\n", report.summary()))?);
    }
    let faults = if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
    if report.was_stored {
        terminal::say(&format!("{}\n", report.summary()))?;
        anyhow::bail!("{faults}; everything else was stored. Run it again to settle the rest");
    }
    Err(FaultyFile(format!("{faults} in {} entries. Nothing was stored", report.read)).into())
}

/// A text of somebody's file as a terminal may be given it.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_harmful(character) && character != '\n' {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// What a dry run shows: the mapping, and the first entries as the records that they would become.
fn preview(report: &Report) -> String {
    let mut text = String::new();
    for (column, field) in &report.mapping {
        let _ = writeln!(text, "{column} -> {field}");
    }
    for record in &report.first {
        let _ = writeln!(text, "{record}");
    }
    text
}

/// All faults as CSV.
fn listed(faults: &[Fault]) -> Vec<u8> {
    let mut out = Vec::new();
    Dialect::Exact.header(["line", "fault"].into_iter(), &mut out);
    for fault in faults {
        let line = i64::try_from(fault.line).unwrap_or(i64::MAX);
        let words = fault.told();
        Dialect::Exact.line([Cell::Integer(line), Cell::Text(&words)].into_iter(), &mut out);
    }
    out
}
