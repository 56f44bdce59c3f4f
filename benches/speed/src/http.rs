//! HTTP/1.1 as a client needs it here: requests as bytes, the end of an answer found, one answer fetched.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail};

/// No answer takes longer than this, unless something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Where an answer in a buffer ends, and what its head says.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head_bytes: usize,
    pub(crate) total_bytes: usize,
    is_chunked: bool,
    pub(crate) closes: bool,
}

/// A request without a body.
pub(crate) fn plain(method: &str, target: &str) -> Vec<u8> {
    format!("{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").into_bytes()
}

pub(crate) fn with_body(method: &str, target: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends one request on a connection of its own; answers the status and the body.
pub(crate) fn exchange(address: SocketAddr, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
    let (answer, received) = receive(address, request)?;
    Ok((answer.status, body(&answer, &received)))
}

/// The lines of an answer's head, without the status and without what every server writes by itself.
pub(crate) fn head(address: SocketAddr, request: &[u8]) -> anyhow::Result<String> {
    let (answer, received) = receive(address, request)?;
    let head = std::str::from_utf8(&received[..answer.head_bytes])?;
    let own = |line: &&str| {
        !["content-length:", "date:"].iter().any(|name| header(line.as_bytes(), name.as_bytes()).is_some())
    };
    Ok(head.trim_end().lines().skip(1).filter(own).collect::<Vec<_>>().join("\n"))
}

fn receive(address: SocketAddr, request: &[u8]) -> anyhow::Result<(Answer, Vec<u8>)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let mut received = Vec::new();
    let mut buffer = [0; 16_384];
    loop {
        let count = stream.read(&mut buffer).context("no answer")?;
        if count == 0 {
            bail!("the connection was closed before the answer was complete");
        }
        received.extend_from_slice(&buffer[..count]);
        if let Some(answer) = complete(&received)? {
            return Ok((answer, received));
        }
    }
}

/// The answer at the start of the buffer, once all of it is there.
pub(crate) fn complete(buffer: &[u8]) -> anyhow::Result<Option<Answer>> {
    let Some(head_end) = find(buffer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let status = buffer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let status = status.context("an answer that is not HTTP/1.1")?;
    let mut answer =
        Answer { status, head_bytes: head_end + 4, total_bytes: 0, is_chunked: false, closes: false };
    let mut length = 0;
    for line in buffer[..head_end].split(|&byte| byte == b'\n').skip(1) {
        if let Some(value) = header(line, b"content-length:") {
            length = value.trim().parse().context("a Content-Length that is no number")?;
        } else if header(line, b"transfer-encoding:").is_some() {
            answer.is_chunked = true;
        } else if let Some(value) = header(line, b"connection:") {
            answer.closes = value.trim().eq_ignore_ascii_case("close");
        }
    }
    if answer.is_chunked {
        let Some(bytes) = chunks(&buffer[answer.head_bytes..], |_| {})? else {
            return Ok(None);
        };
        length = bytes;
    }
    answer.total_bytes = answer.head_bytes + length;
    Ok((buffer.len() >= answer.total_bytes).then_some(answer))
}

fn body(answer: &Answer, buffer: &[u8]) -> Vec<u8> {
    let bytes = &buffer[answer.head_bytes..answer.total_bytes];
    if !answer.is_chunked {
        return bytes.to_vec();
    }
    let mut joined = Vec::new();
    // Walked through before, when the end was found.
    let _ = chunks(bytes, |chunk| joined.extend_from_slice(chunk));
    joined
}

/// Walks through a chunked body; answers how many bytes it takes, once all of it is there.
fn chunks(buffer: &[u8], mut each: impl FnMut(&[u8])) -> anyhow::Result<Option<usize>> {
    let mut at = 0;
    loop {
        let Some(line) = find(&buffer[at..], b"\r\n") else {
            return Ok(None);
        };
        let digits = std::str::from_utf8(&buffer[at..at + line])?;
        let size = usize::from_str_radix(digits.trim(), 16).context("a chunk without a size")?;
        let start = at + line + 2;
        if buffer.len() < start + size + 2 {
            return Ok(None);
        }
        each(&buffer[start..start + size]);
        at = start + size + 2;
        if size == 0 {
            return Ok(Some(at));
        }
    }
}

fn header<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let (start, value) = line.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name).then(|| std::str::from_utf8(value).unwrap_or_default())
}

fn find(buffer: &[u8], wanted: &[u8]) -> Option<usize> {
    buffer.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() -> anyhow::Result<()> {
        let bytes = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\nConnection: close\r\n\r\nokHTTP";
        let answer = complete(bytes)?.context("complete")?;
        assert_eq!((answer.status, answer.closes, body(&answer, bytes)), (201, true, b"ok".to_vec()));
        assert!(complete(&bytes[..answer.total_bytes - 1])?.is_none());
        Ok(())
    }

    #[test]
    fn chunks_are_joined() -> anyhow::Result<()> {
        let bytes =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
        let answer = complete(bytes)?.context("complete")?;
        assert_eq!((answer.total_bytes, body(&answer, bytes)), (bytes.len(), b"abc0123456789".to_vec()));
        for cut in 0..bytes.len() {
            assert!(complete(&bytes[..cut])?.is_none());
        }
        Ok(())
    }
}
