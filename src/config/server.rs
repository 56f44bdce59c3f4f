//! What the numbers, sizes, files, networks and origins under `[server]` mean.

use super::check::Checker;
use super::file::Server;
use super::problem::Problem;
use super::{TlsFiles, origin, size};
use crate::http;
use ipnet::IpNet;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::time::Duration;
use toml::Spanned;

/// A day, in seconds: the longest wait that anybody can mean.
const LONGEST_WAIT: i64 = 86_400;

/// Ten years, in seconds.
const LONGEST_PROMISE: i64 = 315_360_000;

impl Checker {
    pub(super) fn http(&mut self, server: &Server) -> http::Settings {
        let default = http::Settings::default();
        http::Settings {
            max_body: self.size("max_body", &server.max_body).unwrap_or(default.max_body),
            max_bodies: self.size("max_bodies", &server.max_bodies).unwrap_or(default.max_bodies),
            max_answers: self.size("max_answers", &server.max_answers).unwrap_or(default.max_answers),
            max_requests: self
                .number("max_requests", &server.max_requests, 1..=1_000_000)
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or(default.max_requests),
            max_connections: self
                .number("max_connections", &server.max_connections, 1..=1_000_000)
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or(default.max_connections),
            header_timeout: self
                .seconds("header_timeout", &server.header_timeout)
                .unwrap_or(default.header_timeout),
            idle_timeout: self.seconds("idle_timeout", &server.idle_timeout).unwrap_or(default.idle_timeout),
            body_timeout: self.seconds("body_timeout", &server.body_timeout).unwrap_or(default.body_timeout),
            drain: self
                .number("drain", &server.drain, 0..=LONGEST_WAIT)
                .map_or(default.drain, |seconds| Duration::from_secs(seconds.unsigned_abs())),
            trusted_proxies: self.networks(server.trusted_proxies.as_deref()),
            ..default
        }
    }

    /// Both files, or neither.
    pub(super) fn tls(&mut self, server: &Server) -> Option<TlsFiles> {
        let (written, missing) = match (&server.tls_cert, &server.tls_key) {
            (None, None) => return None,
            (Some(certificate), Some(key)) => {
                return Some(TlsFiles {
                    certificate: certificate.get_ref().into(),
                    key: key.get_ref().into(),
                });
            }
            (Some(certificate), None) => (certificate, "tls_key"),
            (None, Some(key)) => (key, "tls_cert"),
        };
        let message = format!("TLS needs `{missing}` as well");
        let remedy = "name both files, the certificate as `tls_cert` and its key as `tls_key`, or neither";
        self.problems.push(Problem::at(written.span(), message, remedy));
        None
    }

    /// Only who serves TLS can promise it.
    pub(super) fn hsts(&mut self, server: &Server) -> u64 {
        let seconds = self.number("hsts", &server.hsts, 0..=LONGEST_PROMISE).unwrap_or(0).unsigned_abs();
        if let (Some(written), None, None) = (&server.hsts, &server.tls_cert, &server.tls_key)
            && seconds > 0
        {
            let remedy = "name a certificate as `tls_cert` and its key as `tls_key`, or let the proxy that has them say it";
            self.problems.push(Problem::at(written.span(), "`hsts` needs TLS", remedy));
        }
        seconds
    }

    pub(super) fn size(&mut self, key: &str, written: &Option<Spanned<String>>) -> Option<usize> {
        let written = written.as_ref()?;
        let parsed = size::parse(written.get_ref()).filter(|bytes| *bytes > 0);
        let parsed = parsed.ok_or_else(|| {
            let remedy = "write a whole number of bytes from 1, or one with B, KiB, MiB or GiB: `\"1MiB\"`";
            Problem::at(written.span(), format!("`{key}` is not a size"), remedy)
        });
        self.note(parsed)
    }

    fn seconds(&mut self, key: &str, written: &Option<Spanned<i64>>) -> Option<Duration> {
        let seconds = self.number(key, written, 1..=LONGEST_WAIT)?;
        Some(Duration::from_secs(seconds.unsigned_abs()))
    }

    pub(super) fn number(
        &mut self,
        key: &str,
        written: &Option<Spanned<i64>>,
        legal: RangeInclusive<i64>,
    ) -> Option<i64> {
        let written = written.as_ref()?;
        if legal.contains(written.get_ref()) {
            return Some(*written.get_ref());
        }
        let message = format!("`{key}` is {}", written.get_ref());
        let remedy = format!("use {} to {}", legal.start(), legal.end());
        self.problems.push(Problem::at(written.span(), message, remedy));
        None
    }

    fn networks(&mut self, written: Option<&[Spanned<String>]>) -> Vec<IpNet> {
        let networks = written.unwrap_or_default().iter().filter_map(|text| {
            let address = text.get_ref().parse::<IpAddr>().map(IpNet::from);
            // `10.1.2.3/8` means the network that it is in.
            let network = address.or_else(|_| text.get_ref().parse::<IpNet>().map(|network| network.trunc()));
            let network = network.map_err(|_| {
                let message = format!("`{}` is not a network or an address", text.get_ref());
                let remedy = "write `10.0.0.0/8` for a network, `192.168.0.7` or `::1` for one proxy";
                Problem::at(text.span(), message, remedy)
            });
            self.note(network)
        });
        networks.collect()
    }

    pub(super) fn origins(&mut self, written: Option<&[Spanned<String>]>) -> Vec<String> {
        let written = written.unwrap_or_default();
        for (place, text) in written.iter().enumerate() {
            let origin = text.get_ref();
            let earlier = written[..place].iter().find(|earlier| earlier.get_ref() == origin);
            let problem = if let Some(earlier) = earlier {
                let problem =
                    Problem::at(text.span(), format!("`{origin}` is listed twice"), "take one away");
                Problem { related: Some((earlier.span(), "it stands here".into())), ..problem }
            } else if origin == origin::ANY {
                if written.len() == 1 {
                    continue;
                }
                let message = "`*` already stands for every origin";
                Problem::at(text.span(), message, "take it away, or all the others")
            } else {
                let Err(error) = origin::check(origin) else { continue };
                let remedy = "write it as browsers send it: `https://app.example.org`, with a port only where \
                              it is not the usual one; or `*` alone for every origin";
                Problem::at(text.span(), format!("`{origin}` {error}"), remedy)
            };
            self.problems.push(problem);
        }
        written.iter().map(|text| text.get_ref().clone()).collect()
    }
}
