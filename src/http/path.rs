//! One segment of a path: decoded out of it, encoded into it.

use std::borrow::Cow;

use percent_encoding::utf8_percent_encode;

use super::query::{self, RESERVED};

/// What a segment says, or `None` where it cannot be read as text.
pub fn decode(segment: &str) -> Option<Cow<'_, str>> {
    query::decode(segment, b'+').ok()
}

/// Appends a text as one segment.
pub fn push(path: &mut String, text: &str) {
    path.extend(utf8_percent_encode(text, RESERVED));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_one_segment_and_read_back() {
        for text in ["a", "a/b", "50% + é?#", "..", "\u{0}"] {
            let mut path = String::new();
            push(&mut path, text);
            assert!(!path.contains(['/', '?', '#', ' ']), "{path}");
            assert_eq!(decode(&path).as_deref(), Some(text));
        }
        assert_eq!(decode("a+b").as_deref(), Some("a+b"));
        assert_eq!((decode("%"), decode("%zz"), decode("%ff")), (None, None, None));
    }
}
