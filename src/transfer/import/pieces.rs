//! Retries: what is left of a chunk when the store refuses an entry of it, and in which pieces it is tried again.

use std::collections::VecDeque;

/// What stood before a refused entry was taken, and is one piece. After it each piece is twice as long as the one before,
/// and after a refusal as long as what was taken again: so however many are refused, an entry is tried a few times, and
/// not once for each of them.
#[derive(Debug)]
pub(super) struct Pieces<T> {
    rest: VecDeque<T>,
    /// How long the next one is.
    next: usize,
}

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self { rest: VecDeque::new(), next: 0 }
    }
}

impl<T> Pieces<T> {
    /// Puts a piece back but for the entry at this place, which is refused and given back.
    pub(super) fn put_back(&mut self, piece: Vec<T>, refused: usize) -> Option<T> {
        self.next = refused.max(1);
        for one in piece.into_iter().rev() {
            self.rest.push_front(one);
        }
        self.rest.remove(refused)
    }

    /// The next piece, if there is one.
    pub(super) fn take(&mut self) -> Option<Vec<T>> {
        if self.rest.is_empty() {
            return None;
        }
        let length = self.next.min(self.rest.len());
        self.next = 2 * length;
        Some(self.rest.drain(..length).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: usize = 4_096;

    /// Stores a chunk as the store does, which stops at the first entry that it refuses. Says what was stored and refused,
    /// in order, and how many entries were tried, each as often as it was.
    fn stored(is_refused: impl Fn(usize) -> bool) -> (Vec<usize>, Vec<usize>, usize) {
        let (mut stored, mut refused, mut tried) = (Vec::new(), Vec::new(), 0);
        let mut pieces = Pieces::default();
        let mut next = Some((0..CHUNK).collect::<Vec<_>>());
        while let Some(piece) = next {
            tried += piece.len();
            match piece.iter().position(|entry| is_refused(*entry)) {
                Some(at) => refused.extend(pieces.put_back(piece, at)),
                None => stored.extend(piece),
            }
            next = pieces.take();
        }
        (stored, refused, tried)
    }

    #[test]
    fn every_entry_is_stored_or_refused_in_its_order_after_a_few_tries() {
        type Rule = fn(usize) -> bool;
        let rules: [Rule; 8] = [
            |_| true,
            |_| false,
            |entry| entry % 2 == 0,
            |entry| entry % 2 == 1,
            |entry| entry % 100 == 7,
            |entry| entry >= CHUNK / 2,
            |entry| entry < CHUNK / 2,
            |entry| entry.is_power_of_two(),
        ];
        for (number, is_refused) in rules.into_iter().enumerate() {
            let (good, bad): (Vec<_>, Vec<_>) = (0..CHUNK).partition(|entry| !is_refused(*entry));
            let (stored, refused, tried) = stored(is_refused);
            assert_eq!((stored, refused), (good, bad), "rule {number}");
            assert!(tried <= 5 * CHUNK, "rule {number}: {tried}");
        }
    }
}
