//! What an access key may do: scopes such as `users:read`, and everything where none was named.

use std::fmt;

use crate::catalog::Catalog;
use crate::catalog::collection::Verb;
use crate::catalog::name::nearest;

/// What stands for all collections, and alone for everything.
const ALL: &str = "*";

/// What may be done with the records of a collection. Neither includes the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    Read,
    Write,
}

impl Right {
    /// The right that a verb needs.
    pub fn of(verb: Verb) -> Self {
        match verb {
            Verb::Get => Self::Read,
            Verb::Post | Verb::Put | Verb::Patch | Verb::Delete => Self::Write,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// A right to a collection, or to all of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Scope {
    /// None: all.
    collection: Option<String>,
    /// None: every right.
    right: Option<Right>,
}

/// Why a text is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    #[error(
        "`{0}` is no scope: write COLLECTION:read, COLLECTION:write, *:read or *:write, or * for everything"
    )]
    NotAScope(String),
    /// The collection, and the one that was most likely meant.
    #[error("there is no collection `{0}`{did}", did = .1.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoCollection(String, Option<String>),
    #[error("at least one scope must be named; * is everything")]
    None,
}

impl Scope {
    fn parse(text: &str) -> Option<Self> {
        if text == ALL {
            return Some(Self { collection: None, right: None });
        }
        let (collection, right) = text.split_once(':')?;
        let right = [Right::Read, Right::Write].into_iter().find(|one| one.name() == right)?;
        // What else a name could be is the catalog's to say; what separates scopes cannot be in one.
        let is_name = !collection.is_empty() && !collection.contains(|c: char| c.is_whitespace() || c == ',');
        let collection = (collection != ALL).then(|| collection.to_owned());
        is_name.then_some(Self { collection, right: Some(right) })
    }

    fn allows(&self, collection: &str, right: Right) -> bool {
        self.collection.as_deref().is_none_or(|own| own == collection)
            && self.right.is_none_or(|own| own == right)
    }

    /// Whether it says nothing that the other does not.
    fn is_within(&self, other: &Self) -> bool {
        (other.collection.is_none() || other.collection == self.collection)
            && (other.right.is_none() || other.right == self.right)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.collection.as_deref().unwrap_or(ALL))?;
        self.right.map_or(Ok(()), |right| write!(f, ":{}", right.name()))
    }
}

/// What a key may do with the records of collections. What is not named is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Everything: what a key has that was made without a word about it.
    pub fn everything() -> Self {
        Self(vec![Scope { collection: None, right: None }])
    }

    /// Understands the scopes that somebody names, each a text by itself; collections must be declared.
    pub fn parse<'a>(
        catalog: &Catalog,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ScopeError> {
        let mut scopes = Vec::new();
        for text in texts {
            let scope = Scope::parse(text).ok_or_else(|| ScopeError::NotAScope(text.to_owned()))?;
            if let Some(name) = scope.collection.as_deref().filter(|name| catalog.find(name).is_none()) {
                let names: Vec<&str> = catalog.collections().iter().map(|one| one.name()).collect();
                let near = nearest(name, &names).map(str::to_owned);
                return Err(ScopeError::NoCollection(name.to_owned(), near));
            }
            scopes.push(scope);
        }
        if scopes.is_empty() { Err(ScopeError::None) } else { Ok(Self::reduced(scopes)) }
    }

    /// Reads back what is stored. A word that is no scope, which another tool left there, allows nothing.
    pub fn from_stored(text: &str) -> Self {
        Self(text.split_ascii_whitespace().filter_map(Scope::parse).collect())
    }

    /// In one order, and none that another one says already.
    fn reduced(mut scopes: Vec<Scope>) -> Self {
        scopes.sort_unstable();
        scopes.dedup();
        let kept = scopes.iter().filter(|one| {
            let is_other = |other: &&Scope| other != one;
            !scopes.iter().filter(is_other).any(|other| one.is_within(other))
        });
        Self(kept.cloned().collect())
    }

    pub fn allow(&self, collection: &str, right: Right) -> bool {
        self.0.iter().any(|scope| scope.allows(collection, right))
    }

    /// Each as its text.
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

/// As they are stored: with spaces between.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str) -> Scopes {
        Scopes::from_stored(text)
    }

    #[test]
    fn what_is_not_named_is_refused() {
        for (text, reads, writes) in [
            ("*", true, true),
            ("*:read", true, false),
            ("*:write", false, true),
            ("users:read", true, false),
            ("users:write", false, true),
            ("address:write users:read", true, false),
            ("address:read address:write", false, false),
            ("user:read users", false, false),
            ("users:Read users:admin *:* **", false, false),
            ("", false, false),
        ] {
            let scopes = stored(text);
            assert_eq!(scopes.allow("users", Right::Read), reads, "{text}");
            assert_eq!(scopes.allow("users", Right::Write), writes, "{text}");
        }
    }

    #[test]
    fn scopes_are_kept_in_one_order_and_none_twice() {
        let reduced = |text: &str| Scopes::reduced(stored(text).0).to_string();
        assert_eq!(reduced("users:write users:read users:write"), "users:read users:write");
        assert_eq!(reduced("users:read *:read users:write"), "*:read users:write");
        assert_eq!(reduced("users:read * *:write"), "*");
        assert_eq!(reduced("*:write *:read"), "*:read *:write");
    }

    #[test]
    fn only_a_scope_is_a_scope() {
        let catalog = Catalog::default();
        let parse = |text: &str| Scopes::parse(&catalog, [text]);
        for text in
            ["", "users", "users:", ":read", "users:read:write", "*:*", "read", "a b:read", "a,b:read"]
        {
            assert_eq!(parse(text), Err(ScopeError::NotAScope(text.into())), "{text}");
        }
        assert_eq!(parse("users:read"), Err(ScopeError::NoCollection("users".into(), None)));
        assert_eq!(Scopes::parse(&catalog, []), Err(ScopeError::None));
        assert_eq!(parse("*"), Ok(Scopes::everything()));
    }
}
