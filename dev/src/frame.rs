//! Where an answer of HTTP/1 ends. Nothing is copied or allocated: `./bench` measures through it.

/// An answer at the start of a buffer: how far it reaches, and what its head says about that.
#[derive(Debug)]
pub struct Frame {
    pub status: u16,
    pub head_bytes: usize,
    pub total_bytes: usize,
    pub is_chunked: bool,
    pub closes: bool,
}

impl Frame {
    /// The answer at the start of the buffer, once all of it is there; `is_head` where HEAD was asked.
    pub fn find(buffer: &[u8], is_head: bool) -> Result<Option<Frame>, String> {
        let Some(head_end) = find(buffer, b"\r\n\r\n") else {
            return Ok(None);
        };
        let is_http = buffer.starts_with(b"HTTP/1.1 ") || buffer.starts_with(b"HTTP/1.0 ");
        let status = buffer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        let Some(status) = status.filter(|_| is_http) else {
            return Err(strange("no status", &buffer[..head_end]));
        };
        let head_bytes = head_end + 4;
        let mut frame = Frame { status, head_bytes, total_bytes: 0, is_chunked: false, closes: false };
        let mut length = None;
        for line in buffer[..head_end].split(|&byte| byte == b'\n').skip(1) {
            if let Some(value) = header(line, b"content-length:") {
                let number = value.trim().parse::<usize>();
                length = Some(number.map_err(|_| strange("a length that is no number", line))?);
            } else if header(line, b"transfer-encoding:").is_some() {
                frame.is_chunked = true;
            } else if let Some(value) = header(line, b"connection:") {
                frame.closes = value.trim().eq_ignore_ascii_case("close");
            }
        }
        let length = if is_head || status < 200 || matches!(status, 204 | 304) {
            0
        } else if frame.is_chunked {
            match chunks(&buffer[head_bytes..], |_| {})? {
                Some(length) => length,
                None => return Ok(None),
            }
        } else {
            length.ok_or_else(|| strange("no length", &buffer[..head_end]))?
        };
        frame.total_bytes = head_bytes + length;
        Ok((buffer.len() >= frame.total_bytes).then_some(frame))
    }

    /// The body, its chunks joined, from the buffer in which it was found.
    pub fn body(&self, buffer: &[u8]) -> Vec<u8> {
        let bytes = &buffer[self.head_bytes..self.total_bytes];
        if !self.is_chunked {
            return bytes.to_vec();
        }
        let mut joined = Vec::new();
        // Walked through before, when the end was found.
        let _ = chunks(bytes, |chunk| joined.extend_from_slice(chunk));
        joined
    }
}

/// Walks through a chunked body; answers how many bytes it takes, once all of it is there.
fn chunks(buffer: &[u8], mut each: impl FnMut(&[u8])) -> Result<Option<usize>, String> {
    let mut at = 0;
    loop {
        let Some(line) = find(&buffer[at..], b"\r\n") else {
            return Ok(None);
        };
        let digits = std::str::from_utf8(&buffer[at..at + line]).unwrap_or_default();
        let size = usize::from_str_radix(digits, 16);
        let size = size.map_err(|_| strange("a chunk without a size", &buffer[at..at + line]))?;
        let (start, end) = (at + line + 2, at + line + 2 + size);
        let Some(after) = buffer.get(end..end + 2) else {
            return Ok(None);
        };
        if after != b"\r\n" {
            return Err(strange("a chunk that does not end", after));
        }
        each(&buffer[start..end]);
        at = end + 2;
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

fn strange(what: &str, bytes: &[u8]) -> String {
    format!("not HTTP/1.1 as expected: {what}: {:?}", String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let bytes = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\nConnection: close\r\n\r\nokHTTP";
        let frame = Frame::find(bytes, false).unwrap().unwrap();
        assert_eq!((frame.status, frame.closes, frame.body(bytes)), (201, true, b"ok".to_vec()));
        for cut in 0..frame.total_bytes {
            assert!(Frame::find(&bytes[..cut], false).unwrap().is_none());
        }
        assert_eq!(Frame::find(bytes, true).unwrap().unwrap().total_bytes, frame.head_bytes);
    }

    #[test]
    fn chunks_are_joined() {
        let bytes =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
        let frame = Frame::find(bytes, false).unwrap().unwrap();
        assert_eq!((frame.total_bytes, frame.body(bytes)), (bytes.len(), b"abc0123456789".to_vec()));
        for cut in 0..bytes.len() {
            assert!(Frame::find(&bytes[..cut], false).unwrap().is_none());
        }
    }

    #[test]
    fn what_is_no_answer_is_not_waited_for() {
        for bytes in [
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
        ] {
            assert!(Frame::find(bytes.as_bytes(), false).is_err(), "{bytes:?}");
        }
    }
}
