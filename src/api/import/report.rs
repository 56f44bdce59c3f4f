//! What is told of an import, as JSON.

use serde_json::{Value, json};

use crate::store::imports::ImportRow;
use crate::transfer::format::Format;
use crate::transfer::import::{Remedy, Report, State};

/// How many faults are told; the others are counted.
const MOST_FAULTS: usize = 1_000;

/// What is known of an import before it begins.
pub(super) struct Heading {
    pub(super) collection: String,
    pub(super) format: Format,
    pub(super) dry_run: bool,
}

/// How many entries are done, and of how many, once that is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    pub(super) read: u64,
    pub(super) entries: Option<u64>,
}

/// Where the report is.
pub(super) fn path(number: i64) -> String {
    format!("/_/imports/{number}/")
}

impl Heading {
    /// Of an import that has no number yet.
    pub(super) fn begun(&self) -> Value {
        self.told(0, State::Judging, Extent::default(), &Report::default(), None)
    }

    pub(super) fn told(
        &self,
        number: i64,
        state: State,
        extent: Extent,
        report: &Report,
        error: Option<&str>,
    ) -> Value {
        let faults = report.faults.kept.iter().take(MOST_FAULTS);
        let faults: Vec<Value> = faults
            .map(|fault| {
                let remedy = fault.remedy.as_ref().map(Remedy::words);
                json!({ "line": fault.line, "fault": fault.told(), "remedy": remedy })
            })
            .collect();
        let mapping: Vec<Value> = report
            .mapping
            .iter()
            .map(|(column, field)| json!({ "column": column, "field": field }))
            .collect();
        json!({
            "id": number,
            "ressource_uri": path(number),
            "collection": self.collection,
            "format": self.format.name(),
            "state": state.name(),
            "dry_run": self.dry_run,
            "entries": extent.entries,
            "read": extent.read,
            "created": report.created,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "related": report.related,
            "ignored": report.ignored,
            "fault_count": report.faults.count,
            "faults": faults,
            "not_taken": report.not_taken(),
            "unfilled": report.unfilled(),
            "asks_for_ids": report.asks_for_ids(),
            "mapping": mapping,
            "first": report.first,
            "error": error,
        })
    }
}

/// A report as its row has it. The first was written before the import had its number, and the last one may be of an
/// import whose node is gone.
pub(super) fn stored(number: i64, row: &ImportRow) -> String {
    let mut value: Value = serde_json::from_str(&row.report).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.insert("id".into(), number.into());
        members.insert("ressource_uri".into(), path(number).into());
        if row.is_abandoned {
            members.insert("state".into(), State::Stopped.name().into());
            let error = "The server that ran it has ended. What is stored is whole; send the file again to go on. \
                 With match=none that would store it twice";
            members.insert("error".into(), error.into());
        }
    }
    value.to_string()
}
