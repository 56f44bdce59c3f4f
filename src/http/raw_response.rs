//! A response written by hand, to a client whose request never became one.

use hyper::header;
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
    let mut bytes = format!("HTTP/1.1 {}\r\n", head.status).into_bytes();
    for (name, value) in &head.headers {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    let rest = format!("{}: close\r\n{}: {}\r\n\r\n", header::CONNECTION, header::CONTENT_LENGTH, body.len());
    bytes.extend(rest.into_bytes());
    bytes.extend(body);
    bytes
}
