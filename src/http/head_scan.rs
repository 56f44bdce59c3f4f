//! What is seen of a head of HTTP/1 while it arrives, line by line.

use std::ops::Range;

use memchr::{memchr, memrchr};

/// As long as the HTTP library can count: as good as any longer length of a body.
pub(super) const LONGEST_BODY: &[u8] = b"9223372036854775807";

/// What was seen of a head so far.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Where the first line begins that is not whole.
    line: usize,
    is_begun: bool,
    /// The first line is whole, and not of a version that the library reads.
    is_foreign: bool,
    pub(super) method: Range<usize>,
    pub(super) target: Range<usize>,
    pub(super) fields: usize,
    pub(super) lengths: usize,
    pub(super) has_coding: bool,
    /// A length of a body that is more than the HTTP library can count.
    pub(super) endless: Option<Range<usize>>,
}

impl Scan {
    /// Whether nothing was seen yet.
    pub(super) fn is_new(&self) -> bool {
        self.line == 0
    }

    /// Looks at those lines that are whole now; says where the head ends, once it does.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(length) = memchr(b'\n', bytes.get(self.line..)?) {
            let start = self.line;
            let line = &bytes[start..start + length];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.line += length + 1;
            match line.first() {
                None if !self.is_begun => {}
                None => return Some(self.line),
                Some(_) if !self.is_begun => self.request_line(line, start),
                Some(first) => {
                    self.fields += 1;
                    if matches!(first, b'c' | b'C') && is_named(line, b"content-length") {
                        self.lengths += 1;
                        self.length_of_body(line, start);
                    } else if matches!(first, b't' | b'T') && is_named(line, b"transfer-encoding") {
                        self.has_coding = true;
                    }
                }
            }
        }
        None
    }

    fn request_line(&mut self, line: &[u8], start: usize) {
        self.is_begun = true;
        let method = memchr(b' ', line).unwrap_or(line.len());
        self.method = start..start + method;
        let version = memrchr(b' ', line).unwrap_or(line.len());
        self.is_foreign = !matches!(&line[version..], b" HTTP/1.0" | b" HTTP/1.1");
        if method < version && !self.is_foreign {
            self.target = start + method + 1..start + version;
        }
    }

    /// Whether this cannot become a head: TLS or another protocol, or a line that somebody typed.
    pub(super) fn is_unreadable(&self, bytes: &[u8]) -> bool {
        let first = || bytes.iter().find(|byte| !matches!(byte, b'\r' | b'\n'));
        self.is_foreign || (!self.is_begun && first().is_some_and(|byte| !byte.is_ascii_graphic()))
    }

    fn length_of_body(&mut self, line: &[u8], start: usize) {
        let value = &line["content-length:".len().min(line.len())..];
        let digits = value.trim_ascii();
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        if is_number && digits.len() >= LONGEST_BODY.len() {
            let significant =
                digits.iter().position(|digit| *digit != b'0').map_or(&[][..], |at| &digits[at..]);
            let by_length = significant.len().cmp(&LONGEST_BODY.len());
            if by_length.then_with(|| significant.cmp(LONGEST_BODY)).is_gt() {
                let end = start + line.len() - (value.len() - value.trim_ascii_end().len());
                self.endless = Some(end - digits.len()..end);
            }
        }
    }
}

fn is_named(line: &[u8], name: &[u8]) -> bool {
    let Some(rest) = line.get(name.len()..) else { return false };
    // What stands between a name and its colon is refused by the library; not here.
    line[..name.len()].eq_ignore_ascii_case(name) && rest.trim_ascii_start().first() == Some(&b':')
}
