//! What those who wrote may be told, and when.

use std::sync::atomic::Ordering;

use super::*;
use crate::catalog::declaration::{Declaration, FieldDeclaration};
use crate::record::Value;
use crate::store::change::After;

#[test]
fn whoever_hears_of_a_commit_reads_nothing_older() {
    let field =
        FieldDeclaration { name: "text".into(), kind: "string".into(), ..FieldDeclaration::default() };
    let notes = Declaration { name: "notes".into(), fields: vec![field], ..Declaration::default() };
    let catalog = Arc::new(Catalog::declare(&[notes], &[]).unwrap());
    let settings =
        OpenSettings { any_filesystem: true, memory: 1 << 20, stored_answers: 1 << 20, keeps_orders: true };
    let (cache, id) = (Cache::new(catalog, 7, &settings), RecordId::new(1).unwrap());
    cache.keep_set(7, SetKey::all_of(0), Ids::default());
    assert_eq!((cache.lives(0, id), cache.announced()), (Some(false), 7));
    let after = After { values: vec![Value::Null], representation: Bytes::from_static(b"{}") };
    let created = Change { collection: 0, id, before: None, after: Some(after) };
    let mut seen = None;
    cache.answer_and_apply(8, &[created], &[], || {
        let is_odd = !cache.turns.load(Ordering::Relaxed).is_multiple_of(2);
        seen = Some((cache.announced(), cache.version(), cache.state.is_write_locked(), is_odd));
    });
    assert_eq!(seen, Some((8, 7, true, true)));
    assert_eq!((cache.version(), cache.announced(), cache.lives(0, id)), (8, 8, Some(true)));
}
