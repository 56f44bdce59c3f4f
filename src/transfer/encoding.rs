//! The text of a file as UTF-8: a byte order mark is obeyed, any other encoding must be said, and nothing is guessed.

use std::io::{self, Read};

/// How much of a file is read at a time.
const PIECE: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16 { is_big_endian: bool },
    Windows1252,
}

/// What the bytes 0x80 to 0x9f mean in windows-1252. Five of them mean nothing there, and stay the control characters
/// that they are.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl Encoding {
    /// The names that can be said.
    pub const NAMES: &str = "utf-8, utf-16le, utf-16be, windows-1252";

    pub fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Some(Self::Utf8),
            "utf-16le" | "utf-16" => Some(Self::Utf16 { is_big_endian: false }),
            "utf-16be" => Some(Self::Utf16 { is_big_endian: true }),
            "windows-1252" | "cp1252" => Some(Self::Windows1252),
            _ => None,
        }
    }
}

/// Reads a file as UTF-8, without its byte order mark.
pub(super) struct Decoder<R> {
    input: R,
    encoding: Encoding,
    /// What was read and not yet decoded.
    raw: Vec<u8>,
    decoded: Vec<u8>,
    taken: usize,
    is_at_end: bool,
    /// The first half of a character in UTF-16.
    high: Option<u16>,
}

impl<R: Read> Decoder<R> {
    /// Looks at the first bytes. A byte order mark says more than `said`.
    pub(super) fn new(mut input: R, said: Option<Encoding>) -> io::Result<Self> {
        let mut raw = Vec::new();
        (&mut input).take(3).read_to_end(&mut raw)?;
        let mut encoding = said.unwrap_or(Encoding::Utf8);
        if raw.starts_with(&[0xef, 0xbb, 0xbf]) {
            encoding = Encoding::Utf8;
            raw.drain(..3);
        } else if raw.starts_with(&[0xff, 0xfe]) || raw.starts_with(&[0xfe, 0xff]) {
            encoding = Encoding::Utf16 { is_big_endian: raw[0] == 0xfe };
            raw.drain(..2);
        }
        Ok(Self { input, encoding, raw, decoded: Vec::new(), taken: 0, is_at_end: false, high: None })
    }

    fn decode(&mut self) -> io::Result<()> {
        self.decoded.clear();
        self.taken = 0;
        match self.encoding {
            Encoding::Utf8 => self.decoded.append(&mut self.raw),
            Encoding::Windows1252 => {
                for byte in self.raw.drain(..) {
                    let c = match byte {
                        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                        byte => char::from(byte),
                    };
                    push(&mut self.decoded, c);
                }
            }
            Encoding::Utf16 { is_big_endian } => {
                let whole = self.raw.len() / 2 * 2;
                for pair in self.raw[..whole].chunks_exact(2) {
                    let pair = [pair[0], pair[1]];
                    let unit =
                        if is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
                    self.high = match (self.high.take(), unit) {
                        (None, 0xd800..=0xdbff) => Some(unit),
                        (high, unit) => {
                            let units = high.into_iter().chain([unit]);
                            for c in char::decode_utf16(units) {
                                push(&mut self.decoded, c.map_err(|_| not_utf16())?);
                            }
                            None
                        }
                    };
                }
                self.raw.drain(..whole);
                if self.is_at_end && (self.high.is_some() || !self.raw.is_empty()) {
                    return Err(not_utf16());
                }
            }
        }
        Ok(())
    }
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn not_utf16() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-16, as its first bytes say")
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.decoded.len() && !(self.is_at_end && self.raw.is_empty()) {
            let before = self.raw.len();
            (&mut self.input).take(PIECE as u64).read_to_end(&mut self.raw)?;
            self.is_at_end = self.raw.len() == before;
            self.decode()?;
        }
        let ready = &self.decoded[self.taken..];
        let length = ready.len().min(out.len());
        out[..length].copy_from_slice(&ready[..length]);
        self.taken += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], said: Option<Encoding>) -> io::Result<String> {
        let mut text = String::new();
        Decoder::new(bytes, said)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn a_byte_order_mark_is_obeyed_and_taken_off() {
        let text = "é€😀a";
        let utf16 = |big: bool| -> Vec<u8> {
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
        };
        assert_eq!(decode(text.as_bytes(), None).unwrap(), text);
        assert_eq!(decode(format!("\u{feff}{text}").as_bytes(), None).unwrap(), text);
        assert_eq!(decode(&utf16(false), None).unwrap(), text);
        assert_eq!(decode(&utf16(true), Some(Encoding::Windows1252)).unwrap(), text);
        assert!(decode(&utf16(true)[..utf16(true).len() - 1], None).is_err());
        assert_eq!(decode(b"", None).unwrap(), "");
    }

    #[test]
    fn windows_1252_must_be_said() {
        assert_eq!(decode(b"caf\xe9 \x80\x9c", Some(Encoding::Windows1252)).unwrap(), "café €œ");
        assert!(decode(b"caf\xe9", None).is_err());
    }

    #[test]
    fn text_is_the_same_wherever_it_is_cut() {
        let text = "aé€😀".repeat(30_000);
        let units: Vec<u8> =
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert!(decode(&units, None).unwrap() == text);
    }
}
