//! Requests that have to be answered.

use std::time::{Duration, Instant};

use dev::answer::Answer;
use dev::client::Client;
use dev::request::Request;
use dev::waiting::SAFETY_NET;

/// Asks; who is told that nothing was done, and to try again, does so.
pub(crate) fn ask(client: &mut Client, request: &Request) -> anyhow::Result<Answer> {
    let until = Instant::now() + SAFETY_NET;
    loop {
        let answer =
            client.attempt(request).map_err(|failure| anyhow::anyhow!("{request:?}: {failure:?}"))?;
        let is_later = [409, 503].contains(&answer.status) && answer.header("Retry-After").is_some();
        if !is_later || Instant::now() > until {
            return Ok(answer);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
