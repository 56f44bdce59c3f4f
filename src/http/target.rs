//! Targets of requests with characters that have to be encoded: which one, and how it is written.

use hyper::Uri;

/// The first byte that the HTTP library would not read in this target, where encoding it would help.
pub(super) fn unreadable(target: &[u8]) -> Option<u8> {
    if target.iter().all(|byte| is_usual(*byte)) || target.first() != Some(&b'/') || is_read(target) {
        return None;
    }
    let (path, query) = match target.iter().position(|byte| *byte == b'?') {
        Some(at) => target.split_at(at),
        None => (target, &b""[..]),
    };
    let in_path = path.iter().find(|byte| !is_read(&[b'/', **byte]));
    let in_query = || query.iter().find(|byte| !is_read(&[b'/', b'?', **byte]));
    in_path.or_else(in_query).copied()
}

/// The target with everything encoded that may have to be.
pub(super) fn encoded(target: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(target.len() * 3);
    for byte in target {
        match byte {
            byte if is_usual(*byte) => text.push(*byte),
            byte => text.extend(format!("%{byte:02X}").into_bytes()),
        }
    }
    text
}

/// What the HTTP library makes of it.
fn is_read(target: &[u8]) -> bool {
    !target.contains(&b' ') && Uri::try_from(target).is_ok()
}

/// What stands in nearly every target, and is never encoded.
fn is_usual(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'?' | b'&' | b'=' | b'%' | b'.' | b'_' | b'-' | b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_to_be_encoded_is_found_and_nothing_else() {
        assert_eq!(unreadable(b"/users/?last_name=Van Gogh"), Some(b' '));
        assert_eq!(unreadable(b"/a<b>"), Some(b'<'));
        assert_eq!(unreadable(b"/\xe9"), Some(0xe9));
        for fine in ["/", "/users/1/?a=b&c=%20", "/a|b", "/é?x=é", "*", "http://x/ y", "users"] {
            assert_eq!(unreadable(fine.as_bytes()), None, "{fine}");
        }
        assert_eq!(encoded(b"/a b?\"<\xe9"), b"/a%20b?%22%3C%E9");
    }
}
