//! Reads CSV row by row, within bounds.

use std::io::BufRead;

use crate::transfer::entry::Fault;
use crate::transfer::remedy::Remedy;

/// How many bytes an entry may have.
pub(in crate::transfer) const LARGEST_ENTRY: usize = 4 << 20;
/// How many bytes a cell may have.
const LARGEST_CELL: usize = 1 << 20;
/// How many columns a row may have.
const MOST_COLUMNS: usize = 1_000;

/// One row: the line on which it begins, and its cells. A cell without anything in it, not even quotes, is `None`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub line: u64,
    pub cells: Vec<Option<String>>,
}

/// The rows of a file.
pub struct Rows<R> {
    input: R,
    delimiter: u8,
    /// The number of lines that were read.
    line: u64,
    /// The number of bytes that were read before the row in hand.
    offset: u64,
    record: Vec<u8>,
    is_over: bool,
}

impl<R: BufRead> Rows<R> {
    pub fn new(input: R, delimiter: u8) -> Self {
        Self { input, delimiter, line: 0, offset: 0, record: Vec::new(), is_over: false }
    }

    /// The next line as it stands, without its end: for a first line that is no row.
    pub(in crate::transfer) fn skip_line(&mut self) -> Result<(), Fault> {
        self.record.clear();
        self.more()?;
        self.offset += self.record.len() as u64;
        Ok(())
    }

    /// The next row; lines without anything are left out.
    pub fn next_row(&mut self) -> Result<Option<Row>, Fault> {
        loop {
            self.record.clear();
            // What follows a row that is too long, or that cannot be read, is no row.
            if self.is_over || !self.more()? {
                return Ok(None);
            }
            let line = self.line;
            if matches!(self.record.as_slice(), b"\n" | b"\r\n" | b"\r") {
                self.offset += self.record.len() as u64;
                continue;
            }
            let cells = self.cells(line);
            self.offset += self.record.len() as u64;
            return cells.map(|cells| Some(Row { line, cells }));
        }
    }

    /// Reads one more line to the row in hand; says whether there was one.
    fn more(&mut self) -> Result<bool, Fault> {
        let before = self.record.len();
        let first = self.line + 1;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) => {
                    self.is_over = true;
                    return Err(Fault::at(first, &error.to_string()));
                }
            };
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let length = end.unwrap_or(buffer.len());
            self.record.extend_from_slice(&buffer[..length]);
            self.input.consume(length);
            if self.record.len() > LARGEST_ENTRY {
                self.is_over = true;
                return Err(Fault::at(first, "the entry has more than 4 MiB"));
            }
            if end.is_some() {
                break;
            }
        }
        self.line += u64::from(self.record.len() > before);
        Ok(self.record.len() > before)
    }

    fn cells(&mut self, line: u64) -> Result<Vec<Option<String>>, Fault> {
        let mut cells = Vec::new();
        let mut at = 0;
        loop {
            let mut cell = Vec::new();
            let is_quoted = self.record.get(at) == Some(&b'"');
            at = if is_quoted { self.quoted(at + 1, &mut cell, line)? } else { self.plain(at, &mut cell) };
            if cell.len() > LARGEST_CELL {
                return Err(Fault::at(line, "a cell has more than 1 MiB"));
            }
            let text = String::from_utf8(cell).map_err(|_| self.not_utf8(line))?;
            cells.push((is_quoted || !text.is_empty()).then_some(text));
            if cells.len() > MOST_COLUMNS {
                return Err(Fault::at(line, "the row has more than 1000 cells"));
            }
            match self.record.get(at) {
                Some(&byte) if byte == self.delimiter => at += 1,
                _ => return Ok(cells),
            }
        }
    }

    /// What is said of the row in hand, which has bytes that are no UTF-8.
    fn not_utf8(&self, line: u64) -> Fault {
        let valid = std::str::from_utf8(&self.record).map_or_else(|error| error.valid_up_to(), str::len);
        let lines = self.record[..valid].iter().filter(|&&byte| byte == b'\n').count();
        not_utf8(line + lines as u64, self.offset + valid as u64)
    }

    /// Takes a cell without quotes; says where it ends.
    fn plain(&self, at: usize, cell: &mut Vec<u8>) -> usize {
        let rest = &self.record[at..];
        let end = rest.iter().position(|&byte| byte == self.delimiter || byte == b'\n').unwrap_or(rest.len());
        let is_last = rest.get(end) != Some(&self.delimiter);
        let text = &rest[..end];
        let text = if is_last { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
        cell.extend_from_slice(text);
        at + end
    }

    /// Takes what follows a quote, over as many lines as it has; says where the cell ends.
    fn quoted(&mut self, mut at: usize, cell: &mut Vec<u8>, line: u64) -> Result<usize, Fault> {
        let opened = self.line;
        loop {
            let Some(length) = self.record[at..].iter().position(|&byte| byte == b'"') else {
                cell.extend_from_slice(&self.record[at..]);
                at = self.record.len();
                if !self.more()? {
                    return Err(Fault::at(opened, "a quote is opened and never closed"));
                }
                continue;
            };
            cell.extend_from_slice(&self.record[at..at + length]);
            at += length + 1;
            match &self.record[at..] {
                [b'"', ..] => {
                    cell.push(b'"');
                    at += 1;
                }
                [] | [b'\n', ..] | [b'\r', b'\n', ..] | [b'\r'] => return Ok(at),
                [byte, ..] if *byte == self.delimiter => return Ok(at),
                _ => return Err(Fault::at(line, "text follows a closed quote")),
            }
        }
    }
}

