//! The environment and the arguments: the one place that reads them.

use std::path::PathBuf;

use crate::store::url::Surroundings;

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

/// Where files go that nobody keeps.
pub(super) fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// The words that the program was started with; what is not Unicode is kept recognisable.
pub(super) fn arguments() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// What libpq would find around it, by the variables that its users know.
pub(super) fn surroundings() -> Surroundings {
    Surroundings {
        user: read("PGUSER").or_else(|| whoami::username().ok()),
        password: read("PGPASSWORD"),
        passfile: read("PGPASSFILE").map(PathBuf::from),
        home: std::env::home_dir().filter(|home| home.is_absolute()),
    }
}
