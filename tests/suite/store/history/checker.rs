//! What must hold of a recorded history: every read is of one moment, and moments follow real time.
//!
//! A whole list tells how far each writer was. Any two whole lists are of moments of which one came first, so
//! these rows of numbers must be ordered. They are the scale on which everything else is placed: a write lies
//! between the last list without it and the first with it, another read somewhere in a stretch. What ended
//! before something else began must not lie behind it.

use std::collections::BTreeMap;
use std::time::Instant;

/// One record as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) kind: Option<String>,
    pub(crate) seq: i64,
    pub(crate) pad: usize,
}

/// The records of one writer.
pub(crate) type State = BTreeMap<i64, Note>;

/// From when to when something was under way, seen by its client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
}

/// What one writer did: each write, and the state of its records afterwards.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) done: Vec<(Span, State)>,
}

/// What a read asked for.
#[derive(Clone, Debug)]
pub(crate) enum Scope {
    All,
    Kind(String),
    Owner(usize),
    OwnerAndKind(usize, String),
    /// One record, by its id, and whose it is.
    Record(usize, i64),
}

/// What a read was shown of each writer's records.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) span: Span,
    pub(crate) scope: Scope,
    pub(crate) shown: BTreeMap<usize, State>,
    pub(crate) asked: String,
}

/// A total without the records behind it.
#[derive(Debug)]
pub(crate) struct Total {
    pub(crate) span: Span,
    pub(crate) number: usize,
}

#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) writers: Vec<Writer>,
    pub(crate) reads: Vec<Read>,
    pub(crate) totals: Vec<Total>,
    /// What the clients themselves found wrong.
    pub(crate) faults: Vec<String>,
}

impl Scope {
    fn holds(&self, id: i64, note: &Note) -> bool {
        let is_of = |kind: &str| note.kind.as_deref().unwrap_or_default() == kind;
        match self {
            Scope::All | Scope::Owner(_) => true,
            Scope::Kind(kind) | Scope::OwnerAndKind(_, kind) => is_of(kind),
            Scope::Record(_, wanted) => id == *wanted,
        }
    }

    fn writers(&self, all: usize) -> std::ops::Range<usize> {
        match self {
            Scope::All | Scope::Kind(_) => 0..all,
            Scope::Owner(writer) | Scope::OwnerAndKind(writer, _) | Scope::Record(writer, _) => {
                *writer..writer + 1
            }
        }
    }
}

impl Writer {
    /// What of its records lies in a scope after so many of its writes.
    fn after(&self, writes: usize, scope: &Scope) -> State {
        let nothing = State::new();
        let state = if writes == 0 { &nothing } else { &self.done[writes - 1].1 };
        let inside = state.iter().filter(|(id, note)| scope.holds(**id, note));
        inside.map(|(id, note)| (*id, note.clone())).collect()
    }

    /// How many writes a read must have seen, and how many it can have seen.
    fn seen_by(&self, span: Span) -> (usize, usize) {
        let must = self.done.partition_point(|(write, _)| write.ended < span.began);
        let can = self.done.partition_point(|(write, _)| write.began < span.ended);
        (must, can)
    }
}

/// A stretch of the scale on which something lies.
struct Placed {
    span: Span,
    from: usize,
    to: usize,
    what: String,
}

/// A writer, and after how many of its writes at the least and at the most there was what was shown.
type Explained = (usize, usize, usize);

