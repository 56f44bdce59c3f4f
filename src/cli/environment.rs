//! The environment: the one place that reads it.

/// The value of a variable; an empty one is as good as none.
#[expect(clippy::disallowed_methods, reason = "this is the place that may")]
pub(super) fn read(variable: &str) -> Option<String> {
    // What is not Unicode is kept recognisable, so that the complaint about it can name it.
    let text = match std::env::var(variable) {
        Ok(text) => text,
        Err(std::env::VarError::NotPresent) => return None,
        Err(std::env::VarError::NotUnicode(text)) => text.to_string_lossy().into_owned(),
    };
    (!text.is_empty()).then_some(text)
}
