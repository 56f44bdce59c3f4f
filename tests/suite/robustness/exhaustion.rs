//! What is used up comes back: descriptors, time.

use std::io::Read;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, Instant};

use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;
use crate::support::under::Start;

/// How long something is watched that should not happen.
const WATCH: Duration = Duration::from_millis(700);

/// The time that the server has spent on a processor, in the system's ticks.
fn ticks(server: &Server) -> u64 {
    let line = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let fields: Vec<&str> = line.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// More clients than descriptors: some are answered, the accepting waits without burning a processor, and when the
/// clients go everything is as before.
#[test]
fn without_descriptors_the_server_waits_quietly_and_recovers() {
    let home = Home::new(&configs::built_in());
    let server = home.serve_under(&["prlimit", "--nofile=64:64"]);
    server.wait_for_error("no more than 64 files");
    let request = Request::new("GET /users/").bytes("localhost");
    let mut crowd: Vec<Client> = (0..200).map(|_| server.client()).collect();
    for client in &mut crowd {
        client.write(&request).unwrap();
    }
    assert_eq!(crowd[0].read("GET").unwrap().status, 200);
    let before = ticks(&server);
    let idle = TcpStream::connect(server.address()).unwrap();
    idle.set_read_timeout(Some(WATCH)).unwrap();
    assert!((&idle).read(&mut [0; 1]).is_err(), "there was a descriptor after all");
    let waiting = ticks(&server) - before;
    drop(idle);
    drop(crowd);
    // Those that are gone may not all be noticed yet.
    let mut client = server.client();
    let nobody = "there are descriptors again, and nobody is served";
    wait_until(nobody, || client.ask("GET /users/").status == 200);
    // The same time, with work to do.
    let (before, began) = (ticks(&server), Instant::now());
    while began.elapsed() < WATCH {
        assert_eq!(client.ask("GET /users/").status, 200);
    }
    let busy = ticks(&server) - before;
    assert!(waiting * 3 < busy.max(9), "{waiting} ticks of waiting, {busy} of work");
    server.create_user("John", "Doe");
    server.stop();
}

/// The limit is on a user's processes, and root has none: then the program is run as nobody.
#[test]
fn without_threads_the_start_is_refused_with_a_sentence() {
    let home = Home::new(&configs::built_in());
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    std::fs::set_permissions(home.folder(), PermissionsExt::from_mode(0o777)).unwrap();
    for limit in 1..=4 {
        let limit = format!("--nproc={limit}");
        let words = if is_root { &nobody[..] } else { &[] };
        let Start::Refused(outcome) = home.try_under(&[words, &["prlimit", &limit]].concat()) else {
            panic!("it starts with {limit}");
        };
        outcome.exits(1).says(&["carnet: the ", " cannot be started", "Resource temporarily unavailable"]);
    }
}

/// A process that is stopped and goes on has missed nothing, and blames nobody for the time.
#[test]
fn a_pause_of_the_whole_process_loses_nothing() {
    let server = Server::start(&configs::built_in());
    let mut clients: Vec<Client> = (0..20).map(|_| server.client()).collect();
    for client in &mut clients {
        assert_eq!(client.ask("GET /users/").status, 200);
    }
    server.signal("STOP");
    for (number, client) in clients.iter_mut().enumerate() {
        let body = format!(r#"{{"first_name":"n{number}","last_name":"Doe"}}"#);
        client.write(&Request::new("POST /users/").json(body).bytes("localhost")).unwrap();
    }
    let idle = TcpStream::connect(server.address()).unwrap();
    idle.set_read_timeout(Some(WATCH)).unwrap();
    assert!((&idle).read(&mut [0; 1]).is_err());
    server.signal("CONT");
    let mut ids: Vec<i64> =
        clients.iter_mut().map(|client| client.read("POST").unwrap().created_id()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=20).collect::<Vec<i64>>());
    assert!(clients.iter().all(|client| client.opened() == 1));
    server.kill();
}
