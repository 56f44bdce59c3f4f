//! Reading connections: a fixed number, lent out and taken back.

use std::ops::Deref;

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;

use super::connection::{self, Role};
use super::file::DatabaseFile;
use crate::store::OpenError;

/// The reading connections that nobody uses right now.
pub(super) struct Readers {
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl Readers {
    pub(super) fn open(file: &DatabaseFile, number: usize) -> Result<Self, OpenError> {
        let connections: Result<Vec<_>, _> =
            (0..number).map(|_| connection::connect(file, Role::Reader)).collect();
        Ok(Self { idle: Mutex::new(connections?), returned: Condvar::new() })
    }

    /// Lends a connection; waits while all are out, which lasts no longer than one read.
    pub(super) fn lend(&self) -> Lent<'_> {
        let mut idle = self.idle.lock();
        loop {
            if let Some(connection) = idle.pop() {
                return Lent { readers: self, connection: Some(connection) };
            }
            self.returned.wait(&mut idle);
        }
    }
}

/// A connection that goes back when it is dropped.
pub(super) struct Lent<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a lent connection is there until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.readers.idle.lock().extend(self.connection.take());
        self.readers.returned.notify_one();
    }
}
