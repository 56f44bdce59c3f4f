//! The work of compressing: codings, and the machines that make bytes smaller.

use std::io::Write;

use bytes::Bytes;
use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use hyper::header::HeaderValue;
use parking_lot::Mutex;

/// The cheapest levels: a page of records costs less than sending the difference would.
const GZIP_LEVEL: u32 = 1;
const ZSTD_LEVEL: i32 = 1;
const WINDOW_BITS: u8 = 15;
/// How many idle machines are kept of each kind.
const KEPT: usize = 16;

/// How an answer is made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Zstd,
}

impl Coding {
    /// What a strong tag becomes: the same content in another coding has another one.
    pub fn tag(self, tag: &HeaderValue) -> Option<HeaderValue> {
        let text = tag.to_str().ok()?.strip_suffix('"')?;
        HeaderValue::from_str(&[text, "-", self.name(), "\""].concat()).ok()
    }

    /// Its name in header fields.
    pub(super) fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Zstd => "zstd",
        }
    }
}

/// Machines that compress, kept for the next answer: making one costs more than using it.
#[derive(Default)]
pub(super) struct Compressors {
    gzip: Mutex<Vec<Compress>>,
    zstd: Mutex<Vec<zstd::bulk::Compressor<'static>>>,
}

impl Compressors {
    /// `None` where it cannot be done, which leaves the answer as it is.
    pub(super) fn compress(&self, coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
        match coding {
            Coding::Gzip => {
                let kept = self.gzip.lock().pop();
                let mut machine =
                    kept.unwrap_or_else(|| Compress::new_gzip(Compression::new(GZIP_LEVEL), WINDOW_BITS));
                let compressed = gzip(&mut machine, bytes);
                machine.reset();
                keep(&self.gzip, machine);
                compressed
            }
            Coding::Zstd => {
                let kept = self.zstd.lock().pop();
                let mut machine = kept.or_else(|| zstd::bulk::Compressor::new(ZSTD_LEVEL).ok())?;
                let compressed = machine.compress(bytes).ok();
                keep(&self.zstd, machine);
                compressed
            }
        }
    }
}

fn keep<T>(place: &Mutex<Vec<T>>, machine: T) {
    let mut kept = place.lock();
    if kept.len() < KEPT {
        kept.push(machine);
    }
}

fn gzip(machine: &mut Compress, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut compressed = Vec::with_capacity(bytes.len() / 2 + 256);
    loop {
        let rest = &bytes[usize::try_from(machine.total_in()).ok()?..];
        match machine.compress_vec(rest, &mut compressed, FlushCompress::Finish).ok()? {
            Status::StreamEnd => return Some(compressed),
            Status::Ok | Status::BufError => compressed.reserve(compressed.capacity()),
        }
    }
}

/// The same for a long body, piece by piece.
pub(super) fn compress_pieces(coding: Coding, pieces: &[Bytes]) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(coding)?;
    pieces.iter().try_for_each(|piece| encoder.writer().write_all(piece)).ok()?;
    encoder.finish()
}

/// As much memory as either kind of [`Encoder`] takes, and a little more.
pub(super) const ENCODER_BYTES: usize = 1024 * 1024;

/// Compresses what is not all there. `None` of any method: it cannot be done.
pub(super) enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(zstd::stream::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    pub(super) fn new(coding: Coding) -> Option<Self> {
        Some(match coding {
            Coding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL))),
            Coding::Zstd => Self::Zstd(zstd::stream::Encoder::new(Vec::new(), ZSTD_LEVEL).ok()?),
        })
    }

    /// Takes these bytes, and gives what is ready of all that it took.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.writer().write_all(bytes).ok()?;
        Some(std::mem::take(self.output()))
    }

    /// Gives the rest of all that it took, so that it can be read as it is.
    pub(super) fn flush(&mut self) -> Option<Vec<u8>> {
        self.writer().flush().ok()?;
        Some(std::mem::take(self.output()))
    }

    /// Gives the rest, and the end.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.finish().ok(),
            Self::Zstd(encoder) => encoder.finish().ok(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Gzip(encoder) => encoder,
            Self::Zstd(encoder) => encoder,
        }
    }

    fn output(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_used_again_and_again() {
        let compressors = Compressors::default();
        for length in [1024, 10, 300_000, 1024] {
            // Nothing that could be made smaller, and something that can.
            let bytes: Vec<u8> =
                (0..length as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            for bytes in [bytes, vec![b'x'; length]] {
                let gzip = compressors.compress(Coding::Gzip, &bytes).unwrap();
                let mut read = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*gzip), &mut read).unwrap();
                assert!(read == bytes);
                let zstd = compressors.compress(Coding::Zstd, &bytes).unwrap();
                assert!(zstd::bulk::decompress(&zstd, length).unwrap() == bytes);
            }
        }
        assert_eq!((compressors.gzip.lock().len(), compressors.zstd.lock().len()), (1, 1));
    }
}
