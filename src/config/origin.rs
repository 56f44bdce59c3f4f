//! The origin of a web page, exactly as a browser sends it: anything else would never match.

use super::Config;
use super::effective::{Lines, list};
use super::problem::Problem;
use super::tree::{Reader, Table};

/// Stands for every origin.
const ANY: &str = "*";

/// Reads `cors_origins`.
pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let written = reader.strings(table, "cors_origins").unwrap_or_default();
    for (place, text) in written.iter().enumerate() {
        let origin = text.get_ref();
        let earlier = written[..place].iter().find(|earlier| earlier.get_ref() == origin);
        let problem = if let Some(earlier) = earlier {
            let problem = Problem::at(text.span(), format!("`{origin}` is listed twice"), "take one away");
            Problem { related: Some((earlier.span(), "it stands here".into())), ..problem }
        } else if origin == ANY {
            if written.len() == 1 {
                continue;
            }
            let message = "`*` already stands for every origin";
            Problem::at(text.span(), message, "take it away, or all the others")
        } else {
            let Err(error) = check(origin) else { continue };
            let remedy = "write it as browsers send it: `https://app.example.org`, with a port only where \
                          it is not the usual one; or `*` alone for every origin";
            Problem::at(text.span(), format!("`{origin}` {error}"), remedy)
        };
        reader.problems.push(problem);
    }
    config.api.cors_origins = written.into_iter().map(|text| text.into_inner()).collect();
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    lines.push(("cors_origins", list(config.api.cors_origins.iter().map(String::as_str))));
}

/// Why a text is no origin. Worded to follow the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum OriginError {
    #[error("is no origin: it does not begin with a scheme such as https://")]
    Scheme,
    #[error("is no origin: it names no host")]
    Host,
    #[error("is no origin: something follows the host and its port")]
    Tail,
    #[error("is no origin: its port is no port")]
    Port,
    #[error("is no origin that a browser sends: those leave the usual port out")]
    UsualPort,
    #[error("is no origin that a browser sends: those are in lower case")]
    Capitals,
}

fn check(text: &str) -> Result<(), OriginError> {
    let (scheme, authority) = text.split_once("://").ok_or(OriginError::Scheme)?;
    let is_mark = |byte: u8| matches!(byte, b'+' | b'-' | b'.');
    let begins = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if !begins || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_mark(byte)) {
        return Err(OriginError::Scheme);
    }
    if authority.contains(['/', '?', '#']) {
        return Err(OriginError::Tail);
    }
    // The colons of an IPv6 address stand in brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if !is_host(host) {
        return Err(OriginError::Host);
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(OriginError::Capitals);
    }
    let Some(written) = port else { return Ok(()) };
    let port = written.parse::<u16>().ok().filter(|port| port.to_string() == written);
    match (scheme, port) {
        (_, None) => Err(OriginError::Port),
        ("http", Some(80)) | ("https", Some(443)) => Err(OriginError::UsualPort),
        _ => Ok(()),
    }
}

/// A name in ASCII, as browsers write those of other scripts too, or an address.
fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let is_mark = |byte: u8| matches!(byte, b'-' | b'.' | b'_');
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_mark(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_as_a_browser_sends_it() {
        for text in [
            "https://app.example.org",
            "http://localhost:5173",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
            "https://[2001:db8::1]",
            "https://xn--caf-dma.example",
            "http://x:443",
            "capacitor://localhost",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for (text, error) in [
            ("", OriginError::Scheme),
            ("null", OriginError::Scheme),
            ("app.example.org", OriginError::Scheme),
            ("//app.example.org", OriginError::Scheme),
            ("https:///", OriginError::Tail),
            ("https://", OriginError::Host),
            ("https://*.example.org", OriginError::Host),
            ("https://ann@x", OriginError::Host),
            ("https://café.example", OriginError::Host),
            ("https://a b", OriginError::Host),
            ("https://x/", OriginError::Tail),
            ("https://x/app", OriginError::Tail),
            ("https://x?a", OriginError::Tail),
            ("https://x:", OriginError::Port),
            ("https://x:070", OriginError::Port),
            ("https://x:70000", OriginError::Port),
            ("https://x:443", OriginError::UsualPort),
            ("http://x:80", OriginError::UsualPort),
            ("https://App.example.org", OriginError::Capitals),
            ("HTTPS://app.example.org", OriginError::Capitals),
        ] {
            assert_eq!(check(text), Err(error), "{text}");
        }
    }
}
