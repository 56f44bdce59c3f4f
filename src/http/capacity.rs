//! How much the server takes on at once, over all connections: requests, bytes of bodies on their way in, and bytes of
//! answers on their way out.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// An answer up to this size is a small one.
pub(super) const SMALL_ANSWER: usize = 64 * 1024;
/// Of the bytes that answers may take, an eighth is left to small ones, and an eighth to answers to writes: large ones
/// that nobody takes must not keep everybody else from being answered.
const EIGHTH: usize = 8;
/// What an answer takes beside its body: its head, and what else a record keeps in memory that is a slice of something
/// a little larger.
pub(super) const AROUND_AN_ANSWER: usize = 8 * 1024;

/// What is taken on right now. On a cache line of its own: every request changes it, and others only read what stands
/// beside it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Capacity {
    requests: AtomicUsize,
    body_bytes: AtomicUsize,
    /// By their kind.
    answer_bytes: [AtomicUsize; 3],
}

/// What is counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Small,
    Large,
    /// A large one to a write, which is never refused, as the write is done by then. It is the next write that is.
    Written,
}

/// A request's place, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a Capacity);

impl Capacity {
    /// Takes on one more request, unless there are as many as there may be.
    pub(super) fn admit(&self, limit: usize) -> Option<Place<'_>> {
        let place = Place(self);
        (self.requests.fetch_add(1, Relaxed) < limit).then_some(place)
    }

    /// Takes on so many more bytes, unless they would be more than there may be. Given back by [`Capacity::release`].
    pub(super) fn reserve(&self, bytes: usize, limit: usize) -> bool {
        let fits = self.body_bytes.fetch_add(bytes, Relaxed).saturating_add(bytes) <= limit;
        if !fits {
            self.release(bytes);
        }
        fits
    }

    pub(super) fn release(&self, bytes: usize) {
        self.body_bytes.fetch_sub(bytes, Relaxed);
    }

    /// How many bytes all answers take.
    pub(super) fn answer_bytes(&self) -> usize {
        self.answer_bytes.iter().map(|bytes| bytes.load(Relaxed)).sum()
    }

    /// Whether a write may be done, whatever its answer will be.
    pub(super) fn has_room_for_writes(&self, limit: usize) -> bool {
        self.of(Kind::Written).load(Relaxed) <= limit / EIGHTH
    }

    fn of(&self, kind: Kind) -> &AtomicUsize {
        &self.answer_bytes[kind as usize]
    }

    /// Makes what an answer has taken larger, unless all together would be more than there may be. One large answer
    /// alone is always possible.
    pub(super) fn grow(&self, taken: &mut Taken, to: usize, limit: usize) -> bool {
        let is_small = to <= SMALL_ANSWER && taken.kind == Kind::Small;
        let kind = if is_small { Kind::Small } else { taken.kind.max_large() };
        let own = if kind == taken.kind { taken.bytes } else { 0 };
        let before = self.of(kind).fetch_add(to - own, Relaxed);
        let after = before.saturating_add(to - own);
        let share = limit / EIGHTH;
        let fits = match kind {
            Kind::Small => {
                let large = self.of(Kind::Large).load(Relaxed).min(limit - 2 * share);
                let written = self.of(Kind::Written).load(Relaxed).min(share);
                after.saturating_add(large + written) <= limit
            }
            Kind::Large => before == own || after <= limit - 2 * share,
            Kind::Written => true,
        };
        if fits {
            self.change(taken, kind, to);
        } else {
            self.of(kind).fetch_sub(to - own, Relaxed);
        }
        fits
    }

    /// Notes what an answer has taken, where its new kind knows it already.
    fn change(&self, taken: &mut Taken, kind: Kind, bytes: usize) {
        if kind != taken.kind {
            self.of(taken.kind).fetch_sub(taken.bytes, Relaxed);
        }
        *taken = Taken { bytes, kind };
    }

    /// Counts an answer from now on as a large one to a write.
    pub(super) fn note_written(&self, taken: &mut Taken) {
        let bytes = taken.bytes;
        self.of(Kind::Written).fetch_add(bytes, Relaxed);
        self.change(taken, Kind::Written, bytes);
    }

    pub(super) fn give_back(&self, taken: &mut Taken, bytes: usize) {
        self.of(taken.kind).fetch_sub(bytes, Relaxed);
        taken.bytes -= bytes;
    }
}

impl Kind {
    /// What becomes of an answer that is not small.
    fn max_large(self) -> Self {
        if self == Kind::Written { Kind::Written } else { Kind::Large }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Relaxed);
    }
}

/// What one body takes of what all bodies may.
pub(super) struct Share<'a> {
    pub(super) capacity: &'a Capacity,
    pub(super) limit: usize,
    /// How much it has taken so far.
    pub(super) taken: &'a mut usize,
}

impl Share<'_> {
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let fits = self.capacity.reserve(bytes, self.limit);
        if fits {
            *self.taken += bytes;
        }
        fits
    }
}

/// What one answer has taken.
#[derive(Debug, Default)]
pub(super) struct Taken {
    bytes: usize,
    /// What is not small any more is counted so to its end.
    kind: Kind,
}

impl Taken {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Hands over so many of its bytes.
    pub(super) fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Taken { bytes, kind: self.kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_takes_nothing() {
        let capacity = Capacity::default();
        let first = capacity.admit(1);
        assert!(first.is_some() && capacity.admit(1).is_none() && capacity.admit(1).is_none());
        drop(first);
        assert!(capacity.admit(1).is_some());
        assert!(capacity.reserve(6, 10) && !capacity.reserve(5, 10) && capacity.reserve(4, 10));
        capacity.release(4);
        assert!(capacity.reserve(3, 10) && !capacity.reserve(usize::MAX, 10));
    }

    #[test]
    fn large_answers_leave_room_for_small_ones_and_one_alone_is_always_possible() {
        let (capacity, limit) = (Capacity::default(), 800_000);
        let (mut one, mut other, mut small) = (Taken::default(), Taken::default(), Taken::default());
        assert!(capacity.grow(&mut one, 500_000, limit) && capacity.grow(&mut one, 600_000, limit));
        assert!(!capacity.grow(&mut other, 70_000, limit) && capacity.answer_bytes() == 600_000);
        // Larger than everything together, and nobody else is large.
        assert!(capacity.grow(&mut one, 5_000_000, limit));
        for taken in [&mut small, &mut other] {
            assert!(capacity.grow(taken, 60_000, limit));
        }
        let mut last = Taken::default();
        assert!(
            capacity.grow(&mut last, 60_000, limit) && !capacity.grow(&mut Taken::default(), 60_000, limit)
        );
        assert!(!capacity.grow(&mut small, 70_000, limit) && small.bytes == 60_000);
        capacity.give_back(&mut one, 5_000_000);
        assert!(capacity.grow(&mut small, 70_000, limit), "it has become a large one");
        for taken in [&mut small, &mut other, &mut last] {
            capacity.give_back(taken, taken.bytes);
        }
        assert_eq!(capacity.answer_bytes(), 0);
    }
}
