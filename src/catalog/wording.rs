//! What people call things: labels, help, titles of records. The API itself knows names alone.

/// How a field or a collection is shown to people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wording {
    /// What people call it; where there is none, its name has to do.
    pub label: Option<String>,
    /// A sentence about it.
    pub help: Option<String>,
}

/// The names of the fields in a title such as `{first_name} {last_name}`; `None` where a brace has no partner.
pub fn fields_in(title: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = title;
    while let Some(start) = rest.find(['{', '}']) {
        let (name, after) = rest[start..].strip_prefix('{')?.split_once('}')?;
        if name.contains('{') {
            return None;
        }
        names.push(name);
        rest = after;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_the_names_between_its_braces() {
        assert_eq!(fields_in("{first_name} {last_name}"), Some(vec!["first_name", "last_name"]));
        assert_eq!(fields_in("é{a}é{}"), Some(vec!["a", ""]));
        assert_eq!(fields_in("words"), Some(Vec::new()));
        for broken in ["{", "}", "{a", "a}", "{a{b}}", "{a}}", "{{a}"] {
            assert_eq!(fields_in(broken), None, "{broken}");
        }
    }
}
