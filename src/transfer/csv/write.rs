//! Cells and lines of CSV: quotes only where they are needed, no value as an empty cell, the empty text as `""`.

use crate::record::value::Cell;

/// How a program that is no spreadsheet is told that a file is UTF-8: not at all. A spreadsheet wants to be told.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How cells are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The bytes of the values.
    Exact,
    /// A text that a spreadsheet would compute has a `'` before it.
    Spreadsheet,
}

impl Dialect {
    /// Whether it is for a spreadsheet: `true` or `false`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "true" => Some(Self::Spreadsheet),
            "false" => Some(Self::Exact),
            _ => None,
        }
    }

    /// Begins a file with the names of its columns.
    pub fn header<'a>(self, names: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
        if self == Self::Spreadsheet {
            out.extend_from_slice(BYTE_ORDER_MARK);
        }
        for (place, name) in names.enumerate() {
            separate(place, out);
            quote(name, out);
        }
        end(out);
    }

    /// Appends a line.
    pub fn line<'a>(self, cells: impl Iterator<Item = Cell<'a>>, out: &mut Vec<u8>) {
        for (place, cell) in cells.enumerate() {
            separate(place, out);
            match cell.as_text() {
                Some(text) if self == Self::Spreadsheet && is_formula(&text) => {
                    quote(&format!("'{text}"), out)
                }
                Some(text) => quote(&text, out),
                None => cell.write_bare(out),
            }
        }
        end(out);
    }
}

/// Whether a spreadsheet would compute a text, were all `'` before it taken away: so the guard can be taken off again.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

fn separate(place: usize, out: &mut Vec<u8>) {
    if place > 0 {
        out.push(b',');
    }
}

fn end(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\r\n");
}

/// Appends a text, between quotes where it would be read as something else.
fn quote(text: &str, out: &mut Vec<u8>) {
    let is_special = |byte: u8| matches!(byte, b'"' | b',' | b'\r' | b'\n');
    if !text.is_empty() && !text.bytes().any(is_special) {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('"') {
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(b"\"\"");
        rest = after;
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(dialect: Dialect, cells: &[Cell<'_>]) -> String {
        let mut out = Vec::new();
        dialect.line(cells.iter().copied(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn quotes_stand_only_where_they_are_needed() {
        let cells = ["", "a b", " a ", "a,b", "a\"b", "a\nb", "a\rb", "'=1", "=1", "\"\""].map(Cell::Text);
        let written = "\"\",a b, a ,\"a,b\",\"a\"\"b\",\"a\nb\",\"a\rb\",'=1,=1,\"\"\"\"\"\"\r\n";
        assert_eq!(line(Dialect::Exact, &cells), written);
        let others =
            [Cell::Null, Cell::Integer(i64::MIN), Cell::Float(1e300), Cell::Boolean(true), Cell::Null];
        assert_eq!(line(Dialect::Exact, &others), ",-9223372036854775808,1e300,true,\r\n");
    }

    #[test]
    fn only_texts_are_guarded_and_those_with_a_guard_get_another() {
        let cells = ["=1+1", "+1", "-1", "@a", "\ta", "\ra", "'=1", "''@", "'a", "a=1", ""].map(Cell::Text);
        let written = "'=1+1,'+1,'-1,'@a,'\ta,\"'\ra\",''=1,'''@,'a,a=1,\"\"\r\n";
        assert_eq!(line(Dialect::Spreadsheet, &cells), written);
        assert_eq!(line(Dialect::Spreadsheet, &[Cell::Integer(-1), Cell::Float(-0.5)]), "-1,-0.5\r\n");
    }

    #[test]
    fn a_spreadsheet_is_told_of_the_encoding() {
        let header = |dialect: Dialect| {
            let mut out = Vec::new();
            dialect.header(["id", "name"].into_iter(), &mut out);
            out
        };
        assert_eq!(header(Dialect::Exact), b"id,name\r\n");
        assert_eq!(header(Dialect::Spreadsheet), b"\xef\xbb\xbfid,name\r\n");
    }
}
