//! Requests that a web page makes somebody's browser send: what they may do here.
//!
//! A browser says so itself, by `Origin` or `Sec-Fetch-Site`; whoever sends neither is no browser, and could send
//! whatever it likes. Two things are kept from pages: to write from another origin, which needs no answer that the
//! page could read; and to become one origin with a server on the browser's own machine, by a name of theirs that
//! is made to lead there (DNS rebinding). In the second case a browser believes that it reads from its own origin,
//! without TLS, and sends neither header with a GET: there it is known by what else browsers always send.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::cors::Cors;
use super::error::ApiError;
use crate::http::{HeaderMap, HeaderName, Method, Request, header};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where pages of our own may come from.
pub(super) struct OriginPolicy {
    /// Scheme and host of the configured base URL.
    origin: Option<String>,
    /// Whether only this machine can reach the server.
    is_local: bool,
}

impl OriginPolicy {
    pub(super) fn new(base_url: Option<&str>, is_local: bool) -> Self {
        let origin = base_url.map(|url| {
            let host = url.find("://").map_or(0, |at| at + 3);
            let end = url[host..].find('/').map_or(url.len(), |at| host + at);
            url[..end].to_ascii_lowercase()
        });
        Self { origin, is_local }
    }

    /// Lets everything pass that is no browser's, and what a browser may.
    pub(super) fn check(&self, request: &Request, cors: Option<&Cors>) -> Result<(), ApiError> {
        let headers = request.headers();
        let (says_so, looks_like_one) = browser(headers);
        if self.is_local && (says_so || looks_like_one) && !self.is_ours(request) {
            return Err(ApiError::UntrustedHost);
        }
        if !says_so {
            return Ok(());
        }
        let is_write = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        if !is_write || cors.is_some_and(|cors| cors.allows(headers)) {
            return Ok(());
        }
        let mut sites = headers.get_all(SEC_FETCH_SITE).iter().peekable();
        let is_own = if sites.peek().is_some() {
            // The browser has compared better than we can, who may be behind a proxy. Of several the strictest counts.
            sites.all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"))
        } else {
            self.has_own_origin(request)
        };
        if is_own { Ok(()) } else { Err(ApiError::OtherOrigin) }
    }

    /// Whether the one origin that is named is the server's own.
    fn has_own_origin(&self, request: &Request) -> bool {
        let mut origins = request.headers().get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else { return false };
        let Ok(origin) = origin.to_str() else { return false };
        self.origin.as_deref() == Some(origin) || request.origin().eq_ignore_ascii_case(origin)
    }

    /// Whether the host that is asked for is one that leads to this machine, or the one that we are known by.
    fn is_ours(&self, request: &Request) -> bool {
        let origin = request.origin();
        let host = host(&origin);
        if is_loopback(host) {
            return true;
        }
        match &self.origin {
            Some(own) => self::host(own).eq_ignore_ascii_case(host),
            // Nobody said what we are called; a proxy that is trusted has its own idea.
            None => request.is_forwarded(),
        }
    }
}

/// Whether a client says that it is a browser, and whether it gives itself away as one: by its name, or, where the page
/// could change that, by the languages of its owner. Most clients send few fields: to look at each costs less than to look
/// four names up.
fn browser(headers: &HeaderMap) -> (bool, bool) {
    let (mut says_so, mut looks_like_one) = (false, false);
    for (name, value) in headers {
        says_so |= *name == header::ORIGIN || *name == SEC_FETCH_SITE;
        looks_like_one |= *name == header::USER_AGENT && value.as_bytes().starts_with(b"Mozilla/");
        // Libraries that have no owner say `*`.
        looks_like_one |= *name == header::ACCEPT_LANGUAGE && value.as_bytes() != b"*";
    }
    (says_so, looks_like_one)
}

/// The host of an origin, without its port.
fn host(origin: &str) -> &str {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => host,
        _ => host,
    }
}

fn is_loopback(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address
            .parse::<Ipv6Addr>()
            .is_ok_and(|address| IpAddr::V6(address).to_canonical().is_loopback());
    }
    // Browsers resolve these names themselves.
    let is_name = |name: &str| name.eq_ignore_ascii_case("localhost");
    let is_below = host.rsplit_once('.').is_some_and(|(_, last)| is_name(last));
    is_name(host) || is_below || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine_are_told_from_names_that_look_like_them() {
        for yes in [
            "http://localhost:8080",
            "http://LOCALHOST",
            "http://127.0.0.1",
            "http://127.9.9.9:1",
            "https://[::1]:1",
        ] {
            assert!(is_loopback(host(yes)), "{yes}");
        }
        assert!(is_loopback(host("http://app.localhost:80")));
        for no in [
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://evil.example:80",
            "http://10.0.0.1",
            "http://[::2]",
            "http://0.0.0.0",
        ] {
            assert!(!is_loopback(host(no)), "{no}");
        }
    }

    #[test]
    fn the_origin_of_a_base_url_is_what_a_browser_calls_it() {
        let origin = |url: &str| OriginPolicy::new(Some(url), false).origin.unwrap();
        assert_eq!(origin("https://Book.example.org/under/a/path"), "https://book.example.org");
        assert_eq!(origin("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
    }
}
