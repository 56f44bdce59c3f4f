//! The files that connections are encrypted with, and the promise that they always are.

use super::effective::{COMMENT, Lines, quoted};
use super::problem::Problem;
use super::tree::{Reader, Table};
use super::{Config, TlsFiles};
use std::path::Path;

/// Ten years, in seconds.
const LONGEST_PROMISE: i64 = 315_360_000;

/// Both files, or neither.
pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let files = (reader.string(table, "tls_cert"), reader.string(table, "tls_key"));
    let (written, missing) = match files {
        (None, None) => return,
        (Some(certificate), Some(key)) => {
            let (certificate, key) = (certificate.into_inner().into(), key.into_inner().into());
            config.tls = Some(TlsFiles { certificate, key });
            return;
        }
        (Some(certificate), None) => (certificate, "tls_key"),
        (None, Some(key)) => (key, "tls_cert"),
    };
    let message = format!("TLS needs `{missing}` as well");
    let remedy = "name both files, the certificate as `tls_cert` and its key as `tls_key`, or neither";
    reader.problems.push(Problem::at(written.span(), message, remedy));
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    match &config.tls {
        Some(TlsFiles { certificate, key }) => {
            let written = |file: &Path| quoted(&file.to_string_lossy());
            lines.extend([("tls_cert", written(certificate)), ("tls_key", written(key))]);
        }
        None => lines.push((COMMENT, "tls_cert and tls_key are not set: plain HTTP".to_owned())),
    }
}

/// Only who serves TLS can promise it.
pub(super) fn read_hsts<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let Some(seconds) = reader.number(table, "hsts", 0..=LONGEST_PROMISE) else { return };
    config.api.hsts = seconds.unsigned_abs();
    let has_file = |name| table.entries.get(name).is_some_and(|value| value.get_ref().is_str());
    if seconds > 0 && !has_file("tls_cert") && !has_file("tls_key") {
        let remedy = "name a certificate as `tls_cert` and its key as `tls_key`, or let the proxy that has them say it";
        let place = table.entries["hsts"].span();
        reader.problems.push(Problem::at(place, "`hsts` needs TLS", remedy));
    }
}

pub(super) fn write_hsts(config: &Config, lines: &mut Lines) {
    if config.tls.is_some() {
        lines.push(("hsts", config.api.hsts.to_string()));
    }
}
