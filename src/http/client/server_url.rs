//! The URL of a server: where it is, and what stands before its paths.

use std::fmt;

use hyper::Uri;
use hyper::header::HeaderValue;
use rustls::pki_types::ServerName;

use super::error::ClientError;

/// The URL of a server, known to be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    is_encrypted: bool,
    /// Host and port as they were written.
    authority: String,
    /// Without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// What a proxy puts before all paths; it does not end with a slash.
    prefix: String,
}

impl ServerUrl {
    /// Understands `http://HOST:PORT` and `https://HOST`, with or without a path.
    pub fn parse(text: &str) -> Option<Self> {
        // The library drops what follows a #.
        let uri: Uri = if text.contains('#') { None } else { text.parse().ok() }?;
        let is_encrypted = match uri.scheme_str()? {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let authority = uri.authority()?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        // A name and a password before the host are nothing that a carnet server asks for.
        let is_plain = !authority.as_str().contains('@') && uri.query().is_none();
        let has_port = authority.as_str().len() > authority.host().len();
        let port = match authority.port_u16() {
            None if has_port => return None,
            None if is_encrypted => 443,
            None => 80,
            Some(port) => port,
        };
        if host.is_empty() || port == 0 || !is_plain {
            return None;
        }
        Some(Self {
            is_encrypted,
            authority: authority.to_string(),
            host: host.to_owned(),
            port,
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn authority(&self) -> HeaderValue {
        // It was part of a URL, in which nothing stands that could not stand here.
        HeaderValue::from_str(&self.authority).unwrap_or(HeaderValue::from_static(""))
    }

    /// What the certificate of the server must be for.
    pub(super) fn server_name(&self) -> Result<ServerName<'static>, ClientError> {
        let name = ServerName::try_from(self.host.clone());
        name.map_err(|error| ClientError::TlsFailed(self.to_string(), error.to_string()))
    }

    /// What a request for a path of the server has on its first line.
    pub(super) fn target(&self, path: &str) -> Result<Uri, ClientError> {
        let target = format!("{}{path}", self.prefix);
        target.parse().map_err(|_| ClientError::NoTarget(target))
    }
}

/// Without a slash at its end, so that a path can follow.
impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_called_by_scheme_host_and_port() {
        for (text, host, port, shown) in [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, "http://127.0.0.1:8080"),
            ("http://localhost/", "localhost", 80, "http://localhost"),
            ("HTTPS://book.example.org", "book.example.org", 443, "https://book.example.org"),
            ("http://[::1]:8080/", "::1", 8080, "http://[::1]:8080"),
            ("http://[::1]", "::1", 80, "http://[::1]"),
            ("https://example.org/book/", "example.org", 443, "https://example.org/book"),
        ] {
            let url = ServerUrl::parse(text).unwrap();
            assert_eq!((url.host(), url.port()), (host, port), "{text}");
            assert_eq!(url.to_string(), shown);
        }
        let url = ServerUrl::parse("https://example.org/book/").unwrap();
        assert_eq!(
            url.target("/_/import/users/?existing=keep").unwrap(),
            "/book/_/import/users/?existing=keep"
        );
    }

    #[test]
    fn what_is_no_url_of_a_server_is_refused() {
        for text in [
            "",
            "127.0.0.1:8080",
            "localhost",
            "ftp://localhost",
            "http://",
            "http://:8080",
            "http://localhost:port",
            "http://localhost:",
            "http://localhost:99999",
            "http://localhost:0",
            "http://ann:secret@localhost",
            "http://localhost/?a=b",
            "http://localhost/#a",
            "http://local host/",
        ] {
            assert_eq!(ServerUrl::parse(text), None, "{text}");
        }
    }
}