/// How many whole lists there were, or everything that cannot have been.
pub(crate) fn check(history: &History) -> Result<usize, Vec<String>> {
    let mut faults = history.faults.clone();
    let mut snapshots: Vec<(Vec<usize>, &Read)> = Vec::new();
    let mut others: Vec<(Vec<Explained>, &Read)> = Vec::new();
    for read in &history.reads {
        match placed_by_writer(history, read) {
            Err(fault) => faults.push(fault),
            Ok(found) if matches!(read.scope, Scope::All) => {
                snapshots.push((found.iter().map(|(_, first, _)| *first).collect(), read));
            }
            Ok(found) => others.push((found, read)),
        }
    }
    totals(history, &mut faults);
    snapshots.sort_by_key(|(moment, _)| moment.iter().sum::<usize>());
    for pair in snapshots.windows(2) {
        let [(earlier, one), (later, other)] = pair else { continue };
        if !earlier.iter().zip(later).all(|(earlier, later)| earlier <= later) {
            faults.push(format!(
                "two lists of which neither came first: {earlier:?} by {} and {later:?} by {}",
                one.asked, other.asked
            ));
        }
    }
    if faults.is_empty() {
        let moments: Vec<&Vec<usize>> = snapshots.iter().map(|(moment, _)| moment).collect();
        let mut placed: Vec<Placed> = Vec::new();
        for (moment, read) in &snapshots {
            let from = moments.partition_point(|other| other.iter().sum::<usize>() < moment.iter().sum());
            let to = moments.partition_point(|other| other.iter().sum::<usize>() <= moment.iter().sum());
            placed.push(Placed {
                span: read.span,
                from: 2 * from + 1,
                to: 2 * to - 1,
                what: format!("the list {} at {moment:?}", read.asked),
            });
        }
        // Before write number `write` of a writer there are so many lists.
        let before = |writer: usize, write: usize| moments.partition_point(|moment| moment[writer] < write);
        for (number, writer) in history.writers.iter().enumerate() {
            for (place, (span, _)) in writer.done.iter().enumerate() {
                let at = 2 * before(number, place + 1);
                let what = format!("write {} of writer {number}", place + 1);
                placed.push(Placed { span: *span, from: at, to: at, what });
            }
        }
        for (found, read) in others {
            let from = found.iter().map(|(writer, first, _)| 2 * before(*writer, *first)).max();
            let to = found.iter().map(|(writer, _, last)| 2 * before(*writer, last + 1)).min();
            let (from, to) = (from.unwrap_or(0), to.unwrap_or(usize::MAX));
            if from > to {
                faults.push(format!("{} shows more than one moment: {found:?}", read.asked));
            }
            placed.push(Placed { span: read.span, from, to, what: format!("{} at {found:?}", read.asked) });
        }
        real_time(placed, &mut faults);
    }
    if faults.is_empty() { Ok(snapshots.len()) } else { Err(faults) }
}

/// For each writer in the scope of a read: the first and the last state that explains what was shown.
fn placed_by_writer(history: &History, read: &Read) -> Result<Vec<Explained>, String> {
    let nothing = State::new();
    let scope = read.scope.writers(history.writers.len());
    if let Some(stranger) = read.shown.keys().find(|writer| !scope.contains(writer)) {
        return Err(format!("{} shows records of writer {stranger}: {:?}", read.asked, read.shown));
    }
    scope
        .map(|number| {
            let writer = &history.writers[number];
            let shown = read.shown.get(&number).unwrap_or(&nothing);
            let (must, can) = writer.seen_by(read.span);
            let mut explained = (must..=can).filter(|writes| writer.after(*writes, &read.scope) == *shown);
            let first = explained.next().ok_or_else(|| {
                let all =
                    (0..=writer.done.len()).filter(|writes| writer.after(*writes, &read.scope) == *shown);
                format!(
                    "{}: writer {number} was between {must} and {can}, but what is shown was there at {:?}: \
                     {shown:?}, instead of {:?} … {:?}",
                    read.asked,
                    all.collect::<Vec<_>>(),
                    writer.after(must, &read.scope),
                    writer.after(can, &read.scope),
                )
            })?;
            Ok((number, first, explained.next_back().unwrap_or(first)))
        })
        .collect()
}

/// A total lies between the least and the most that there can have been.
fn totals(history: &History, faults: &mut Vec<String>) {
    for Total { span, number } in &history.totals {
        let (mut least, mut most) = (0, 0);
        for writer in &history.writers {
            let (must, can) = writer.seen_by(*span);
            let lives = (must..=can).map(|writes| writer.after(writes, &Scope::All).len());
            least += lives.clone().min().unwrap_or(0);
            most += lives.max().unwrap_or(0);
        }
        if !(least..=most).contains(number) {
            faults.push(format!("a total of {number}, where there were {least} to {most}"));
        }
    }
}

/// What ended before something else began does not lie behind it.
fn real_time(placed: Vec<Placed>, faults: &mut Vec<String>) {
    let mut by_end: Vec<&Placed> = placed.iter().collect();
    by_end.sort_by_key(|it| it.span.ended);
    let mut by_begin = by_end.clone();
    by_begin.sort_by_key(|it| it.span.began);
    let mut ended = by_end.into_iter().peekable();
    let mut furthest: Option<&Placed> = None;
    for it in by_begin {
        while let Some(over) = ended.next_if(|over| over.span.ended < it.span.began) {
            if furthest.is_none_or(|furthest| over.from > furthest.from) {
                furthest = Some(over);
            }
        }
        if let Some(over) = furthest.filter(|over| over.from > it.to) {
            faults.push(format!("{} was over before {} began, and yet lies behind it", over.what, it.what));
        }
    }
}
