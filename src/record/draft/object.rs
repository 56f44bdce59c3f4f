//! The members of a body, before anybody asks what they mean.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{DEEPEST, DraftError};
use crate::catalog::collection::Collection;
use crate::catalog::name::{ID, RESSOURCE_URI};
use crate::record::fault::Collector;

/// What editors and some libraries put before text: that of UTF-8, and the two of UTF-16. JSON has none.
const BYTE_ORDER_MARKS: [&[u8]; 3] = [&[0xef, 0xbb, 0xbf], &[0xff, 0xfe], &[0xfe, 0xff]];

/// The members of a body in the order given, each name once, values still as they were written:
/// `1.0` and `1` must be told apart, and no number may pass through a double.
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    pub(super) fn parse(body: &'a [u8], faults: &mut Collector<DraftError>) -> Result<Self, DraftError> {
        if BYTE_ORDER_MARKS.iter().any(|mark| body.starts_with(mark)) {
            return Err(DraftError::ByteOrderMark);
        }
        let text = std::str::from_utf8(body).map_err(|error| DraftError::NotUtf8(error.valid_up_to()))?;
        if text.trim_ascii().is_empty() {
            return Err(DraftError::Empty);
        }
        if is_too_deep(body) {
            return Err(DraftError::TooDeep);
        }
        Self::read(text, faults)
    }

    pub(super) fn read(text: &'a str, faults: &mut Collector<DraftError>) -> Result<Self, DraftError> {
        let mut members: Members<'a> = serde_json::from_str(text).map_err(|error| {
            if error.is_data() { DraftError::NotAnObject } else { DraftError::NotJson(error.to_string()) }
        })?;
        let mut repeated = Vec::new();
        // Few names: comparing each with those before it beats a set, up to the point where a hostile
        // body would make it quadratic.
        let mut seen = (members.0.len() > 64).then(std::collections::HashSet::new);
        for (position, (name, _)) in members.0.iter().enumerate() {
            let is_new = match &mut seen {
                Some(seen) => seen.insert(name),
                None => members.0[..position].iter().all(|(earlier, _)| earlier != name),
            };
            if !is_new {
                faults.report(DraftError::GivenTwice(name.clone()), None)?;
                repeated.push(position);
            }
        }
        if !repeated.is_empty() {
            let mut position = 0..;
            members.0.retain(|_| repeated.binary_search(&position.next().unwrap_or_default()).is_err());
        }
        Ok(members)
    }

    /// The values of these members, where they are given; no other member may be there.
    pub(super) fn these<const N: usize>(
        &self,
        names: [&str; N],
        faults: &mut Collector<DraftError>,
    ) -> Result<[Option<&'a str>; N], DraftError> {
        let mut found = [None; N];
        for (member, value) in &self.0 {
            match names.iter().position(|name| name == member) {
                Some(place) => found[place] = Some(value.get()),
                None => faults.report(DraftError::UnknownField(member.clone()), None)?,
            }
        }
        Ok(found)
    }

    /// The values in the order of the fields. What the service assigns is for `assign` to judge.
    pub(super) fn of_fields(
        &self,
        collection: &Collection,
        faults: &mut Collector<DraftError>,
        assign: impl Fn(&'static str, &RawValue, &mut Collector<DraftError>) -> Result<(), DraftError>,
    ) -> Result<Vec<Option<&'a RawValue>>, DraftError> {
        let mut given = vec![None; collection.fields().len()];
        for (name, value) in &self.0 {
            match (assigned(name), collection.find_field(name)) {
                (Some(member), _) => assign(member, value, faults)?,
                (None, Some(position)) => given[position] = Some(*value),
                // Its value is not kept: it may be a secret that belongs elsewhere.
                (None, None) => faults.report(DraftError::UnknownField(name.clone()), None)?,
            }
        }
        Ok(given)
    }
}

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'a> Visitor<'a> for Object {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Members<'a>, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Whether brackets nest deeper than [`DEEPEST`]; brackets inside strings do not count.
fn is_too_deep(body: &[u8]) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
    for &byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > DEEPEST {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// A member that the service assigns, under its own name.
fn assigned(name: &str) -> Option<&'static str> {
    [ID, RESSOURCE_URI].into_iter().find(|member| *member == name)
}
