//! The words for what is logged, and how.

use crate::observe::{Format, Level};

/// Every level, from silence to everything.
pub(super) const LEVELS: [Level; 5] = [Level::Off, Level::Error, Level::Warn, Level::Info, Level::Debug];

/// Every format.
pub(super) const FORMATS: [Format; 3] = [Format::Auto, Format::Text, Format::Json];

pub(super) fn format_name(format: Format) -> &'static str {
    match format {
        Format::Auto => "auto",
        Format::Text => "text",
        Format::Json => "json",
    }
}
