//! Names of collections and fields: which are legal, which are taken.

/// Longest name of a collection or a field; PostgreSQL cuts identifiers beyond it.
pub const LONGEST: usize = 63;

/// Names that are paths of the service itself, or will be.
const RESERVED_COLLECTIONS: &[&str] =
    &["schema", "console", "openapi.json", "livez", "readyz", "metrics", "favicon.ico", "robots.txt"];

/// The member that every representation ends with. The specification's spelling.
pub const RESSOURCE_URI: &str = "ressource_uri";
/// The member that holds the records that one refers to, where a request asks for them. No field begins like it.
pub const EXPANDED: &str = "_expanded";
/// The member that holds a record's id.
pub const ID: &str = "id";

/// Why a text is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a name has at least one character")]
    Empty,
    #[error("a name has at most {LONGEST} characters, this one has {0}")]
    TooLong(usize),
    #[error("a name begins with a letter from a to z and goes on with a to z, 0 to 9 and _")]
    Illegal,
    #[error("the name is reserved for the service itself")]
    Reserved,
    #[error("names that begin with sqlite_ belong to SQLite")]
    OwnedBySqlite,
    #[error("the service assigns this member itself")]
    AssignedByService,
}

/// The name of a collection: legal, not reserved, safe in a URL and in SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionName(String);

impl CollectionName {
    /// Accepts a legal name that the service does not use itself.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        // Before the letters are looked at: the reserved names with a dot deserve the better reason.
        if RESERVED_COLLECTIONS.contains(&text) || text.starts_with('_') {
            return Err(NameError::Reserved);
        }
        legal(text)?;
        if text.starts_with("sqlite_") {
            return Err(NameError::OwnedBySqlite);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a field: legal, and none of the members that the service assigns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldName(String);

impl FieldName {
    /// Accepts a legal name other than `id` and `ressource_uri`.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text == ID || text == RESSOURCE_URI {
            return Err(NameError::AssignedByService);
        }
        legal(text)?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The query parameter that carries an access key, unless the operator chooses another.
pub const KEY_PARAMETER: &str = "accesskey";
/// What the specification's prose calls it; accepted beside the default name.
const OTHER_KEY_PARAMETER: &str = "apikey";

/// Every query parameter that carries an access key, given the configured one.
pub fn key_parameters(configured: &str) -> Vec<&str> {
    match configured {
        KEY_PARAMETER => vec![KEY_PARAMETER, OTHER_KEY_PARAMETER],
        other => vec![other],
    }
}

/// Whether a text may be the name of a query parameter that the operator chooses.
pub fn is_parameter(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= LONGEST
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn legal(text: &str) -> Result<(), NameError> {
    let mut bytes = text.bytes();
    match bytes.next() {
        None => return Err(NameError::Empty),
        Some(first) if !first.is_ascii_lowercase() => return Err(NameError::Illegal),
        Some(_) => {}
    }
    if !bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        return Err(NameError::Illegal);
    }
    if text.len() > LONGEST {
        return Err(NameError::TooLong(text.len()));
    }
    Ok(())
}

/// The choice that somebody who wrote `given` most likely meant.
pub fn nearest<'a>(given: &str, choices: &[&'a str]) -> Option<&'a str> {
    let given = given.to_lowercase();
    let distance = |choice: &str| {
        let choice = choice.to_lowercase();
        // `int` is four letters away from `integer`, and still what was meant.
        if given.len() >= 3 && (choice.starts_with(&given) || given.starts_with(&choice)) {
            return Some(1);
        }
        let (one, other) = (given.chars().count(), choice.chars().count());
        let longer = one.max(other);
        // It cannot be less than the difference of the lengths; most are ruled out without comparing.
        if one.abs_diff(other) > (longer / 3).max(1) {
            return None;
        }
        let distance = strsim::damerau_levenshtein(&given, &choice);
        (distance <= (longer / 3).max(1)).then_some(distance)
    };
    let near = choices.iter().filter_map(|choice| Some((distance(choice)?, *choice)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, choice)| choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_lower_case_letters_digits_and_underscores() {
        for legal in ["a", "users", "x9_y", &"a".repeat(63)] {
            assert!(CollectionName::parse(legal).is_ok(), "{legal}");
        }
        for illegal in ["Users", "9a", "a-b", "a b", "é", "a\"b", "a;b"] {
            assert_eq!(CollectionName::parse(illegal), Err(NameError::Illegal), "{illegal}");
        }
        assert_eq!(CollectionName::parse(""), Err(NameError::Empty));
        assert_eq!(CollectionName::parse(&"a".repeat(64)), Err(NameError::TooLong(64)));
    }

    #[test]
    fn only_the_default_parameter_of_a_key_has_a_second_name() {
        assert_eq!(key_parameters("accesskey"), ["accesskey", "apikey"]);
        assert_eq!(key_parameters("token"), ["token"]);
    }

    #[test]
    fn the_paths_of_the_service_are_taken() {
        for taken in ["schema", "metrics", "openapi.json", "_", "_x"] {
            assert_eq!(CollectionName::parse(taken), Err(NameError::Reserved), "{taken}");
        }
        assert_eq!(CollectionName::parse("sqlite_stat1"), Err(NameError::OwnedBySqlite));
        assert_eq!(FieldName::parse("id"), Err(NameError::AssignedByService));
        assert!(FieldName::parse("schema").is_ok());
    }
}
