//! What was compared, and what was found.

use std::process::ExitCode;

/// So many are shown.
const SHOWN: usize = 10;
/// So many lines of each.
const LINES: usize = 8;
/// So much of a line is shown on either side of the place where it differs.
const AROUND: usize = 160;

#[derive(Default)]
pub(crate) struct Differences {
    /// Where the next comparison belongs.
    pub(crate) place: String,
    pub(crate) compared: usize,
    found: usize,
}

impl Differences {
    /// Compares two texts that came of the same question.
    pub(crate) fn compare(&mut self, question: &str, old: &[u8], new: &[u8]) {
        self.compared += 1;
        if old == new {
            return;
        }
        self.found += 1;
        if self.found > SHOWN {
            return;
        }
        println!("\nDIFFERENT: {}\n{}", self.place, question.trim_end());
        let lines = |bytes: &[u8]| -> Vec<String> {
            bytes.split(|byte| *byte == b'\n').map(|line| line.escape_ascii().to_string()).collect()
        };
        let (old, new) = (lines(old), lines(new));
        let (was, is) = (only(&old, &new), only(&new, &old));
        if was.is_empty() && is.is_empty() {
            let first = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
            println!("  the same lines in another order, from line {}: {}", first + 1, new[first]);
        }
        for (name, lines, others) in [("OLD", &was, &is), ("NEW", &is, &was)] {
            for (number, line) in lines.iter().enumerate().take(LINES) {
                let other = others.get(number).map_or("", |other| other.as_str());
                let common = line.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
                println!("  {name}: {}", around(line, common));
            }
            if lines.len() > LINES {
                println!("  {name}: and {} more lines", lines.len() - LINES);
            }
        }
    }

    pub(crate) fn report(&self) -> ExitCode {
        if self.found > SHOWN {
            println!("\nand {} more", self.found - SHOWN);
        }
        println!("\n{} compared, {} different", self.compared, self.found);
        ExitCode::from(u8::from(self.found > 0))
    }
}

/// The lines that the other side has not, or not as often.
fn only<'a>(lines: &'a [String], others: &[String]) -> Vec<&'a String> {
    let mut left: Vec<&String> = others.iter().collect();
    let mut is_alone = |line: &&String| match left.iter().position(|other| other == line) {
        Some(place) => {
            left.swap_remove(place);
            false
        }
        None => true,
    };
    lines.iter().filter(|line| is_alone(line)).collect()
}

/// The part of a line around a place in it; all of it is ASCII.
fn around(line: &str, place: usize) -> String {
    let (start, end) = (place.saturating_sub(AROUND), (place + AROUND).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", line.get(start..end).unwrap_or(line))
}
