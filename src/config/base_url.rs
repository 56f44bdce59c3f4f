//! The address under which clients reach the server: what `Location` and `Link` begin with.

use super::Config;
use super::effective::{COMMENT, Lines, quoted};
use super::tree::{Reader, Table};

pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let given = reader.overrides.base_url.as_ref();
    let Some(setting) = reader.setting(table, "base_url", given) else { return };
    let parsed = parse(&setting.text).map_err(|error| {
        let remedy =
            "write the address under which clients reach the server, such as `https://book.example.org`";
        setting.problem(&error.to_string(), remedy)
    });
    config.api.base_url = reader.note(parsed);
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    lines.push(match &config.api.base_url {
        Some(base_url) => ("base_url", quoted(base_url)),
        // A key whose default cannot be written as a value.
        None => (COMMENT, "base_url is not set: the scheme and host of the request".to_owned()),
    });
}

/// Why a text is no base URL. Worded to follow the name of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum BaseUrlError {
    #[error("does not begin with http:// or https://")]
    Scheme,
    #[error("has no host")]
    Host,
    #[error("has a port that is no port")]
    Port,
    #[error("has a user or a password, which every client would see")]
    UserInfo,
    #[error("has a query or a fragment, which nothing could follow")]
    Tail,
    #[error("has a character that does not stand in a URL")]
    Character,
}

/// The URL without its trailing slashes, ready to be followed by a path.
fn parse(text: &str) -> Result<String, BaseUrlError> {
    // It goes into headers, and into `Link` between < and >.
    if text.bytes().any(|byte| !byte.is_ascii_graphic() || b"\"<>\\^`{|}".contains(&byte)) {
        return Err(BaseUrlError::Character);
    }
    if text.contains(['?', '#']) {
        return Err(BaseUrlError::Tail);
    }
    let rest =
        text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or(BaseUrlError::Scheme)?;
    let authority = rest.split('/').next().unwrap_or_default();
    if authority.contains('@') {
        return Err(BaseUrlError::UserInfo);
    }
    // The colons of an IPv6 address stand in brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if host.is_empty() {
        return Err(BaseUrlError::Host);
    }
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err(BaseUrlError::Port);
    }
    Ok(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_absolute_and_ends_without_a_slash() {
        for (text, meant) in [
            ("https://book.example.org", Ok("https://book.example.org")),
            ("http://127.0.0.1:8080/", Ok("http://127.0.0.1:8080")),
            ("http://[::1]:80/book//", Ok("http://[::1]:80/book")),
            ("http://[::1]", Ok("http://[::1]")),
            ("book.example.org", Err(BaseUrlError::Scheme)),
            ("ftp://x", Err(BaseUrlError::Scheme)),
            ("https://", Err(BaseUrlError::Host)),
            ("https://:80", Err(BaseUrlError::Host)),
            ("https://x:port", Err(BaseUrlError::Port)),
            ("https://x:70000", Err(BaseUrlError::Port)),
            ("https://ann:secret@x", Err(BaseUrlError::UserInfo)),
            ("https://x/?a=b", Err(BaseUrlError::Tail)),
            ("https://x/a b", Err(BaseUrlError::Character)),
            ("https://x/\r\nSet-Cookie:a", Err(BaseUrlError::Character)),
        ] {
            assert_eq!(parse(text), meant.map(str::to_owned), "{text}");
        }
    }
}
