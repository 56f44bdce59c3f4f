//! Entity tags: a record's content in a few characters, and what a request demands of it.

use std::fmt;

/// The tag of a representation: the same for the same bytes, on every node and every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ETag(u128);

impl ETag {
    pub fn of(representation: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(representation))
    }

    /// Reads one tag as it stands in a header, quotes included. What an answer that was compressed calls the coding
    /// is no part of the record.
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_hex(bare(text)?)
    }

    /// Reads one tag likewise; of that of a record with what it refers to, the part of the record.
    fn parse_record(text: &str) -> Option<Self> {
        let text = bare(text)?;
        Self::from_hex(text).or_else(|| ExpandedETag::from_hex(text).map(|tag| tag.record))
    }

    fn from_hex(hex: &str) -> Option<Self> {
        let is_ours = hex.len() == 32 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_ours { u128::from_str_radix(hex, 16).ok().map(Self) } else { None }
    }
}

/// What stands between the quotes, without what the coding of a compressed answer is called.
fn bare(text: &str) -> Option<&str> {
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(text.strip_suffix("-gzip").or_else(|| text.strip_suffix("-zstd")).unwrap_or(text))
}

/// The tag of a record with what it refers to: a write may be guarded with it, as with that of the record alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpandedETag {
    record: ETag,
    embedded: ETag,
}

impl ExpandedETag {
    pub fn of(record: &[u8], embedded: &[u8]) -> Self {
        Self { record: ETag::of(record), embedded: ETag::of(embedded) }
    }

    fn from_hex(text: &str) -> Option<Self> {
        let (record, embedded) = text.split_once('.')?;
        Some(Self { record: ETag::from_hex(record)?, embedded: ETag::from_hex(embedded)? })
    }

    /// Whether the value of `If-None-Match` names it, all of it.
    pub fn is_named_by(self, value: &str) -> bool {
        let tags = value.split(',').map(|tag| unweakened(tag.trim()));
        value.trim() == "*" || tags.filter_map(bare).any(|tag| Self::from_hex(tag) == Some(self))
    }
}

impl fmt::Display for ExpandedETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{:032x}.{:032x}\"", self.record.0, self.embedded.0)
    }
}

/// A tag that a proxy may have weakened.
fn unweakened(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

impl ETag {
    /// Its text, quotes included, as a header has it. Made for every answer, so without an allocation.
    pub fn text(self) -> [u8; 34] {
        let mut text = [b'"'; 34];
        for (digits, byte) in text[1..33].as_chunks_mut::<2>().0.iter_mut().zip(self.0.to_be_bytes()) {
            *digits = [byte >> 4, byte & 0xf].map(|digit| b"0123456789abcdef"[usize::from(digit)]);
        }
        text
    }
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text()))
    }
}

/// Why a representation is none of those that are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// No tag is its own.
    NotNamed,
    /// It is one of those that are left out.
    Excluded,
}

/// Which tags a header names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ETags {
    /// `*`: whatever there is.
    Any,
    /// Tags that are none of ours match nothing, and are left out.
    These(Vec<ETag>),
    /// Only what the one names, where there is one, and the other does not.
    Except { named: Option<Box<ETags>>, unnamed: Box<ETags> },
}

impl ETags {
    /// Reads the value of `If-Match`: a weak tag never matches there (RFC 9110).
    pub fn strong(value: &str) -> Self {
        Self::parse(value, ETag::parse_record)
    }

    /// Reads the value of `If-None-Match`, where a proxy may have weakened a tag.
    pub fn weak(value: &str) -> Self {
        Self::parse(value, |tag| ETag::parse(unweakened(tag)))
    }

    /// What is named here, or anything, but what is named there.
    pub fn except(named: Option<Self>, unnamed: Self) -> Self {
        Self::Except { named: named.map(Box::new), unnamed: Box::new(unnamed) }
    }

    fn parse(value: &str, read: impl Fn(&str) -> Option<ETag>) -> Self {
        if value.trim() == "*" {
            return Self::Any;
        }
        Self::These(value.split(',').filter_map(|tag| read(tag.trim())).collect())
    }

