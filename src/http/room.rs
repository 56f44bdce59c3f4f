//! Room: what one answer takes of the bytes that all answers may take.

use std::sync::Arc;

use bytes::{Buf, Bytes};

use super::capacity::{SMALL_ANSWER, Taken};
use super::connection::Connection;
use super::window::Reserved;

/// What one answer takes of what all answers may, given back when it is dropped.
pub struct Room {
    connection: Arc<Connection>,
    taken: Taken,
}

impl Room {
    pub(super) fn new(connection: &Arc<Connection>) -> Self {
        Room { connection: Arc::clone(connection), taken: Taken::default() }
    }

    /// Room for exactly so many bytes, whether or not there is any.
    pub(super) fn of(connection: &Arc<Connection>, bytes: usize) -> Self {
        let mut room = Room::new(connection);
        room.settle_anyway(bytes);
        room
    }

    /// Takes so many more bytes, unless there is no room for them.
    pub fn take(&mut self, bytes: usize) -> bool {
        let shared = &*self.connection.shared;
        let to = self.taken.bytes().saturating_add(bytes);
        shared.capacity.grow(&mut self.taken, to, shared.settings.max_answers)
    }

    /// Takes exactly so many, unless there is no room for them.
    pub(super) fn settle(&mut self, bytes: usize) -> bool {
        let shared = &*self.connection.shared;
        if bytes > self.taken.bytes() {
            return shared.capacity.grow(&mut self.taken, bytes, shared.settings.max_answers);
        }
        let less = self.taken.bytes() - bytes;
        if less > 0 {
            shared.capacity.give_back(&mut self.taken, less);
        }
        true
    }

    /// Takes exactly so many, whether or not there is room for them.
    pub(super) fn settle_anyway(&mut self, bytes: usize) {
        if !self.settle(bytes) {
            self.connection.shared.capacity.grow(&mut self.taken, bytes, usize::MAX);
        }
    }

    /// The same for the answer to a write that has been done.
    pub(super) fn settle_write(&mut self, bytes: usize) {
        if bytes > SMALL_ANSWER {
            self.connection.shared.capacity.note_written(&mut self.taken);
        }
        self.settle_anyway(bytes);
    }

    /// Hands over so many of its bytes.
    pub(super) fn split(&mut self, bytes: usize) -> Room {
        Room { connection: Arc::clone(&self.connection), taken: self.taken.split(bytes) }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let bytes = self.taken.bytes();
        self.connection.shared.capacity.give_back(&mut self.taken, bytes);
    }
}

/// Bytes on their way, with what they take of the room for answers and of the window of their stream.
pub struct Outgoing {
    pub(super) bytes: Bytes,
    pub(super) _room: Option<Room>,
    pub(super) _reserved: Option<Reserved>,
}

impl Buf for Outgoing {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, length: usize) {
        self.bytes.advance(length);
    }
}
