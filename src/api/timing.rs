//! `Server-Timing`: how long each step of an answer took, under the names of the files that take it.

use std::fmt::Write;
use std::time::Instant;

use crate::http::{HeaderMap, HeaderName, HeaderValue};

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// A stopwatch, running only when the configuration asks for it.
pub(super) struct Timing(Option<Laps>);

struct Laps {
    last: Instant,
    text: String,
}

impl Timing {
    pub(super) fn start(is_wanted: bool) -> Self {
        Self(is_wanted.then(|| Laps { last: Instant::now(), text: String::new() }))
    }

    /// Ends the step of this name.
    pub(super) fn mark(&mut self, step: &str) {
        let Some(laps) = &mut self.0 else { return };
        let now = Instant::now();
        let milliseconds = now.duration_since(laps.last).as_secs_f64() * 1_000.0;
        let comma = if laps.text.is_empty() { "" } else { ", " };
        let _ = write!(laps.text, "{comma}{step};dur={milliseconds:.3}");
        laps.last = now;
    }

    pub(super) fn write(self, headers: &mut HeaderMap) {
        let value = self
            .0
            .filter(|laps| !laps.text.is_empty())
            .and_then(|laps| HeaderValue::from_str(&laps.text).ok());
        if let Some(value) = value {
            headers.insert(SERVER_TIMING, value);
        }
    }
}
