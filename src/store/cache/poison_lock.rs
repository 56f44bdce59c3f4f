//! A lock that a panic poisons: what was being changed then is not read any more.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// As many readers as come, or one writer.
pub(super) struct PoisonLock<T> {
    value: RwLock<T>,
    is_poisoned: AtomicBool,
}

impl<T> PoisonLock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: RwLock::new(value), is_poisoned: AtomicBool::new(false) }
    }

    /// The value; none once a panic has left it half changed.
    pub(super) fn read(&self) -> Option<RwLockReadGuard<'_, T>> {
        let value = self.value.read();
        (!self.is_poisoned.load(Ordering::Relaxed)).then_some(value)
    }

    /// The value, though it may be half changed: for what tells nobody about records.
    pub(super) fn read_anyway(&self) -> RwLockReadGuard<'_, T> {
        self.value.read()
    }

    pub(super) fn write(&self) -> Writing<'_, T> {
        Writing { value: self.value.write(), is_poisoned: &self.is_poisoned }
    }

    #[cfg(test)]
    pub(super) fn is_write_locked(&self) -> bool {
        self.value.try_read().is_none()
    }
}

/// The value while it is changed. A panic meanwhile poisons it before anybody else can look.
pub(super) struct Writing<'a, T> {
    value: RwLockWriteGuard<'a, T>,
    is_poisoned: &'a AtomicBool,
}

impl<T> Deref for Writing<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Writing<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for Writing<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.is_poisoned.store(true, Ordering::Relaxed);
        }
    }
}
