//! SIGTERM and SIGINT: whoever started us wants an end. SIGHUP: or that we look at files again.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// Hears SIGTERM and SIGINT on a thread that does nothing else: whatever the others are busy with, the first is an end
/// that may take a moment, and the second an end at once.
pub(super) struct Stop {
    has_begun: Arc<AtomicBool>,
    first: oneshot::Receiver<Instant>,
}

impl Stop {
    /// From now on signals are heard. Until something has begun that must be brought to an end, the first one ends the
    /// process.
    pub(super) fn listen() -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("signals cannot be received")?;
        let (mut terminate, mut interrupt) = {
            let _inside = runtime.enter();
            (heard(SignalKind::terminate())?, heard(SignalKind::interrupt())?)
        };
        let (tell, first) = oneshot::channel();
        let has_begun = Arc::new(AtomicBool::new(false));
        let begun = has_begun.clone();
        let listen = move || {
            runtime.block_on(async {
                let mut next = async || {
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = interrupt.recv() => {}
                    }
                };
                next().await;
                if !begun.load(Ordering::Acquire) {
                    exit(0);
                }
                // Where nobody waits for it any more, the process is at its end, and that takes too long.
                if tell.send(Instant::now()).is_ok() {
                    next().await;
                }
                exit(i32::from(super::FAILED))
            })
        };
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(listen)
            .context("the thread that hears signals cannot be started")?;
        Ok(Self { has_begun, first })
    }

    /// Says that something has begun which must be brought to an end.
    pub(super) fn begin(&self) {
        self.has_begun.store(true, Ordering::Release);
    }

    /// Ends with the first signal, and says when it came.
    pub(super) async fn first(&mut self) -> Instant {
        match (&mut self.first).await {
            Ok(at) => at,
            // The thread lives as long as the process.
            Err(_) => std::future::pending().await,
        }
    }
}

/// SIGHUP, which ends the process unless somebody listens.
pub(super) fn hangups() -> anyhow::Result<Signal> {
    heard(SignalKind::hangup())
}

fn heard(kind: SignalKind) -> anyhow::Result<Signal> {
    signal(kind).context("signals cannot be received")
}
