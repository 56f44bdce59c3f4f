//! An access key: a secret that never prints itself, and what is kept of it.

use std::fmt;
use std::time::Duration;

use data_encoding::BASE32_DNSSEC;
use sha2::{Digest, Sha256};

use super::moment::span;
use super::scope::Scopes;

/// How many characters of a long key are kept for display.
const PREFIX: usize = 4;
/// From this length on a prefix may be shown: what remains is still beyond guessing.
const LONG_ENOUGH_FOR_A_PREFIX: usize = 16;

/// A secret in the hands of a caller or of the person who makes it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessKey(String);

/// Why a text is no access key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("an access key has at least one character")]
    Empty,
    #[error("an access key is printable text without spaces")]
    NotPrintable,
}

impl AccessKey {
    /// A new key with 256 bits of randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        // Base 32 in lower case: no character that a shell, a URL or an eye could mistake.
        Ok(Self(format!("ck_{}", BASE32_DNSSEC.encode(&bytes))))
    }

    /// Accepts printable text without spaces, as a person may bring it from elsewhere.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(KeyError::NotPrintable);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether somebody could find it by trying.
    pub fn is_guessable(&self) -> bool {
        self.0.chars().count() < LONG_ENOUGH_FOR_A_PREFIX
    }

    /// What is kept for display: its first characters, or nothing of a short one.
    pub fn prefix(&self) -> String {
        if self.is_guessable() { String::new() } else { self.0.chars().take(PREFIX).collect() }
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }

    /// The secret itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AccessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessKey(hidden)")
    }
}

/// The most characters of a key's name.
pub const LONGEST_NAME: usize = 200;

/// How long a secret may stay good beside a new one, in days.
pub const LONGEST_GRACE: u64 = 365;
/// How long it does where nobody says.
pub const USUAL_GRACE: Duration = Duration::from_secs(7 * 86_400);

/// A length of time that a secret may stay good beside a new one: `7d`, `0s`.
pub fn grace(text: &str) -> Option<Duration> {
    span(text).ok().filter(|span| span.as_secs() <= LONGEST_GRACE * 86_400)
}

/// What an access key is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName(String);

/// Why a text is no name of an access key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to {LONGEST_NAME} characters, none of them a control character, and is not . or ..")]
pub struct KeyNameError;

impl KeyName {
    pub fn parse(text: &str) -> Result<Self, KeyNameError> {
        let length = text.chars().take(LONGEST_NAME + 1).count();
        // Clients resolve a path that holds these two before they send it, however they are encoded.
        let is_a_step = matches!(text, "." | "..");
        if length == 0 || length > LONGEST_NAME || is_a_step || text.chars().any(char::is_control) {
            return Err(KeyNameError);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The SHA-256 of an access key: all that is stored of the secret.
///
/// A look-up compares digests, so its time tells nothing about the secret: whoever knows how much of a digest was
/// right has no text that would come closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of whatever a caller presented.
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented.as_bytes()).into())
    }

    /// Reads back a stored hash.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What is kept of an access key, as `keys list` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    pub name: String,
    pub prefix: String,
    /// RFC 3339.
    pub created: String,
    /// Whether it may manage access keys.
    pub is_admin: bool,
    pub scopes: Scopes,
    /// When it ends, RFC 3339.
    pub expires: Option<String>,
    /// When it was last presented, to the minute or so. RFC 3339.
    pub last_used: Option<String>,
    /// After a rotation: until when the secret before is good as well. RFC 3339.
    pub previous_until: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_never_prints_itself() {
        let access_key = AccessKey::parse("s3cret-s3cret-s3cret").unwrap();
        assert!(!format!("{access_key:?}").contains("s3"));
        assert_eq!(access_key.prefix(), "s3cr");
        assert_eq!(AccessKey::parse("short").unwrap().prefix(), "");
    }

    #[test]
    fn a_new_key_is_long_random_and_accepted_again() {
        let (one, other) = (AccessKey::generate().unwrap(), AccessKey::generate().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.reveal().len(), 3 + 52);
        assert_eq!(AccessKey::parse(one.reveal()), Ok(one));
    }

    #[test]
    fn a_name_is_short_printable_and_no_step_in_a_path() {
        for text in ["a", "Ann's phone", "é/%2F?#", "...", &"é".repeat(LONGEST_NAME)] {
            assert_eq!(KeyName::parse(text).unwrap().as_str(), text);
        }
        for text in ["", ".", "..", "a\n", "a\u{0}", "\u{85}", &"a".repeat(LONGEST_NAME + 1)] {
            assert_eq!(KeyName::parse(text), Err(KeyNameError), "{text:?}");
        }
    }

    #[test]
    fn spaces_and_control_characters_are_refused() {
        for text in ["a b", "a\n", "a\u{0}", "a\u{a0}b"] {
            assert_eq!(AccessKey::parse(text), Err(KeyError::NotPrintable), "{text:?}");
        }
        assert_eq!(AccessKey::parse(""), Err(KeyError::Empty));
    }
}
