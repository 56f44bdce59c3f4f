//! A response written by hand, to a client whose request never became one.

use hyper::{HeaderMap, StatusCode, header};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::content::Content;
use super::date;
use super::limits::LINGER_TIME;
use super::response::Response;

/// Writes an answer to a stream that the HTTP library has given back, and closes it.
pub(super) async fn send(mut stream: impl AsyncWrite + Unpin, response: Response) {
    let bytes = bytes(response);
    // Whoever does not take them has had their time.
    let saying = async {
        stream.write_all(&bytes).await?;
        stream.shutdown().await
    };
    let _ = timeout(LINGER_TIME, saying).await;
}

/// The first line and these fields, as the HTTP library writes them.
pub(super) fn head(status: StatusCode, headers: &HeaderMap) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    // Once for all: this is done for each answer that is kept.
    bytes.reserve(headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum());
    for (name, value) in headers {
        for piece in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(piece);
        }
    }
    bytes
}

fn bytes(response: Response) -> Vec<u8> {
    let (mut head, body) = response.into_parts();
    // A refusal is never streamed.
    let body: Vec<u8> = match &body {
        Content::Whole(whole) => whole.pieces().flat_map(|piece| piece.iter().copied()).collect(),
        Content::Streamed(_) => Vec::new(),
    };
    if let Some(now) = date::now() {
        head.headers.insert(header::DATE, now);
    }
    let mut bytes = self::head(head.status, &head.headers);
    let rest = format!("{}: close\r\n{}: {}\r\n\r\n", header::CONNECTION, header::CONTENT_LENGTH, body.len());
    bytes.extend(rest.into_bytes());
    bytes.extend(body);
    bytes
}
