//! The lines of a file, one at a time, within a limit of bytes.

use std::io::{self, BufRead};

/// Reads lines, and counts them and their bytes.
pub(super) struct Lines<R> {
    input: R,
    /// What was read and is not used yet.
    next: Option<Line>,
    /// Of the next line that is read: its number, from 1.
    number: u64,
    /// And where it begins in the file, from 0.
    offset: u64,
}

/// A line without its end.
pub(super) struct Line {
    /// At most [`LONGEST`] of its bytes, and one more where there are others.
    pub(super) bytes: Vec<u8>,
    /// From 1.
    pub(super) number: u64,
    /// Where it begins in the file, from 0.
    pub(super) offset: u64,
}

/// Of a line and of a whole card, in bytes.
pub(super) const LONGEST: usize = 4 << 20;

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, next: None, number: 1, offset: 0 }
    }

    /// The next line, which stays the next one; `None` at the end of the file.
    pub(super) fn peek(&mut self) -> io::Result<Option<&Line>> {
        if self.next.is_none() {
            self.next = self.read()?;
        }
        Ok(self.next.as_ref())
    }

    /// The next line.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        match self.next.take() {
            Some(line) => Ok(Some(line)),
            None => self.read(),
        }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        let (number, offset) = (self.number, self.offset);
        let mut bytes = Vec::new();
        let mut is_ended = false;
        while !is_ended {
            let found = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                found => found?,
            };
            if found.is_empty() {
                break;
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            let part = &found[..end.unwrap_or(found.len())];
            // What is longer is counted, not kept.
            bytes.extend_from_slice(&part[..part.len().min(LONGEST + 1 - bytes.len())]);
            is_ended = end.is_some();
            let used = part.len() + usize::from(is_ended);
            self.offset += used as u64;
            self.input.consume(used);
        }
        if self.offset == offset {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        self.number += 1;
        Ok(Some(Line { bytes, number, offset }))
    }
}

/// Whether a line begins or ends a card, as `name` says. One that is indented goes on with a value, whatever it says.
pub(super) fn is(line: &[u8], name: &str) -> bool {
    let mut parts = line.splitn(2, |byte| *byte == b':');
    let (Some(found), Some(value)) = (parts.next(), parts.next()) else { return false };
    found.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes())
        && value.trim_ascii().eq_ignore_ascii_case(b"VCARD")
}
