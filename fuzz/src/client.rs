//! A client that reads answers more strictly than any real one.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any answer takes; reached only where there is none.
const NEVER: Duration = Duration::from_secs(20);

/// One answer, taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(known, _)| known == name)?;
        std::str::from_utf8(value).ok()
    }

    /// The answer of the HTTP library to a head that it cannot read: a status and nothing else.
    pub(crate) fn is_bare(&self) -> bool {
        matches!(self.status, 400 | 414 | 431)
            && self.body.is_empty()
            && self.header("content-type").is_none()
    }

    /// Whether its body is another one on the way.
    pub(crate) fn is_compressed(&self) -> bool {
        self.header("content-encoding").is_some()
    }

    /// Every byte of it, for whoever looks for something that must not be there.
    pub(crate) fn contains(&self, needle: &[u8]) -> bool {
        let is_in = |bytes: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        is_in(&self.body) || self.headers.iter().any(|(name, value)| is_in(name.as_bytes()) || is_in(value))
    }
}

/// A connection that is opened when it is needed.
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    /// What was read and belongs to no answer yet.
    unread: Vec<u8>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, stream: None, unread: Vec::new() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_nodelay(true).expect("an open socket");
        stream.set_read_timeout(Some(NEVER)).expect("an open socket");
        stream
    }

    /// Sends a request and reads its one answer, on the connection that is there if it still is.
    pub(crate) fn ask(&mut self, request: &[u8], is_head: bool) -> Answer {
        for is_last in [false, true] {
            let is_new = self.stream.is_none();
            if is_new {
                self.unread.clear();
                self.stream = Some(self.connect());
            }
            let sent = self.stream.as_mut().map(|stream| stream.write_all(request));
            let answer = match sent {
                Some(Ok(())) => self.read_answer(is_head),
                _ => None,
            };
            match answer {
                Some(answer) => {
                    let closes = |value: &str| value.eq_ignore_ascii_case("close");
                    if answer.header("connection").is_some_and(closes) || answer.is_bare() {
                        self.stream = None;
                    }
                    return answer;
                }
                None => {
                    self.stream = None;
                    // A kept connection may have been closed meanwhile; a new one answers.
                    assert!(!is_new && !is_last, "no answer");
                }
            }
        }
        panic!("no answer")
    }

    /// Sends bytes on a connection of their own, says that no more will come, and reads all there is.
    /// Whether the end came by itself; after a reset the last answer may be cut short.
    pub(crate) fn say(&self, bytes: &[u8]) -> (Vec<u8>, bool) {
        let mut stream = self.connect();
        // A server that has said no may close before it has read everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answers = Vec::new();
        match stream.read_to_end(&mut answers) {
            Ok(_) => (answers, true),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => (answers, false),
            Err(error) => panic!("no end: {error}"),
        }
    }

    /// `None` where the connection ended before an answer began.
    fn read_answer(&mut self, is_head: bool) -> Option<Answer> {
        loop {
            if let Some((answer, length)) = take(&self.unread, is_head) {
                self.unread.drain(..length);
                // Only said on the way.
                if answer.status == 100 {
                    continue;
                }
                assert!(
                    self.unread.is_empty(),
                    "more than one answer: {:?}",
                    String::from_utf8_lossy(&self.unread)
                );
                return Some(answer);
            }
            let mut bytes = [0; 16 * 1024];
            match self.stream.as_mut()?.read(&mut bytes) {
                Ok(0) => {
                    assert!(self.unread.is_empty(), "half an answer");
                    return None;
                }
                Ok(length) => self.unread.extend_from_slice(&bytes[..length]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
                // By the clock of the fuzzer.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("no answer: {error}"),
            }
        }
    }
}

/// The answer that a text begins with, and its length, if it is there as a whole.
pub(crate) fn take(text: &[u8], is_head: bool) -> Option<(Answer, usize)> {
    let end = text.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&text[..end]).unwrap_or_else(|_| panic!("a head that is no text"));
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| {
        let rest = line.strip_prefix("HTTP/1.1 ").or_else(|| line.strip_prefix("HTTP/1.0 "))?;
        rest.get(..3)?.parse().ok()
    });
    let status: u16 = status.unwrap_or_else(|| panic!("no status: {head}"));
    let header = |line: &str| {
        let (name, value) =
            line.split_once(": ").or_else(|| line.split_once(':')).unwrap_or_else(|| panic!("{line}"));
        (name.to_ascii_lowercase(), value.as_bytes().to_vec())
    };
    let headers: Vec<_> = lines.map(header).collect();
    let mut answer = Answer { status, headers, body: Vec::new() };
    let length = answer.header("content-length").map(|length| length.parse().expect("a length is a number"));
    let has_body = !is_head && !matches!(status, 100 | 204 | 304);
    let length: usize = if has_body { length.expect("an answer says how long it is") } else { 0 };
    let body = text.get(end + 4..end + 4 + length)?;
    answer.body = body.to_vec();
    Some((answer, end + 4 + length))
}
