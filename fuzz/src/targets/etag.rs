//! `If-Match` and `If-None-Match`: which records a header names.

use carnet::api::fuzzing::{if_match, if_none_match};
use carnet::http::{HeaderMap, HeaderValue, header};
use carnet::record::etag::{ETag, ETags};

use crate::is_planted;

const RECORD: &[u8] = b"record";
/// A dot and a tag, behind that of the record where what it refers to was shown with it.
const EMBEDDED: &str = ".00112233445566778899aabbccddeeff";

pub(crate) fn run(input: &[u8]) {
    let own = ETag::of(RECORD).to_string();
    // Nobody would find the record's own tag by chance: an @ stands for it, a # for it without its last quote, a ~ for
    // the part of what is embedded. Each line is one line of the header.
    let parts: Vec<&[u8]> = input.split(|byte| *byte == b'@').collect();
    let input = parts.join(own.as_bytes());
    let parts: Vec<&[u8]> = input.split(|byte| *byte == b'#').collect();
    let input = parts.join(own.trim_end_matches('"').as_bytes());
    let parts: Vec<&[u8]> = input.split(|byte| *byte == b'~').collect();
    let input = parts.join(EMBEDDED.as_bytes());
    let (mut demanded, mut unwanted, mut both) = (HeaderMap::new(), HeaderMap::new(), HeaderMap::new());
    let mut lines: Vec<&[u8]> = Vec::new();
    for line in input.split(|byte| *byte == b'\n') {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            demanded.append(header::IF_MATCH, value.clone());
            unwanted.append(header::IF_NONE_MATCH, value.clone());
            both.append(header::IF_MATCH, value.clone());
            both.append(header::IF_NONE_MATCH, value);
            lines.push(line);
        }
    }
    assert_eq!(if_none_match(&demanded), None);
    let (strong, weak) = (expected(&lines, &own, false), expected(&lines, &own, true));
    for (named, expected) in [
        (if_match(&demanded), strong),
        (if_none_match(&unwanted), weak),
        // Of a write: a record that is named by the one and not by the other.
        (if_match(&unwanted), !weak),
        (if_match(&both), strong && !weak),
    ] {
        assert_eq!(named.is_some(), !lines.is_empty(), "a demand is not dropped because it cannot be read");
        let Some(named) = named else { continue };
        assert_eq!(named.matches(RECORD), expected, "{lines:?} {named:?}");
        assert!(!matches!(named, ETags::These(_)) || !named.matches(b"another record"));
    }
}

/// The record is named by `*` alone, or by its tag among others; a weak tag is one only where weak ones count.
fn expected(lines: &[&[u8]], own: &str, is_weak: bool) -> bool {
    // A tag that is not ASCII names nothing, and takes nothing away from those beside it.
    let whole = lines.join(&b","[..]);
    let whole = String::from_utf8_lossy(&whole);
    if whole.trim() == "*" {
        return true;
    }
    // The tag of a compressed answer says how, and names the same record.
    let own = own.trim_end_matches('"');
    let tags = ["", "-gzip", "-zstd"].map(|coding| format!("{own}{coding}\""));
    // A write is guarded by the part of the record; elsewhere all of the tag counts.
    let expanded = ["", "-gzip", "-zstd"].map(|coding| format!("{own}{EMBEDDED}{coding}\""));
    // The planted bug: weak tags count everywhere.
    let takes_weak = is_weak || is_planted();
    whole.split(',').map(str::trim).any(|said| {
        let bare = said.strip_prefix("W/").filter(|_| takes_weak).unwrap_or(said);
        tags.iter().any(|tag| tag == bare) || (!is_weak && expanded.iter().any(|tag| tag == bare))
    })
}
