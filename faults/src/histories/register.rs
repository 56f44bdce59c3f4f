//! One record as a register, and whether its operations can have happened one after the other (Wing and Gong's search,
//! with Lowe's memo).
//!
//! An operation takes effect at one moment between its sending and its answer. Without an answer it takes effect at
//! some moment after its sending, or never.

use std::collections::HashSet;

/// What was written, as a number that no other write has.
pub(super) type Token = usize;
/// What lists are asked for.
pub(super) type Kind = u8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Create(Token),
    Put(Token),
    /// An update of what was seen: done, or refused because it was another.
    Swap {
        seen: Token,
        new: Token,
    },
    SwapRefused {
        seen: Token,
    },
    Delete,
    /// Shown with this content.
    Seen(Token),
    /// Not there: 404, or not in a list of everything.
    NotThere,
    /// Not in a list of this kind.
    NotOfKind(Kind),
}

#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) what: What,
    /// Nanoseconds since the history began.
    pub(super) sent: u64,
    /// None: no answer came.
    pub(super) answered: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Unborn,
    Is(Token),
    Gone,
}

impl What {
    /// The state after it, where it can happen in this one.
    fn after(&self, state: State, kinds: &[Kind]) -> Option<State> {
        let happens = match (self, state) {
            (What::Create(token), State::Unborn) => return Some(State::Is(*token)),
            (What::Put(token), State::Is(_)) => return Some(State::Is(*token)),
            (What::Swap { seen, new }, State::Is(token)) if *seen == token => return Some(State::Is(*new)),
            (What::SwapRefused { seen }, State::Is(token)) => *seen != token,
            (What::Delete, State::Is(_)) => return Some(State::Gone),
            (What::Seen(shown), State::Is(token)) => *shown == token,
            (What::NotThere, State::Unborn | State::Gone) => true,
            (What::NotOfKind(kind), State::Is(token)) => kinds.get(token) != Some(kind),
            (What::NotOfKind(_), _) => true,
            _ => false,
        };
        happens.then_some(state)
    }
}

/// The beginning or the end of an operation, in a list from which both can be taken out and put back.
#[derive(Clone, Debug)]
struct Entry {
    operation: usize,
    is_end: bool,
    before: usize,
    after: usize,
}

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is an order.
    Fits,
    /// There is none; how far it went.
    NoOrder(String),
    /// It was given up.
    Undecided,
}

/// Beyond so many steps the search is given up; a history that can have been needs little more than one for each
/// operation.
const MOST_STEPS: usize = 20_000_000;

/// Looks for an order. Of two operations that may come next, one with an answer is tried first: what has none is taken
/// only where nothing else fits, so that the many ways in which it can be left out or done unseen are not all tried.
pub(super) fn check(operations: &[Operation], kinds: &[Kind]) -> Verdict {
    let (mut entries, ends) = entries(operations);
    let completed = operations.iter().filter(|operation| operation.answered.is_some()).count();
    let mut state = State::Unborn;
    let mut done = vec![0_u64; operations.len().div_ceil(64)];
    let mut completed_done = 0;
    let mut memo: HashSet<(Vec<u64>, State)> = HashSet::new();
    let mut stack: Vec<(usize, State)> = Vec::new();
    let mut furthest = (0, String::new());
    let mut at = entries[0].after;
    let mut takes_unanswered = false;
    for _ in 0..MOST_STEPS {
        if completed_done == completed {
            return Verdict::Fits;
        }
        if at != 0 && !entries[at].is_end {
            let number = entries[at].operation;
            let is_answered = operations[number].answered.is_some();
            let next =
                operations[number].what.after(state, kinds).filter(|_| is_answered != takes_unanswered);
            if let Some(next) = next {
                done[number / 64] |= 1 << (number % 64);
                if memo.insert((done.clone(), next)) {
                    stack.push((at, state));
                    state = next;
                    completed_done += usize::from(is_answered);
                    lift(&mut entries, at, ends[number]);
                    (at, takes_unanswered) = (entries[0].after, false);
                    continue;
                }
                done[number / 64] &= !(1 << (number % 64));
            }
            at = entries[at].after;
            continue;
        }
        // Something has ended that did not fit.
        if !takes_unanswered {
            (at, takes_unanswered) = (entries[0].after, true);
            continue;
        }
        if completed_done >= furthest.0 && at != 0 {
            let stuck = &operations[entries[at].operation];
            furthest = (completed_done, format!("{stuck:?} fits nowhere; the record was {state:?}"));
        }
        // Take back the last step and try another.
        let Some((last, before)) = stack.pop() else {
            let (count, words) = furthest;
            return Verdict::NoOrder(format!("{count} of {completed} operations fit, then {words}"));
        };
        let number = entries[last].operation;
        state = before;
        done[number / 64] &= !(1 << (number % 64));
        takes_unanswered = operations[number].answered.is_none();
        completed_done -= usize::from(!takes_unanswered);
        unlift(&mut entries, last, ends[number]);
        at = entries[last].after;
    }
    Verdict::Undecided
}

