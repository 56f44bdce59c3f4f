//! Whether the system lets the process start the threads that it needs.

use std::io;
use std::thread::{Builder, available_parallelism};

use parking_lot::Mutex;

/// Besides those that answer: the writer, the follower of access keys, the builder, one for what takes long, and one
/// that closes the store.
const OTHERS: usize = 5;

/// Starts as many as will be needed, all at once, and lets them go again. The runtime itself would panic where it gets
/// too few, and then wait for ever for those that it did not get.
pub(super) fn suffice() -> io::Result<()> {
    let number = available_parallelism().map_or(1, |cores| cores.get()) + OTHERS;
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        let closed = gate.lock();
        for _ in 0..number {
            Builder::new().spawn_scoped(scope, || drop(gate.lock()))?;
        }
        drop(closed);
        Ok(())
    })
}
