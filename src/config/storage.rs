//! Where the data is: `database`.

use super::effective::{COMMENT, Lines, quoted};
use super::setting::Setting;
use super::tree::{Reader, Table};
use super::{Config, Overrides};
use crate::store::url::StorageUrl;

pub(super) fn read<'t>(
    reader: &mut Reader<'t>,
    table: &Table<'t>,
    overrides: &Overrides,
    config: &mut Config,
) {
    let written = reader.string(table, "database");
    let Some(setting) = Setting::choose("database", &overrides.database, &written) else { return };
    let parsed = StorageUrl::parse(setting.text)
        .and_then(|url| url.within(&overrides.surroundings))
        .map_err(|error| setting.problem("does not say where the data is", error.to_string()));
    if let Some(storage) = reader.note(parsed) {
        config.storage = storage;
    }
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    lines.push(("database", quoted(&config.storage.to_string())));
    if let StorageUrl::Postgres(_) = config.storage {
        lines.push((COMMENT, "a password is not written here: PGPASSWORD or ~/.pgpass".to_owned()));
    }
}
