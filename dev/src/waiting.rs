//! How tests wait: for the thing itself, at which they look a moment apart, and not for ever.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up. Never part of what is asserted.
pub const SAFETY_NET: Duration = Duration::from_secs(60);

/// Between two looks. Whoever looks without a pause takes the processor from what they wait for: four tests that did so
/// on two cores kept PostgreSQL from its work until its statements timed out.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until it is so.
#[track_caller]
pub fn wait_until(else_words: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(|| is_so().then_some(()).ok_or(else_words));
}

/// Looks until there is something, and gives it. What there is instead is said where that takes too long.
#[track_caller]
pub fn wait_for<T, E: Display>(mut look: impl FnMut() -> Result<T, E>) -> T {
    let begun = Instant::now();
    loop {
        match look() {
            Ok(found) => return found,
            Err(instead) => assert!(begun.elapsed() < SAFETY_NET, "{instead}"),
        }
        pause();
    }
}

#[expect(clippy::disallowed_methods, reason = "the thing itself is looked at again after it")]
fn pause() {
    std::thread::sleep(PAUSE);
}
