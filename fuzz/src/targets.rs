//! The targets, one file each.

pub(crate) mod batch;
pub(crate) mod body;
pub(crate) mod config;
pub(crate) mod csv;
pub(crate) mod etag;
pub(crate) mod fold;
pub(crate) mod head;
pub(crate) mod key;
pub(crate) mod query;
pub(crate) mod router;
pub(crate) mod url;
pub(crate) mod vcard;

use std::fmt::Debug;

use carnet::http::{HeaderMap, HeaderName, HeaderValue};
use carnet::record::fault::{Found, MOST_FAULTS};

/// Who collects all faults finds one exactly where the reading is refused, and the same one first.
fn same_first_fault<E: Debug + PartialEq>(refused: Option<&E>, found: &Found<E>) {
    assert_eq!(refused, found.faults.first().map(|fault| &fault.error));
    assert!(found.faults.len() == MOST_FAULTS || found.faults.len() < MOST_FAULTS && found.more == 0);
}

/// Lines of `name: value` as headers; what is none is left out.
fn headers(text: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = (HeaderName::from_bytes(&line[..colon]), line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    headers
}

/// The first line of an input, and the rest.
fn split_line(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[]),
    }
}
