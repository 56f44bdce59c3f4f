//! Names that somebody may have meant, and what is not where somebody looked for it.

use crate::api::App;
use crate::api::route::Route;
use crate::catalog::name;

/// No name of ours is nearly as long; comparing costs the product of the lengths.
const LONGEST_COMPARED: usize = 96;
/// How many names are listed.
const MOST_LISTED: usize = 20;

/// The choice that was most likely meant.
pub(super) fn nearest<'a>(given: &str, choices: &[&'a str]) -> Option<&'a str> {
    if given.len() > LONGEST_COMPARED { None } else { name::nearest(given, choices) }
}

/// The question at the end of a sentence about a wrong name.
pub(super) fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// All choices in one phrase, as far as they are few.
pub(super) fn one_of(choices: &[&str]) -> String {
    let listed = choices.iter().take(MOST_LISTED).copied().collect::<Vec<_>>().join(", ");
    match (choices.len(), choices.len().saturating_sub(MOST_LISTED)) {
        (0, _) => "nothing".into(),
        (1, _) => listed,
        (_, 0) => format!("one of {listed}"),
        (_, others) => format!("one of {listed}, or {others} more"),
    }
}

/// What is missing, to whoever may know: access was judged before the record was looked for.
pub(super) fn not_found(app: &App, route: Option<Route<'_>>, path: &str) -> String {
    match route {
        Some(Route::Record(collection, id)) => {
            format!("There is no record {id} in {}", collection.name())
        }
        Some(Route::Key(_) | Route::KeyRotation(_)) => "There is no access key of this name".into(),
        _ => {
            let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
            if app.catalog.find(first).is_some() {
                return format!(
                    "A path of {first} ends there, or with the id of a record: a whole number from 1 to {}",
                    i64::MAX
                );
            }
            let collections: Vec<&str> = app.catalog.collections().iter().map(|one| one.name()).collect();
            let near = nearest(first, &collections).map(|near| format!("/{near}/"));
            // The path itself is not repeated: it may hold a secret that belongs elsewhere.
            format!("There is no such path{}", did_you_mean(near.as_deref()))
        }
    }
}
