//! What is there, against what the clients know.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use dev::client::Client;
use dev::request::Request;

use crate::dump::Dump;
use crate::http;
use crate::ledger::{Deed, Ledger, Place};
use crate::values::{Collection, Values};

/// Compares, notes every violation in the ledger, and takes what was found as settled. Answers how many open writes
/// turned out to have been done.
pub(crate) fn compare(ledger: &mut Ledger, dump: &Dump) -> usize {
    let mut done = 0;
    let mut batches: BTreeMap<String, Vec<(Place, &Values)>> = BTreeMap::new();
    ledger.violations.extend(dump.faults.iter().cloned());
    for (place, values) in &dump.records {
        let Some(states) = ledger.records.get(place) else {
            match ledger.open.get(&values.token) {
                Some(write) if matches!(write.deed, Deed::Batch(_)) => {
                    batches.entry(values.token.clone()).or_default().push((*place, values));
                }
                _ => done += usize::from(nobody_knows(ledger, *place, values)),
            }
            continue;
        };
        if !states.contains(&Some(values.clone())) {
            let is_gone = matches!(states[..], [None]);
            let what = if is_gone { "BACK AFTER ITS DELETION" } else { "LOST, OR ANOTHER" };
            ledger.violations.push(format!("{what}: {place:?} is {values:?}, and may be {states:?}"));
        }
    }
    for (key, found) in batches {
        done += usize::from(is_whole(ledger, &key, &found));
    }
    for (place, states) in &mut ledger.records {
        let found = dump.records.get(place).cloned();
        if found.is_none() && !states.contains(&None) {
            ledger.violations.push(format!("LOST: {place:?} is not there, and may be {states:?}"));
        }
        if states.len() > 1 && states.last() == Some(&found) {
            done += 1;
        }
        *states = vec![found];
    }
    done
}

/// The records of a batch without an answer: all of it is there, and once.
fn is_whole(ledger: &mut Ledger, key: &str, found: &[(Place, &Values)]) -> bool {
    let made: Vec<Place> = found.iter().map(|(place, _)| *place).collect();
    let (Some(write), Some(&(first, address))) = (ledger.open.get(key).cloned(), made.first()) else {
        return false;
    };
    // Addresses come first, as they do in the batch.
    let is_whole = matches!(write.deed, Deed::Batch(users) if made.len() == users + 1)
        && first == Collection::Address
        && found[1..].iter().all(|((collection, _), values)| {
            *collection == Collection::Users && values.address == Some(address)
        });
    match is_whole {
        true => ledger.given(&write, made),
        false => ledger.violations.push(format!("HALF A BATCH: of {write:?} there is {found:?}")),
    }
    is_whole
}

/// A record that no answer told of: that of a create without an answer, whole, and once.
fn nobody_knows(ledger: &mut Ledger, place: Place, values: &Values) -> bool {
    let open = ledger.open.get(&values.token).filter(|write| matches!(write.deed, Deed::Create)).cloned();
    let Some(write) =
        open.filter(|write| write.collection == place.0 && write.values.as_ref() == Some(values))
    else {
        let what = if ledger.created.contains_key(&values.token) { "DOUBLED" } else { "NOBODY'S" };
        ledger.violations.push(format!("{what}: {place:?} is {values:?}"));
        return false;
    };
    ledger.given(&write, vec![place]);
    true
}

