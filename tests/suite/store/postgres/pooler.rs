//! Behind a pooler that hands out connections for one transaction at a time (PgBouncer with `pool_mode = transaction`)
//! nothing that a node sets or prepares is its own: it says so, and does not start.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use dev::cluster::Cluster;
use dev::configs;

use crate::support::home::Home;

/// Such a pooler, as small as it can be: one connection to the server, for all who come. It asks for no password.
struct Pooler {
    port: u16,
}

/// A message: its type and all of it.
fn message(from: &mut TcpStream) -> io::Result<(u8, Vec<u8>)> {
    let mut bytes = vec![0; 5];
    from.read_exact(&mut bytes)?;
    let length = u32::from_be_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]) as usize;
    bytes.resize(length + 1, 0);
    from.read_exact(&mut bytes[5..])?;
    Ok((bytes[0], bytes))
}

fn start_packet(from: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut packet = vec![0; u32::from_be_bytes(length) as usize - 4];
    from.read_exact(&mut packet)?;
    Ok(packet)
}

impl Pooler {
    /// Before a server that lets in everybody on this machine.
    fn start(server: u16) -> Pooler {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut stream = TcpStream::connect(("127.0.0.1", server)).unwrap();
        let said = b"\0\x03\0\0user\0carnet\0database\0postgres\0\0";
        stream.write_all(&(said.len() as u32 + 4).to_be_bytes()).unwrap();
        stream.write_all(said).unwrap();
        // All that the server says up to the first "ready" is what everybody is greeted with.
        let mut greeting = Vec::new();
        loop {
            let (kind, bytes) = message(&mut stream).unwrap();
            greeting.extend(bytes);
            if kind == b'Z' {
                break;
            }
        }
        let shared = Arc::new(Mutex::new(stream));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (greeting, shared) = (greeting.clone(), shared.clone());
                std::thread::spawn(move || serve(client, &greeting, &shared));
            }
        });
        Pooler { port }
    }
}

/// Until either side hangs up.
fn serve(mut client: TcpStream, greeting: &[u8], shared: &Mutex<TcpStream>) -> io::Result<()> {
    // Anything shorter is a request for encryption.
    while start_packet(&mut client)?.len() <= 4 {
        client.write_all(b"N")?;
    }
    client.write_all(greeting)?;
    loop {
        let (mut kind, mut bytes) = message(&mut client)?;
        let mut server = shared.lock().unwrap();
        // The server is this client's until it says that no transaction is open.
        loop {
            if kind == b'X' {
                return Ok(());
            }
            server.write_all(&bytes)?;
            if matches!(kind, b'Q' | b'S') {
                let state = loop {
                    let (kind, bytes) = message(&mut server)?;
                    client.write_all(&bytes)?;
                    if kind == b'Z' {
                        break bytes[5];
                    }
                };
                if state == b'I' {
                    break;
                }
            }
            (kind, bytes) = message(&mut client)?;
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_pooler_of_transactions_is_noticed_before_anything_is_set_or_made() {
    let cluster = Cluster::start();
    cluster
        .query("CREATE TABLE hba (line text); COPY hba FROM PROGRAM 'echo host all all 127.0.0.1/32 trust'");
    cluster.query("COPY hba TO PROGRAM 'cat > pg_hba.conf'");
    cluster.query("SELECT pg_reload_conf()");
    let pooler = Pooler::start(cluster.port);
    let url = format!("postgres://carnet@127.0.0.1:{}/postgres", pooler.port);
    let home = Home::at(&url, &configs::built_in());
    let words = ["pool_mode = session", "one transaction at a time"];
    home.refused_start().exits(1).says(&words);
    home.run(&["check"]).exits(1).says(&words);
    home.run(&["keys", "create", "first"]).exits(1).says(&words);
    // Nothing of ours is left behind for others who come the same way.
    assert_eq!(home.query("SHOW enable_seqscan"), ["on"]);
    assert_eq!(cluster.query("SELECT count(*) FROM pg_class WHERE relname LIKE '%carnet%'"), ["0"]);
}