    /// Whether it asks for a record (`If-Match`), and is not met where there is none.
    pub fn asks_for_one(&self) -> bool {
        match self {
            Self::Any | Self::These(_) => true,
            Self::Except { named, .. } => named.is_some(),
        }
    }

    /// Whether the representation is one of those that are named.
    pub fn matches(&self, representation: &[u8]) -> bool {
        self.check(representation).is_ok()
    }

    /// The same, with the reason.
    pub fn check(&self, representation: &[u8]) -> Result<(), Mismatch> {
        let is_named = match self {
            Self::Any => true,
            Self::These(tags) => !tags.is_empty() && tags.contains(&ETag::of(representation)),
            Self::Except { named, unnamed } => {
                if let Some(named) = named {
                    named.check(representation)?;
                }
                return if unnamed.matches(representation) { Err(Mismatch::Excluded) } else { Ok(()) };
            }
        };
        if is_named { Ok(()) } else { Err(Mismatch::NotNamed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_follows_from_the_bytes_and_nothing_else() {
        // Fixed for ever: clients keep tags across versions, and every engine must make the same ones.
        let tag = ETag::of(b"{\"first_name\":\"Ada\"}").to_string();
        assert_eq!(tag, "\"7af48095701166d3ac10b58e81538507\"");
        assert_eq!(ETag::parse(&tag), Some(ETag::of(b"{\"first_name\":\"Ada\"}")));
    }

    #[test]
    fn a_header_names_one_of_several_or_any() {
        let (record, tag) = (b"record", ETag::of(b"record").to_string());
        assert!(ETags::strong(&format!("\"other\", {tag}")).matches(record));
        assert!(ETags::strong(" * ").matches(record));
        assert!(!ETags::strong(&format!("W/{tag}")).matches(record));
        assert!(ETags::weak(&format!("W/{tag}")).matches(record));
        let compressed = tag.replacen("\"", "", 1).replace('"', "-gzip\"");
        assert!(ETags::strong(&format!("\"{compressed}")).matches(record), "{compressed}");
        assert!(!ETags::strong(&format!("\"{compressed}").replace("gzip", "br")).matches(record));
        assert!(!ETags::except(None, ETags::weak(&tag)).matches(record));
        assert!(ETags::except(None, ETags::weak("\"x\"")).matches(record));
        assert!(!ETags::except(Some(ETags::strong("\"x\"")), ETags::weak("\"x\"")).matches(record));
        for (named, unnamed, checked) in [
            (tag.as_str(), "\"x\"", Ok(())),
            (&tag, &tag, Err(Mismatch::Excluded)),
            ("*", "*", Err(Mismatch::Excluded)),
            ("\"x\"", &tag, Err(Mismatch::NotNamed)),
        ] {
            let tags = ETags::except(Some(ETags::strong(named)), ETags::weak(unnamed));
            assert_eq!(tags.check(record), checked, "{named} but {unnamed}");
        }
        let expanded = ExpandedETag::of(record, b"embedded");
        let text = expanded.to_string();
        assert_eq!(text.len(), 2 + 32 + 1 + 32);
        assert!(text.starts_with(tag.trim_end_matches('"')), "{text} of {tag}");
        let compressed = format!("{}-zstd\"", text.trim_end_matches('"'));
        for named in [&text, &compressed] {
            assert!(ETags::strong(named).matches(record), "a write may be guarded with it: {named}");
            assert!(!ETags::strong(&format!("W/{named}")).matches(record));
            assert!(!ETags::weak(named).matches(record), "the record alone is something else");
            assert!(expanded.is_named_by(&format!("\"x\", W/{named}")));
            assert!(!ExpandedETag::of(record, b"other").is_named_by(named));
            assert!(!ExpandedETag::of(b"other", b"embedded").is_named_by(named));
        }
        assert!(expanded.is_named_by("*") && !expanded.is_named_by(&tag));
        for none in ["", "\"x\"", &tag.to_uppercase(), tag.trim_matches('"')] {
            assert!(!ETags::strong(none).matches(record), "{none}");
        }
    }
}
