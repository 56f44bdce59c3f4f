//! One card of a file after the other: lines unfolded, and everything that is wrong with them.

use std::io::{self, BufRead};

use super::lines::{LONGEST, Line, Lines, is};
use super::property::Property;
use super::unfolding::unfold;
use crate::transfer::entry::Fault;

/// Lines of a card, unfolded: more than any program writes, and few enough to go through.
const MOST_LINES: usize = 10_000;

/// The cards of a file, which is UTF-8 but for what is QUOTED-PRINTABLE. A card that cannot be read is a [`Fault`], and
/// the next one is read all the same; only an error of the input ends it early.
pub struct Cards<R> {
    lines: Lines<R>,
    is_over: bool,
}

/// One card: its lines between `BEGIN:VCARD` and `END:VCARD`, unfolded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The line of its `BEGIN:VCARD`, from 1.
    pub line: u64,
    /// One property a line; each of them can be read.
    text: Vec<u8>,
    /// Whether it is of vCard 2.1, which knows other escapes.
    is_2_1: bool,
}

impl Card {
    /// Its properties in their order, `VERSION` too.
    pub fn properties(&self) -> impl Iterator<Item = Property<'_>> {
        let lines = self.text.split(|byte| *byte == b'\n');
        lines.filter_map(|line| Property::parse(line, self.is_2_1))
    }
}

impl<R: BufRead> Cards<R> {
    pub fn new(input: R) -> Self {
        Self { lines: Lines::new(input), is_over: false }
    }

    /// The next card, or what is wrong with it; `None` at the end.
    fn card(&mut self) -> io::Result<Option<Result<Card, Fault>>> {
        let Some(begin) = self.content()? else { return Ok(None) };
        let begins = |line: &Line| is(line.bytes.trim_ascii_start(), "BEGIN");
        if !begins(&begin) {
            let words = format!("line {}: a card begins with BEGIN:VCARD, and this is none", begin.number);
            while self.lines.peek()?.is_some_and(|line| !begins(line)) {
                self.lines.next()?;
            }
            return Ok(Some(Err(Fault::new(begin.number, words))));
        }
        let mut card = Card { line: begin.number, text: Vec::new(), is_2_1: false };
        let mut fault = None;
        let mut count = 0;
        // The card of somebody's agent stands inside theirs, in 2.1.
        let (mut depth, mut is_agent) = (0, false);
        loop {
            let begins = match self.lines.peek()? {
                Some(line) => is(&line.bytes, "BEGIN"),
                None => return Ok(Some(Err(card.endless()))),
            };
            if begins && !is_agent && depth == 0 {
                return Ok(Some(Err(card.endless())));
            }
            let Some(first) = self.lines.next()? else { continue };
            if first.bytes.is_empty() {
                continue;
            }
            if is(&first.bytes, "END") {
                if depth == 0 {
                    return Ok(Some(fault.map_or(Ok(card), Err)));
                }
                depth -= 1;
                continue;
            }
            if begins && depth == 0 {
                // So that it is not dropped unsaid.
                card.text.extend_from_slice(b"AGENT:VCARD\n");
            }
            depth += usize::from(begins);
            is_agent = false;
            let number = first.number;
            let line = unfold(first, &mut self.lines)?;
            if depth > 0 || fault.is_some() {
                continue;
            }
            count += 1;
            let line = match line {
                Ok(line) if card.text.len() + line.len() < LONGEST && count <= MOST_LINES => line,
                Ok(_) => {
                    fault = Some(card.oversized());
                    continue;
                }
                Err(why) => {
                    fault = Some(why);
                    continue;
                }
            };
            match Property::parse(&line, false) {
                Some(property) => {
                    is_agent = property.is("AGENT") && property.is_empty();
                    card.is_2_1 |=
                        property.is("VERSION") && property.text().is_ok_and(|text| text.trim() == "2.1");
                    card.text.extend_from_slice(&line);
                    card.text.push(b'\n');
                }
                None => {
                    let words =
                        format!("line {number}: a line of a card has a name and a colon, as in TEL:112");
                    fault = Some(Fault::new(number, words));
                }
            }
        }
    }

    /// The next line that is not empty.
    fn content(&mut self) -> io::Result<Option<Line>> {
        while let Some(line) = self.lines.next()? {
            if !line.bytes.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }
}

impl Card {
    fn endless(&self) -> Fault {
        Fault::new(self.line, format!("the card at line {} has no END:VCARD", self.line))
    }

    fn oversized(&self) -> Fault {
        let words = format!("the card at line {} has more than 4 MiB, or than {MOST_LINES} lines", self.line);
        Fault::new(self.line, words)
    }
}

impl<R: BufRead> Iterator for Cards<R> {
    type Item = io::Result<Result<Card, Fault>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let card = self.card().transpose();
        self.is_over = matches!(card, None | Some(Err(_)));
        card
    }
}

#[cfg(test)]
mod tests;
