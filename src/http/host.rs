//! Which text is a host with an optional port, as RFC 3986 has it.

/// Whether this is `host` or `host:port`, without user information.
pub(super) fn is_valid(text: &[u8]) -> bool {
    let (is_host_valid, port) = match text.strip_prefix(b"[") {
        Some(rest) => match split_at_byte(rest, b']') {
            Some((address, port)) => (is_ipv6(address), port),
            None => return false,
        },
        None => {
            let end = text.iter().position(|byte| *byte == b':');
            let (name, port) = text.split_at(end.unwrap_or(text.len()));
            (is_name(name), port)
        }
    };
    is_host_valid && is_port(port)
}

fn split_at_byte(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == separator)?;
    Some((&text[..at], &text[at + 1..]))
}

fn is_ipv6(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok())
}

/// Which characters stand for themselves in a name: unreserved ones and sub-delimiters. A table, as every
/// request has a host.
const IN_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'.' | b'_' | b'~')
            || matches!(byte, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=');
        byte += 1;
    }
    table
};

/// A registered name or an IPv4 address.
fn is_name(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(strange) = rest.iter().position(|byte| !IN_NAME[usize::from(*byte)]) {
        rest = match &rest[strange..] {
            [b'%', high, low, tail @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => tail,
            _ => return false,
        };
    }
    !text.is_empty()
}

/// Nothing, or a colon with a port that may be left out.
fn is_port(text: &[u8]) -> bool {
    let Some(digits) = text.strip_prefix(b":") else {
        return text.is_empty();
    };
    let number = digits.iter().try_fold(0_u32, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        Some(number * 10 + digit).filter(|number| *number <= u32::from(u16::MAX))
    });
    number.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_from_other_texts() {
        for good in [
            "localhost",
            "book.example.org:8080",
            "127.0.0.1:80",
            "[::1]",
            "[::1]:8080",
            "a_b-c~",
            "xn--bcher-kva.example",
            "%C3%BC.example",
            "host:",
        ] {
            assert!(is_valid(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            ":80",
            "user@host",
            "a b",
            "host/path",
            "host:80:80",
            "host:65536",
            "host:-1",
            "host:+1",
            "[::1",
            "[::1]x",
            "[nonsense]",
            "%zz",
            "%c",
            "a<b>",
            "a\"b",
            "é",
            "a?b",
            "a#b",
        ] {
            assert!(!is_valid(bad.as_bytes()), "{bad}");
        }
    }
}
