//! Every write without an answer is sent again with its key: what was done is told again, what was not is done now,
//! once.

use std::net::SocketAddr;

use dev::client::Client;
use dev::request::Request;

use crate::dump::Dump;
use crate::http;
use crate::ledger::{Deed, Ledger, Verdict, Write};

/// After `compare`: the ledger knows which of the open writes were done. Answers how many were sent again, and to how
/// many of them the first answer was repeated.
pub(crate) fn all(ledger: &mut Ledger, address: SocketAddr, dump: &Dump) -> anyhow::Result<(usize, usize)> {
    let mut client = Client::new(address);
    let open: Vec<Write> = ledger.open.values().cloned().collect();
    let mut repeated = 0;
    for write in &open {
        let found = match write.place() {
            Some(place) => dump.records.get(&place).cloned() == write.values,
            None => ledger.created.contains_key(&write.key),
        };
        let request: Request = write.request();
        let answer = http::ask(&mut client, &request)?;
        let is_replayed = answer.header("idempotency-replayed") == Some("true");
        let told = format!(
            "{write:?}, {}: {} {}",
            if found { "done before" } else { "not done before" },
            answer.status,
            answer.excerpt()
        );
        // A refusal may have been kept as well, and its write was not done.
        if is_replayed != found && answer.status < 300 {
            ledger.violations.push(format!(
                "RETRY: the first answer is{} repeated: {told}",
                if is_replayed { "" } else { " not" }
            ));
        }
        repeated += usize::from(is_replayed);
        let first = ledger.created.get(&write.key).cloned();
        match (&write.deed, first) {
            (Deed::Create | Deed::Batch(_), Some(first)) => {
                if answer.status >= 300 || write.made(&answer).as_ref() != Some(&first) {
                    ledger.violations.push(format!("RETRY: it was {first:?}: {told}"));
                }
                ledger.open.remove(&write.key);
            }
            _ => {
                ledger.begin(write);
                if ledger.answered(write, &answer) == Verdict::Unknown {
                    ledger.violations.push(format!("RETRY: no answer that helps: {told}"));
                }
            }
        }
    }
    Ok((open.len(), repeated))
}
