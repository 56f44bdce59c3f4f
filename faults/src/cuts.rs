//! T2a: the power fails. The file system is shut down under a server in the middle of its work, with everything that
//! was not synced gone.

mod disk;

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::bail;

use crate::commands::{self, Fault};
use crate::options::{Engine, Options, USAGE};
use crate::outcome::Outcome;
use crate::rounds::Rounds;
use crate::scratch::Scratch;
use crate::store::Store;
use disk::Kind;
pub(crate) use disk::{Disk, in_own_mounts};

/// For the control: a disk that says that it has synced, and has not.
const LYING: [&str; 8] = [
    "strace",
    "-D",
    "-f",
    "--seccomp-bpf",
    "--output=/dev/null",
    "--trace=fsync,fdatasync",
    "--inject=fsync,fdatasync:retval=0",
    "--",
];

pub(crate) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let (kind, command) = match (options.engine, options.kind_or("ext4")) {
        (Engine::Postgres, _) => bail!("cuts want --engine sqlite"),
        (_, "ext4") => (Kind::Ext4, None),
        (_, "xfs") => (Kind::Xfs, None),
        (_, name) => match commands::Kind::parse(name) {
            Some(command) => (Kind::Ext4, Some(command)),
            None => bail!("there is no kind {name} of cuts; {USAGE}"),
        },
    };
    let scratch = Scratch::new(options)?;
    let disk = Disk::make(kind, options)?;
    let mut store = Store::in_folder(options, &scratch, disk.folder().to_owned(), false)?;
    if options.is_control && command.is_none() {
        store.launch_by(&LYING);
    }
    let mut rounds = Rounds::new(options, scratch, store);
    for round in 0..options.count {
        if Rounds::is_time_to_renew(round) {
            rounds.close()?;
            rounds.renew()?;
        }
        let done = cut(&mut rounds, &disk, round).and_then(|()| match command {
            Some(command) if !rounds.has_violations() => {
                rounds.store.launch_by(if options.is_control { &LYING } else { &[] });
                let broken = commands::break_some(&mut rounds, command, Fault::Cut(&disk));
                rounds.store.launch_by(&[]);
                broken
            }
            _ => Ok(()),
        });
        if !rounds.goes_on(done) {
            break;
        }
    }
    rounds.close()?;
    Ok(rounds.end())
}

fn cut(rounds: &mut Rounds<'_>, disk: &Disk, round: usize) -> anyhow::Result<()> {
    rounds.outcome.count("cuts", 1);
    let Some(mut server) = rounds.start()? else { return Ok(()) };
    let moment = Duration::from_millis(100 + rounds.dice.below(1_000) as u64);
    let load = rounds.load(round, &server);
    std::thread::scope(|scope| {
        load.start(scope);
        std::thread::sleep(moment);
        // A sync that races with the cut may return well and not be on disk; so from here on no answer counts.
        load.acks_are_void.store(true, Ordering::SeqCst);
        let cut = disk.cut();
        server.kill();
        load.is_over.store(true, Ordering::Relaxed);
        cut
    })?;
    let reads = load.reads.load(Ordering::Relaxed);
    drop(load);
    drop(server);
    rounds.outcome.count("reads", reads);
    disk.again()?;
    rounds.look()
}
