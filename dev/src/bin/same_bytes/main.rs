//! Whether two builds of the program say the same, byte for byte: for changes that must change nothing.
//!
//! ```text
//! cargo run -p dev --bin same_bytes -- OLD NEW [--postgres URL] [--only NAME]
//! ```
//!
//! Both serve every configuration of the suite, each on a new store of its own: a SQLite file, or with `--postgres` a
//! database that is made on that server and dropped. Both are sent the same requests, of every kind, in the same order
//! (`script.rs`, `wrong.rs`), and every answer is compared: status line, header fields, body, and whether the
//! connection stays. `normal.rs` names what cannot be the same, and makes it so. Then the stores are compared; and OLD
//! and NEW go on with two copies of the one that OLD has written. At last the commands say the same (`commands.rs`).
//!
//! The requests follow from a seed. The exit status is 1 where something differs, with the first differences shown.

mod bodies;
mod commands;
mod differences;
mod lists;
mod normal;
mod pair;
mod places;
mod script;
mod served;
mod wrong;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::differences::Differences;
use crate::pair::Pair;
use crate::places::{Places, Server};

const USAGE: &str = "usage: same_bytes OLD NEW [--postgres URL] [--only CONFIGURATION]: two builds of carnet";

/// The two programs.
struct Programs {
    old: PathBuf,
    new: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut option = |name: &str| {
        let at = words.iter().position(|word| *word == name).filter(|at| at + 1 < words.len())?;
        words.remove(at);
        Some(words.remove(at).to_owned())
    };
    let server = option("--postgres").map_or(Server::Files, Server::Postgres);
    let only = option("--only");
    let [old, new] = words[..] else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let [Ok(old), Ok(new)] = [old, new].map(|program| Path::new(program).canonicalize()) else {
        eprintln!("there is no such program; {USAGE}");
        return ExitCode::from(2);
    };
    let programs = Programs { old, new };
    let mut differences = Differences::default();
    for (seed, (name, config)) in served::configurations().into_iter().enumerate() {
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let before = differences.compared;
        on_one_configuration(&programs, &server, &name, &config, seed as u64, &mut differences);
        println!("{name}: {} answers", differences.compared - before);
    }
    commands::compare(&programs, &mut differences);
    differences.report()
}

fn on_one_configuration(
    programs: &Programs,
    server: &Server,
    name: &str,
    config: &str,
    seed: u64,
    differences: &mut Differences,
) {
    differences.place = name.to_owned();
    let places = Places::new(server, config);
    let mut pair = Pair::start(programs, [&places.old, &places.new], differences);
    script::run(&mut pair, seed);
    pair.stop();
    places.compare(differences);

    differences.place = format!("{name}, with the store that OLD has written");
    let copied = places.copied();
    let mut pair = Pair::start(programs, [&copied.old, &copied.new], differences);
    script::random(&mut pair, seed + 1_000);
    script::look(&mut pair);
    pair.stop();
    copied.compare(differences);
}
