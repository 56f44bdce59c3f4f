//! Addresses to listen on, and what a text that is none may mean.

use super::Config;
use super::effective::{Lines, quoted};
use super::tree::{Reader, Table};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let given = reader.overrides.listen.as_ref();
    let Some(setting) = reader.setting(table, "listen", given) else { return };
    let parsed = setting.text.parse::<SocketAddr>().map_err(|_| {
        let remedy = "write ADDRESS:PORT with a numeric address: `127.0.0.1:8080` for this machine alone, \
                      `0.0.0.0:8080` for everybody who can reach it";
        let mut problem = setting.problem("is not an address with a port", remedy);
        problem.label = meant(&setting.text).map(|meant| format!("did you mean `{meant}`?"));
        // A label needs a place in the file.
        if let (None, Some(label)) = (&problem.span, &problem.label) {
            problem.remedy = format!("{label} {remedy}");
        }
        problem
    });
    if let Some(listen) = reader.note(parsed) {
        config.listen = listen;
        config.api.is_local = listen.ip().is_loopback();
    }
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    lines.push(("listen", quoted(&config.listen.to_string())));
}

/// The address that a text probably means: `localhost:9123`, `:9123`, `9123`, `*:80`, `http://127.0.0.1:80/`, `::1`.
pub(super) fn meant(text: &str) -> Option<SocketAddr> {
    let text = text.trim();
    let text = text.strip_prefix("http://").or(text.strip_prefix("https://")).unwrap_or(text);
    let text = text.trim_end_matches('/');
    let usual = Config::DEFAULT_LISTEN.port();
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    // `::1:9123` without brackets is an address too, and probably not the one that is meant.
    let has_port = text.rsplit_once(':').is_some_and(|(host, port)| port.len() > 3 && ip(host).is_some());
    if let Some(ip) = ip(text).filter(|_| !text.is_empty() && !has_port) {
        return Some(SocketAddr::new(ip, usual));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => ("", text.parse().ok()?),
    };
    Some(SocketAddr::new(ip(host)?, port))
}

fn ip(host: &str) -> Option<IpAddr> {
    match host {
        "" => Some(Ipv4Addr::LOCALHOST.into()),
        host if host.eq_ignore_ascii_case("localhost") => Some(Ipv4Addr::LOCALHOST.into()),
        "*" => Some(Ipv4Addr::UNSPECIFIED.into()),
        host => host.trim_start_matches('[').trim_end_matches(']').parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_guessed_from_what_others_write() {
        for (text, address) in [
            ("localhost:9123", "127.0.0.1:9123"),
            ("LocalHost:9123", "127.0.0.1:9123"),
            (":9123", "127.0.0.1:9123"),
            ("9123", "127.0.0.1:9123"),
            ("*:80", "0.0.0.0:80"),
            ("http://127.0.0.1:80/", "127.0.0.1:80"),
            ("127.0.0.1", "127.0.0.1:8080"),
            ("localhost", "127.0.0.1:8080"),
            ("::1", "[::1]:8080"),
            ("[::1]", "[::1]:8080"),
            ("::1:9123", "[::1]:9123"),
            ("2001:db8::1", "[2001:db8::1]:8080"),
        ] {
            assert_eq!(meant(text), Some(address.parse().unwrap()), "{text}");
        }
        for text in ["", "nowhere", "nowhere:80", "127.0.0.1:99999", "70000", "a:b:c"] {
            assert_eq!(meant(text), None, "{text}");
        }
    }
}
