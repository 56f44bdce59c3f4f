//! Controls: histories that cannot have been, each of which the checker must see.

use std::time::{Duration, Instant};

use super::checker::{History, Note, Read, Scope, Span, State, Total, Writer, check};

/// Two writers: each creates a record, raises it twice; the second one then creates another and deletes it.
struct Table {
    start: Instant,
    history: History,
}

fn state(notes: &[(i64, i64)]) -> State {
    let note = |seq: i64| Note { kind: Some(format!("k{}", seq % 2)), seq, pad: 0 };
    notes.iter().map(|(id, seq)| (*id, note(*seq))).collect()
}

impl Table {
    fn new() -> Table {
        let mut table = Table { start: Instant::now(), history: History::default() };
        let first = [(0, 10, state(&[(1, 1)])), (20, 30, state(&[(1, 2)])), (40, 50, state(&[(1, 3)]))];
        let second = [
            (0, 10, state(&[(2, 1)])),
            (24, 34, state(&[(2, 2)])),
            (52, 60, state(&[(2, 2), (3, 0)])),
            (70, 80, state(&[(2, 2)])),
        ];
        for steps in [&first[..], &second[..]] {
            let done = steps.iter().map(|(began, ended, state)| (table.span(*began, *ended), state.clone()));
            let writer = Writer { done: done.collect() };
            table.history.writers.push(writer);
        }
        table
    }

    fn span(&self, began: u64, ended: u64) -> Span {
        let at = |milliseconds| self.start + Duration::from_millis(milliseconds);
        Span { began: at(began), ended: at(ended) }
    }

    fn read(mut self, (began, ended): (u64, u64), scope: Scope, first: State, second: State) -> Table {
        let shown = [(0, first), (1, second)].into_iter().filter(|(_, state)| !state.is_empty()).collect();
        let (span, asked) = (self.span(began, ended), format!("{scope:?} {began}..{ended}"));
        self.history.reads.push(Read { span, scope, shown, asked });
        self
    }

    fn list(self, span: (u64, u64), first: &[(i64, i64)], second: &[(i64, i64)]) -> Table {
        self.read(span, Scope::All, state(first), state(second))
    }

    fn fetch(self, span: (u64, u64), writer: usize, shown: &[(i64, i64)]) -> Table {
        let scope = Scope::Record(writer, writer as i64 + 1);
        let (first, second) = if writer == 0 { (shown, &[][..]) } else { (&[][..], shown) };
        self.read(span, scope, state(first), state(second))
    }

    #[track_caller]
    fn must_be_seen(self, words: &str) {
        let faults = check(&self.history).expect_err("the checker is blind");
        assert!(faults.iter().any(|fault| fault.contains(words)), "{faults:#?}");
    }
}

#[test]
fn a_history_that_can_have_been_is_let_through() {
    let table = Table::new()
        .list((1, 9), &[(1, 1)], &[])
        .list((22, 40), &[(1, 2)], &[(2, 1)])
        .list((23, 41), &[(1, 2)], &[(2, 2)])
        .fetch((42, 48), 0, &[(1, 3)])
        .list((53, 59), &[(1, 3)], &[(2, 2)])
        .read((61, 75), Scope::Kind("k0".into()), state(&[]), state(&[(2, 2)]))
        .list((90, 95), &[(1, 3)], &[(2, 2)]);
    let number = check(&table.history);
    assert_eq!(number.as_ref().ok(), Some(&5), "{number:?}");
}

#[test]
fn a_list_that_misses_an_acknowledged_update_is_seen() {
    Table::new().list((36, 39), &[(1, 1)], &[(2, 2)]).must_be_seen("writer 0 was between 2 and 2");
}

#[test]
fn a_list_that_shows_a_write_before_it_was_sent_is_seen() {
    Table::new().list((36, 39), &[(1, 3)], &[(2, 2)]).must_be_seen("what is shown was there at [3]");
}

#[test]
fn a_list_without_an_acknowledged_record_is_seen() {
    Table::new().list((61, 69), &[(1, 3)], &[(2, 2)]).must_be_seen("writer 1 was between 3 and 3");
}

#[test]
fn a_list_with_a_deleted_record_is_seen() {
    Table::new().list((81, 82), &[(1, 3)], &[(2, 2), (3, 0)]).must_be_seen("writer 1 was between 4 and 4");
}

#[test]
fn two_lists_of_which_neither_came_first_are_seen() {
    let table = Table::new();
    let table = table.list((22, 38), &[(1, 2)], &[(2, 1)]).list((21, 39), &[(1, 1)], &[(2, 2)]);
    table.must_be_seen("neither came first");
}

#[test]
fn time_that_runs_backwards_is_seen() {
    let table = Table::new().list((21, 23), &[(1, 2)], &[(2, 1)]).list((25, 29), &[(1, 1)], &[(2, 1)]);
    table.must_be_seen("was over before");
}

#[test]
fn a_fetch_that_runs_behind_a_list_is_seen() {
    let table = Table::new().list((41, 43), &[(1, 3)], &[(2, 2)]).fetch((44, 46), 0, &[(1, 2)]);
    table.must_be_seen("was over before");
}

#[test]
fn a_list_that_shows_a_later_write_without_an_earlier_one_is_seen() {
    // Writer 0 had its answer before writer 1 sent; this list is as long as both.
    Table::new().list((15, 58), &[(1, 2)], &[(2, 2), (3, 0)]).must_be_seen("was over before");
}

#[test]
fn a_filtered_list_that_lacks_a_match_is_seen() {
    Table::new().read((61, 69), Scope::Kind("k0".into()), state(&[]), state(&[(2, 2)])).must_be_seen("k0");
}

#[test]
fn a_filtered_list_of_two_moments_is_seen() {
    let table = Table::new().list((21, 45), &[(1, 2)], &[(2, 1)]);
    table
        .read((21, 45), Scope::Kind("k1".into()), state(&[(1, 1)]), state(&[]))
        .list((22, 35), &[(1, 2)], &[(2, 1)])
        .must_be_seen("more than one moment");
}

#[test]
fn a_wrong_total_is_seen() {
    let mut table = Table::new();
    let span = table.span(61, 69);
    table.history.totals.push(Total { span, number: 4 });
    table.must_be_seen("a total of 4, where there were 3 to 3");
}
