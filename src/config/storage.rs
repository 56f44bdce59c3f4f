//! Where the data is: `database`.

use super::Config;
use super::effective::{COMMENT, Lines, quoted};
use super::tree::{Reader, Table, put};
use crate::store::url::StorageUrl;

pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let given = reader.overrides.database.as_ref();
    let Some(setting) = reader.setting(table, "database", given) else { return };
    let parsed = StorageUrl::parse(&setting.text)
        .and_then(|url| url.within(&reader.overrides.surroundings))
        .map_err(|error| setting.problem("does not say where the data is", error.to_string()));
    put(reader.note(parsed), &mut config.storage);
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    lines.push(("database", quoted(&config.storage.to_string())));
    if let StorageUrl::Postgres(_) = config.storage {
        lines.push((COMMENT, "a password is not written here: PGPASSWORD or ~/.pgpass".to_owned()));
    }
}
