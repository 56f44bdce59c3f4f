//! The parameters of the URL, by the names and in the units of libpq.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::ChannelBinding;

use super::error::{AddressError, once};

/// How long to wait for a connection that can be used, in seconds.
const CONNECT_TIMEOUT: u32 = 5;

/// A server that is gone without a word is noticed within 5 + 3 × 2 seconds when nothing is asked of it, and
/// within ten when something is: soon enough to go on elsewhere, and slower than a network that stumbles.
const KEEPALIVES_IDLE: u32 = 5;
const KEEPALIVES_INTERVAL: u32 = 2;
const KEEPALIVES_COUNT: u32 = 3;
const TCP_USER_TIMEOUT: u32 = 10_000;

/// What the parameters say, TLS apart; what they do not say has its default in [`Parameters::apply`].
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    pub(super) passfile: Option<PathBuf>,
    channel_binding: Option<Binding>,
    connect_timeout: Option<u32>,
    application_name: Option<String>,
    options: Option<String>,
    keepalives: Option<u32>,
    /// This and the next three: 0 leaves the choice to the system.
    keepalives_idle: Option<u32>,
    keepalives_interval: Option<u32>,
    keepalives_count: Option<u32>,
    /// In milliseconds, as for libpq; the driver's own parser takes it for seconds.
    tcp_user_timeout: Option<u32>,
}

/// Whether the password is bound to the encrypted channel, so that nobody in between can pass it on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Disable,
    Prefer,
    Require,
}

impl Parameters {
    pub(super) fn set(&mut self, name: &str, value: String) -> Result<(), AddressError> {
        let seconds = "a number of seconds from 0 to 32767";
        match name {
            "passfile" => once(&mut self.passfile, "passfile", value.into()),
            "application_name" => once(&mut self.application_name, "application_name", value),
            "options" => once(&mut self.options, "options", value),
            "channel_binding" => {
                let binding = match value.as_str() {
                    "disable" => Binding::Disable,
                    "prefer" => Binding::Prefer,
                    "require" => Binding::Require,
                    _ => return refuse("channel_binding", "`disable`, `prefer` or `require`"),
                };
                once(&mut self.channel_binding, "channel_binding", binding)
            }
            // Without an end, one host that is silent would keep us from the next.
            "connect_timeout" => {
                let expected = "a number of seconds from 1 to 86400";
                number(&mut self.connect_timeout, "connect_timeout", &value, 1..=86_400, expected)
            }
            "target_session_attrs" => match value.as_str() {
                "any" | "read-write" | "primary" => Ok(()),
                "read-only" | "standby" | "prefer-standby" => Err(AddressError::Standby),
                _ => refuse("target_session_attrs", "`read-write`, `primary` or `any`"),
            },
            "keepalives" => number(&mut self.keepalives, "keepalives", &value, 0..=1, "0 or 1"),
            "keepalives_idle" => {
                number(&mut self.keepalives_idle, "keepalives_idle", &value, 0..=32_767, seconds)
            }
            "keepalives_interval" => {
                number(&mut self.keepalives_interval, "keepalives_interval", &value, 0..=32_767, seconds)
            }
            "keepalives_count" => {
                let expected = "a number from 0 to 127";
                number(&mut self.keepalives_count, "keepalives_count", &value, 0..=127, expected)
            }
            "tcp_user_timeout" => {
                let expected = "a number of milliseconds from 0 to 2147483647";
                let limits = 0..=2_147_483_647;
                number(&mut self.tcp_user_timeout, "tcp_user_timeout", &value, limits, expected)
            }
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) => {
                Err(AddressError::Unknown(name.to_owned()))
            }
            _ => Err(AddressError::Unnamed),
        }
    }

    pub(super) fn apply(&self, config: &mut Config) {
        config.application_name(self.application_name.as_deref().unwrap_or("carnet"));
        if let Some(options) = &self.options {
            config.options(options);
        }
        config.channel_binding(match self.channel_binding {
            Some(Binding::Disable) => ChannelBinding::Disable,
            Some(Binding::Prefer) | None => ChannelBinding::Prefer,
            Some(Binding::Require) => ChannelBinding::Require,
        });
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        config.connect_timeout(seconds(self.connect_timeout.unwrap_or(CONNECT_TIMEOUT)));
        config.keepalives(self.keepalives != Some(0));
        let idle = self.keepalives_idle.unwrap_or(KEEPALIVES_IDLE);
        if idle > 0 {
            config.keepalives_idle(seconds(idle));
        }
        let interval = self.keepalives_interval.unwrap_or(KEEPALIVES_INTERVAL);
        if interval > 0 {
            config.keepalives_interval(seconds(interval));
        }
        let count = self.keepalives_count.unwrap_or(KEEPALIVES_COUNT);
        if count > 0 {
            config.keepalives_retries(count);
        }
        let unanswered = self.tcp_user_timeout.unwrap_or(TCP_USER_TIMEOUT);
        if unanswered > 0 {
            config.tcp_user_timeout(Duration::from_millis(unanswered.into()));
        }
    }

    /// What was said, in the order of [`super::error::KNOWN`].
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static str, String)> {
        let passfile = self.passfile.as_ref().map(|path| path.display().to_string());
        let binding = self.channel_binding.map(|binding| binding.to_string());
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let all = [
            ("passfile", passfile),
            ("channel_binding", binding),
            ("connect_timeout", number(self.connect_timeout)),
            ("application_name", self.application_name.clone()),
            ("options", self.options.clone()),
            ("keepalives", number(self.keepalives)),
            ("keepalives_idle", number(self.keepalives_idle)),
            ("keepalives_interval", number(self.keepalives_interval)),
            ("keepalives_count", number(self.keepalives_count)),
            ("tcp_user_timeout", number(self.tcp_user_timeout)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

fn refuse<T>(name: &'static str, expected: &'static str) -> Result<T, AddressError> {
    Err(AddressError::Value { name, expected })
}

fn number(
    place: &mut Option<u32>,
    name: &'static str,
    value: &str,
    limits: std::ops::RangeInclusive<u32>,
    expected: &'static str,
) -> Result<(), AddressError> {
    match value.parse().ok().filter(|number| limits.contains(number)) {
        Some(number) => once(place, name, number),
        None => refuse(name, expected),
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
        })
    }
}
