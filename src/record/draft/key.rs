//! The bodies of requests for a new access key, and for a new secret of one.

use std::time::Duration;

use super::{DraftError, Members, text};
use crate::catalog::Catalog;
use crate::record::access_key::{KeyName, USUAL_GRACE, grace};
use crate::record::fault::{self, Collector, Found};
use crate::record::moment::Moment;
use crate::record::scope::Scopes;

/// The members of the body for a new access key.
pub const KEY_MEMBERS: [&str; 4] = ["name", "scopes", "expires", "admin"];
/// The members of the body for a new secret.
pub const GRACE_MEMBERS: [&str; 1] = ["grace"];

/// An access key as somebody wishes for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDraft {
    pub name: Option<KeyName>,
    pub scopes: Scopes,
    pub expires: Option<Moment>,
    /// Whether it may manage access keys.
    pub is_admin: bool,
}

impl KeyDraft {
    /// Judges the body as that of a record is judged: every member may be left out, or be null.
    pub fn parse(catalog: &Catalog, body: &[u8], now: Moment) -> Result<Self, DraftError> {
        Self::read(catalog, body, now, &mut Collector::first())
    }

    /// All faults of a body that [`KeyDraft::parse`] refuses.
    pub fn faults(catalog: &Catalog, body: &[u8], now: Moment) -> Found<DraftError> {
        fault::collect(|faults| Self::read(catalog, body, now, faults))
    }

    fn read(
        catalog: &Catalog,
        body: &[u8],
        now: Moment,
        faults: &mut Collector<DraftError>,
    ) -> Result<Self, DraftError> {
        let members = Members::parse(body, faults)?;
        let [name, scopes, expires, admin] = members.only(KEY_MEMBERS, faults)?;
        let name = match name {
            None => None,
            Some(json) => faults.accept(key_name(json), json)?,
        };
        let scopes = match scopes {
            None => None,
            Some(json) => faults.accept(key_scopes(catalog, json), json)?,
        };
        let expires = match expires {
            None => None,
            Some(json) => faults.accept(key_expires(json, now), json)?,
        };
        let is_admin = match admin {
            None | Some("false") => false,
            Some("true") => true,
            Some(json) => {
                faults.report(wrong("admin"), Some(json))?;
                false
            }
        };
        Ok(Self { name, scopes: scopes.unwrap_or_else(Scopes::everything), expires, is_admin })
    }
}

fn wrong(member: &str) -> DraftError {
    DraftError::DoesNotValidate(member.to_owned())
}

fn key_name(json: &str) -> Result<KeyName, DraftError> {
    let given = text(json).ok_or_else(|| wrong("name"))?;
    KeyName::parse(&given).map_err(|_| DraftError::NoKeyName)
}

fn key_scopes(catalog: &Catalog, json: &str) -> Result<Scopes, DraftError> {
    let given: Vec<String> = serde_json::from_str(json).map_err(|_| wrong("scopes"))?;
    Scopes::parse(catalog, given.iter().map(String::as_str)).map_err(DraftError::NoScopes)
}

fn key_expires(json: &str, now: Moment) -> Result<Moment, DraftError> {
    let given = text(json).ok_or_else(|| wrong("expires"))?;
    Moment::parse_future(&given, now).map_err(DraftError::NoMoment)
}

/// How long the secret that there is stays good beside the new one. No body at all says nothing about it.
pub fn parse_grace(body: &[u8]) -> Result<Duration, DraftError> {
    read_grace(body, &mut Collector::first())
}

/// All faults of a body that [`parse_grace`] refuses.
pub fn grace_faults(body: &[u8]) -> Found<DraftError> {
    fault::collect(|faults| read_grace(body, faults))
}

fn read_grace(body: &[u8], faults: &mut Collector<DraftError>) -> Result<Duration, DraftError> {
    if body.is_empty() {
        return Ok(USUAL_GRACE);
    }
    let [given] = Members::parse(body, faults)?.only(GRACE_MEMBERS, faults)?;
    let Some(json) = given else { return Ok(USUAL_GRACE) };
    let judged = match text(json) {
        Some(given) => grace(&given).ok_or(DraftError::NoGrace),
        None => Err(wrong("grace")),
    };
    Ok(faults.accept(judged, json)?.unwrap_or(USUAL_GRACE))
}

impl<'a> Members<'a> {
    /// The values of these members, where there are any but null; no other member may be there.
    fn only<const N: usize>(
        &self,
        names: [&str; N],
        faults: &mut Collector<DraftError>,
    ) -> Result<[Option<&'a str>; N], DraftError> {
        let found = self.these(names, faults)?;
        Ok(found.map(|value| value.filter(|json| *json != "null")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::moment::MomentError;
    use crate::record::scope::ScopeError;

    const NOW: i64 = 1_800_000_000;

    fn parse(body: &str) -> Result<KeyDraft, DraftError> {
        KeyDraft::parse(&Catalog::default(), body.as_bytes(), Moment::from_seconds(NOW))
    }

    #[test]
    fn every_member_may_be_left_out() {
        let plain = KeyDraft { name: None, scopes: Scopes::everything(), expires: None, is_admin: false };
        for body in ["{}", r#"{"name":null,"admin":null,"scopes":null,"expires":null}"#, r#"{"admin":false}"#]
        {
            assert_eq!(parse(body), Ok(plain.clone()), "{body}");
        }
        let expires = Some(Moment::from_seconds(NOW + 60));
        let ann = KeyDraft { name: KeyName::parse("ann").ok(), is_admin: true, expires, ..plain };
        assert_eq!(parse(r#"{"admin":true,"name":"\u0061nn","expires":"1m","scopes":["*"]}"#), Ok(ann));
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
            (r#"{"scopes":"*"}"#, wrong("scopes")),
            (r#"{"scopes":[1]}"#, wrong("scopes")),
            (r#"{"scopes":[]}"#, DraftError::NoScopes(ScopeError::None)),
            (r#"{"scopes":["all"]}"#, DraftError::NoScopes(ScopeError::NotAScope("all".into()))),
            (r#"{"expires":7}"#, wrong("expires")),
            (r#"{"expires":"soon"}"#, DraftError::NoMoment(MomentError::NotAMoment)),
            (r#"{"expires":"2020-01-01"}"#, DraftError::NoMoment(MomentError::Past)),
        ] {
            assert_eq!(parse(body), Err(error), "{body}");
        }
    }

    #[test]
    fn a_grace_is_a_week_unless_somebody_says_otherwise() {
        for body in ["", "{}", r#"{"grace":null}"#, r#"{"grace":"7d"}"#] {
            assert_eq!(parse_grace(body.as_bytes()), Ok(USUAL_GRACE), "{body}");
        }
        assert_eq!(parse_grace(br#"{"grace":"0s"}"#), Ok(Duration::ZERO));
        assert_eq!(parse_grace(br#"{"grace":"366d"}"#), Err(DraftError::NoGrace));
        assert_eq!(parse_grace(br#"{"grace":7}"#), Err(DraftError::DoesNotValidate("grace".into())));
        assert_eq!(parse_grace(br#"{"key":7}"#), Err(DraftError::UnknownField("key".into())));
    }
}
