//! Imports that are broken, of the command and of a server: what is stored is whole chunks from the beginning of the
//! file, and the same file again ends with every entry once.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::bail;
use dev::client::Client;
use dev::request::Request;
use dev::waiting::SAFETY_NET;
use serde_json::Value;

use super::{A_ROUND, Trials, timed};
use crate::dump::Dump;
use crate::http;
use crate::server::{Launch, Server};
use crate::values::{Collection, Values};

/// How many addresses the entries of a file share: each chunk uses those of the chunks before.
const ADDRESSES: usize = 300;
const FILE: &str = "entries.csv";
const HEADER: &str = "first_name,last_name,note,address.country,address.city,address.street,address.number\n";

/// Who imports, and so how many entries are a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The command, which has a file to itself.
    Alone,
    /// The command beside nodes.
    Beside,
    Server,
}

/// A store into which a file is imported, and what it held before.
struct Target {
    launch: Launch,
    file: Option<PathBuf>,
    before: Dump,
}

impl By {
    fn chunk(self) -> usize {
        if self == By::Alone { 4_096 } else { 256 }
    }

    /// Two whole chunks at least, and a part of one.
    fn entries(self) -> usize {
        if self == By::Alone { 9_000 } else { 1_500 }
    }
}

impl Trials<'_> {
    /// Imports into copies of what a fault of the server left, or into databases of PostgreSQL that are empty. Says how
    /// many.
    pub(super) fn imports(&mut self) -> anyhow::Result<usize> {
        let by = match (&self.store.cluster, self.dice.once_in(2)) {
            (_, true) => By::Server,
            (Some(_), false) => By::Beside,
            (None, false) => By::Alone,
        };
        std::fs::write(self.scratch.path(FILE), file(by))?;
        let mut target = self.target(0)?;
        let taken = self.import(&target, by)?;
        self.is_stored(&target, by, Some(by.entries()), "undisturbed")?;
        for number in 1..=A_ROUND {
            target = self.target(number)?;
            let is_over = self.break_import(&target, by, taken)?;
            let stored = self.is_stored(&target, by, is_over.then_some(by.entries()), "after the fault")?;
            self.effective += usize::from(stored > 0);
            self.import(&target, by)?;
            self.is_stored(&target, by, Some(by.entries()), "imported again")?;
        }
        if let Some(folder) = target.file.as_ref().and_then(|file| file.parent()) {
            std::fs::remove_dir_all(folder)?;
        }
        Ok(A_ROUND)
    }

    fn target(&mut self, number: usize) -> anyhow::Result<Target> {
        let mut launch = self.store.launch().clone();
        if let Some(cluster) = &self.store.cluster {
            launch.database = cluster.database(&format!("imports{}x{number}", self.dice.below(1 << 30)));
            return Ok(Target { launch, file: None, before: Dump::default() });
        }
        let folder = self.folder.join("imported");
        let file = folder.join("book.db");
        self.prepare(&folder, &file)?;
        launch.database = format!("sqlite:{}", file.display());
        let before = self.look(&file, "before")?;
        Ok(Target { launch, file: Some(file), before })
    }

    /// Imports the file; says how long it took.
    fn import(&mut self, target: &Target, by: By) -> anyhow::Result<Duration> {
        if by == By::Server {
            let began = Instant::now();
            let (server, path) = self.begin(target)?;
            let ended = until_over(&server, &path)?;
            let taken = began.elapsed();
            server.stop()?;
            if ended != "done" {
                self.violation(format!("an import that nobody broke is {ended}"));
            }
            return Ok(taken);
        }
        let (ended, taken) = timed(&mut self.import_command(target))?;
        if !ended.success() {
            self.violation(format!("an import that nobody broke ended with {ended}"));
        }
        Ok(taken)
    }

    /// Imports the file, and breaks that; says whether it was over.
    fn break_import(&mut self, target: &Target, by: By, taken: Duration) -> anyhow::Result<bool> {
        let is_over = if by == By::Server {
            let (mut server, path) = self.begin(target)?;
            match self.moment(taken)? {
                Some(moment) => std::thread::sleep(moment),
                None => drop(until_over(&server, &path)?),
            }
            let is_over = state(&server, &path)? == "done";
            self.strike(|| {
                server.kill();
                Ok(())
            })?;
            is_over
        } else {
            self.break_off(&mut self.import_command(target), taken)?
        };
        if let Some(cluster) = &self.store.cluster {
            cluster.until_alone();
        }
        Ok(is_over)
    }

    fn import_command(&self, target: &Target) -> Command {
        let path = self.scratch.path(FILE);
        self.command(&["import", &path.to_string_lossy(), "--into", "users"], &target.launch.database)
    }

    /// Starts a server and sends it the file, which it takes once the import of a dead node counts no more; says where
    /// the report is.
    fn begin(&self, target: &Target) -> anyhow::Result<(Server, String)> {
        let file = std::fs::read(self.scratch.path(FILE))?;
        let server = target.launch.serve()?;
        let request = Request::new("POST /_/import/users/").header("Content-Type", "text/csv");
        let request = request.header("Prefer", "wait=0").body(file);
        let until = Instant::now() + SAFETY_NET;
        loop {
            let begun = http::ask(&mut Client::new(server.address), &request)?;
            let told = begun.try_json().unwrap_or_default();
            match told["ressource_uri"].as_str() {
                Some(path) => return Ok((server, path.to_owned())),
                None if begun.status == 409 && self.store.cluster.is_some() && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                None => bail!("no import was begun: {} {}", begun.status, begun.excerpt()),
            }
        }
    }

    /// What was there is there, and of the file so many entries, or whole chunks of it, each with its address. Says how
    /// many records there are more.
    fn is_stored(
        &mut self,
        target: &Target,
        by: By,
        entries: Option<usize>,
        when: &str,
    ) -> anyhow::Result<usize> {
        let dump = match &target.file {
            Some(file) => self.look(file, when)?,
            None => {
                let server = target.launch.serve()?;
                let dump = Dump::of_server(server.address)?;
                server.stop()?;
                dump
            }
        };
        let faults = wrong(&target.before, &dump, by, entries);
        self.violations.extend(faults.into_iter().map(|fault| format!("{when}, {by:?}: {fault}")));
        Ok(dump.records.len().saturating_sub(target.before.records.len()))
    }
}

