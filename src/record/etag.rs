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
        let text = text.strip_prefix('"')?.strip_suffix('"')?;
        let hex = text.strip_suffix("-gzip").or_else(|| text.strip_suffix("-zstd")).unwrap_or(text);
        let is_ours = hex.len() == 32 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_ours { u128::from_str_radix(hex, 16).ok().map(Self) } else { None }
    }
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
        Self::parse(value, |tag| if tag.starts_with("W/") { "" } else { tag })
    }

    /// Reads the value of `If-None-Match`, where a proxy may have weakened a tag.
    pub fn weak(value: &str) -> Self {
        Self::parse(value, |tag| tag.strip_prefix("W/").unwrap_or(tag))
    }

    /// What is named here, or anything, but what is named there.
    pub fn except(named: Option<Self>, unnamed: Self) -> Self {
        Self::Except { named: named.map(Box::new), unnamed: Box::new(unnamed) }
    }

    fn parse(value: &str, strength: impl Fn(&str) -> &str) -> Self {
        if value.trim() == "*" {
            return Self::Any;
        }
        Self::These(value.split(',').filter_map(|tag| ETag::parse(strength(tag.trim()))).collect())
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
        for none in ["", "\"x\"", &tag.to_uppercase(), tag.trim_matches('"')] {
            assert!(!ETags::strong(none).matches(record), "{none}");
        }
    }
}
