//! Where a body in chunks ends, as the HTTP library will find it, byte by byte.
//!
//! Only the end is looked for: what the library refuses on the way there it refuses by itself, and closes.

/// The place in a body in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chunks {
    /// In the digits of a chunk's size.
    Size(u64),
    /// Behind them, in what means nothing here.
    Extension(u64),
    SizeLf(u64),
    /// In a chunk, with so many bytes left.
    Data(u64),
    DataCr,
    DataLf,
    /// At the beginning of a line behind the last chunk.
    LineOfTrailers,
    Trailer,
    TrailerLf,
    EndLf,
    End,
    /// Not chunks: nothing behind this is a request.
    Broken,
}

impl Chunks {
    pub(super) const START: Self = Self::Size(0);

    /// Follows these bytes up to the end of the body; says how many of them belong to it.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && *self != Self::End {
            match self {
                Self::Broken => return bytes.len(),
                Self::Data(left) => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    *left -= taken as u64;
                    at += taken;
                    if *left == 0 {
                        *self = Self::DataCr;
                    }
                }
                _ => {
                    *self = self.step(bytes[at]);
                    at += 1;
                }
            }
        }
        at
    }

    fn step(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Size(size), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = (byte as char).to_digit(16).unwrap_or_default();
                match size.checked_mul(16) {
                    Some(size) => Self::Size(size + u64::from(digit)),
                    None => Self::Broken,
                }
            }
            (Self::Size(size), b'\t' | b' ' | b';') => Self::Extension(size),
            (Self::Size(size) | Self::Extension(size), b'\r') => Self::SizeLf(size),
            (Self::Extension(size), _) if byte != b'\n' => Self::Extension(size),
            (Self::SizeLf(0), b'\n') => Self::LineOfTrailers,
            (Self::SizeLf(size), b'\n') => Self::Data(size),
            (Self::DataCr, b'\r') => Self::DataLf,
            (Self::DataLf, b'\n') => Self::START,
            (Self::LineOfTrailers, b'\r') => Self::EndLf,
            (Self::LineOfTrailers, _) => Self::Trailer,
            (Self::Trailer, b'\r') => Self::TrailerLf,
            (Self::Trailer, _) => Self::Trailer,
            (Self::TrailerLf, b'\n') => Self::LineOfTrailers,
            (Self::EndLf, b'\n') => Self::End,
            _ => Self::Broken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes belong to the body, however they are cut; none where it has no end.
    fn end(text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut whole = Chunks::START;
        let length = whole.follow(bytes);
        for cut in 0..=bytes.len() {
            let mut cut_up = Chunks::START;
            let first = cut_up.follow(&bytes[..cut]);
            let second = if cut_up == Chunks::End { 0 } else { cut_up.follow(&bytes[cut..]) };
            assert_eq!((first + second, cut_up), (length, whole), "{text:?} cut at {cut}");
        }
        (whole == Chunks::End).then_some(length)
    }

    #[test]
    fn the_end_is_found_and_nothing_else_is_taken_for_it() {
        for body in [
            "0\r\n\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            "000A;x=\"y\"\r\n0\r\n\r\nabcde\r\n0 \t;z\r\n\r\n",
            "1\r\na\r\n0\r\nX: y\r\nA\nb: c\r\n\r\n",
        ] {
            assert_eq!(end(&format!("{body}GET / HTTP/1.1\r\n\r\n")), Some(body.len()), "{body:?}");
        }
        for endless in
            ["", "3\r\nabc\r\n0\r\n", "0\n\n", "3\r\nabcd\r\n0\r\n\r\n", "g\r\n", "1;a\nb\r\n", "0\r\nX\ry"]
        {
            assert_eq!(end(endless), None, "{endless:?}");
        }
        assert_eq!(end("ffffffffffffffff0\r\n"), None);
    }
}
