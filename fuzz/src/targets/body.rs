//! A JSON body → a draft, a patch, the draft of an access key; and back through the representation.

use carnet::catalog::collection::Collection;
use carnet::catalog::date::Datetime;
use carnet::catalog::field::{Field, FieldKind};
use carnet::record::draft::key::{KeyDraft, grace_faults, parse_grace};
use carnet::record::draft::{DEEPEST, Draft, DraftError, Patch};
use carnet::record::moment::Moment;
use carnet::record::scope::Scopes;
use carnet::record::{RecordId, Value, representation};
use serde_json::value::RawValue;

use crate::targets::same_first_fault;
use crate::{catalog, is_planted};

type Members = serde_json::Map<String, serde_json::Value>;

pub(crate) fn run(input: &[u8]) {
    let id = RecordId::new(7).expect("seven is an id");
    // A second opinion: the same bytes as a tree.
    let tree: Result<Members, _> = serde_json::from_slice(input);
    // It rounds less well than ours: the largest double, written with more digits than it has, is none to it.
    if tree.as_ref().is_err_and(|error| error.to_string().starts_with("number out of range")) {
        return;
    }
    for collection in catalog::catalog().collections() {
        let draft = Draft::parse(collection, input);
        same_first_fault(draft.as_ref().err(), &Draft::faults(collection, input));
        match &draft {
            Ok(draft) => {
                let members = tree.as_ref().expect("what is accepted is an object");
                let values = draft.values().to_vec();
                assert_eq!(values.len(), collection.fields().len());
                for (field, value) in collection.fields().iter().zip(&values) {
                    agree(field, members.get(field.name()), value);
                }
                assert!(members.keys().all(|name| collection.find_field(name).is_some()));
                round_trip(collection, id, values);
            }
            Err(DraftError::NotJson(said)) => assert!(said.len() < 200, "{said}"),
            Err(_) => {}
        }
        let patch = Patch::parse(collection, id, input);
        same_first_fault(patch.as_ref().err(), &Patch::faults(collection, id, input));
        if let Ok(patch) = patch {
            let members = tree.as_ref().expect("what is accepted is an object");
            for (position, field) in collection.fields().iter().enumerate() {
                let value = patch.values().iter().find(|(given, _)| *given == position);
                assert_eq!(value.is_some(), members.contains_key(field.name()), "{}", field.name());
                if let Some((_, value)) = value {
                    agree(field, members.get(field.name()), value);
                }
            }
        }
    }
    keys(input, tree.as_ref().ok());
    assert!(tree.is_ok() || Draft::parse(catalog::catalog().at(0), input).is_err());
    let deepest = input.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if deepest <= DEEPEST {
        assert_ne!(Draft::parse(catalog::catalog().at(0), input), Err(DraftError::TooDeep));
    }
}

/// What an access key is to be, and how long its last secret stays good.
fn keys(input: &[u8], members: Option<&Members>) {
    let now = Moment::now();
    let catalog = catalog::catalog();
    let draft = KeyDraft::parse(catalog, input, now);
    same_first_fault(draft.as_ref().err(), &KeyDraft::faults(catalog, input, now));
    if let Ok(draft) = draft {
        let members = members.expect("what is accepted is an object");
        let name = members.get("name").and_then(|name| name.as_str());
        assert_eq!(draft.name.as_ref().map(|name| name.as_str()), name);
        assert_eq!(draft.is_admin, members.get("admin") == Some(&serde_json::Value::Bool(true)));
        assert!(draft.expires.is_none_or(|expires| expires > now), "{:?}", draft.expires);
        let is_said = |member: &str| members.get(member).is_some_and(|value| !value.is_null());
        assert_eq!(draft.expires.is_some(), is_said("expires"));
        let scopes = draft.scopes.texts();
        assert!(is_said("scopes") || draft.scopes == Scopes::everything());
        let again = Scopes::parse(catalog, scopes.iter().map(String::as_str));
        assert_eq!(again.ok(), Some(draft.scopes), "{scopes:?}");
    }
    let grace = parse_grace(input);
    same_first_fault(grace.as_ref().err(), &grace_faults(input));
    if grace.is_ok() {
        assert!(
            input.is_empty() || members.is_some_and(|members| members.keys().all(|name| name == "grace"))
        );
    }
}

/// The value of a field is what the body says of it.
fn agree(field: &Field, said: Option<&serde_json::Value>, value: &Value) {
    use serde_json::Value as Json;
    let kind = field.kind();
    match (said, value) {
        (None, value) if field.default().is_some() => assert_eq!(*value, Value::default_of(field)),
        (None | Some(Json::Null), Value::Null) => assert!(!field.is_required()),
        (Some(Json::String(said)), Value::Date(day)) => {
            assert!(kind == FieldKind::Date && day.to_string() == *said, "a day has one text");
        }
        (Some(Json::String(said)), Value::Datetime(moment)) => {
            assert!(kind == FieldKind::Datetime && said.contains('T'));
            assert_eq!(Datetime::parse(&moment.to_string()), Some(*moment), "it is read back");
            assert_eq!(Datetime::parse_stored(said), Some(*moment), "and so is what was said");
        }
        (Some(Json::String(said)), Value::Text(text)) => {
            assert!(kind == FieldKind::String && said == text && !text.contains('\0'));
            assert_eq!(field.rules().check(text), Ok(()));
        }
        (Some(Json::Number(said)), Value::Integer(integer)) => {
            assert!(kind == FieldKind::Integer && said.as_i64() == Some(*integer));
        }
        (Some(Json::Number(said)), Value::Float(float)) => {
            // The tree may be one step beside the nearest double: it was not made to round-trip.
            let said = said.as_f64().expect("it fits");
            assert!(kind == FieldKind::Float && (said - float).abs() <= float.abs() * 4.0 * f64::EPSILON);
            assert!(float.is_finite() && !(*float == 0.0 && float.is_sign_negative()));
        }
        (Some(Json::Bool(said)), Value::Boolean(boolean)) => {
            assert!(kind == FieldKind::Boolean && said == boolean);
        }
        (said, value) => panic!("{said:?} became {value:?}"),
    }
}

/// A client may send back what it was given, and nothing changes by it.
fn round_trip(collection: &Collection, id: RecordId, mut values: Vec<Value>) {
    let given = representation::of(collection, id, &values);
    // The planted bug: floats go through a text of six digits.
    for value in &mut values {
        if let (true, Value::Float(float)) = (is_planted(), value) {
            *float = format!("{float:.6}").parse().unwrap_or_default();
        }
    }
    let patch = Patch::parse(collection, id, &given).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(patch.values().iter().map(|(position, _)| *position).eq(0..values.len()), "all are there");
    let again: Vec<Value> = patch.values().iter().map(|(_, value)| value.clone()).collect();
    assert_eq!(again, values);
    let same_bits = |pair: (&Value, &Value)| match pair {
        (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
        _ => true,
    };
    assert!(again.iter().zip(&values).all(same_bits));
    assert_eq!(representation::of(collection, id, &again), given, "the same bytes");
    let members: Vec<(String, Box<RawValue>)> =
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&given)
            .expect("an answer is JSON")
            .into_iter()
            .map(|(name, value)| (name, serde_json::value::to_raw_value(&value).expect("a tree is JSON")))
            .collect();
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let fields = collection.fields().iter().map(|field| field.name());
    let own = collection.shows_id().then_some("id").into_iter().chain(["ressource_uri"]);
    assert_eq!(names, fields.chain(own).collect::<Vec<_>>(), "the declared order");
}
