//! Compression of responses: which coding a client accepts, and which answers are made smaller.
//!
//! Only answers: a body that a client compressed is refused, since a few bytes of it could become a gigabyte.

use bytes::Bytes;
use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, StatusCode};

use super::content::Content;
use super::encoders::{Coding, Compressors, ENCODER_BYTES, compress_pieces};
use super::response::{self, AsItIs, Response, StandsFor};
use super::room::Room;
use super::whole::Whole;

/// For `Vary`.
const ACCEPT_ENCODING: HeaderValue = HeaderValue::from_static("Accept-Encoding");
/// Below this the header fields that say so would eat what is saved.
const SHORTEST: usize = 1024;
/// From here on it would hold up others that this thread serves.
const LONG: usize = 64 * 1024;

/// The coding for an answer of this length to a client with these header fields.
pub(super) fn coding(length: usize, headers: &HeaderMap) -> Option<Coding> {
    if length < SHORTEST { None } else { wanted(headers) }
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

/// Makes an answer smaller where that pays and the client, by the header fields of its request, wants it.
pub(super) async fn encode(
    accepted: &HeaderMap,
    compressors: &Compressors,
    response: &mut Response,
    room: &mut Room,
) {
    let length = match response.extensions().get::<StandsFor>() {
        Some(StandsFor(length)) => *length,
        // What nobody knows the length of is long.
        None => response.body().len().unwrap_or(usize::MAX),
    };
    if length < SHORTEST || response.extensions().get::<AsItIs>().is_some() {
        return;
    }
    // Whoever keeps the answer must not hand it to a client that cannot read it.
    response::vary(response.headers_mut(), ACCEPT_ENCODING);
    let Some(coding) = coding(length, accepted) else { return };
    if response.status() == StatusCode::NOT_MODIFIED {
        return;
    }
    let is_compressed = match response.body_mut() {
        Content::Whole(whole) => compress(coding, compressors, whole, room).await,
        Content::Streamed(stream) => room.take(ENCODER_BYTES) && stream.compress(coding),
    };
    if !is_compressed {
        return;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    if let Some(tag) = headers.get(header::ETAG).and_then(|tag| coding.tag(tag)) {
        headers.insert(header::ETAG, tag);
    }
}

/// Compresses a body that is all there; answers whether it did.
async fn compress(coding: Coding, compressors: &Compressors, body: &mut Whole, room: &mut Room) -> bool {
    let length = body.len();
    let pieces: Vec<Bytes> = body.pieces().filter(|piece| !piece.is_empty()).cloned().collect();
    let compressed = match &pieces[..] {
        [body] if length < LONG => compressors.compress(coding, body),
        // Both are in memory until it is done; without room for both it is sent as it is.
        _ if !room.take(length) => return false,
        _ => {
            let work = tokio::task::spawn_blocking(move || compress_pieces(coding, &pieces));
            work.await.ok().flatten()
        }
    };
    let is_compressed = compressed.is_some();
    if let Some(compressed) = compressed {
        *body = Whole::from(Bytes::from(compressed.into_boxed_slice()));
    }
    is_compressed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &'static str) -> Option<Coding> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
        coding(SHORTEST, &headers)
    }

    #[test]
    fn the_coding_is_the_one_that_the_client_likes_best() {
        for (text, expected) in [
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
            assert_eq!(of(text), expected, "{text}");
        }
        assert_eq!(coding(SHORTEST, &HeaderMap::new()), None);
    }
}
