//! A walk of all records by cursor: whether its end costs what its beginning does.

use anyhow::{Context, ensure};
use dev::client::Client;

use super::MILLION;
use crate::Bench;
use crate::http;
use crate::load::{self, Limit, Plan};
use crate::process::{Server, Who};
use crate::reads::{CLIENTS, turn};
use crate::results::Results;
use crate::substance::PAGE;

pub(crate) const FIRST_PAGES: &str = "walk by cursor, first 1 % of pages";
pub(crate) const LAST_PAGES: &str = "walk by cursor, last 1 % of pages";
pub(crate) const LINES: [&str; 2] = [FIRST_PAGES, LAST_PAGES];

pub(crate) fn measure(bench: &Bench, results: &mut Results) -> anyhow::Result<()> {
    if !LINES.iter().any(|line| bench.options.wants(line)) {
        return Ok(());
    }
    eprintln!("walk by cursor");
    for filled in bench.filled.iter().filter(|filled| filled.book.users <= MILLION) {
        let users = filled.book.users;
        let server = Server::carnet(&bench.options, &filled.carnet)?;
        let pages = walk(&server)?;
        ensure!(pages.len() as u64 == users.div_ceil(PAGE), "a walk of {} pages", pages.len());
        let part = pages.len().div_ceil(100);
        let (first, last) = (pages[..part].to_vec(), pages[pages.len() - part..].to_vec());
        let plans: [(_, Box<Plan>); 2] = [(FIRST_PAGES, first), (LAST_PAGES, last)]
            .map(|(line, pages)| (line, load::anew(load::any_of(pages))));
        // A slice is too long for so few pages to be asked once: they are asked again and again, and are warm. None
        // is answered as it was before: who walks asks for each page once.
        for (_, plan) in &plans {
            turn(&server, 2, Limit::After(bench.options.slice() / 2), &**plan, 0)?;
        }
        for round in 1..=bench.options.rounds as u64 {
            for (line, plan) in &plans {
                let sample = turn(&server, CLIENTS, Limit::After(bench.options.slice()), &**plan, round)?;
                results.add((line, users, Who::Carnet), sample);
            }
        }
        server.stop()?;
    }
    Ok(())
}

/// The requests of all pages, each as the one before it says.
fn walk(server: &Server) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut client = Client::new(server.address);
    let mut pages = vec![http::plain("GET", "/users/?after=")];
    loop {
        let answer = client.exchange(pages.last().context("no page")?, "GET")?;
        ensure!(answer.status == 200, "{}: {}", answer.status, answer.excerpt());
        let link = answer.header("Link").and_then(|link| link.strip_suffix("; rel=\"next\""));
        let Some(link) = link else { return Ok(pages) };
        let target = link.find("/users/").map(|at| link[at..].trim_end_matches('>'));
        pages.push(http::plain("GET", target.context("a link that leads elsewhere")?));
    }
}
