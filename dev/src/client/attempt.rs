//! A request to a server that may be killed at any moment: how it failed matters more than that it did.
//!
//! What was never sent cannot have had an effect, what was answered in part must not be, and of the rest nobody knows.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use super::Client;
use crate::answer::Answer;
use crate::request::Request;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
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

impl Client {
    /// Sends a request, and reads its answer or what there is of one.
    pub fn attempt(&mut self, request: &Request) -> Result<Answer, Failure> {
        self.open().map_err(Failure::Unsent)?;
        let (Some(mut wire), Some(stream)) = (self.wire.take(), self.socket.take()) else {
            return Err(Failure::Unsent(ErrorKind::NotConnected.into()));
        };
        let bytes = request.bytes(&self.address.to_string());
        let (mut sent, mut cause, mut is_reset) = (0, None, false);
        let tells =
            |error: &io::Error| [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind());
        while sent < bytes.len() && cause.is_none() {
            match wire.write(&bytes[sent..]) {
                Ok(0) => cause = Some("the connection takes no more".to_owned()),
                Ok(count) => sent += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    is_reset |= tells(&error);
                    cause = Some(format!("while sending: {error}"));
                }
            }
        }
        // Also after a failed send: an answer may be there all the same.
        let mut buffer = std::mem::take(&mut self.unread);
        let mut piece = [0; 65_536];
        loop {
            if let Some((answer, length)) =
                Answer::find(&buffer, request.method == "HEAD").map_err(Failure::Torn)?
            {
                self.unread = buffer.split_off(length);
                if answer.header("Connection") != Some("close") {
                    (self.wire, self.socket) = (Some(wire), Some(stream));
                }
                return Ok(answer);
            }
            let end = match wire.read(&mut piece) {
                Ok(0) => "the connection was closed".to_owned(),
                Ok(count) => {
                    buffer.extend_from_slice(&piece[..count]);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
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

    /// Everything that comes back when these bytes, and no more, are sent on a connection of their own. Whether the end
    /// came by itself, too: after a reset the last answer may be cut short.
    pub fn say(&self, bytes: &[u8]) -> (Vec<u8>, bool) {
        let (mut wire, stream) = (self.connect)().expect("the server listens");
        let mut answers = Vec::new();
        let end = std::thread::scope(|scope| {
            scope.spawn(|| {
                // A server that has said no may close before it has read everything.
                (&stream).write_all(bytes).and_then(|()| stream.shutdown(std::net::Shutdown::Write)).ok();
            });
            wire.read_to_end(&mut answers)
        });
        match end {
            Ok(_) => (answers, true),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => (answers, false),
            Err(error) => panic!("no end: {error}"),
        }
    }
}