/// Fetches a few records one by one, which goes another way than lists do.
pub(crate) fn fetches(ledger: &mut Ledger, address: SocketAddr, step: usize) -> anyhow::Result<usize> {
    let mut client = Client::new(address);
    let chosen: Vec<_> =
        ledger.records.iter().step_by(step.max(1)).map(|(place, states)| (*place, states.clone())).collect();
    for (place, states) in &chosen {
        let answer = http::ask(&mut client, &Request::new(&format!("GET /{}/{}/", place.0.name(), place.1)))?;
        let shown = match answer.status {
            404 => None,
            _ => match answer.try_json().and_then(|record| Values::shown(place.0, &record)) {
                Ok((_, values)) => Some(values),
                Err(words) => {
                    ledger.violations.push(format!("{place:?}: {} {words}", answer.status));
                    continue;
                }
            },
        };
        if !states.contains(&shown) {
            ledger.violations.push(format!("fetched {place:?}: {shown:?}, and listed {states:?}"));
        }
    }
    Ok(chosen.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Write;

    const PLACE: (Collection, i64) = (Collection::Users, 1);

    fn values(token: &str) -> Values {
        Values { token: token.into(), address: None, pad: 0 }
    }

    fn dump(records: &[(i64, &str)]) -> Dump {
        let records = records.iter().map(|(id, token)| ((Collection::Users, *id), values(token)));
        Dump { records: records.collect(), faults: Vec::new() }
    }

    fn known(states: &[Option<&str>]) -> Ledger {
        let mut ledger = Ledger::default();
        ledger.records.insert(PLACE, states.iter().map(|state| state.map(values)).collect());
        ledger
    }

    fn seen(mut ledger: Ledger, records: &[(i64, &str)]) -> String {
        compare(&mut ledger, &dump(records));
        ledger.violations.join("\n")
    }

    #[test]
    fn what_may_be_is_let_through() {
        assert_eq!(seen(known(&[Some("a")]), &[(1, "a")]), "");
        assert_eq!(seen(known(&[Some("a"), Some("b")]), &[(1, "b")]), "");
        assert_eq!(seen(known(&[Some("a"), None]), &[]), "");
    }

    #[test]
    fn what_cannot_be_is_seen() {
        assert!(seen(known(&[Some("a")]), &[]).starts_with("LOST: "));
        assert!(seen(known(&[Some("b")]), &[(1, "a")]).starts_with("LOST, OR ANOTHER"));
        assert!(seen(known(&[None]), &[(1, "a")]).starts_with("BACK AFTER"));
        assert!(seen(known(&[Some("a")]), &[(1, "a"), (2, "z")]).starts_with("NOBODY'S"));
    }

    #[test]
    fn a_create_without_an_answer_is_there_once_or_not() {
        let write = Write {
            collection: Collection::Users,
            deed: Deed::Create,
            values: Some(values("c")),
            key: "c".into(),
        };
        let open = || {
            let mut ledger = known(&[Some("a")]);
            ledger.begin(&write);
            ledger
        };
        assert_eq!(seen(open(), &[(1, "a")]), "");
        assert_eq!(seen(open(), &[(1, "a"), (2, "c")]), "");
        assert!(seen(open(), &[(1, "a"), (2, "c"), (3, "c")]).starts_with("DOUBLED"));
    }

    #[test]
    fn a_batch_without_an_answer_is_there_wholly_and_once_or_not() {
        let key = "b".to_owned();
        let write = Write {
            collection: Collection::Address,
            deed: Deed::Batch(2),
            values: Some(values("b")),
            key: key.clone(),
        };
        let seen = |addresses: &[i64], users: &[(i64, i64)]| {
            let mut ledger = Ledger::default();
            ledger.begin(&write);
            let mut dump = dump(&[]);
            dump.records.extend(addresses.iter().map(|id| ((Collection::Address, *id), values("b"))));
            let lives = |address| Values { address: Some(address), ..values("b") };
            dump.records
                .extend(users.iter().map(|(id, address)| ((Collection::Users, *id), lives(*address))));
            (compare(&mut ledger, &dump), ledger.violations.join(" "), ledger.created.contains_key(&key))
        };
        assert_eq!(seen(&[], &[]), (0, String::new(), false));
        assert_eq!(seen(&[7], &[(1, 7), (2, 7)]), (1, String::new(), true));
        for (addresses, users) in [
            (&[7][..], &[(1, 7)][..]),
            (&[], &[(1, 7), (2, 7)]),
            (&[7], &[(1, 7), (2, 8)]),
            (&[7, 8], &[(1, 7), (2, 7)]),
            (&[7], &[(1, 7), (2, 7), (3, 7)]),
        ] {
            assert!(seen(addresses, users).1.starts_with("HALF A BATCH"), "{addresses:?} {users:?}");
        }
    }
}
