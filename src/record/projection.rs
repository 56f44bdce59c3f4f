//! Some fields of a record (`fields`), cut out of its bytes.

use super::listing::{ListingError, NamesError};
use super::members::value_len;
use super::representation;
use crate::catalog::collection::Collection;
use crate::catalog::name::{ID, RESSOURCE_URI};

/// Which members of a record are shown, besides `ressource_uri`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    /// Positions, ascending.
    pub fields: Vec<usize>,
    pub shows_id: bool,
}

impl Projection {
    /// Reads `first_name,address`; `parameter` is the name under which it was given.
    pub(super) fn parse(collection: &Collection, parameter: &str, text: &str) -> Result<Self, ListingError> {
        let refuse = |reason| ListingError::Names { parameter: parameter.to_owned(), reason };
        let (mut fields, mut shows_id, mut names_uri) = (Vec::new(), false, false);
        for name in text.split(',') {
            let is_named = match (name, collection.find_field(name)) {
                ("", _) => return Err(refuse(NamesError::None)),
                (_, Some(position)) if fields.contains(&position) => true,
                (_, Some(position)) => {
                    fields.push(position);
                    false
                }
                (ID, None) => std::mem::replace(&mut shows_id, true),
                // It is always there.
                (RESSOURCE_URI, None) => std::mem::replace(&mut names_uri, true),
                (_, None) => return Err(refuse(NamesError::Unknown(name.to_owned()))),
            };
            if is_named {
                return Err(refuse(NamesError::Twice(name.to_owned())));
            }
        }
        fields.sort_unstable();
        Ok(Self { fields, shows_id })
    }

    /// A record with these members alone.
    pub fn of(&self, collection: &Collection, record: &[u8]) -> Vec<u8> {
        let mut cut = Vec::with_capacity(record.len());
        self.cut(collection, record, &mut cut);
        cut
    }

    /// Appends a record with these members alone. `record` is what [`representation::write`] wrote.
    pub fn cut(&self, collection: &Collection, record: &[u8], out: &mut Vec<u8>) {
        let begin = out.len();
        if self.try_cut(collection, record, out).is_none() {
            debug_assert!(false, "a record is as it was written");
            out.truncate(begin);
            out.extend_from_slice(record);
        }
    }

    fn try_cut(&self, collection: &Collection, record: &[u8], out: &mut Vec<u8>) -> Option<()> {
        out.push(b'{');
        let mut rest = record.get(1..)?;
        let mut wanted = self.fields.iter().peekable();
        for (position, field) in collection.fields().iter().enumerate() {
            let Some(next) = wanted.peek() else { break };
            let begin = field.member().len();
            // The comma behind it belongs to it: another member always follows.
            let end = begin + value_len(rest.get(begin..)?)? + 1;
            if **next == position {
                out.extend_from_slice(rest.get(..end)?);
                wanted.next();
            }
            rest = rest.get(end..)?;
        }
        representation::write_end(out, collection, self.shows_id, id_of(record)?);
        Some(())
    }
}

/// The digits of the id in the record's own path, with which it ends.
fn id_of(record: &[u8]) -> Option<&[u8]> {
    let path = record.strip_suffix(b"/\"}")?;
    let begin = path.iter().rposition(|byte| *byte == b'/')? + 1;
    Some(&path[begin..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::listing::tests::catalog;
    use crate::record::{RecordId, Value};

    fn parse(text: &str) -> Result<Projection, ListingError> {
        Projection::parse(catalog(&["things"]).at(0), "fields", text)
    }

    fn cut(fields: &str, id: i64, values: &[Value]) -> String {
        let catalog = catalog(&["things"]);
        let mut out = b"before,".to_vec();
        let record = representation::of(catalog.at(0), RecordId(id), values);
        parse(fields).unwrap().cut(catalog.at(0), &record, &mut out);
        String::from_utf8(out).unwrap().strip_prefix("before,").unwrap().to_owned()
    }

    #[test]
    fn fields_stand_in_declared_order() {
        let values =
            [Value::Text("a\",\\\"é\\".into()), Value::Null, Value::Float(-1.5), Value::Boolean(true)];
        let title = r#""title":"a\",\\\"é\\""#;
        let uri = r#""ressource_uri":"/things/7/"}"#;
        for (fields, shown) in [
            ("ressource_uri", format!("{{{uri}")),
            ("id", format!(r#"{{"id":7,{uri}"#)),
            ("title", format!("{{{title},{uri}")),
            ("done,title", format!(r#"{{{title},"done":true,{uri}"#)),
            ("id,weight,size", format!(r#"{{"size":null,"weight":-1.5,"id":7,{uri}"#)),
        ] {
            assert_eq!(cut(fields, 7, &values), shown, "{fields}");
        }
    }

    #[test]
    fn each_name_is_a_field_and_stands_once() {
        let refused = |reason| Err(ListingError::Names { parameter: "fields".into(), reason });
        for text in ["", ",", "title,"] {
            assert_eq!(parse(text), refused(NamesError::None), "{text}");
        }
        assert_eq!(parse("title,-size"), refused(NamesError::Unknown("-size".into())));
        for name in ["title", "id", "ressource_uri"] {
            assert_eq!(parse(&format!("{name},size,{name}")), refused(NamesError::Twice(name.into())));
        }
    }

    proptest! {
        #[test]
        fn all_fields_are_the_record(title in ".*", size in any::<Option<i64>>(), weight in any::<f64>(), id in 1..=i64::MAX) {
            let weight = if weight.is_finite() { Value::Float(weight + 0.0) } else { Value::Null };
            let values = [Value::Text(title), size.map_or(Value::Null, Value::Integer), weight, Value::Boolean(false)];
            let record = representation::of(catalog(&["things"]).at(0), RecordId(id), &values);
            let all = cut("id,done,weight,size,title", id, &values);
            prop_assert_eq!(all.as_bytes(), &record[..]);
            let part: serde_json::Value = serde_json::from_str(&cut("size,done", id, &values)).unwrap();
            let mut whole: serde_json::Value = serde_json::from_slice(&record).unwrap();
            for name in ["title", "weight", "id"] {
                whole.as_object_mut().unwrap().shift_remove(name);
            }
            prop_assert_eq!(part, whole);
        }
    }
}