/// All beginnings and ends in the order of time, after an entry 0 that is neither; and where each operation ends.
fn entries(operations: &[Operation]) -> (Vec<Entry>, Vec<Option<usize>>) {
    let mut moments: Vec<(u64, bool, usize)> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        moments.push((operation.sent, false, number));
        moments.extend(operation.answered.map(|answered| (answered, true, number)));
    }
    // Of one moment, beginnings come first: then they may have been at once.
    moments.sort_unstable();
    let mut ends = vec![None; operations.len()];
    let last = moments.len();
    let mut entries =
        vec![Entry { operation: usize::MAX, is_end: false, before: last, after: usize::from(last > 0) }];
    for (place, (_, is_end, operation)) in moments.into_iter().enumerate() {
        if is_end {
            ends[operation] = Some(place + 1);
        }
        entries.push(Entry { operation, is_end, before: place, after: (place + 2) % (last + 1) });
    }
    (entries, ends)
}

fn take(entries: &mut [Entry], place: usize) {
    let Entry { before, after, .. } = entries[place];
    entries[before].after = after;
    entries[after].before = before;
}

fn put_back(entries: &mut [Entry], place: usize) {
    let Entry { before, after, .. } = entries[place];
    entries[before].after = place;
    entries[after].before = place;
}

fn lift(entries: &mut [Entry], begin: usize, end: Option<usize>) {
    take(entries, begin);
    if let Some(end) = end {
        take(entries, end);
    }
}

fn unlift(entries: &mut [Entry], begin: usize, end: Option<usize>) {
    if let Some(end) = end {
        put_back(entries, end);
    }
    put_back(entries, begin);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(sent: u64, answered: u64, what: What) -> Operation {
        Operation { what, sent, answered: Some(answered) }
    }

    fn open(sent: u64, what: What) -> Operation {
        Operation { what, sent, answered: None }
    }

    const KINDS: [Kind; 4] = [0, 1, 0, 1];

    #[track_caller]
    fn fits(operations: &[Operation]) {
        assert_eq!(check(operations, &KINDS), Verdict::Fits);
    }

    #[track_caller]
    fn does_not(operations: &[Operation]) {
        let found = check(operations, &KINDS);
        assert!(matches!(found, Verdict::NoOrder(_)), "{found:?}");
    }

    #[test]
    fn a_life_is_let_through() {
        let create = || done(0, 5, What::Create(0));
        fits(&[
            create(),
            done(6, 7, What::Seen(0)),
            done(8, 9, What::Put(1)),
            done(10, 11, What::Delete),
            done(12, 13, What::NotThere),
        ]);
        // At once, in either order.
        fits(&[create(), done(6, 20, What::Put(1)), done(7, 8, What::Seen(0)), done(9, 10, What::Seen(1))]);
        fits(&[create(), done(6, 20, What::Put(1)), done(7, 19, What::Put(2)), done(21, 22, What::Seen(1))]);
    }

    #[test]
    fn a_read_of_the_past_is_seen() {
        does_not(&[done(0, 5, What::Create(0)), done(6, 7, What::Put(1)), done(8, 9, What::Seen(0))]);
        does_not(&[
            done(0, 5, What::Create(0)),
            done(6, 20, What::Put(1)),
            done(7, 8, What::Seen(1)),
            done(9, 10, What::Seen(0)),
        ]);
    }

    #[test]
    fn a_lost_update_is_seen() {
        let swap = |sent, new| done(sent, sent + 5, What::Swap { seen: 0, new });
        does_not(&[done(0, 5, What::Create(0)), swap(6, 1), swap(7, 2)]);
        fits(&[done(0, 5, What::Create(0)), swap(6, 1), done(7, 12, What::SwapRefused { seen: 0 })]);
        does_not(&[done(0, 5, What::Create(0)), done(7, 12, What::SwapRefused { seen: 0 })]);
    }

    #[test]
    fn what_has_no_answer_happens_late_or_never() {
        let create = || done(0, 5, What::Create(0));
        fits(&[create(), open(6, What::Put(1)), done(7, 8, What::Seen(0)), done(9, 10, What::Seen(1))]);
        fits(&[create(), open(6, What::Put(1)), done(7, 8, What::Seen(0)), done(9, 10, What::Seen(0))]);
        does_not(&[create(), open(6, What::Put(1)), done(7, 8, What::Seen(1)), done(9, 10, What::Seen(0))]);
        does_not(&[create(), done(7, 8, What::Seen(1)), open(9, What::Put(1))]);
    }

    /// Forty updates without an answer, of which any may have been done: 2^40 ways, and one is enough.
    #[test]
    fn many_without_an_answer_are_soon_decided() {
        let mut operations = vec![done(0, 5, What::Create(0))];
        operations.extend((1..41).map(|token| open(6, What::Put(token))));
        operations
            .extend((50..90).map(|token| done(token as u64 * 10, token as u64 * 10 + 5, What::Put(token))));
        operations.push(done(2_000, 2_001, What::Seen(7)));
        let kinds = vec![0; 100];
        assert_eq!(check(&operations, &kinds), Verdict::Fits);
    }

    #[test]
    fn a_list_that_lacks_a_record_is_seen() {
        let create = || done(0, 5, What::Create(0));
        does_not(&[create(), done(6, 7, What::NotOfKind(0))]);
        fits(&[create(), done(6, 7, What::NotOfKind(1))]);
        fits(&[create(), done(6, 20, What::Put(1)), done(7, 8, What::NotOfKind(0))]);
        does_not(&[create(), done(6, 7, What::Delete), done(8, 9, What::Seen(0))]);
    }
}
