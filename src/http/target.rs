//! Targets of requests with characters that have to be encoded: which one, and how it is written.

use hyper::Uri;

/// The first byte that the HTTP library would not read in this target, where encoding it would help.
pub(super) fn unreadable(target: &[u8]) -> Option<u8> {
    if target.iter().all(|byte| is_usual(*byte)) || target.first() != Some(&b'/') || is_read(target) {
        return None;
    }
    let path = target.iter().position(|byte| *byte == b'?').unwrap_or(target.len());
    let is_wrong = |(at, byte): (usize, &u8)| {
        let alone: &[u8] = if at < path { &[b'/', *byte] } else { &[b'/', b'?', *byte] };
        (byte.is_ascii() && !is_read(alone)).then_some(*byte)
    };
    let not_utf8 = || target.get(std::str::from_utf8(target).err()?.valid_up_to()).copied();
    target.iter().enumerate().find_map(is_wrong).or_else(not_utf8)
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
        assert_eq!(unreadable("/users/?last_name=Gödel Kurt".as_bytes()), Some(b' '));
        assert_eq!(unreadable(b"/?\xc3\xb6\xe9"), Some(0xe9));
        for fine in ["/", "/users/1/?a=b&c=%20", "/a|b", "/é?x=é", "*", "http://x/ y", "users"] {
            assert_eq!(unreadable(fine.as_bytes()), None, "{fine}");
        }
        assert_eq!(encoded(b"/a b?\"<\xe9"), b"/a%20b?%22%3C%E9");
    }
}
