//! The set against one that is obviously right.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn id(id: u64) -> RecordId {
    RecordId::new(i64::try_from(id).unwrap()).unwrap()
}

fn page(ids: &Ids, offset: u64, count: usize) -> Vec<u64> {
    let mut out = Vec::new();
    ids.page(offset, count, &mut out);
    out.into_iter().map(|id| id.get().unsigned_abs()).collect()
}

/// The set says the same as one that is obviously right.
fn agrees(ids: &Ids, model: &BTreeSet<u64>) {
    assert_eq!(ids.len(), model.len() as u64);
    let all: Vec<u64> = model.iter().copied().collect();
    assert_eq!(page(ids, 0, usize::MAX >> 1), all);
    for offset in (0..all.len() + 2).step_by(all.len() / 50 + 1) {
        let expected: Vec<u64> = all.iter().skip(offset).take(20).copied().collect();
        assert_eq!(page(ids, offset as u64, 20), expected, "from {offset}");
    }
}

/// Ids that crowd into some chunks and are thin in others, up to the largest there is.
fn some_id() -> impl Strategy<Value = u64> {
    prop_oneof![1..200u64, 1..140_000u64, 65_530..65_545u64, 1..i64::MAX as u64, Just(i64::MAX as u64)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn inserting_and_removing_agrees_with_a_plain_set(
        deeds in proptest::collection::vec((any::<bool>(), some_id()), 1..400),
        dense in 0..12_000u64,
    ) {
        let (mut ids, mut model) = (Ids::default(), BTreeSet::new());
        for number in 1..=dense {
            prop_assert!(ids.insert(id(number * 2)));
            model.insert(number * 2);
        }
        for (is_insert, number) in deeds {
            if is_insert {
                prop_assert_eq!(ids.insert(id(number)), model.insert(number));
            } else {
                prop_assert_eq!(ids.remove(id(number)), model.remove(&number));
            }
            prop_assert_eq!(ids.contains(id(number)), model.contains(&number));
        }
        agrees(&ids, &model);
    }

    #[test]
    fn an_intersection_holds_what_both_hold(
        one in proptest::collection::btree_set(some_id(), 0..300),
        step in 1..7u64,
        other in proptest::collection::btree_set(some_id(), 0..300),
    ) {
        let one: BTreeSet<u64> = one.into_iter().chain((1..30_000).map(|n| n * step)).collect();
        let other: BTreeSet<u64> = other.into_iter().chain((1..30_000).map(|n| n * 3)).collect();
        let of = |model: &BTreeSet<u64>| {
            let mut ids = Ids::default();
            model.iter().for_each(|number| { ids.insert(id(*number)); });
            ids
        };
        let both: BTreeSet<u64> = one.intersection(&other).copied().collect();
        agrees(&of(&one).intersection(&of(&other)), &both);
        let (low, high): (BTreeSet<u64>, BTreeSet<u64>) = one.iter().partition(|number| **number < 66_000);
        let mut appended = of(&low);
        appended.append(of(&high));
        agrees(&appended, &one);
    }
}

#[test]
fn a_chunk_may_be_full_and_become_empty_again() {
    let (mut ids, mut model) = (Ids::default(), BTreeSet::new());
    for number in 65_536..131_072u64 {
        ids.insert(id(number));
        model.insert(number);
    }
    agrees(&ids, &model);
    for number in (65_536..131_072u64).rev() {
        assert!(ids.remove(id(number)));
    }
    agrees(&ids, &BTreeSet::new());
    assert_eq!(ids.bytes(), 0);
}

#[test]
fn a_set_is_built_from_ids_in_any_order() {
    // One chunk of few, one of many, one with the same id again and again.
    let model: BTreeSet<u64> = (1..100).chain((65_536..131_072).step_by(7)).chain([400_000]).collect();
    let shuffled: Vec<RecordId> = model.iter().rev().chain(&model).map(|one| id(*one)).collect();
    let mut builder = IdsBuilder::default();
    builder.extend(&shuffled);
    builder.extend(&vec![id(400_000); 10_000]);
    let built = builder.finish();
    agrees(&built, &model);
    for (rank, one) in model.iter().enumerate().step_by(11) {
        assert_eq!(built.rank(id(*one)), rank as u64);
    }
}
