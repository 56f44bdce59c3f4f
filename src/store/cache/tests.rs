//! What those who wrote may be told, and when.

use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::*;
use crate::catalog::declaration::{Declaration, FieldDeclaration};
use crate::record::Value;
use crate::store::change::{After, Change};

fn cache() -> Cache {
    let field =
        FieldDeclaration { name: "text".into(), kind: "string".into(), ..FieldDeclaration::default() };
    let notes = Declaration { name: "notes".into(), fields: vec![field], ..Declaration::default() };
    let catalog = Arc::new(Catalog::declare(&[notes], &[]).unwrap());
    let settings =
        OpenSettings { any_filesystem: true, memory: 1 << 20, stored_answers: 1 << 20, keeps_orders: true };
    let cache = Cache::new(catalog, 7, &settings);
    cache.keep_set(7, SetKey::all_of(0), Ids::default());
    cache
}

fn created(id: RecordId) -> Change {
    let after = After { values: [Value::Null].into(), representation: Bytes::from_static(b"{}") };
    Change { collection: 0, id, before: None, after: Some(after) }
}

#[test]
fn whoever_hears_of_a_commit_reads_nothing_older() {
    let (cache, id) = (cache(), RecordId::FIRST);
    assert_eq!((cache.lives(0, id), cache.announced()), (Some(false), 7));
    let mut seen = None;
    cache.answer_and_apply(8, &[created(id)], &[], || {
        let is_odd = !cache.turns.load(Ordering::Relaxed).is_multiple_of(2);
        seen = Some((cache.announced(), cache.version(), cache.state.is_write_locked(), is_odd));
    });
    assert_eq!(seen, Some((8, 7, true, true)));
    assert_eq!((cache.version(), cache.announced(), cache.lives(0, id)), (8, 8, Some(true)));
}

#[test]
fn what_is_prepared_is_seen_by_nobody_before_it_is_applied() {
    let cache = cache();
    let changes: Vec<Change> = (1..=300).filter_map(RecordId::new).map(created).collect();
    for is_committed in [false, true] {
        let prepared = cache.prepare(&changes);
        assert_eq!((cache.version(), cache.lives(0, RecordId::FIRST)), (7, Some(false)));
        if is_committed {
            prepared.apply(8, &[]);
        }
    }
    assert_eq!((cache.version(), cache.count(&SetKey::all_of(0))), (8, Some(300)));
}

#[test]
fn who_sleeps_until_a_commit_is_applied_is_woken_then_and_at_the_end() {
    let cache = cache();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| (cache.wait_for(8), cache.wait_for(9)));
        cache.apply(8, &[created(RecordId::FIRST)], &[]);
        cache.close();
        assert!(matches!(waiting.join().unwrap(), (Ok(()), Err(StoreError::Unavailable))));
    });
}
