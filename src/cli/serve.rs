//! `carnet serve`: config → port → store → app → listener → serve until told to stop.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::signals::{self, Stop};
use super::{environment, files, greeting, port, terminal, threads, tls};
use crate::api::{self, App};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Verb};
use crate::config::Config;
use crate::http;
use crate::http::tls::Tls;
use crate::observe::{Event, LogSettings, Observer};
use crate::store::Store;
use crate::store::backup::schedule::Backups;

/// After a failed disk, and at the end of a stop that has used up its time: long enough for the last answers to leave
/// and a store that is idle to be closed, short enough for the supervisor that starts us again.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Which part of `[server] memory` answers that are kept to be given again may take, besides it.
const KEPT_ANSWERS_PART: usize = 32;

pub(super) fn run(config: Config) -> anyhow::Result<()> {
    let mut stop = Stop::listen()?;
    let log = LogSettings { color: terminal::allows_colour(), ..config.log };
    let observer = Arc::new(Observer::new(log).context("the log cannot be started")?);
    observer.report_panics();
    let tls = config.tls.as_ref().map(tls::load).transpose()?;
    let tls = tls.map(|(identity, warning)| {
        if let Some(warning) = warning {
            observer.report(Event::Warning(&warning));
        }
        Arc::new(Tls::new(identity))
    });
    let scheme = if tls.is_some() { "https" } else { "http" };
    let http = http::Settings {
        max_connections: files::suffice_for(config.http.max_connections, &observer),
        ..config.http
    };
    let catalog = config.catalog;
    threads::suffice().context(
        "the threads that answer cannot be started; raise the limit (ulimit -u, or TasksMax= of systemd)",
    )?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the threads that answer cannot be started")?;
    // Before the store, which is made where there is none: a start that fails should leave nothing behind.
    let socket = port::take(config.listen)?;
    let store =
        runtime.block_on(Store::open(&config.storage, catalog.clone(), config.store, observer.clone()))?;
    let backups = config.backup.map(|schedule| {
        Backups::start(schedule, config.storage.clone(), catalog.clone(), observer.clone())
            .context("the thread that makes backups cannot be started")
    });
    let backups = backups.transpose()?;
    let http = http::Settings {
        // Where no version is at hand, none is kept.
        kept_answers: store.version().map_or(0, |_| config.store.memory / KEPT_ANSWERS_PART),
        ..http
    };
    let has_console = config.api.has_console;
    let api = api::Settings { temporary_folder: environment::temporary_folder(), ..config.api };
    let app = Arc::new(App::new(catalog.clone(), store.clone(), observer.clone(), api));
    warn_if_exposed(&observer, config.listen, &catalog);

    let drain = http.drain;
    // By when the store should be closed.
    let mut deadline = None;
    let ended = runtime.block_on(async {
        let listener = port::open(socket, config.listen)?;
        let address = listener.local_addr()?;
        stop.begin();
        if let (Some(tls), Some(files)) = (&tls, config.tls) {
            tokio::spawn(tls::follow(signals::hangups()?, files, tls.clone(), observer.clone()));
        }
        terminal::say(&greeting::first_line(scheme, address))?;
        if std::io::stdout().is_terminal() {
            let (origin, storage) = (&config.origin, &config.storage);
            let greeting = greeting::for_a_person(scheme, address, origin, storage, &catalog, has_console);
            terminal::say(&greeting)?;
        }
        observer.report(Event::Listening { address });
        let stop = async { deadline = Some(stop.first().await + drain) };
        let served = http::serve(listener, tls, app, http, observer.clone(), stop);
        tokio::select! {
            cut = served => {
                observer.report(Event::Stopped { cut });
                Ok(())
            }
            cause = store.failed() => {
                observer.report(Event::StoreBroken { cause: &cause });
                tokio::time::sleep(LAST_WORDS).await;
                bail!("the storage failed, and only a new start can tell what is on disk: {cause}")
            }
        }
    });
    // Requests that were cut must not hold the stop; the writes they handed in are finished below.
    runtime.shutdown_background();
    // It reads the store, whose log cannot be emptied meanwhile.
    if let Some(backups) = backups {
        backups.stop(LAST_WORDS);
    }
    let patience = deadline.map_or(LAST_WORDS, |deadline| deadline.saturating_duration_since(Instant::now()));
    if !close(store, patience.max(LAST_WORDS)) {
        observer.report(Event::Warning(
            "a write was still under way; unless its commit was reached, the next start takes it back",
        ));
    }
    observer.flush();
    ended
}

/// Closes the store; says whether that was done in time. A write that takes longer is not waited for: nobody was told
/// that it was done.
fn close(store: Store, patience: Duration) -> bool {
    let (done, closed) = std::sync::mpsc::channel();
    let close = move || {
        store.close();
        // Who has given up waiting ends the process.
        let _ = done.send(());
    };
    let closing = std::thread::Builder::new().name("closing".into()).spawn(close);
    closing.is_ok() && closed.recv_timeout(patience).is_ok()
}

/// The specification's default is open, and stays so; but not without a word.
fn warn_if_exposed(observer: &Observer, listen: SocketAddr, catalog: &Catalog) {
    let can_write = |verbs: &[Verb]| verbs.iter().any(|verb| *verb != Verb::Get);
    let open: Vec<&str> = catalog
        .collections()
        .iter()
        .filter(|collection| collection.admission() != Admission::KnownOnly)
        .filter(|collection| can_write(collection.list_verbs()) || can_write(collection.unique_verbs()))
        .map(|collection| collection.name())
        .collect();
    if !listen.ip().is_loopback() && !open.is_empty() {
        observer.report(Event::Warning(&format!(
            "{listen} is reachable from other machines, and anybody can write to {}; \
             see [collection.access] to ask for a key",
            open.join(", ")
        )));
    }
}
