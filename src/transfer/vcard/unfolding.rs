//! Unfolding: the lines of a file that are one line of a card.
//!
//! A line that begins with a space or a tab goes on with the one before, without that character. After a soft line break
//! of QUOTED-PRINTABLE a line goes on as it stands, for there a space at its beginning is one of the text. A line of
//! base64 goes on up to an empty line, even where old programs do not indent it.

use std::io::{self, BufRead};

use super::lines::{LONGEST, Line, Lines, is};
use super::property::{Coding, coding_of};
use crate::transfer::entry::Fault;
use crate::transfer::remedy::Remedy;

/// What says how a value is written stands within so many bytes.
const LONGEST_HEAD: usize = 1024;

/// The line that begins with `first`. One that is longer than a card may be is cut, but still too long.
pub(super) fn unfold<R: BufRead>(first: Line, lines: &mut Lines<R>) -> io::Result<Result<Vec<u8>, Fault>> {
    let mut check = Utf8Check::default();
    check.line(&first, 0, 0);
    let mut whole = first.bytes;
    let mut coding = coding_of(&whole);
    check.run(&whole, coding);
    while let Some(next) = lines.peek()? {
        let is_soft = coding == Coding::QuotedPrintable && whole.last() == Some(&b'=');
        let skipped = match next.bytes.first() {
            _ if is(&next.bytes, "BEGIN") || is(&next.bytes, "END") => break,
            Some(b'\t') => 1,
            Some(b' ') if !is_soft => 1,
            Some(_) if coding == Coding::Base64 && !next.bytes.contains(&b':') => 0,
            _ if is_soft => 0,
            _ => break,
        };
        let Some(next) = lines.next()? else { break };
        if is_soft {
            whole.pop();
        }
        check.line(&next, whole.len(), skipped);
        if whole.len() <= LONGEST {
            whole.extend_from_slice(&next.bytes[skipped..]);
        }
        // Even the parameters may be folded; far behind, nobody looks for a colon again and again.
        if coding == Coding::Plain && whole.len() < LONGEST_HEAD {
            coding = coding_of(&whole);
        }
        check.run(&whole, coding);
    }
    Ok(match check.end(&whole, coding) {
        Some(fault) => Err(fault),
        None => Ok(whole),
    })
}

/// Finds the first byte that is no UTF-8. Programs that count octets fold in the midst of a character, so that only
/// the unfolded line can be looked at; but the fault names the line and the byte of the file.
#[derive(Default)]
struct Utf8Check {
    /// So many bytes are known to be whole characters.
    good: usize,
    /// The number and the byte in the file of the character that begins there, where it is not whole.
    open: Option<(u64, u64)>,
    /// The line that was added last: its number, the byte in the file and the place in the whole where it begins.
    last: (u64, u64, usize),
    fault: Option<Fault>,
}

impl Utf8Check {
    fn line(&mut self, line: &Line, at: usize, skipped: usize) {
        self.last = (line.number, line.offset + skipped as u64, at);
    }

    fn run(&mut self, whole: &[u8], coding: Coding) {
        if coding == Coding::QuotedPrintable || self.fault.is_some() {
            return;
        }
        let Err(error) = std::str::from_utf8(&whole[self.good..]) else {
            self.good = whole.len();
            self.open = None;
            return;
        };
        self.good += error.valid_up_to();
        let (number, offset, at) = self.last;
        let here = match self.open {
            Some(open) if self.good < at => open,
            _ => (number, offset + self.good.saturating_sub(at) as u64),
        };
        match error.error_len() {
            None => self.open = Some(here),
            Some(_) => self.fault = Some(not_utf8(here)),
        }
    }

    fn end(self, whole: &[u8], coding: Coding) -> Option<Fault> {
        match (self.fault, self.open) {
            (Some(fault), _) => Some(fault),
            (None, Some(open)) if coding != Coding::QuotedPrintable && self.good < whole.len() => {
                Some(not_utf8(open))
            }
            _ => None,
        }
    }
}

fn not_utf8((line, byte): (u64, u64)) -> Fault {
    Fault::new(line, format!("line {line} is not UTF-8 (byte {byte})")).with(Remedy::Encoding)
}
