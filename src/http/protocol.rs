//! How a connection begins: TLS where it is configured, then HTTP/1.1 or HTTP/2, until its end.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::answer::Answer;
use super::connection::Connection;
use super::socket::Socket;
use super::{http1, http2, tls};
use crate::observe::Event;

/// The first byte of everything that begins TLS.
const TLS_HANDSHAKE: u8 = 22;

/// How a connection begins.
enum Greeting {
    Plain(Socket),
    Encrypted(Box<TlsStream<Socket>>),
}

/// Serves the connection until either side closes it, it is cut, or the server stops.
pub(super) async fn run<A: Answer>(connection: Arc<Connection>, answer: Arc<A>, stream: TcpStream) {
    let greeted = pin!(greet(&connection, stream));
    let ended = match connection.until_cut(greeted).await {
        None => Ok(()),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(Greeting::Plain(socket))) => http1::speak(&connection, answer, socket).await,
        // Boxed, once for a connection: otherwise those that are not encrypted would have the room for it, too.
        Some(Ok(Greeting::Encrypted(stream))) if tls::speaks_http_2(&stream) => {
            Box::pin(http2::speak(&connection, answer, *stream)).await
        }
        Some(Ok(Greeting::Encrypted(stream))) => Box::pin(http1::speak(&connection, answer, *stream)).await,
    };
    if let Err(error) = ended {
        let text = format!("a connection failed: {error}");
        connection.shared.observer.report(Event::Detail(&text));
    }
}

/// Encrypts where that is configured. Who does not ask for it is heard, to be told.
async fn greet(connection: &Arc<Connection>, stream: TcpStream) -> io::Result<Greeting> {
    let Some(tls) = &connection.shared.tls else {
        return Ok(Greeting::Plain(Socket::new(stream, Arc::clone(connection))));
    };
    let mut first = [0];
    let length = stream.peek(&mut first).await?;
    let socket = Socket::new(stream, Arc::clone(connection));
    if length == 1 && first != [TLS_HANDSHAKE] {
        connection.note_plain();
        return Ok(Greeting::Plain(socket));
    }
    Box::pin(tls.accept(socket)).await.map(Box::new).map(Greeting::Encrypted)
}
