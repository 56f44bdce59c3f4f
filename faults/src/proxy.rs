//! Servers between the clients and carnet that err on purpose, for the controls.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};

/// How it errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// Says yes to an update or a deletion of a user, and only then passes it on.
    AcksEarly,
    /// Answers a fetch or a list with what it was told up to so long ago.
    IsStale(Duration),
}

/// What it keeps: whole answers, by the first line of the request.
type Kept = Mutex<HashMap<String, (Instant, Vec<u8>)>>;

/// Passes everything on to a server until the process ends.
pub(crate) fn start(server: SocketAddr, error: Error) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let kept = Arc::new(Kept::default());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let kept = kept.clone();
            // An end of either side ends the connection; that is all there is to do.
            std::thread::spawn(move || serve(client, server, error, &kept).ok());
        }
    });
    Ok(address)
}

fn serve(mut client: TcpStream, server: SocketAddr, error: Error, kept: &Kept) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut server = TcpStream::connect(server)?;
    server.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(request) = message(&mut client, &mut buffer)? {
        let line = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
        let early = if error == Error::AcksEarly { early_answer(&line, &request) } else { None };
        if let Some(answer) = early {
            client.write_all(&answer)?;
            server.write_all(&request)?;
            if message(&mut server, &mut Vec::new())?.is_none() {
                return Ok(());
            }
            continue;
        }
        if let Error::IsStale(age) = error
            && line.starts_with("GET ")
            && let Some((_, answer)) = kept.lock().get(&line).filter(|(since, _)| since.elapsed() < age)
        {
            client.write_all(answer)?;
            continue;
        }
        let asked = Instant::now();
        server.write_all(&request)?;
        let Some(answer) = message(&mut server, &mut Vec::new())? else { return Ok(()) };
        client.write_all(&answer)?;
        let closes = String::from_utf8_lossy(&answer).to_lowercase().contains("\r\nconnection: close");
        if closes {
            return Ok(());
        }
        if matches!(error, Error::IsStale(_)) && line.starts_with("GET ") {
            kept.lock().insert(line, (asked, answer));
        }
    }
    Ok(())
}

/// What carnet would answer if all went well, where that can be known.
fn early_answer(line: &str, request: &[u8]) -> Option<Vec<u8>> {
    let body = match line.split_once(" /users/")? {
        ("DELETE", _) => String::new(),
        ("PUT", rest) => {
            let id: i64 = rest.split('/').next()?.parse().ok()?;
            let start = request.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
            let mut record: Value = serde_json::from_slice(&request[start..]).ok()?;
            // One that refers to something may be refused.
            if !record["address"].is_null() {
                return None;
            }
            record["id"] = json!(id);
            record.to_string()
        }
        _ => return None,
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:";
    Some(format!("{head} {}\r\n\r\n{body}", body.len()).into_bytes())
}

/// The next request or answer, whole; none at the end of the connection.
fn message(from: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<Vec<u8>>> {
    let mut piece = [0; 65_536];
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            let total = end + 4 + length.unwrap_or(0);
            if buffer.len() >= total {
                let rest = buffer.split_off(total);
                return Ok(Some(std::mem::replace(buffer, rest)));
            }
        }
        match from.read(&mut piece)? {
            0 => return Ok(None),
            count => buffer.extend_from_slice(&piece[..count]),
        }
    }
}
