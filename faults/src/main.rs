//! The tool behind `./faults/run`: each harness is a command that tries to break a built carnet, and says whether it
//! did.
//!
//! `docs/reliability.md` tells what each of them does. They share the clients (`load.rs`), what those know
//! (`ledger.rs`), the look at the data afterwards (`check.rs`), the servers (`server.rs`, `store.rs`), and the commands that
//! are broken (`commands.rs`).

mod check;
mod commands;
mod cores;
mod crowd;
mod cuts;
mod dump;
mod files;
mod histories;
mod http;
mod idle;
mod kills;
mod ledger;
mod load;
mod options;
mod outcome;
mod overload;
mod proxy;
mod replay;
mod retry;
mod rounds;
mod scratch;
mod server;
mod stops;
mod store;
mod tools;
mod values;

use std::process::ExitCode;

use crate::options::Options;
use crate::outcome::Outcome;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("faults: {error:#}");
            return ExitCode::from(2);
        }
    };
    if options.harness == "cuts" {
        match cuts::in_own_mounts() {
            Ok(None) => {}
            Ok(Some(status)) => return ExitCode::from(status),
            Err(why) => return Outcome::cannot_run(&options, &why),
        }
    }
    println!("{options}");
    let run = match options.harness.as_str() {
        "cuts" => cuts::run(&options),
        "histories" => histories::run(&options),
        "idle" => idle::run(&options),
        "kills" => kills::run(&options),
        "overload" => overload::run(&options),
        "replay" => replay::run(&options),
        "stops" => stops::run(&options),
        unknown => Err(anyhow::anyhow!("there is no harness {unknown}; {}", options::USAGE)),
    };
    match run {
        Ok(outcome) => outcome.close(&options),
        Err(error) if error.is::<outcome::CannotRun>() => Outcome::cannot_run(&options, &error),
        Err(error) => {
            eprintln!("{}: the harness itself failed: {error:#}", options.harness);
            ExitCode::from(4)
        }
    }
}
