//! How long requests wait while a file comes in or a backup is made, and how soon an export begins.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use super::command::run;
use super::{Bench, Report, median};
use crate::http;
use crate::load::{self, Limit, Outcome, Plan};
use crate::process::{Server, Who};
use crate::reads::{self, CLIENTS};
use crate::rows::Book;
use crate::writes;

/// How often the first byte of an export is waited for, of each size. One alone depends on which thread has a processor.
const FIRST_BYTES: usize = 25;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let url = bench.place.fresh(bench.options, bench.book, "served")?;
    let name = bench.file("users.csv", bench.book.ids())?.display().to_string();
    bench.carnet(&url, &["import", &name, "--into", "users"])?;
    let server = Server::carnet_on(bench.options, &url)?;

    let created = Arc::new(AtomicU64::new(0));
    let write = writes::creates(Who::Carnet, bench.book, created);
    let fetches = reads::asks(reads::FETCH, bench.book).into_iter().map(|ask| ask.request(Who::Carnet));
    // None is answered as it was before: beside an import none could be.
    let read = load::anew(load::any_of(fetches.collect()));
    let alone =
        |plan: &Plan| load::drive(server.address, CLIENTS, Limit::After(4 * bench.options.slice()), plan, 1);
    let mut next = bench.book.last_id;
    let mut import = || {
        // New users: they are stored, not only found.
        let count = bench.book.users / 5;
        let file = bench.file("more.csv", next + 1..=next + count);
        next += count;
        let name = file?.display().to_string();
        let to = format!("http://{}", server.address);
        let command = dev::process::carnet(
            &bench.options.carnet,
            &["import", &name, "--into", "users", "--server", &to],
        );
        run(command, &bench.scratch.join("import.log"))
    };
    let backup = || {
        let to = bench.scratch.join("beside.db").display().to_string();
        let ran = bench.carnet(&url, &["backup", &to]);
        std::fs::remove_file(&to)?;
        let _ = std::fs::remove_file(format!("{to}.sha256"));
        ran
    };
    for (what, plan, goals) in [
        ("creates", &*write, ["≤ 3 ×, none over 1 s", "≤ 1.5 ×, none over 1 s"]),
        ("fetches", &*read, ["≤ 2 ×", "≤ 2 ×"]),
    ] {
        let before = alone(plan)?;
        let tell = |what: &str, outcome: &Outcome| {
            let slowest = outcome.latencies.last().map_or(f64::NAN, |&micros| f64::from(micros) / 1_000.0);
            let times = outcome.permille(990) / before.permille(990);
            let rate = outcome.requests as f64 / outcome.seconds;
            let failures = outcome.failures;
            format!(
                "{what}{:.1} ms, {times:.2} ×, slowest {slowest:.0} ms, {rate:.0} a second, {failures} failed",
                outcome.permille(990)
            )
        };
        report.line(&format!("p99 of {what}, {CLIENTS} clients, alone"), &tell("", &before), "–");
        let (meanwhile, _) = writes::beside(server.address, CLIENTS, plan, &mut import)?;
        report.line(&format!("p99 of {what} during an import"), &tell("", &meanwhile), goals[0]);
        let (meanwhile, _) = writes::beside(server.address, CLIENTS, plan, backup)?;
        report.line(&format!("p99 of {what} during a backup"), &tell("", &meanwhile), goals[1]);
    }
    let url = bench.place.fresh(bench.options, Book::new(1_000), "small")?;
    let name = bench.file("small.csv", 1..=1_000)?.display().to_string();
    // Few addresses are there: who lives elsewhere has none.
    bench.carnet(&url, &["import", &name, "--into", "users", "--ignore", "address"])?;
    let small_server = Server::carnet_on(bench.options, &url)?;
    // In turns, and last: right after its start a server of many records is busy with what it keeps in memory.
    let (mut large, mut small) = (Vec::new(), Vec::new());
    for _ in 0..FIRST_BYTES {
        large.push(first_byte(server.address)?);
        small.push(first_byte(small_server.address)?);
    }
    server.stop()?;
    small_server.stop()?;
    let (large, small) = (median(&large), median(&small));
    let figure = format!("{large:.1} ms, of 1000 users {small:.1} ms: {:.2} ×", large / small);
    report.line(&format!("first byte of an export of {} users", bench.book.users), &figure, "≤ 2 ×");
    Ok(())
}

/// How long the first bytes of records take, in milliseconds.
fn first_byte(address: SocketAddr) -> anyhow::Result<f64> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(http::PATIENCE))?;
    let began = Instant::now();
    stream.write_all(&http::plain("GET", "/_/export/users.csv"))?;
    let mut read = vec![0; 4_096];
    let mut whole = Vec::new();
    while !whole.windows(4).any(|end| end == b"\r\n\r\n") || whole.ends_with(b"\r\n\r\n") {
        let count = stream.read(&mut read)?;
        anyhow::ensure!(count > 0, "the server hung up");
        whole.extend_from_slice(&read[..count]);
    }
    let taken = began.elapsed().as_secs_f64() * 1_000.0;
    anyhow::ensure!(whole.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&whole));
    // To its end: whoever asks next would wait for what is left of this one to be given up.
    while !whole.ends_with(b"\r\n0\r\n\r\n") {
        let count = stream.read(&mut read)?;
        anyhow::ensure!(count > 0, "the server hung up");
        whole.drain(..whole.len().saturating_sub(8));
        whole.extend_from_slice(&read[..count]);
    }
    Ok(taken)
}
