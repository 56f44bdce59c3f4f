//! A small, strict HTTP/1.1 client: one connection, kept as long as the server keeps it.

use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};

use super::answer::Answer;
use super::process::SAFETY_NET;
use super::request::Request;
use super::tls::{Trust, Wire};

/// A connection to a server, opened when first used and again after the server has closed it.
pub(crate) struct Client {
    address: SocketAddr,
    /// The address to call from, where it matters.
    source: Option<IpAddr>,
    /// Whom to believe, where the server speaks TLS.
    trust: Option<Trust>,
    connection: Option<BufReader<Box<dyn Wire>>>,
    /// The socket below it.
    socket: Option<TcpStream>,
    opened: usize,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        Client { address, source: None, trust: None, connection: None, socket: None, opened: 0 }
    }

    /// One that calls from this address.
    pub(crate) fn from(source: &str, address: SocketAddr) -> Client {
        Client { source: Some(source.parse().unwrap()), ..Client::new(address) }
    }

    /// The same over TLS.
    pub(crate) fn trusting(address: SocketAddr, trust: Option<Trust>) -> Client {
        Client { trust, ..Client::new(address) }
    }

    /// How many connections it took so far.
    pub(crate) fn opened(&self) -> usize {
        self.opened
    }

    /// Sends a request written as text, and reads its answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, request: &str) -> Answer {
        self.send(&Request::text(request))
    }

    /// Sends a request, reads its answer, and holds the answer to its promises.
    #[track_caller]
    pub(crate) fn send(&mut self, request: &Request) -> Answer {
        let answer = self.try_send(request).unwrap_or_else(|error| panic!("{request:?}: {error}"));
        answer.keeps_its_promises(&request.method);
        answer
    }

    /// Sends a request whose answer may be compressed.
    #[track_caller]
    pub(crate) fn read_compressed(&mut self, request: &Request) -> Answer {
        self.try_send(request).unwrap_or_else(|error| panic!("{request:?}: {error}"))
    }

    /// Sends a request to a server that may be gone.
    pub(crate) fn try_send(&mut self, request: &Request) -> io::Result<Answer> {
        self.write(&request.bytes(&self.address.to_string()))?;
        self.read(&request.method)
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.connection.is_none() {
            let (wire, socket): (Box<dyn Wire>, _) = match &self.trust {
                None => {
                    let stream = self.connect()?;
                    stream.set_read_timeout(Some(SAFETY_NET))?;
                    stream.set_write_timeout(Some(SAFETY_NET))?;
                    stream.set_nodelay(true)?;
                    (Box::new(stream.try_clone()?), stream)
                }
                Some(trust) => {
                    let stream = trust.connect(self.address, &[b"http/1.1"])?;
                    let socket = stream.sock.try_clone()?;
                    (Box::new(stream), socket)
                }
            };
            self.connection = Some(BufReader::new(wire));
            self.socket = Some(socket);
            self.opened += 1;
        }
        let wire = self.connection.as_mut().unwrap().get_mut();
        let result = wire.write_all(bytes).and_then(|()| wire.flush());
        if result.is_err() {
            self.connection = None;
        }
        result
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let Some(source) = self.source else { return TcpStream::connect(self.address) };
        // The standard library cannot choose where a connection comes from.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4()?;
            socket.bind((source, 0).into())?;
            socket.connect(self.address).await?.into_std()
        })?;
        stream.set_nonblocking(false)?;
        Ok(stream)
    }

    /// Writes on a thread of its own, for a server that may answer before it has read everything.
    pub(crate) fn write_meanwhile(&mut self, bytes: Vec<u8>) {
        self.write(b"").unwrap();
        let mut stream = self.socket.as_ref().unwrap().try_clone().unwrap();
        std::thread::spawn(move || stream.write_all(&bytes).ok());
    }

    /// The same, and says that no more will come.
    pub(crate) fn write_all_meanwhile(&mut self, bytes: Vec<u8>) {
        self.write(b"").unwrap();
        let mut stream = self.socket.as_ref().unwrap().try_clone().unwrap();
        std::thread::spawn(move || {
            stream.write_all(&bytes).and_then(|()| stream.shutdown(std::net::Shutdown::Write)).ok();
        });
    }

    /// Reads the next final answer; after one that says `close`, checks that it is the last.
    pub(crate) fn read(&mut self, method: &str) -> io::Result<Answer> {
        let mut result = self.read_one(method);
        while result.as_ref().is_ok_and(|answer| answer.status < 200) {
            result = self.read_one(method);
        }
        match &result {
            Ok(answer) if answer.header("Connection") == Some("close") => self.finish()?,
            Ok(_) => {}
            Err(_) => self.connection = None,
        }
        result
    }

    /// Reads one answer, an interim one too.
    pub(crate) fn read_one(&mut self, method: &str) -> io::Result<Answer> {
        let reader = self.connection.as_mut().ok_or(ErrorKind::NotConnected)?;
        let (status, reason) = status_line(&line(reader)?)?;
        let mut headers = Vec::new();
        loop {
            let header = line(reader)?;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').ok_or_else(|| strange(&header))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, reason, headers, body: Vec::new() };
        if method == "HEAD" || status == 204 || status == 304 || status < 200 {
            return Ok(answer);
        }
        if answer.header("Transfer-Encoding") == Some("chunked") {
            answer.body = chunks(reader)?;
        } else {
            let length = answer.header("Content-Length").ok_or_else(|| strange("no length"))?;
            answer.body = vec![0; length.parse().map_err(|_| strange(length))?];
            reader.read_exact(&mut answer.body)?;
        }
        Ok(answer)
    }

    /// Reads what is left until the server closes.
    pub(crate) fn read_to_end(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        if let Some(mut reader) = self.connection.take() {
            // A reset is an end too.
            reader.read_to_end(&mut rest).ok();
        }
        rest
    }

    /// The status of the first answer among what is left, or 0 where there is none; waits for the end.
    pub(crate) fn status_to_end(&mut self) -> u16 {
        let rest = self.read_to_end();
        let text = String::from_utf8_lossy(&rest);
        text.strip_prefix("HTTP/1.").and_then(|rest| rest[2..].get(..3)?.parse().ok()).unwrap_or(0)
    }

    /// Says that nothing more will come, and leaves the other direction open.
    pub(crate) fn finish_writing(&self) {
        self.socket.as_ref().unwrap().shutdown(std::net::Shutdown::Write).unwrap();
    }

    fn finish(&mut self) -> io::Result<()> {
        let mut reader = self.connection.take().ok_or(ErrorKind::NotConnected)?;
        let mut rest = Vec::new();
        match reader.read_to_end(&mut rest) {
            Ok(0) => Ok(()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(()),
            Ok(_) => Err(strange("more after the last answer")),
            Err(error) => Err(error),
        }
    }
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    match line.strip_suffix("\r\n") {
        Some(line) => Ok(line.to_owned()),
        None if line.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
        None => Err(strange(&line)),
    }
}

fn status_line(line: &str) -> io::Result<(u16, String)> {
    let rest = line.strip_prefix("HTTP/1.1 ").ok_or_else(|| strange(line))?;
    let (status, reason) = rest.split_once(' ').unwrap_or((rest, ""));
    Ok((status.parse().map_err(|_| strange(line))?, reason.to_owned()))
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        let length = usize::from_str_radix(&size, 16).map_err(|_| strange(&size))?;
        let start = body.len();
        body.resize(start + length, 0);
        reader.read_exact(&mut body[start..])?;
        let end = line(reader)?;
        if !end.is_empty() {
            return Err(strange(&end));
        }
        if length == 0 {
            return Ok(body);
        }
    }
}

fn strange(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("not HTTP/1.1 as expected: {what:?}"))
}
