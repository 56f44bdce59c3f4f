//! Everything that a server shows, page by page, and what does not agree within it.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use dev::client::Client;
use dev::request::Request;

use crate::http;
use crate::values::{BOTH, Collection, Values};

/// All records by id, as they are shown or stored.
#[derive(Debug, Default)]
pub(crate) struct Dump {
    pub(crate) records: BTreeMap<(Collection, i64), Values>,
    /// What is wrong with it in itself.
    pub(crate) faults: Vec<String>,
}

impl Dump {
    /// Lists both collections of a server that nobody writes to.
    pub(crate) fn of_server(address: SocketAddr) -> anyhow::Result<Dump> {
        let mut client = Client::new(address);
        let mut dump = Dump::default();
        for collection in BOTH {
            let mut listed = 0;
            loop {
                let target = format!("/{}/?offset={listed}", collection.name());
                let answer = http::ask(&mut client, &Request::new(&format!("GET {target}")))?;
                let page = answer.try_json().map_err(anyhow::Error::msg)?;
                let Some(records) = page["object_list"].as_array().filter(|_| answer.status == 200) else {
                    anyhow::bail!("{target}: {} {}", answer.status, answer.excerpt());
                };
                records.iter().for_each(|record| dump.add(collection, Values::shown(collection, record)));
                listed += records.len() as u64;
                let total = page["meta"]["total_count"].as_u64();
                if records.is_empty() || Some(listed) == total {
                    if total != Some(listed) {
                        dump.faults.push(format!("{target}: {listed} records, and a total of {total:?}"));
                    }
                    break;
                }
            }
        }
        dump.references();
        Ok(dump)
    }

    pub(crate) fn add(&mut self, collection: Collection, shown: Result<(i64, Values), String>) {
        match shown {
            Ok((id, values)) => {
                if let Some(other) = self.records.insert((collection, id), values) {
                    self.faults.push(format!("{} {id} is there twice: {other:?}", collection.name()));
                }
            }
            Err(words) => self.faults.push(words),
        }
    }

    /// Nobody lives at an address that does not exist.
    pub(crate) fn references(&mut self) {
        for ((collection, id), values) in &self.records {
            let Some(address) = values.address else { continue };
            if !self.records.contains_key(&(Collection::Address, address)) {
                self.faults.push(format!(
                    "{} {id} refers to address {address}, which is not there",
                    collection.name()
                ));
            }
        }
    }
}
