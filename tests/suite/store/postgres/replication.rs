//! A primary and two standbys, one of which has every acknowledged write: the primary dies, a standby takes over, and
//! clients lose nothing but a moment.

use std::time::{Duration, Instant};

use dev::cluster::Cluster;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_for;

use super::ledger::Ledger;
use crate::support::home::Home;
use crate::support::server::Server;

const ADMIN: &str = "the-key-of-the-administrator";
const CREATE: &str = r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#;

/// Three servers: the first one's commits wait until one of the others has them.
struct Replicas {
    servers: Vec<Cluster>,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

impl Replicas {
    fn start() -> Replicas {
        let first = Cluster::start();
        let followers = NAMES[1..].iter().map(|name| first.follower(name)).collect::<Vec<_>>();
        let servers: Vec<Cluster> = std::iter::once(first).chain(followers).collect();
        let replicas = Replicas { servers };
        for server in &replicas.servers {
            // The standbys as well: for the day on which they are primary.
            server.set("synchronous_standby_names", "ANY 1 (a, b, c)");
        }
        replicas.wait_for_standbys(0, 2);
        replicas
    }

    fn url(&self) -> String {
        Cluster::url_of(&self.servers.iter().collect::<Vec<_>>())
    }

    /// Waits until so many standbys stream from a primary.
    #[track_caller]
    fn wait_for_standbys(&self, primary: usize, number: usize) {
        let streaming = "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'quorum'";
        wait_for(|| {
            let found = self.servers[primary].query(streaming);
            if found.len() < number { Err(format!("{found:?}")) } else { Ok(()) }
        });
    }

    /// Makes the standby with more of the log the primary, and the other one follow it.
    fn promote_the_better(&self) -> usize {
        let received = [1, 2].map(|place| {
            let lsn = self.servers[place].query("SELECT pg_last_wal_receive_lsn() - '0/0'").remove(0);
            lsn.parse::<u64>().unwrap()
        });
        let (better, other) = if received[0] >= received[1] { (1, 2) } else { (2, 1) };
        assert_eq!(self.servers[better].query("SELECT pg_promote()"), ["t"]);
        self.servers[other].set("primary_conninfo", &self.servers[better].leads(NAMES[other]));
        better
    }
}

fn throw_out(server: &Cluster) {
    server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
}

/// The backend that waits for the standbys, and nothing else to do.
#[track_caller]
fn waiting_for_standbys(server: &Cluster) -> String {
    wait_for(|| {
        let waiting = server.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        waiting.into_iter().next().ok_or("nobody waits for the standbys")
    })
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_primary_killed_under_load_loses_nothing_and_its_ghost_acknowledges_nothing() {
    let replicas = Replicas::start();
    let home = Home::at(&replicas.url(), &configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let ledger = Ledger::default();
    let (new, without, back) = ledger.load(&nodes, 6, || {
        ledger.wait_for(300);
        let began = Instant::now();
        replicas.servers[0].kill();
        let killed = Instant::now();
        let new = replicas.promote_the_better();
        let promoted = Instant::now();
        let written = ledger.wait_for(1) + promoted.duration_since(began);
        ledger.wait_for(200);
        println!("killed in {:?}, promoted in {:?}", killed - began, promoted - killed);
        (new, written, promoted.elapsed())
    });
    ledger.holds(&nodes);
    println!("{}; no writes for {without:?}, 200 more after {back:?}", ledger.figures());

    // The old primary comes back and knows nothing of all this. It has no standbys, so its commits wait for ever.
    let ghost = &replicas.servers[0];
    ghost.start_again();
    assert_eq!(ghost.query("SELECT pg_is_in_recovery()"), ["f"]);
    let astray = Home::at(&ghost.url(), &configs::long_pages());
    let astray = astray.serve();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for request in [CREATE, r#"PUT /users/1/ {"first_name":"ghost"}"#] {
                let answer = astray.ask(request);
                assert!(answer.status == 503 || answer.status == 404, "{answer:?}");
            }
        });
        // Meanwhile those that know all servers are thrown out by theirs, and find the one that goes on.
        for _ in 0..3 {
            ledger.load(&nodes, 4, || {
                ledger.wait_for(20);
                throw_out(&replicas.servers[new]);
                ledger.wait_for(40);
            });
            ledger.holds(&nodes);
        }
    });
    let count = "SELECT count(*) FROM users";
    assert_eq!(replicas.servers[new].query(count), [nodes[0].total("/users/").to_string()]);
    println!("{}", ledger.figures());

    // With the ghost alone left to take writes, nobody is served rather than told of the past.
    replicas.servers[new].kill();
    for _ in 0..400 {
        for node in &nodes {
            let answer = node.ask("GET /users/?count=1");
            assert_eq!(answer.status, 503, "{answer:?}");
        }
    }
    nodes.iter().for_each(|node| node.wait_for_error("it lacks what was written since"));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn without_standbys_nothing_is_acknowledged_and_reads_go_on() {
    let replicas = Replicas::start();
    let primary = &replicas.servers[0];
    let home = Home::at(&replicas.url(), &configs::long_pages());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    let before = nodes[0].create_user("Jane", "Doe");
    replicas.servers[1..].iter().for_each(Cluster::kill);
    std::thread::scope(|scope| {
        let refused = scope.spawn(|| {
            let began = Instant::now();
            let answer = nodes[0].client().ask(CREATE);
            (answer, began.elapsed())
        });
        waiting_for_standbys(primary);
        // Whoever reads is not concerned, and does not see what is not acknowledged.
        let mut reads = 0;
        while !refused.is_finished() {
            for node in &nodes {
                assert_eq!(node.total("/users/"), 1);
                assert_eq!(node.status(&format!("GET /users/{before}/")), 200);
                assert_eq!(node.total(&format!("/users/?last_name=Doe&first_name=n{reads}")), 0);
                reads += 1;
            }
        }
        let (answer, took) = refused.join().unwrap();
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(answer.error().contains("unknown"), "{answer:?}");
        assert!(took < Duration::from_secs(30), "{took:?}");
        println!("an unknown outcome after {took:?}, {reads} reads meanwhile");
    });
    // The other node has to wait behind what is not over, and changes nothing.
    let answer = nodes[1].ask(CREATE);
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.error().contains("Nothing was changed"), "{answer:?}");
    replicas.servers[2].start_again();
    let ledger = Ledger::default();
    let back = nodes.iter().map(|node| ledger.until(node, CREATE, 201)).max();
    println!("written again {back:?} after a standby was back");
    // The first one was committed after all, when the standby had it. Nobody had said no.
    assert_eq!([nodes[0].total("/users/"), nodes[1].total("/users/")], [4, 4]);
}

