//! What else is read out of a head: hosts, what proxies say, the type of a body, wishes, the name of a request.

use std::net::IpAddr;

use carnet::api::fuzzing::{takes_body, wants_representation};
use carnet::http::fuzzing::{client, host, is_host, request_id, scheme};
use carnet::http::{HeaderMap, HeaderValue};

use crate::is_planted;
use crate::targets::{headers, split_line};

pub(crate) fn run(input: &[u8]) {
    let (first, rest) = split_line(input);
    let headers = headers(rest);
    hosts(first);
    if let Some(host) = host(&headers) {
        hosts(host.as_bytes());
        assert!(is_host(host.as_bytes()));
        assert!(HeaderValue::from_str(&format!("http://{host}/users/1/")).is_ok(), "it becomes a Location");
    }
    assert!(matches!(scheme(&headers), None | Some("http" | "https")));
    clients(&headers);
    if let Some((text, header)) = request_id(first) {
        assert!(text.as_bytes() == first && header == first && first.len() <= 64);
        assert!(first.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte)));
    }
    if takes_body(&headers)
        && let Some(said) = headers.get("content-type")
    {
        let said = said.to_str().expect("only text is accepted").to_ascii_lowercase();
        assert!(said.trim_start().starts_with("application/") && said.contains("json"), "{said}");
    }
    if wants_representation(&headers) {
        let says = |value: &HeaderValue| {
            value.to_str().is_ok_and(|text| text.to_ascii_lowercase().contains("representation"))
        };
        assert!(headers.get_all("prefer").iter().any(says));
    }
}

/// What is a host can stand in a URL, in a log line and in a page.
fn hosts(text: &[u8]) {
    if !is_host(text) {
        return;
    }
    let forbidden = b"/?#@\\\"<>` \r\n\t\0";
    assert!(!text.is_empty() && text.is_ascii() && !text.iter().any(|byte| forbidden.contains(byte)));
}

/// The address of a client is that of the right-most hop that nobody trusts, and of nobody left of it.
fn clients(headers: &HeaderMap) {
    let trusted = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().expect("a network"));
    let is_trusted = |address: IpAddr| match address {
        IpAddr::V4(address) => address.octets()[0] == 10,
        IpAddr::V6(address) => address.octets()[0] == 0xfd,
    };
    for peer in ["192.0.2.1", "10.0.0.1", "fd00::1"] {
        let peer: IpAddr = peer.parse().expect("an address");
        let mut expected = peer;
        let lines: Vec<&HeaderValue> = headers.get_all("x-forwarded-for").iter().collect();
        let mut hops: Vec<Option<IpAddr>> = Vec::new();
        for line in lines.into_iter().rev() {
            match line.to_str() {
                Ok(text) => hops.extend(text.rsplit(',').map(|hop| address(hop.trim()))),
                Err(_) => {
                    hops.push(None);
                }
            }
        }
        // The planted bug: the left-most is believed.
        if is_planted() {
            hops.reverse();
        }
        let mut hops = hops.into_iter();
        while is_trusted(expected) {
            match hops.next().flatten() {
                Some(hop) => expected = hop,
                None => break,
            }
        }
        assert_eq!(client(&trusted, peer, headers), expected, "{peer} {headers:?}");
    }
}

/// An address, with or without a port, in brackets or not.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let found = text
        .parse::<IpAddr>()
        .ok()
        .or_else(|| text.parse::<std::net::SocketAddr>().ok().map(|socket| socket.ip()))
        .or_else(|| bare.and_then(|bare| bare.parse::<IpAddr>().ok()))?;
    Some(found.to_canonical())
}
