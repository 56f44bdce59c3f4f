//! The parts of a `postgres://` URL, each decoded.
//!
//! libpq splits at the first `@`, so that an unescaped `@` or `/` in a password makes the rest of it a host
//! or a database, to be shown in messages. An `@` that is not the one before the hosts is refused here.

use percent_encoding::percent_decode_str;

use super::error::{AddressError, once};

pub(in crate::store::postgres) const DEFAULT_PORT: u16 = 5432;

/// Where the server's socket is when no host is named, on Debian, on Red Hat and in the official image.
const DEFAULT_SOCKET_FOLDER: &str = "/var/run/postgresql";

/// What is written, as it is written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) hosts: Vec<(String, u16)>,
    pub(super) database: Option<String>,
    /// Without hosts and ports.
    pub(super) parameters: Vec<(String, String)>,
}

pub(super) fn split(text: &str) -> Result<Written, AddressError> {
    let rest = ["postgres://", "postgresql://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let rest = rest.ok_or(AddressError::NoSlashes)?;
    let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (user_info, hosts) = match authority.split_once('@') {
        Some((user_info, hosts)) => (Some(user_info), hosts),
        None => (None, authority),
    };
    if hosts.contains('@') || tail.contains('@') {
        return Err(AddressError::StrayAt);
    }
    let mut written = Written::default();
    if let Some(user_info) = user_info {
        let (user, password) = match user_info.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (user_info, None),
        };
        written.user = Some(decode(user)?);
        written.password = password.map(decode_secret).transpose()?;
    }
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    written.database = path.strip_prefix('/').map(decode).transpose()?.filter(|name| !name.is_empty());
    let mut named = Lists::default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or(AddressError::NotAPair)?;
        match decode(name)?.as_str() {
            "host" => named.hosts.extend(value.split(',').map(decode).collect::<Result<Vec<_>, _>>()?),
            "port" => {
                let ports = decode(value)?;
                named.ports.extend(ports.split(',').map(port).collect::<Result<Vec<_>, _>>()?);
            }
            "password" => once(&mut written.password, "password", decode_secret(value)?)?,
            name => written.parameters.push((name.to_owned(), decode(value)?)),
        }
    }
    written.hosts = named.join(hosts)?;
    Ok(written)
}

/// Hosts and ports that were given as parameters.
#[derive(Default)]
struct Lists {
    hosts: Vec<String>,
    ports: Vec<u16>,
}

impl Lists {
    /// The hosts of the URL: those before its path, those of its parameters, or the local socket.
    fn join(self, before_the_path: &str) -> Result<Vec<(String, u16)>, AddressError> {
        let Self { mut hosts, ports } = self;
        if !before_the_path.is_empty() && !before_the_path.starts_with(':') {
            // A port that stands at its host would contradict one of the list.
            if !hosts.is_empty() || !ports.is_empty() && before_the_path.contains(':') {
                return Err(AddressError::HostsTwice);
            }
            let mut found = before_the_path.split(',').map(host).collect::<Result<Vec<_>, _>>()?;
            if !ports.is_empty() {
                let names = found.into_iter().map(|(name, _)| name).collect();
                found = pair(names, &ports)?;
            }
            return Ok(found);
        }
        let ports = match before_the_path.strip_prefix(':') {
            Some(_) if !ports.is_empty() => return Err(AddressError::HostsTwice),
            Some(text) if text.contains(':') => return Err(AddressError::Brackets),
            Some(text) => vec![port(text)?],
            None => ports,
        };
        if hosts.is_empty() || hosts == [""] {
            hosts = vec![DEFAULT_SOCKET_FOLDER.to_owned()];
        }
        pair(hosts, &ports)
    }
}

fn pair(hosts: Vec<String>, ports: &[u16]) -> Result<Vec<(String, u16)>, AddressError> {
    if hosts.iter().any(String::is_empty) {
        return Err(AddressError::EmptyHost);
    }
    let ports = match ports {
        [] => vec![DEFAULT_PORT; hosts.len()],
        [one] => vec![*one; hosts.len()],
        each if each.len() == hosts.len() => each.to_vec(),
        _ => return Err(AddressError::Ports),
    };
    Ok(hosts.into_iter().zip(ports).collect())
}

/// `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
fn host(text: &str) -> Result<(String, u16), AddressError> {
    let (name, after) = match text.strip_prefix('[') {
        Some(bracketed) => {
            let (address, after) = bracketed.split_once(']').ok_or(AddressError::Brackets)?;
            (decode(address)?, after)
        }
        None => {
            let (name, after) = text.split_at(text.find(':').unwrap_or(text.len()));
            if after.matches(':').count() > 1 {
                return Err(AddressError::Brackets);
            }
            (decode(name)?, after)
        }
    };
    if name.is_empty() {
        return Err(AddressError::EmptyHost);
    }
    match (after, after.strip_prefix(':')) {
        ("", _) => Ok((name, DEFAULT_PORT)),
        (_, Some(digits)) => Ok((name, port(digits)?)),
        _ => Err(AddressError::Brackets),
    }
}

/// A port; an empty one is the usual one.
fn port(text: &str) -> Result<u16, AddressError> {
    match text.parse() {
        _ if text.is_empty() => Ok(DEFAULT_PORT),
        Ok(port) if port > 0 && text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(port),
        _ => Err(AddressError::Port),
    }
}

/// The text that percent signs stand for. It is shown in messages, so it must not command a terminal.
fn decode(text: &str) -> Result<String, AddressError> {
    let text = decode_secret(text)?;
    if text.chars().any(char::is_control) { Err(AddressError::Control) } else { Ok(text) }
}

fn decode_secret(text: &str) -> Result<String, AddressError> {
    let escapes = text.split('%').skip(1);
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if !escapes.into_iter().all(is_escape) {
        return Err(AddressError::Escape);
    }
    let text = percent_decode_str(text).decode_utf8().map_err(|_| AddressError::NotUnicode)?;
    // A message of the protocol ends at one.
    if text.contains('\0') { Err(AddressError::Control) } else { Ok(text.into_owned()) }
}