/// Waits for the end of an import, and says what its state is then.
fn until_over(server: &Server, path: &str) -> anyhow::Result<String> {
    let until = Instant::now() + SAFETY_NET;
    loop {
        let now = state(server, path)?;
        if !["judging", "storing"].contains(&&*now) {
            return Ok(now);
        }
        anyhow::ensure!(Instant::now() < until, "the import does not end: {now}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How far the import is, by its report.
fn state(server: &Server, path: &str) -> anyhow::Result<String> {
    let answer = http::ask(&mut Client::new(server.address), &Request::new(&format!("GET {path}")))?;
    let report: Value = answer.try_json().map_err(anyhow::Error::msg)?;
    Ok(report["state"].as_str().unwrap_or_default().to_owned())
}

/// What a store cannot hold after an import of so many entries, or of any number of chunks.
fn wrong(before: &Dump, now: &Dump, by: By, entries: Option<usize>) -> Vec<String> {
    let mut faults = Vec::new();
    for (place, values) in &before.records {
        if now.records.get(place) != Some(values) {
            faults.push(format!("LOST: {place:?} is not {values:?} any more"));
        }
    }
    let (mut users, mut homes) = (BTreeMap::new(), BTreeMap::new());
    let new = now.records.iter().filter(|(place, _)| !before.records.contains_key(place));
    for ((collection, id), values) in new {
        let before = match collection {
            Collection::Address => homes.insert(&*values.token, *id),
            Collection::Users => users.insert(&*values.token, values.address).map(|_| *id),
        };
        if let Some(other) = before {
            faults.push(format!("DOUBLED: {collection:?} {other} and {id} are {}", values.token));
        }
    }
    for entry in 0..users.len() {
        let (user, home) = tokens(entry);
        match (users.get(&*user), homes.get(&*home)) {
            (Some(Some(address)), Some(id)) if address == id => {}
            (found, home) => {
                faults
                    .push(format!("NOT THE FIRST ENTRIES: entry {entry} is {found:?}, its address {home:?}"));
                break;
            }
        }
    }
    for (home, id) in &homes {
        if !users.values().any(|address| *address == Some(*id)) {
            faults.push(format!("NOBODY lives at {home}"));
        }
    }
    let count = users.len();
    match entries {
        Some(entries) if count != entries => faults.push(format!("LOST: {count} of {entries} entries")),
        None if !count.is_multiple_of(by.chunk()) && count != by.entries() => {
            faults.push(format!("HALF A CHUNK: {count} entries"));
        }
        _ => {}
    }
    faults
}

fn file(by: By) -> String {
    let mut text = HEADER.to_owned();
    for entry in 0..by.entries() {
        let (user, home) = tokens(entry);
        let home = Values { token: home, address: None, pad: 0 }.body(Collection::Address);
        let home: Value = serde_json::from_str(&home).unwrap_or_default();
        let cell = |name: &str| home[name].to_string();
        let home = ["country", "city", "street", "number"].map(cell).join(",");
        // The empty text in quotes: no note would be another user.
        let _ = writeln!(text, "{user},{user} last,\"\",{home}");
    }
    text
}

/// Of an entry: that of the user, and that of the address.
fn tokens(entry: usize) -> (String, String) {
    (format!("entry{entry}"), format!("home{}", entry % ADDRESSES))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The store with the users of these entries, each at the address with this id.
    fn dump(users: &[(i64, usize, i64)], homes: &[(i64, usize)]) -> Dump {
        let mut dump = Dump::default();
        for (id, entry, address) in users {
            let values = Values { token: tokens(*entry).0, address: Some(*address), pad: 0 };
            dump.records.insert((Collection::Users, *id), values);
        }
        for (id, entry) in homes {
            let values = Values { token: tokens(*entry).1, address: None, pad: 0 };
            dump.records.insert((Collection::Address, *id), values);
        }
        dump
    }

    fn seen(users: &[(i64, usize, i64)], homes: &[(i64, usize)], entries: Option<usize>) -> String {
        wrong(&Dump::default(), &dump(users, homes), By::Server, entries).join(" ")
    }

    #[test]
    fn what_may_be_is_let_through() {
        assert_eq!(seen(&[], &[], None), "");
        assert_eq!(seen(&[(1, 0, 5), (2, 1, 6)], &[(5, 0), (6, 1)], Some(2)), "");
        assert_eq!(
            wrong(&dump(&[(1, 0, 5)], &[(5, 0)]), &dump(&[(1, 0, 5)], &[(5, 0)]), By::Alone, None),
            [""; 0]
        );
    }

    #[test]
    fn what_cannot_be_is_seen() {
        assert!(seen(&[(1, 0, 5)], &[(5, 0)], None).starts_with("HALF A CHUNK"));
        assert!(seen(&[(1, 0, 5)], &[(5, 0)], Some(2)).starts_with("LOST"));
        assert!(seen(&[(1, 0, 5), (2, 0, 5)], &[(5, 0)], Some(1)).starts_with("DOUBLED"));
        assert!(seen(&[(1, 0, 5)], &[(5, 0), (6, 0)], Some(1)).starts_with("DOUBLED"));
        assert!(seen(&[(1, 1, 5)], &[(5, 1)], Some(1)).starts_with("NOT THE FIRST"));
        assert!(seen(&[(1, 0, 6)], &[(5, 0), (6, 1)], Some(1)).starts_with("NOT THE FIRST"));
        assert!(seen(&[], &[(5, 0)], Some(0)).starts_with("NOBODY"));
        let before = dump(&[(1, 0, 5)], &[(5, 0)]);
        assert!(wrong(&before, &Dump::default(), By::Alone, None).join(" ").starts_with("LOST"));
    }
}