/// What is said of text that is no UTF-8, with the position of the byte in the file, from 0.
pub(in crate::transfer) fn not_utf8(line: u64, byte: u64) -> Fault {
    Fault::new(line, format!("line {line} is not UTF-8 (byte {byte})")).with(Remedy::Encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<Row>, String> {
        let mut rows = Rows::new(text, b',');
        let mut all = Vec::new();
        while let Some(row) = rows.next_row().map_err(|fault| fault.words)? {
            all.push(row);
        }
        Ok(all)
    }

    fn row(line: u64, cells: &[Option<&str>]) -> Row {
        Row { line, cells: cells.iter().map(|cell| cell.map(str::to_owned)).collect() }
    }

    #[test]
    fn an_empty_cell_and_an_empty_text_are_two_things() {
        assert_eq!(read(b"a,,\"\",\r\n"), Ok(vec![row(1, &[Some("a"), None, Some(""), None])]));
        assert_eq!(read(b","), Ok(vec![row(1, &[None, None])]));
        assert_eq!(read(b"\"\""), Ok(vec![row(1, &[Some("")])]));
    }

    #[test]
    fn quotes_hold_delimiters_lines_and_quotes() {
        let text = b"\"a,b\",\"c\r\nd\"\"e\"\"\"\nf,g\r\n\r\nh\"i,\r\n";
        assert_eq!(
            read(text),
            Ok(vec![
                row(1, &[Some("a,b"), Some("c\r\nd\"e\"")]),
                row(3, &[Some("f"), Some("g")]),
                row(5, &[Some("h\"i"), None])
            ])
        );
        assert_eq!(read(b" a , b"), Ok(vec![row(1, &[Some(" a "), Some(" b")])]));
        assert_eq!(read(b"a\rb,c\r\n"), Ok(vec![row(1, &[Some("a\rb"), Some("c")])]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, words) in [
            (&b"a\nb,\"c\nd"[..], "line 2: a quote is opened and never closed"),
            (b"a\n\"b\"c\n", "line 2: text follows a closed quote"),
            (b"a\nb,c\xff\n", "line 2 is not UTF-8 (byte 5)"),
        ] {
            assert_eq!(read(text), Err(words.to_owned()));
        }
        let long = vec![b'a'; LARGEST_ENTRY + 1];
        assert_eq!(read(&long), Err("line 1: the entry has more than 4 MiB".into()));
        assert_eq!(read(&vec![b','; 1_000]), Err("line 1: the row has more than 1000 cells".into()));
    }
}
