//! The order against a sorted set that is obviously right.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::store::cache::ids::Ids;

type Model = BTreeSet<(Vec<u8>, u64)>;

fn id(id: u64) -> RecordId {
    RecordId::new(i64::try_from(id).unwrap()).unwrap()
}

fn numbers(ids: &[RecordId]) -> Vec<u64> {
    ids.iter().map(|id| id.get().unsigned_abs()).collect()
}

fn entries(order: &Order, ranks: Range<u64>) -> Vec<(Vec<u8>, u64)> {
    let mut entries = Vec::new();
    order.visit(ranks, |key, ids| entries.extend(numbers(ids).into_iter().map(|id| (key.to_vec(), id))));
    entries
}

/// What stands beside the nodes is true of them, and no node is empty or too large.
fn is_sound(order: &Order) {
    let mut bytes = 0;
    for (place, block) in order.blocks.nodes().iter().enumerate() {
        assert!((1..=order.most).contains(&block.nodes().len()));
        assert_eq!(order.blocks.node_len(place), block.len());
        assert_eq!(order.blocks.first_of(place), block.first_of(0));
        for (at, leaf) in block.nodes().iter().enumerate() {
            let (mut start, mut len) = (0, 0);
            while let Some(group) = Group::read(leaf, start) {
                (start, len) = (group.end, len + group.len);
            }
            assert!((1..=order.most).contains(&len));
            assert!(leaf.len() <= change::LEAF_BYTES);
            assert_eq!(block.node_len(at), len);
            assert_eq!(block.first_of(at), first_bytes(leaf::first(leaf).0));
            bytes += leaf.len() + change::LEAF_OVERHEAD;
        }
    }
    assert_eq!(order.bytes(), bytes);
}

/// The order says the same as the model.
fn agrees(order: &Order, model: &Model) {
    is_sound(order);
    let all: Vec<_> = model.iter().cloned().collect();
    let len = all.len() as u64;
    assert_eq!(order.len(), len);
    assert_eq!(entries(order, 0..u64::MAX), all);
    for offset in (0..len + 2).step_by(all.len() / 50 + 1) {
        let mut page = Vec::new();
        order.page(offset, 20, &mut page);
        let expected: Vec<u64> = all.iter().skip(offset as usize).take(20).map(|(_, id)| *id).collect();
        assert_eq!(numbers(&page), expected, "from {offset}");
    }
    for (rank, (key, number)) in all.iter().enumerate().step_by(all.len() / 200 + 1) {
        assert_eq!(order.rank(key, id(*number)), rank as u64);
        assert_eq!(entries(order, rank as u64..rank as u64 + 1), [(key.clone(), *number)]);
        // Others, most of which are not there.
        for (key, number) in [
            (&key[..], number / 2 + 1),
            (&key[..key.len() / 2], *number),
            (&[key, "\0".as_bytes()].concat(), 1),
        ] {
            let before = |id: u64| all.partition_point(|entry| (&entry.0[..], entry.1) < (key, id)) as u64;
            assert_eq!(order.rank(key, id(number)), before(number));
            assert_eq!(order.rank_of_key(key), before(0));
            assert_eq!(order.rank_after_key(key), before(u64::MAX));
        }
    }
}

/// Keys that share beginnings, are beginnings of each other, are empty, long, or very frequent.
fn some_key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => Just(b"garcia".to_vec()),
        3 => proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(b'a'), Just(255)], 0..12),
        2 => "(mari|marie|marin|mart)[a-c]{0,3}".prop_map(String::into_bytes),
        2 => any::<u64>().prop_map(|number| number.to_be_bytes().to_vec()),
        1 => (0..3u8, 700..768usize).prop_map(|(byte, len)| vec![byte; len]),
    ]
}

fn some_number() -> impl Strategy<Value = u64> {
    prop_oneof![5 => 1..300u64, 1 => 1..1u64 << 62, 1 => Just(i64::MAX as u64)]
}

