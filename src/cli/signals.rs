//! SIGTERM and SIGINT: whoever started us wants an end. SIGHUP: or that we look at files again.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Self> {
        let terminate = signal(SignalKind::terminate()).context("signals cannot be received")?;
        let interrupt = signal(SignalKind::interrupt()).context("signals cannot be received")?;
        Ok(Self { terminate, interrupt })
    }

    /// Ends with the first signal; from then on a second one ends the process at once.
    pub(super) async fn first_then_second(mut self) {
        self.next().await;
        tokio::spawn(async move {
            self.next().await;
            std::process::exit(i32::from(super::FAILED));
        });
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// SIGHUP, which ends the process unless somebody listens.
pub(super) struct Hangups(Signal);

impl Hangups {
    pub(super) fn listen() -> anyhow::Result<Self> {
        signal(SignalKind::hangup()).context("signals cannot be received").map(Self)
    }

    pub(super) async fn next(&mut self) {
        self.0.recv().await;
    }
}
