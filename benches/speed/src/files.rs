//! `./bench --files`: imports, exports and backups beside what the database does by itself, their memory, and how long
//! others wait meanwhile.

mod beside;
mod command;
mod place;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::machine;
use crate::options::Options;
use crate::process::Server;
use crate::rows::{Book, spelled};
use command::{Ran, run};
use place::Place;

/// What every part of the run needs to know.
struct Bench<'a> {
    options: &'a Options,
    place: Place,
    book: Book,
    scratch: &'a Path,
}

/// The lines of the report: what, how long or how much, and what is asked of it.
#[derive(Default)]
struct Report(String);

impl Report {
    fn line(&mut self, what: &str, figure: &str, goal: &str) {
        eprintln!("{what}: {figure} ({goal})");
        let _ = writeln!(self.0, "| {what} | {figure} | {goal} |");
    }
}

pub(crate) fn measure(options: &Options, scratch: &Path) -> anyhow::Result<()> {
    let place = Place::of(options, scratch)?;
    let machine = machine::describe(options);
    eprintln!("{machine}");
    let users = options.sizes().last().copied().context("no size")?;
    let bench = Bench { options, place, book: Book::new(users), scratch };
    let mut report = Report::default();
    bench.commands(&mut report)?;
    beside::measure(&bench, &mut report)?;
    println!("{machine}\n\n| what | figure | goal |\n|---|---|---|\n{}", report.0);
    Ok(())
}

/// So many times as fast as what it is compared with, by the times that both take.
fn ratio(ours: &[f64], others: &[f64]) -> f64 {
    median(others) / median(ours)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Bench<'_> {
    /// A file of new users, all different.
    fn file(&self, name: &str, users: impl Iterator<Item = u64>) -> anyhow::Result<PathBuf> {
        let path = self.scratch.join(name);
        let mut file = BufWriter::new(File::create(&path)?);
        writeln!(file, "first_name,last_name,address")?;
        for id in users {
            let user = self.book.user(id);
            write!(file, "{},{},", user.first_name, spelled(id, 9))?;
            match user.address {
                Some(address) => writeln!(file, "{address}")?,
                None => writeln!(file)?,
            }
        }
        file.flush()?;
        Ok(path)
    }

    fn carnet(&self, url: &str, arguments: &[&str]) -> anyhow::Result<Ran> {
        let mut command = dev::process::carnet(&self.options.carnet, arguments);
        command.args(["--database", url]).current_dir(self.scratch);
        run(command, &self.scratch.join("command.log"))
    }

    /// Commands, in turns with the database alone.
    fn commands(&self, report: &mut Report) -> anyhow::Result<()> {
        let file = self.file("users.csv", self.book.ids())?;
        let name = file.display().to_string();
        let (mut imports, mut again, mut inserts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut exports, mut selects, mut backups) = (Vec::new(), Vec::new(), Vec::new());
        let mut memory = [0.0_f64; 3];
        for round in 0..self.options.rounds {
            let plain = self.place.fresh(self.options, self.book, &format!("plain{round}"))?;
            inserts.push(self.place.insert(&plain, &file)?);
            self.place.drop(&plain)?;
            let url = self.place.fresh(self.options, self.book, &format!("files{round}"))?;
            let ran = self.carnet(&url, &["import", &name, "--into", "users"])?;
            imports.push(ran.seconds);
            memory[0] = memory[0].max(ran.peak);
            let ran = self.carnet(&url, &["import", &name, "--into", "users"])?;
            again.push(ran.seconds);
            memory[0] = memory[0].max(ran.peak);
            let out = self.scratch.join("export.csv").display().to_string();
            selects.push(self.place.select(&url, Path::new(&out))?);
            let ran = self.carnet(&url, &["export", "users", "--to", &out])?;
            exports.push(ran.seconds);
            memory[1] = memory[1].max(ran.peak);
            std::fs::remove_file(&out)?;
            let out = self.scratch.join("backup.db").display().to_string();
            let ran = self.carnet(&url, &["backup", &out, "--fast"])?;
            backups.push(ran.seconds);
            memory[2] = memory[2].max(ran.peak);
            std::fs::remove_file(&out)?;
            let _ = std::fs::remove_file(format!("{out}.sha256"));
            eprintln!(
                "round {round}: {imports:.1?} {again:.1?} {inserts:.1?} {exports:.1?} {selects:.1?} {backups:.1?}"
            );
            if round + 1 < self.options.rounds {
                self.place.drop(&url)?;
            }
        }
        let users = self.book.users;
        let idle = self.idle()?;
        let seconds = |values: &[f64]| format!("{:.1} s", median(values));
        let (inserting, selecting) = self.place.names();
        let goals = self.place.goals();
        let figure = format!(
            "{}, {inserting} {}: {:.2}",
            seconds(&imports),
            seconds(&inserts),
            ratio(&imports, &inserts)
        );
        report.line(&format!("import of {users} users, CSV"), &figure, goals);
        let figure = format!("{}, the first time {}", seconds(&again), seconds(&imports));
        report.line("the same file again", &figure, "no slower");
        let figure = format!(
            "{}, {selecting} {}: {:.2}",
            seconds(&exports),
            seconds(&selects),
            ratio(&exports, &selects)
        );
        report.line("export, CSV", &figure, "≥ 0.5");
        report.line("backup, `--fast`", &seconds(&backups), "–");
        let above = |peak: f64| format!("{:.0} MiB ({peak:.0} in all)", (peak - idle).max(0.0));
        report.line("memory of an import above an idle server", &above(memory[0]), "≤ 96 MiB");
        report.line("memory of an export", &above(memory[1]), "≤ 32 MiB");
        report.line("memory of a backup", &above(memory[2]), "≤ 32 MiB");
        Ok(())
    }

    /// What a server takes that has nothing to do, in MiB.
    fn idle(&self) -> anyhow::Result<f64> {
        let url = self.place.fresh(self.options, Book::new(1_000), "idle")?;
        let server = Server::carnet_on(self.options, &url)?;
        let memory = server.memory()?.resident;
        server.stop()?;
        self.place.drop(&url)?;
        Ok(memory)
    }
}
