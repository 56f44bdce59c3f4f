//! The body of a request for a new access key.

use super::{DraftError, Members, text};
use crate::record::access_key::KeyName;

/// An access key as somebody wishes for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDraft {
    pub name: Option<KeyName>,
    /// Whether it may manage access keys.
    pub is_admin: bool,
}

impl KeyDraft {
    /// Judges the body as that of a record is judged: both members may be left out, or be null.
    pub fn parse(body: &[u8]) -> Result<Self, DraftError> {
        let members = Members::parse(body)?;
        let (mut name, mut admin) = (None, None);
        for (member, value) in &members.0 {
            match member.as_str() {
                "name" => name = Some(value.get()),
                "admin" => admin = Some(value.get()),
                _ => return Err(DraftError::UnknownField(member.clone())),
            }
        }
        let name = match name {
            None | Some("null") => None,
            Some(json) => {
                let given = text(json).ok_or(DraftError::DoesNotValidate("name".into()))?;
                Some(KeyName::parse(&given).map_err(|_| DraftError::NoKeyName)?)
            }
        };
        let is_admin = match admin {
            None | Some("null" | "false") => false,
            Some("true") => true,
            Some(_) => return Err(DraftError::DoesNotValidate("admin".into())),
        };
        Ok(Self { name, is_admin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_members_may_be_left_out() {
        let parse = |body: &str| KeyDraft::parse(body.as_bytes());
        let nobody = KeyDraft { name: None, is_admin: false };
        for body in ["{}", r#"{"name":null,"admin":null}"#, r#"{"admin":false}"#] {
            assert_eq!(parse(body), Ok(nobody.clone()), "{body}");
        }
        let ann = KeyDraft { name: KeyName::parse("ann").ok(), is_admin: true };
        assert_eq!(parse(r#"{"admin":true,"name":"\u0061nn"}"#), Ok(ann));
    }

    #[test]
    fn the_first_fault_is_the_error() {
        let wrong = |name: &str| DraftError::DoesNotValidate(name.into());
        for (body, error) in [
            ("", DraftError::Empty),
            ("[]", DraftError::NotAnObject),
            (r#"{"name":1,"key":"x"}"#, DraftError::UnknownField("key".into())),
            (r#"{"name":1,"name":"a"}"#, DraftError::GivenTwice("name".into())),
            (r#"{"admin":1,"name":1}"#, wrong("name")),
            (r#"{"admin":"true"}"#, wrong("admin")),
            (r#"{"name":"a\u0000"}"#, wrong("name")),
            (r#"{"name":""}"#, DraftError::NoKeyName),
            (r#"{"name":"a\n"}"#, DraftError::NoKeyName),
        ] {
            assert_eq!(KeyDraft::parse(body.as_bytes()), Err(error), "{body}");
        }
    }
}