/// A server that is told to wait no longer says yes, with a warning.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_commit_that_is_told_not_to_wait_for_standbys_is_not_acknowledged() {
    let replicas = Replicas::start();
    let primary = &replicas.servers[0];
    let home = Home::at(&replicas.url(), &configs::long_pages());
    home.add_admin("root", ADMIN);
    for name in ["till-0", "till-1"] {
        home.add_key(name, &format!("the-secret-of-{name}"));
    }
    let node = home.serve();
    let id = node.create_user("Jane", "Doe");
    replicas.servers[1..].iter().for_each(Cluster::kill);
    for (place, interruption) in ["pg_cancel_backend", "pg_terminate_backend"].into_iter().enumerate() {
        let requests = [
            Request::text(CREATE),
            Request::text(&format!(r#"PUT /users/{id}/ {{"first_name":"n{place}"}}"#)),
            Request::new(&format!("DELETE /_/keys/till-{place}/")).header("X-API-Key", ADMIN),
        ];
        for request in requests {
            std::thread::scope(|scope| {
                let answer = scope.spawn(|| node.client().send(&request));
                let backend = waiting_for_standbys(primary);
                assert_eq!(primary.query(&format!("SELECT {interruption}({backend})")), ["t"]);
                let answer = answer.join().unwrap();
                assert_eq!(answer.status, 503, "{interruption}, {request:?}: {answer:?}");
                assert!(answer.error().contains("unknown"), "{interruption}, {request:?}: {answer:?}");
            });
        }
    }
    replicas.servers[1].start_again();
    Ledger::default().until(&node, CREATE, 201);
}
