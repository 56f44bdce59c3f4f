//! The table `[backup]`: the backups that the server makes by itself.

use super::Config;
use super::effective::{Lines, quoted};
use super::problem::Problem;
use super::tree::{Reader, Table};
use crate::store::Schedule;
use crate::store::url::StorageUrl;
use toml::Spanned;

const MOST: i64 = 1_000_000;

/// Without a folder there are no backups.
pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let folder = reader.string(table, "folder");
    let every = reader.string(table, "every").and_then(|text| every(reader, &text));
    let keep = reader.number(table, "keep", 1..=MOST).and_then(|keep| usize::try_from(keep).ok());
    let Some(folder) = folder else { return };
    if folder.get_ref().is_empty() {
        let remedy = "name a folder for the backups, or leave the key out: then none are made";
        reader.problems.push(Problem::at(folder.span(), "`folder` is empty", remedy));
    }
    if let StorageUrl::Postgres(_) = config.storage {
        let remedy = "run carnet backup from a timer, on one machine";
        reader.problems.push(Problem::at(table.span.clone(), "[backup] is for SQLite", remedy));
    }
    config.backup = Some(Schedule {
        folder: folder.into_inner().into(),
        every: every.unwrap_or(Schedule::DEFAULT_EVERY),
        keep: keep.unwrap_or(Schedule::DEFAULT_KEEP),
    });
}

fn every(reader: &mut Reader<'_>, text: &Spanned<String>) -> Option<std::time::Duration> {
    let parsed = Schedule::parse_every(text.get_ref()).ok_or_else(|| {
        let remedy = "write a whole number from 1 with s, m, h, d or w for seconds to weeks: `\"24h\"`";
        Problem::at(text.span(), "`every` is not a length of time", remedy)
    });
    reader.note(parsed)
}

pub(super) fn lines(schedule: &Schedule) -> Lines {
    vec![
        ("folder", quoted(&schedule.folder.to_string_lossy())),
        ("every", quoted(&schedule.every_text())),
        ("keep", schedule.keep.to_string()),
    ]
}
