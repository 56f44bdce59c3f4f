//! What a request says about the file in its body.

use crate::api::content::{charsets, is_utf8};
use crate::api::error::ApiError;
use crate::http::query::Pair;
use crate::http::{HeaderMap, HeaderValue, header};
use crate::transfer::format::Format;
use crate::transfer::import::Said;

/// What the body is, and the encoding of its text where it is said there.
pub(super) fn format(headers: &HeaderMap) -> Result<(Format, Option<String>), ApiError> {
    let is_encoded = |value: &HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(is_encoded) {
        return Err(ApiError::EncodedBody);
    }
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (value, other) = (values.next(), values.next());
    let text = value.filter(|_| other.is_none()).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wanted = text.split(';').next().unwrap_or_default().trim();
    let is_wanted = |format: &Format| format.media_type().eq_ignore_ascii_case(wanted);
    let format = Format::ALL.into_iter().find(is_wanted).ok_or(ApiError::NotAnImport)?;
    // Programs say UTF-8 by themselves, and a byte order mark knows better.
    let charset = charsets(text).find(|charset| !is_utf8(charset));
    Ok((format, charset.map(str::to_owned)))
}

/// The options by their names; what is not said has its default.
pub(super) fn said<'a>(pairs: impl Iterator<Item = &'a Pair<'a>>) -> Result<Said, ApiError> {
    let mut said = Said::default();
    let mut seen: Vec<&'static str> = Vec::new();
    for (name, value) in pairs {
        let name = known(name)?;
        let text = value.to_string();
        match name {
            "map" => said.map.push(text),
            "ignore" => said.ignore.push(text),
            "fill" => said.fill.push(text),
            _ if seen.contains(&name) => return Err(ApiError::ImportOptionTwice(name)),
            "match" => said.matching = Some(text),
            "existing" => said.existing = Some(text),
            "encoding" => said.encoding = Some(text),
            "delimiter" => said.delimiter = Some(text),
            "ignore_rest" => said.ignore_rest = switch(name, value)?,
            "spreadsheet" => said.spreadsheet = switch(name, value)?,
            _ => said.dry_run = switch(name, value)?,
        }
        seen.push(name);
    }
    Ok(said)
}

fn known(name: &str) -> Result<&'static str, ApiError> {
    let known = Said::NAMES.into_iter().find(|known| *known == name);
    known.ok_or_else(|| ApiError::UnknownImportOption(name.to_owned()))
}

fn switch(name: &'static str, value: &str) -> Result<bool, ApiError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        text => Err(ApiError::ImportOption { name, words: format!("{text} is not true or false") }),
    }
}
