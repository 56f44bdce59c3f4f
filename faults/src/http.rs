//! HTTP/1.1 as a client speaks it here: one request after the other on a connection that is kept.
//!
//! How a request failed matters more than that it did: what was never sent cannot have had an effect, what was answered in part
//! must not be, and of the rest nobody knows.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// No answer takes longer than this, unless something is broken.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There was no connection, so nothing was sent.
    Unsent(io::Error),
    /// Something was sent, and not a byte came back. The connection tells more once the server is gone.
    Silent {
        stream: TcpStream,
        is_wholly_sent: bool,
        /// The other side has said that it threw something away unread.
        is_reset: bool,
        cause: String,
    },
    /// An answer began and did not end.
    Torn(String),
}

impl Request {
    pub(crate) fn new(method: &'static str, target: impl Into<String>) -> Request {
        Request { method, target: target.into(), headers: Vec::new(), body: None }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<String>) -> Request {
        self.body = Some(body.into());
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(self.body.as_deref().unwrap_or_default());
        text.into_bytes()
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The id at the end of `Location`.
    pub(crate) fn created_id(&self) -> Option<i64> {
        self.header("location")?.trim_end_matches('/').rsplit('/').next()?.parse().ok()
    }

    pub(crate) fn json(&self) -> Result<serde_json::Value, String> {
        serde_json::from_slice(&self.body).map_err(|error| format!("{error} in {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).chars().take(300).collect()
    }

    fn closes(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// A client of one server, with one connection that is made anew when it has to be.
#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    /// What came after the last answer; nothing, unless the server errs.
    left: Vec<u8>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        Client { address, stream: None, left: Vec::new() }
    }

    /// The port of our end, by which a trace of the server knows the connection.
    pub(crate) fn port(&self) -> Option<u16> {
        Some(self.stream.as_ref()?.local_addr().ok()?.port())
    }

    pub(crate) fn connect(&mut self) -> io::Result<&mut TcpStream> {
        if self.stream.is_none() {
            let stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            self.left.clear();
            self.stream = Some(stream);
        }
        self.stream.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    pub(crate) fn send(&mut self, request: &Request) -> Result<Answer, Failure> {
        self.connect().map_err(Failure::Unsent)?;
        let Some(mut stream) = self.stream.take() else {
            return Err(Failure::Unsent(io::ErrorKind::NotConnected.into()));
        };
        let bytes = request.bytes();
        let mut sent = 0;
        let (mut cause, mut is_reset) = (None, false);
        let tells = |error: &io::Error| {
            [io::ErrorKind::ConnectionReset, io::ErrorKind::BrokenPipe].contains(&error.kind())
        };
        while sent < bytes.len() && cause.is_none() {
            match stream.write(&bytes[sent..]) {
                Ok(0) => cause = Some("the connection takes no more".to_owned()),
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    is_reset |= tells(&error);
                    cause = Some(format!("while sending: {error}"));
                }
            }
        }
        // Also after a failed send: an answer may be there all the same.
        let mut buffer = std::mem::take(&mut self.left);
        let mut piece = [0; 65_536];
        loop {
            match complete(&buffer) {
                Ok(Some((answer, length))) => {
                    self.left = buffer.split_off(length);
                    if !answer.closes() {
                        self.stream = Some(stream);
                    }
                    return Ok(answer);
                }
                Ok(None) => {}
                Err(words) => return Err(Failure::Torn(words)),
            }
            let end = match stream.read(&mut piece) {
                Ok(0) => "the connection was closed".to_owned(),
                Ok(count) => {
                    buffer.extend_from_slice(&piece[..count]);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    is_reset |= tells(&error);
                    error.to_string()
                }
            };
            let cause = cause.unwrap_or(end);
            if !buffer.is_empty() {
                return Err(Failure::Torn(format!("{cause} after {:?}", String::from_utf8_lossy(&buffer))));
            }
            return Err(Failure::Silent { stream, is_wholly_sent: sent == bytes.len(), is_reset, cause });
        }
    }

    /// For requests that have to be answered: who is told that nothing was done, and to try again, does so.
    pub(crate) fn ask(&mut self, request: &Request) -> anyhow::Result<Answer> {
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.ask_once(request)?;
            let is_later = [409, 503].contains(&answer.status) && answer.header("retry-after").is_some();
            if !is_later || Instant::now() > until {
                return Ok(answer);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn ask_once(&mut self, request: &Request) -> anyhow::Result<Answer> {
        self.send(request)
            .map_err(|failure| anyhow::anyhow!("{} {}: {failure:?}", request.method, request.target))
    }
}

/// The answer at the start of the buffer and its length, once all of it is there.
pub(crate) fn complete(buffer: &[u8]) -> Result<Option<(Answer, usize)>, String> {
    let Some(end) = find(buffer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| format!("no answer of HTTP/1.1: {head:?}"))?;
    let mut answer = Answer { status, head, body: Vec::new() };
    let length = match answer.header("content-length") {
        Some(length) => length.parse::<usize>().map_err(|_| format!("a length of {length:?}"))?,
        None if [204, 304].contains(&status) => 0,
        None => return Err(format!("an answer without its length: {:?}", answer.head)),
    };
    let total = end + 4 + length;
    if buffer.len() < total {
        return Ok(None);
    }
    answer.body = buffer[end + 4..total].to_vec();
    Ok(Some((answer, total)))
}

fn find(buffer: &[u8], wanted: &[u8]) -> Option<usize> {
    buffer.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_complete_at_its_last_byte() {
        let bytes = b"HTTP/1.1 201 Created\r\nlocation: http://h/users/7/\r\ncontent-length: 2\r\n\r\nokmore";
        let (answer, length) = complete(bytes).unwrap().unwrap();
        assert_eq!((answer.status, answer.created_id(), answer.text().as_str()), (201, Some(7), "ok"));
        for cut in 0..length {
            assert!(complete(&bytes[..cut]).unwrap().is_none());
        }
    }
}
