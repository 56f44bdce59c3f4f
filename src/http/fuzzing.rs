//! For the fuzzer: what is read out of a request's head before anybody asks who is calling.

use std::net::IpAddr;

use hyper::HeaderMap;
use ipnet::IpNet;

use super::request_id::RequestId;
use super::{forwarded, host};

/// The address of the client, as proxies have it.
pub fn client(trusted: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    forwarded::client(trusted, peer, headers)
}

/// The scheme that the nearest proxy was asked with.
pub fn scheme(headers: &HeaderMap) -> Option<&'static str> {
    forwarded::scheme(headers)
}

/// The host that the nearest proxy was asked for.
pub fn host(headers: &HeaderMap) -> Option<&str> {
    forwarded::host(headers)
}

/// Whether a text is a host with an optional port.
pub fn is_host(text: &[u8]) -> bool {
    host::is_valid(text)
}

/// The name of a request, where the client gave a good one: as text, and as the header of the answer.
pub fn request_id(text: &[u8]) -> Option<(String, Vec<u8>)> {
    let id = RequestId::parse(text)?;
    Some((id.as_str().to_owned(), id.to_header().as_bytes().to_vec()))
}