fn some_entry() -> impl Strategy<Value = (Vec<u8>, u64)> {
    (some_key(), some_number())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn inserting_and_removing_agrees_with_a_sorted_set(
        most in prop_oneof![Just(4usize), 5..20usize, Just(MOST)],
        first in proptest::collection::vec(some_entry(), 0..600),
        deeds in proptest::collection::vec((any::<bool>(), some_entry(), any::<proptest::sample::Index>()), 0..600),
    ) {
        let (mut order, mut model) = (Order::with_most(most), Model::new());
        for (key, number) in first {
            prop_assert_eq!(order.insert(&key, id(number)), model.insert((key, number)));
        }
        agrees(&order, &model);
        for (is_insert, (key, number), any) in deeds {
            if is_insert {
                prop_assert_eq!(order.insert(&key, id(number)), model.insert((key, number)));
            } else {
                prop_assert_eq!(order.remove(&key, id(number)), model.remove(&(key, number)));
                if let Some((key, number)) = model.iter().nth(any.index(model.len().max(1))).cloned() {
                    prop_assert!(order.remove(&key, id(number)));
                    model.remove(&(key, number));
                }
            }
        }
        agrees(&order, &model);
        for (key, number) in std::mem::take(&mut model) {
            prop_assert!(order.remove(&key, id(number)));
        }
        agrees(&order, &model);
        prop_assert_eq!(order.bytes(), 0);
    }

    #[test]
    fn a_builder_sorts_what_comes_in_any_order(
        most in prop_oneof![Just(4usize), Just(MOST)],
        run in 1..200usize,
        pushed in proptest::collection::vec(some_entry(), 0..1_000),
    ) {
        let mut builder = OrderBuilder::with_limits(run, most);
        pushed.iter().for_each(|(key, number)| builder.push(key, id(*number)));
        agrees(&builder.finish(), &pushed.into_iter().collect());
    }

    #[test]
    fn a_subset_holds_what_its_set_holds(
        most in prop_oneof![Just(4usize), Just(MOST)],
        whole in proptest::collection::btree_set(some_entry(), 0..800),
        step in 1..5u64,
    ) {
        let (mut builder, mut ids) = (OrderBuilder::with_limits(100, most), Ids::default());
        for (key, number) in &whole {
            builder.push(key, id(*number));
            if number.is_multiple_of(step) {
                ids.insert(id(*number));
            }
        }
        let subset = builder.finish().subset(&ids);
        agrees(&subset, &whole.into_iter().filter(|(_, number)| number.is_multiple_of(step)).collect());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn many_at_once_are_as_one_by_one(
        most in prop_oneof![Just(4usize), 5..20usize, Just(MOST)],
        first in proptest::collection::btree_set(some_entry(), 0..600),
        parts in proptest::collection::vec(proptest::collection::btree_set(some_entry(), 0..400), 1..4),
    ) {
        let (mut order, mut model) = (Order::with_most(most), Model::new());
        for (key, number) in first {
            prop_assert_eq!(order.insert(&key, id(number)), model.insert((key, number)));
        }
        for part in parts {
            let new: Vec<_> = part.difference(&model).cloned().collect();
            let entries: Vec<_> = new.iter().map(|(key, number)| (key.clone(), id(*number))).collect();
            prop_assert!(order.insert_all(&entries));
            model.extend(new);
            agrees(&order, &model);
            // One that is there already is noticed, alone and among others.
            for some in entries.chunks(entries.len() / 3 + 1) {
                prop_assert!(!order.clone().insert_all(some));
                prop_assert!(!order.clone().insert_all(&some[..1]));
            }
        }
    }
}

/// Entries that come in their order fill the leaves.
#[test]
fn numbered_keys_leave_full_leaves_behind() {
    let mut order = Order::default();
    for number in 1..100_000u64 {
        assert!(order.insert(format!("new{number:07}").as_bytes(), id(number)));
    }
    is_sound(&order);
    let leaves = order.blocks.nodes().iter().map(|block| block.nodes().len()).sum::<usize>();
    assert_eq!(leaves, 99_999_usize.div_ceil(MOST));
}

/// One key fills hundreds of leaves, and others stand on both sides of it.
#[test]
fn a_frequent_key_is_told_apart_by_its_ids() {
    let (mut order, mut model) = (Order::with_most(8), Model::new());
    for number in (1..4_000u64).map(|number| number * 7_919 % 4_001) {
        let key: &[u8] = match number % 16 {
            0 => b"garcia-lopez",
            1 => b"garci",
            _ => b"garcia-lorca",
        };
        assert!(order.insert(key, id(number)));
        model.insert((key.to_vec(), number));
    }
    agrees(&order, &model);
    for number in (1..4_000u64).filter(|number| number % 3 > 0) {
        assert_eq!(
            order.remove(b"garcia-lorca", id(number)),
            model.remove(&(b"garcia-lorca".to_vec(), number))
        );
    }
    agrees(&order, &model);
}

/// Thin leaves are joined: what is left takes about as much as if it had been made so.
#[test]
fn an_order_that_shrinks_gives_its_memory_back() {
    let mut order = Order::with_most(16);
    let key = |number: u64| (number * 7_919 % 20_011).to_be_bytes();
    (1..20_000).for_each(|number| assert!(order.insert(&key(number), id(number))));
    (1..20_000)
        .filter(|number| number % 20 > 0)
        .for_each(|number| assert!(order.remove(&key(number), id(number))));
    is_sound(&order);
    let mut anew = OrderBuilder::with_limits(64, 16);
    (1..20_000).filter(|number| number % 20 == 0).for_each(|number| anew.push(&key(number), id(number)));
    let anew = anew.finish();
    assert_eq!(entries(&order, 0..u64::MAX), entries(&anew, 0..u64::MAX));
    assert!(order.bytes() < anew.bytes() * 2, "{} bytes instead of {}", order.bytes(), anew.bytes());
}

/// Three fields of 64 characters of four bytes each, which share nothing: a leaf has few of them.
#[test]
fn leaves_of_long_keys_stay_small() {
    let (mut order, mut builder, mut model) = (Order::default(), OrderBuilder::default(), Model::new());
    for number in 1..500u64 {
        let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes().repeat(96);
        assert!(order.insert(&key, id(number)));
        builder.push(&key, id(number));
        model.insert((key, number));
    }
    agrees(&order, &model);
    let keys: usize = model.iter().map(|(key, _)| key.len()).sum();
    assert!((keys..keys * 3).contains(&builder.bytes()), "{} bytes for keys of {keys}", builder.bytes());
    agrees(&builder.finish(), &model);
}

/// A clone keeps what it saw while the order that it was made of changes.
#[test]
fn a_clone_does_not_change() {
    let mut order = Order::with_most(8);
    (1..1_000u64).for_each(|number| assert!(order.insert(&(number % 10).to_be_bytes(), id(number))));
    let (seen, bytes) = (entries(&order, 0..u64::MAX), order.bytes());
    let clone = order.clone();
    (1..500u64).for_each(|number| assert!(order.remove(&(number % 10).to_be_bytes(), id(number))));
    assert_eq!((entries(&clone, 0..u64::MAX), clone.bytes()), (seen, bytes));
    is_sound(&clone);
    is_sound(&order);
}
