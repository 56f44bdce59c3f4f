//! How much the server takes on at once, over all connections: requests, and bytes of bodies on their way in.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What is taken on right now. On a cache line of its own: every request changes it, and others only read what stands
/// beside it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Capacity {
    requests: AtomicUsize,
    body_bytes: AtomicUsize,
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
}
