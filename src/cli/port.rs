//! The address that the server listens on: taken before anything is made, open once everything is ready.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// Connections that the system accepts before we do.
const BACKLOG: u32 = 1024;
/// Ports below need a right on most systems.
const FIRST_FREE_PORT: u16 = 1024;

/// Takes the address, so that nobody else does. Connections are refused until it is opened.
pub(super) fn take(address: SocketAddr) -> anyhow::Result<TcpSocket> {
    let taken = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Connections of a server before us may still be closing.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    };
    taken().map_err(|error| refused(address, &error))
}

/// Lets connections in.
pub(super) fn open(socket: TcpSocket, address: SocketAddr) -> anyhow::Result<TcpListener> {
    socket.listen(BACKLOG).map_err(|error| refused(address, &error))
}

/// Why an address cannot be had, and what to do.
fn refused(address: SocketAddr, error: &io::Error) -> anyhow::Error {
    let why = match error.kind() {
        ErrorKind::AddrInUse => {
            "another program listens there; stop that one first, or choose another address with --listen"
                .into()
        }
        ErrorKind::PermissionDenied if (1..FIRST_FREE_PORT).contains(&address.port()) => format!(
            "this user may not use ports below {FIRST_FREE_PORT} ({error}); choose another port with --listen and let a \
             proxy forward to it, or give the right to the program (setcap cap_net_bind_service=+ep, or \
             AmbientCapabilities=CAP_NET_BIND_SERVICE of systemd)"
        ),
        ErrorKind::AddrNotAvailable => format!(
            "this machine has no address {}; choose 127.0.0.1 for this machine alone, or 0.0.0.0 for every address \
             that it has, with --listen",
            address.ip()
        ),
        _ => format!("{error}; choose another address with --listen"),
    };
    anyhow::anyhow!("{address} cannot be listened on: {why}")
}
