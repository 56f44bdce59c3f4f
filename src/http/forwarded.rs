//! What proxies say about their clients, and whom we believe.
//!
//! Only the part that a trusted proxy wrote itself is worth anything: each proxy appends to what it
//! was sent, so the right-most values count, and everything left of them may be made up.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::HeaderName;
use ipnet::IpNet;

use super::host;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

pub(super) fn is_trusted(trusted: &[IpNet], address: IpAddr) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// The right-most address that is not a trusted proxy's.
pub(super) fn client(trusted: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer;
    let mut hops = values(headers, X_FORWARDED_FOR);
    while is_trusted(trusted, client) {
        match hops.next().and_then(address) {
            Some(hop) => client = hop,
            // Nobody is named, or nonsense: the proxy that said so is as far as we can see.
            None => break,
        }
    }
    client
}

/// The scheme that the nearest proxy was asked with.
pub(super) fn scheme(headers: &HeaderMap) -> Option<&'static str> {
    let said = values(headers, X_FORWARDED_PROTO).next()?;
    ["http", "https"].into_iter().find(|scheme| scheme.eq_ignore_ascii_case(said))
}

/// The host that the nearest proxy was asked for.
pub(super) fn host(headers: &HeaderMap) -> Option<&str> {
    let said = values(headers, X_FORWARDED_HOST).next()?;
    host::is_valid(said.as_bytes()).then_some(said)
}

/// The values of a list header, from the right; what is not text ends the list.
fn values(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).iter().rev();
    lines.map_while(|line| line.to_str().ok()).flat_map(|line| line.rsplit(',')).map(str::trim)
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse().ok().map(|socket: std::net::SocketAddr| socket.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address = text.parse().ok().or_else(with_port).or_else(in_brackets)?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        let lines = lines.iter().cloned();
        lines.map(|(name, value)| (name, value.parse().unwrap())).collect()
    }

    fn client_of(peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let mut map = HeaderMap::new();
        for line in lines {
            map.append(X_FORWARDED_FOR, line.parse().unwrap());
        }
        client(&trusted, peer.parse().unwrap(), &map).to_string()
    }

    #[test]
    fn the_client_is_the_right_most_untrusted_hop() {
        assert_eq!(client_of("192.0.2.1", &["198.51.100.9"]), "192.0.2.1");
        assert_eq!(client_of("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client_of("10.0.0.1", &["198.51.100.9"]), "198.51.100.9");
        assert_eq!(client_of("10.0.0.1", &["6.6.6.6, 198.51.100.9"]), "198.51.100.9");
        assert_eq!(client_of("10.0.0.1", &["198.51.100.9, 10.0.0.2"]), "198.51.100.9");
        assert_eq!(client_of("10.0.0.1", &["6.6.6.6", "198.51.100.9", "10.0.0.2"]), "198.51.100.9");
        assert_eq!(client_of("10.0.0.1", &["6.6.6.6, nonsense"]), "10.0.0.1");
        assert_eq!(client_of("10.0.0.1", &["6.6.6.6, nonsense, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client_of("10.0.0.1", &["198.51.100.9:4711"]), "198.51.100.9");
        assert_eq!(client_of("fd00::1", &["[2001:db8::9]:4711"]), "2001:db8::9");
        assert_eq!(client_of("fd00::1", &["[2001:db8::9]"]), "2001:db8::9");
        assert_eq!(client_of("10.0.0.1", &["::ffff:198.51.100.9"]), "198.51.100.9");
    }

    #[test]
    fn scheme_and_host_are_taken_only_when_they_make_sense() {
        let good = headers(&[(X_FORWARDED_PROTO, "HTTPS"), (X_FORWARDED_HOST, "evil, book.example")]);
        assert_eq!(scheme(&good), Some("https"));
        assert_eq!(host(&good), Some("book.example"));
        let bad = headers(&[(X_FORWARDED_PROTO, "javascript"), (X_FORWARDED_HOST, "a/b")]);
        assert_eq!((scheme(&bad), host(&bad)), (None, None));
    }
}
