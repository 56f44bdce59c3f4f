//! A small, strict HTTP/1.1 client: one connection, kept as long as the server keeps it.

mod attempt;

use std::io::{self, Error, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};

pub use self::attempt::Failure;
use crate::answer::Answer;
use crate::frame::Frame;
use crate::request::Request;
use crate::waiting::SAFETY_NET;

/// Both directions of a connection, encrypted or not.
pub trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

/// Makes a connection, and gives the socket below it, too.
type Connect = Box<dyn Fn() -> io::Result<(Box<dyn Wire>, TcpStream)> + Send>;

/// A connection to a server, opened when first used and again after the server has closed it.
pub struct Client {
    address: SocketAddr,
    connect: Connect,
    wire: Option<Box<dyn Wire>>,
    /// The socket below it, also when nothing more is to be read from it.
    socket: Option<TcpStream>,
    /// What was read and belongs to no answer yet.
    unread: Vec<u8>,
    opened: usize,
}

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        Client::by(address, move || plain(TcpStream::connect_timeout(&address, SAFETY_NET)?))
    }

    /// One that calls from this address.
    pub fn from(source: &str, address: SocketAddr) -> Client {
        let source: IpAddr = source.parse().expect("an address");
        Client::by(address, move || {
            // The standard library cannot choose where a connection comes from.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let stream = runtime.block_on(async {
                let socket = tokio::net::TcpSocket::new_v4()?;
                socket.bind((source, 0).into())?;
                socket.connect(address).await?.into_std()
            })?;
            stream.set_nonblocking(false)?;
            plain(stream)
        })
    }

    /// One whose connections are made by somebody else.
    pub fn by(
        address: SocketAddr,
        connect: impl Fn() -> io::Result<(Box<dyn Wire>, TcpStream)> + Send + 'static,
    ) -> Client {
        let connect = Box::new(connect);
        Client { address, connect, wire: None, socket: None, unread: Vec::new(), opened: 0 }
    }

    /// How many connections it took so far.
    pub fn opened(&self) -> usize {
        self.opened
    }

    /// The port of our end of the connection, by which others know it.
    pub fn port(&self) -> Option<u16> {
        Some(self.socket.as_ref().filter(|_| self.wire.is_some())?.local_addr().ok()?.port())
    }

    /// Sends a request written as text, and reads its answer.
    #[track_caller]
    pub fn ask(&mut self, request: &str) -> Answer {
        self.send(&Request::text(request))
    }

    /// Sends a request, reads its answer, and holds the answer to its promises.
    #[track_caller]
    pub fn send(&mut self, request: &Request) -> Answer {
        let answer = self.read_compressed(request);
        answer.keeps_its_promises(&request.method);
        answer
    }

    /// Sends a request whose answer may be compressed.
    #[track_caller]
    pub fn read_compressed(&mut self, request: &Request) -> Answer {
        self.try_send(request).unwrap_or_else(|error| panic!("{request:?}: {error}"))
    }

    /// Sends a request to a server that may be gone.
    pub fn try_send(&mut self, request: &Request) -> io::Result<Answer> {
        self.write(&request.bytes(&self.address.to_string()))?;
        self.read(&request.method)
    }

    /// Sends the bytes of a request and reads its one answer; where a kept connection has been closed meanwhile, again on
    /// a new one.
    pub fn exchange(&mut self, bytes: &[u8], method: &str) -> io::Result<Answer> {
        let was_kept = self.wire.is_some();
        let mut result = self.write(bytes).and_then(|()| self.read(method));
        let is_gone = |error: &Error| {
            [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe]
                .contains(&error.kind())
        };
        if was_kept && self.unread.is_empty() && result.as_ref().is_err_and(is_gone) {
            result = self.write(bytes).and_then(|()| self.read(method));
        }
        if !self.unread.is_empty() {
            return Err(strange(format!(
                "half an answer, or another: {:?}",
                String::from_utf8_lossy(&self.unread)
            )));
        }
        result
    }

    /// Sees to it that there is a connection, and gives its socket.
    pub fn open(&mut self) -> io::Result<&TcpStream> {
        if self.wire.is_none() {
            let (wire, socket) = (self.connect)()?;
            (self.wire, self.socket) = (Some(wire), Some(socket));
            self.unread.clear();
            self.opened += 1;
        }
        self.socket.as_ref().ok_or_else(|| ErrorKind::NotConnected.into())
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.open()?;
        let wire = self.wire.as_mut().ok_or(ErrorKind::NotConnected)?;
        let result = wire.write_all(bytes).and_then(|()| wire.flush());
        if result.is_err() {
            self.wire = None;
        }
        result
    }

    /// Writes on a thread of its own, for a server that may answer before it has read everything.
    pub fn write_meanwhile(&mut self, bytes: Vec<u8>) {
        let mut stream = self.open().and_then(TcpStream::try_clone).expect("a connection");
        std::thread::spawn(move || stream.write_all(&bytes).ok());
    }

    /// The same, and says that no more will come.
    pub fn write_all_meanwhile(&mut self, bytes: Vec<u8>) {
        let mut stream = self.open().and_then(TcpStream::try_clone).expect("a connection");
        std::thread::spawn(move || {
            stream.write_all(&bytes).and_then(|()| stream.shutdown(Shutdown::Write)).ok();
        });
    }

    /// Reads the next final answer; after one that says `close`, checks that it is the last.
    pub fn read(&mut self, method: &str) -> io::Result<Answer> {
        let mut result = self.read_one(method);
        while result.as_ref().is_ok_and(|answer| answer.status < 200) {
            result = self.read_one(method);
        }
        match &result {
            Ok(answer) if answer.header("Connection") == Some("close") => self.finish()?,
            Ok(_) => {}
            Err(_) => self.wire = None,
        }
        result
    }

    /// Reads one answer, an interim one too.
    pub fn read_one(&mut self, method: &str) -> io::Result<Answer> {
        let bytes = self.read_bytes(method)?;
        if !bytes.starts_with(b"HTTP/1.1 ") {
            return Err(strange(format!(
                "an answer of another version: {:?}",
                String::from_utf8_lossy(&bytes)
            )));
        }
        let answer = Answer::find(&bytes, method == "HEAD").map_err(strange)?;
        answer.map(|(answer, _)| answer).ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    /// Reads the bytes of one answer, an interim one too.
    pub fn read_bytes(&mut self, method: &str) -> io::Result<Vec<u8>> {
        let mut piece = [0; 65_536];
        loop {
            if let Some(frame) = Frame::find(&self.unread, method == "HEAD").map_err(strange)? {
                let rest = self.unread.split_off(frame.total_bytes);
                return Ok(std::mem::replace(&mut self.unread, rest));
            }
            let wire = self.wire.as_mut().ok_or(ErrorKind::NotConnected)?;
            match wire.read(&mut piece) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.unread.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads what is left until the server closes.
    pub fn read_to_end(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.unread);
        if let Some(mut wire) = self.wire.take() {
            // A reset is an end too.
            wire.read_to_end(&mut rest).ok();
        }
        rest
    }

    /// The status of the first answer among what is left, or 0 where there is none; waits for the end.
    pub fn status_to_end(&mut self) -> u16 {
        let rest = self.read_to_end();
        let text = String::from_utf8_lossy(&rest);
        text.strip_prefix("HTTP/1.").and_then(|rest| rest[2..].get(..3)?.parse().ok()).unwrap_or(0)
    }

    /// Says that nothing more will come, and leaves the other direction open.
    pub fn finish_writing(&self) {
        let socket = self.socket.as_ref().expect("a connection");
        socket.shutdown(Shutdown::Write).expect("an open connection");
    }

    fn finish(&mut self) -> io::Result<()> {
        let mut wire = self.wire.take().ok_or(ErrorKind::NotConnected)?;
        let mut rest = std::mem::take(&mut self.unread);
        match wire.read_to_end(&mut rest) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => Err(error),
            _ if rest.is_empty() => Ok(()),
            _ => Err(strange("more after the last answer".into())),
        }
    }
}

/// A connection that is not encrypted.
fn plain(stream: TcpStream) -> io::Result<(Box<dyn Wire>, TcpStream)> {
    stream.set_read_timeout(Some(SAFETY_NET))?;
    stream.set_write_timeout(Some(SAFETY_NET))?;
    stream.set_nodelay(true)?;
    Ok((Box::new(stream.try_clone()?), stream))
}

fn strange(what: String) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
