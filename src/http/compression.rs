//! Compression of responses: which coding a client accepts, and the work itself.
//!
//! Only answers: a body that a client compressed is refused, since a few bytes of it could become a gigabyte.

use std::io::Write;

use bytes::Bytes;
use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use parking_lot::Mutex;

use super::response::{self, AsItIs, StandsFor};
use super::{Request, Response, Room};

/// Below this the header fields that say so would eat what is saved.
const SHORTEST: usize = 1024;
/// From here on it would hold up others that this thread serves.
const LONG: usize = 64 * 1024;
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
    /// The coding for an answer of this length to a client with these header fields.
    pub(super) fn of(length: usize, headers: &HeaderMap) -> Option<Self> {
        if length < SHORTEST { None } else { wanted(headers) }
    }

    /// What a strong tag becomes: the same content in another coding has another one.
    pub fn tag(self, tag: &HeaderValue) -> Option<HeaderValue> {
        let text = tag.to_str().ok()?.strip_suffix('"')?;
        HeaderValue::from_str(&[text, "-", self.name(), "\""].concat()).ok()
    }

    /// Its name in header fields.
    fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Zstd => "zstd",
        }
    }
}

/// What a client would rather have, by its weights; of two that it likes alike, the better one. A client that takes
/// neither, or would rather have the answer as it is, gets it as it is.
fn wanted(headers: &HeaderMap) -> Option<Coding> {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let (mut gzip, mut zstd, mut identity, mut others) = (None, None, None, None);
    for choice in values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(',')) {
        let mut parts = choice.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        // A weight that is none is one that does not want it.
        let weight = weight.map_or(1.0, |weight| weight.parse::<f32>().unwrap_or(0.0));
        if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
            gzip = Some(weight);
        } else if name.eq_ignore_ascii_case("zstd") {
            zstd = Some(weight);
        } else if name.eq_ignore_ascii_case("identity") {
            identity = Some(weight);
        } else if name == "*" {
            others = Some(weight);
        }
    }
    let weight = |said: Option<f32>| said.or(others).unwrap_or(0.0);
    let (gzip, zstd) = (weight(gzip), weight(zstd));
    let best = if zstd >= gzip { (Coding::Zstd, zstd) } else { (Coding::Gzip, gzip) };
    (best.1 > 0.0 && best.1 >= identity.unwrap_or(0.0)).then_some(best.0)
}

/// Machines that compress, kept for the next answer: making one costs more than using it.
#[derive(Default)]
pub(super) struct Compressors {
    gzip: Mutex<Vec<Compress>>,
    zstd: Mutex<Vec<zstd::bulk::Compressor<'static>>>,
}

impl Compressors {
    /// `None` where it cannot be done, which leaves the answer as it is.
    fn compress(&self, coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
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
fn compress_pieces(coding: Coding, pieces: &[Bytes]) -> Option<Vec<u8>> {
    fn write(mut writer: impl Write, pieces: &[Bytes]) -> Option<()> {
        pieces.iter().try_for_each(|piece| writer.write_all(piece)).ok()
    }
    match coding {
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
            write(&mut encoder, pieces)?;
            encoder.finish().ok()
        }
        Coding::Zstd => {
            let mut encoder = zstd::stream::Encoder::new(Vec::new(), ZSTD_LEVEL).ok()?;
            write(&mut encoder, pieces)?;
            encoder.finish().ok()
        }
    }
}

/// Makes an answer smaller where that pays and the client wants it.
pub(super) async fn encode(request: &Request, response: &mut Response, room: &mut Room) {
    let length = match response.extensions().get::<StandsFor>() {
        Some(StandsFor(length)) => *length,
        None => response.body().len(),
    };
    if length < SHORTEST || response.extensions().get::<AsItIs>().is_some() {
        return;
    }
    // Whoever keeps the answer must not hand it to a client that cannot read it.
    response::vary(response.headers_mut(), "Accept-Encoding");
    let Some(coding) = Coding::of(length, request.headers()) else { return };
    if response.status() == StatusCode::NOT_MODIFIED {
        return;
    }
    let pieces: Vec<Bytes> = response.body().pieces().filter(|piece| !piece.is_empty()).cloned().collect();
    let compressed = match &pieces[..] {
        [body] if length < LONG => request.server().compressors.compress(coding, body),
        // Both are in memory until it is done; without room for both it is sent as it is.
        _ if !room.take(length) => return,
        _ => {
            let work = tokio::task::spawn_blocking(move || compress_pieces(coding, &pieces));
            work.await.ok().flatten()
        }
    };
    let Some(compressed) = compressed else { return };
    *response.body_mut() = compressed.into_boxed_slice().into();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    if let Some(tag) = headers.get(header::ETAG).and_then(|tag| coding.tag(tag)) {
        headers.insert(header::ETAG, tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &'static str) -> Option<Coding> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
        Coding::of(SHORTEST, &headers)
    }

    #[test]
    fn the_coding_is_the_one_that_the_client_likes_best() {
        for (text, coding) in [
            ("gzip", Some(Coding::Gzip)),
            ("x-gzip", Some(Coding::Gzip)),
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("GZIP;q=1.0, zstd;q=0.9", Some(Coding::Gzip)),
            ("gzip;q=0.5, zstd; Q=0.5", Some(Coding::Zstd)),
            ("*", Some(Coding::Zstd)),
            ("zstd;q=0, *", Some(Coding::Gzip)),
            ("identity;q=0, gzip", Some(Coding::Gzip)),
            ("gzip;q=0.5, identity", None),
            ("gzip;q=0.5, identity;q=0.2", Some(Coding::Gzip)),
            ("gzip;q=0, zstd;q=0", None),
            ("gzip;q=nonsense", None),
            ("identity;q=0", None),
            ("*;q=0", None),
            ("br, deflate", None),
            ("", None),
        ] {
            assert_eq!(of(text), coding, "{text}");
        }
        assert_eq!(Coding::of(SHORTEST, &HeaderMap::new()), None);
    }

    #[test]
    fn a_machine_is_used_again_and_again() {
        let compressors = Compressors::default();
        for length in [SHORTEST, 10, 300_000, SHORTEST] {
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
