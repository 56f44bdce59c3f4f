//! What is asked, in the words of each server, and what an answer says when its form is taken away: a ratio
//! between two servers means something only where they say the same.

use std::fmt::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dev::client::Client;
use serde_json::Value;

use crate::fill::pocketbase_id;
use crate::http::{self, PATIENCE};
use crate::process::{Server, Who};

pub(crate) const PAGE: u64 = 20;

/// A question to read something.
#[derive(Debug, Clone)]
pub(crate) enum Ask {
    One(u64),
    Page(Page),
}

/// A page of a list; without more words, the first one of all records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    /// A multiple of [`PAGE`], since PocketBase knows pages only by number.
    pub(crate) offset: u64,
    /// A field; records that are equal in it come by id, as all do without.
    pub(crate) sort: Option<&'static str>,
    /// Names and values; where carnet alone is asked, also what is no filter.
    pub(crate) filters: Vec<(&'static str, String)>,
}

/// An answer without its form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Substance {
    /// Of a page: how many records there are in all.
    pub(crate) total: Option<u64>,
    /// Id, first name, last name.
    pub(crate) records: Vec<(u64, String, String)>,
}

impl Ask {
    pub(crate) fn request(&self, who: Who) -> Vec<u8> {
        let target = match (self, who) {
            (Ask::One(id), Who::PocketBase) => {
                format!("/api/collections/users/records/{}", pocketbase_id(*id))
            }
            (Ask::One(id), _) => format!("/users/{id}/"),
            (Ask::Page(Page { offset, sort, filters }), Who::PocketBase) => {
                let page = offset / PAGE + 1;
                let sort = sort.map_or(String::new(), |field| format!("{field},"));
                // The order of insertion, which is the order of the ids, is its cheapest one.
                let mut target =
                    format!("/api/collections/users/records?page={page}&perPage={PAGE}&sort={sort}@rowid");
                for (position, (field, value)) in filters.iter().enumerate() {
                    let joint = if position == 0 { "&filter=" } else { "%26%26" };
                    let _ = write!(target, "{joint}({field}%3D'{value}')");
                }
                target
            }
            (Ask::Page(Page { offset, sort, filters }), _) => {
                let mut target = "/users/".to_owned();
                let sort = sort.map(|field| ("sort", field.to_owned()));
                let offset = (*offset > 0).then(|| ("offset", offset.to_string()));
                let parameters = filters.iter().cloned().chain(sort).chain(offset);
                for (position, (field, value)) in parameters.enumerate() {
                    let joint = if position == 0 { '?' } else { '&' };
                    let _ = write!(target, "{joint}{field}={value}");
                }
                target
            }
        };
        http::plain("GET", &target)
    }

    pub(crate) fn answer(&self, server: &Server) -> anyhow::Result<Substance> {
        let body = fetch(server.address, &self.request(server.who))?;
        let value: Value = serde_json::from_slice(&body).context("an answer that is not JSON")?;
        match (self, server.who) {
            (Ask::One(_), _) => Ok(Substance { total: None, records: vec![record(&value)?] }),
            (Ask::Page(_), Who::PocketBase) => page(&value["totalItems"], &value["items"]),
            (Ask::Page(_), _) => page(&value["meta"]["total_count"], &value["object_list"]),
        }
    }
}

/// The body of a successful answer; an order that is being made is waited for.
pub(crate) fn fetch(address: SocketAddr, request: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut client = Client::new(address);
    let began = Instant::now();
    let mut ask = || client.exchange(request, "GET").context("no answer");
    let mut answer = ask()?;
    while answer.status == 503 && answer.excerpt().contains("is being made") && began.elapsed() < PATIENCE {
        std::thread::park_timeout(Duration::from_millis(20));
        answer = ask()?;
    }
    if !(200..300).contains(&answer.status) {
        bail!("{}: {}", answer.status, answer.excerpt());
    }
    Ok(answer.body)
}

/// Why the two do not say the same, if they do not.
pub(crate) fn difference(ask: &Ask, one: &Server, other: &Server) -> anyhow::Result<Option<String>> {
    let (left, right) = (ask.answer(one)?, ask.answer(other)?);
    if left == right {
        return Ok(None);
    }
    let (one, other) = (one.who.name(), other.who.name());
    let what = if left.total != right.total {
        format!("{one} counts {:?}, {other} {:?}", left.total, right.total)
    } else {
        let longest = left.records.len().max(right.records.len());
        let pairs = (0..longest).map(|place| (place, left.records.get(place), right.records.get(place)));
        let pair = pairs.into_iter().find(|(_, left, right)| left != right);
        pair.map_or(String::new(), |(place, left, right)| {
            format!("record {} on the page: {one} has {left:?}, {other} {right:?}", place + 1)
        })
    };
    Ok(Some(format!("asked for {ask:?}: {what}")))
}

fn page(total: &Value, records: &Value) -> anyhow::Result<Substance> {
    let records = records.as_array().context("no list of records")?;
    let total = Some(total.as_u64().context("no total")?);
    Ok(Substance { total, records: records.iter().map(record).collect::<anyhow::Result<_>>()? })
}

fn record(value: &Value) -> anyhow::Result<(u64, String, String)> {
    let id = match &value["id"] {
        Value::String(text) => text.parse().ok(),
        id => id.as_u64(),
    };
    let name = |field: &str| value[field].as_str().map(str::to_owned);
    let record = id.zip(name("first_name")).zip(name("last_name"));
    record.map(|((id, first), last)| (id, first, last)).with_context(|| format!("not a user: {value}"))
}
