//! What was compared, and what was found.

use std::process::ExitCode;

/// So many are shown.
const SHOWN: usize = 10;
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
        let none = "(nothing)".to_owned();
        let mut shown = 0;
        for number in 0..old.len().max(new.len()) {
            let (was, is) = (old.get(number).unwrap_or(&none), new.get(number).unwrap_or(&none));
            if was != is && shown < 6 {
                shown += 1;
                let common = was.bytes().zip(is.bytes()).take_while(|(one, other)| one == other).count();
                println!("  line {}", number + 1);
                println!("    OLD: {}", around(was, common));
                println!("    NEW: {}", around(is, common));
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

/// The part of a line around a place in it; all of it is ASCII.
fn around(line: &str, place: usize) -> String {
    let (start, end) = (place.saturating_sub(AROUND), (place + AROUND).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", line.get(start..end).unwrap_or(line))
}
