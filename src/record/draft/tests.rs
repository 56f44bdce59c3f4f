//! Which bodies become drafts and patches.

use super::*;
use crate::catalog::Catalog;
use crate::catalog::declaration::{Declaration, FieldDeclaration};
use crate::record::RecordId;

fn catalog() -> Catalog {
    let field = |name: &str, kind: &str, required| FieldDeclaration {
        name: name.into(),
        kind: kind.into(),
        required,
        ..FieldDeclaration::default()
    };
    let things = Declaration {
        name: "things".into(),
        show_id: true,
        fields: vec![
            field("title", "string", true),
            field("size", "integer", false),
            field("weight", "float", false),
            field("done", "boolean", false),
        ],
        unique: Vec::new(),
        list_verbs: Vec::new(),
        unique_verbs: Vec::new(),
        pagination: None,
        authentication: false,
        authorization: false,
        rate_limit: None,
        ..Declaration::default()
    };
    Catalog::declare(&[things], &[]).unwrap()
}

fn draft(body: &str) -> Result<Vec<Value>, DraftError> {
    Draft::parse(catalog().at(0), body.as_bytes()).map(|draft| draft.0.to_vec())
}

fn patch(body: &str) -> Result<Vec<(usize, Value)>, DraftError> {
    Patch::parse(catalog().at(0), RecordId(7), body.as_bytes()).map(|patch| patch.0)
}

#[test]
fn values_are_taken_exactly() {
    let body = r#"{"weight":1,"title":"\ud83d\ude00 \"é\"","done":true,"size":-9223372036854775808}"#;
    assert_eq!(
        draft(body),
        Ok(vec![
            Value::Text("😀 \"é\"".into()),
            Value::Integer(i64::MIN),
            Value::Float(1.0),
            Value::Boolean(true),
        ])
    );
    assert_eq!(
        draft(r#"{"title":"","size":null}"#),
        Ok(vec![Value::Text(String::new()), Value::Null, Value::Null, Value::Null])
    );
}

#[test]
fn what_does_not_fit_its_field_does_not_validate() {
    for (field, value) in [
        ("title", "1"),
        ("title", "null"),
        ("title", r#""\u0000""#),
        ("title", r#""\ud800""#),
        ("title", "[]"),
        ("size", "1.0"),
        ("size", "-0"),
        ("size", "1e2"),
        ("size", r#""1""#),
        ("size", "true"),
        ("size", "9223372036854775808"),
        ("weight", "1e999"),
        ("weight", r#""1""#),
        ("done", "1"),
        ("done", r#""true""#),
    ] {
        let title = if field == "title" { "" } else { r#""title":"x","# };
        let refused = Err(DraftError::DoesNotValidate(field.into()));
        assert_eq!(draft(&format!(r#"{{{title}"{field}":{value}}}"#)), refused, "{field} = {value}");
    }
}

#[test]
fn the_shape_is_judged_before_the_fields() {
    assert_eq!(draft(r#"{"size":"x","colour":1}"#), Err(DraftError::UnknownField("colour".into())));
    assert_eq!(draft(r#"{"size":"x"}"#), Err(DraftError::Missing("title".into())));
    assert_eq!(draft(r#"{"title":"a","title":"b"}"#), Err(DraftError::GivenTwice("title".into())));
    assert_eq!(draft(r#"{"title":"a","id":1}"#), Err(DraftError::AssignedByService("id")));
}

#[test]
fn a_body_that_is_no_object_is_told_apart_from_one_that_is_no_json() {
    assert_eq!(draft(""), Err(DraftError::Empty));
    assert_eq!(draft("[1]"), Err(DraftError::NotAnObject));
    assert_eq!(draft("null"), Err(DraftError::NotAnObject));
    assert!(
        matches!(draft(r#"{"title" "x"}"#), Err(DraftError::NotJson(said)) if said.contains("line 1 column"))
    );
    assert!(matches!(draft(r#"{"title":"x"} x"#), Err(DraftError::NotJson(_))));
    assert_eq!(Draft::parse(catalog().at(0), b"{\"a\xff"), Err(DraftError::NotUtf8(3)));
    assert_eq!(draft(&"[".repeat(10_000)), Err(DraftError::TooDeep));
    assert_eq!(
        draft(r#"{"title":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}"#).map(|values| values.len()),
        Ok(4)
    );
}

#[test]
fn a_patch_says_only_what_changes_and_may_repeat_the_records_own_address() {
    assert_eq!(patch("{}"), Ok(Vec::new()));
    assert_eq!(patch(r#"{"id":7,"ressource_uri":"/things/7/","size":null}"#), Ok(vec![(1, Value::Null)]));
    assert_eq!(patch(r#"{"id":8}"#), Err(DraftError::CannotBeChanged("id")));
    assert_eq!(patch(r#"{"id":"7"}"#), Err(DraftError::CannotBeChanged("id")));
    assert_eq!(patch(r#"{"ressource_uri":"/things/8/"}"#), Err(DraftError::CannotBeChanged("ressource_uri")));
    assert_eq!(patch(r#"{"title":null}"#), Err(DraftError::DoesNotValidate("title".into())));
}
