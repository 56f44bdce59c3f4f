//! A database on a server at either end of a copy: one transaction, records by COPY.

mod served;
mod source;
mod target;

use std::pin::pin;

use bytes::{Buf, BytesMut};
use futures_util::TryStreamExt;
use tokio_postgres::{Error, Transaction};

use super::address::PostgresUrl;
use super::kind::Bound;
use super::prepared_conn::{Parameter, PreparedConn};
use super::server::Server;
use super::{key_table, kind, sql, start_failure};
use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::store::copy::rows::{self, Packer, Sum};
use crate::store::copy::{CopyError, Outlet};
use crate::store::extract::Pass;
use crate::store::ident::{literal, quote};
use crate::store::keys::KeyRow;
pub(in crate::store) use source::Source;
pub(in crate::store) use target::Target;

/// What a binary COPY begins with, before flags and the length of further headers.
const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";

/// A server that was reached, before anything is asked of it.
pub(in crate::store) struct Reached {
    server: Server,
    conn: PreparedConn,
    place: String,
}

impl Reached {
    pub(in crate::store) async fn find(url: &PostgresUrl) -> Result<Self, CopyError> {
        let (server, conn) = Server::find(url, None).await?;
        Ok(Self { server, conn, place: url.to_string() })
    }

    /// What no other store has in common with this one, by whatever name it was reached.
    pub(in crate::store) async fn identity(&self) -> Result<String, CopyError> {
        let text = "SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database(), current_schema())";
        let row = self.conn.client.query_one(text, &[]).await;
        row.and_then(|row| row.try_get(0)).map_err(|error| failed(&self.place, &error))
    }
}

fn failed(place: &str, error: &Error) -> CopyError {
    CopyError::failed(place, start_failure::cause(error))
}

/// The table and its columns in the order in which they travel.
fn columns(collection: &Collection, of: impl Fn(FieldKind, &str) -> String) -> String {
    let fields = collection.fields().iter().map(|field| of(field.kind(), &quote(field.name())));
    std::iter::once("id".to_owned()).chain(fields).collect::<Vec<_>>().join(", ")
}

/// Reads all records in ascending order of ids, as they travel.
async fn read(
    transaction: &Transaction<'_>,
    place: &str,
    collection: &Collection,
    mut outlet: Outlet,
) -> Result<Sum, CopyError> {
    let columns = columns(collection, kind::copied);
    let table = quote(collection.name());
    let text = format!("COPY (SELECT {columns} FROM {table} ORDER BY id) TO STDOUT (FORMAT binary)");
    let stream = transaction.copy_out(&text).await.map_err(|error| failed(place, &error))?;
    let mut stream = pin!(stream);
    let malformed = || CopyError::failed(place, "the server's COPY has an unknown form");
    let width = rows::columns(collection.fields().len());
    let (mut waiting, mut packer, mut has_begun) = (BytesMut::new(), Packer::default(), false);
    while let Some(bytes) = stream.try_next().await.map_err(|error| failed(place, &error))? {
        waiting.extend_from_slice(&bytes);
        if !has_begun {
            let Some(length) = header(&waiting) else { continue };
            waiting.advance(length);
            has_begun = true;
        }
        // A message is a row, as servers send it; nothing promises so.
        while let Some(length) = rows::first_row(&waiting, width) {
            packer.row(&waiting[..length]);
            waiting.advance(length);
        }
        if let Some(batch) = packer.full() {
            outlet.send(batch).await?;
        }
    }
    // The end is a row of -1 columns.
    if *waiting != [0xff, 0xff] {
        return Err(malformed());
    }
    if let Some(batch) = packer.rest() {
        outlet.send(batch).await?;
    }
    Ok(outlet.sum())
}

/// How many rows are asked for at once. While they are read the server finds the next: whoever gives up has twice as
/// many come at the most.
const FETCHED: i32 = 1_000;

/// Goes through what is extracted.
async fn pass(transaction: &Transaction<'_>, place: &str, mut pass: Pass) -> Result<Pass, CopyError> {
    let failed = |error: Error| failed(place, &error);
    let extract = pass.extract.clone();
    let kinds = extract.kinds();
    let (text, values) = sql::extract(&extract);
    let bound: Vec<Bound<'_>> = values.into_iter().map(Bound).collect();
    let parameters: Vec<Parameter<'_>> = bound.iter().map(|value| value as Parameter<'_>).collect();
    let statement = transaction.prepare(&text).await.map_err(failed)?;
    let portal = transaction.bind(&statement, &parameters).await.map_err(failed)?;
    let fetch = async || transaction.query_portal_raw(&portal, FETCHED).await.map_err(failed);
    let mut next = fetch().await?;
    loop {
        let mut rows = pin!(std::mem::replace(&mut next, fetch().await?));
        let mut fetched = 0;
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            fetched += 1;
            let cells = kinds.iter().enumerate().map(|(at, &kind)| kind::cell(&row, at, kind));
            let cells = cells.collect::<Result<Vec<_>, _>>().map_err(failed)?;
            if !pass.take(&cells).map_err(|cause| CopyError::failed(place, cause))? {
                return Ok(pass);
            }
            pass.send().await?;
        }
        if fetched < FETCHED {
            return Ok(pass);
        }
    }
}

/// The length of what stands before the first row, once it is whole.
fn header(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes.strip_prefix(SIGNATURE)?.get(4..)?;
    let further = usize::try_from(rest.try_get_u32().ok()?).ok()?;
    let length = SIGNATURE.len() + 8 + further;
    (bytes.len() >= length).then_some(length)
}

/// The largest id that was ever given, whether or not its transaction was committed.
async fn counter(transaction: &Transaction<'_>, collection: &Collection) -> Result<i64, Error> {
    let name = literal(&quote(collection.name()));
    let text = format!("SELECT pg_get_serial_sequence({name}, 'id')");
    let sequence: String = transaction.query_one(&text, &[]).await?.try_get(0)?;
    let text = format!(
        "SELECT greatest(CASE WHEN is_called THEN last_value ELSE last_value - 1 END, \
         (SELECT max(id) FROM {})) FROM {sequence}",
        quote(collection.name())
    );
    transaction.query_one(&text, &[]).await?.try_get(0)
}

async fn keys(transaction: &Transaction<'_>) -> Result<Vec<KeyRow>, Error> {
    // By way of JSON, for a database that lacks what came later.
    let text = "SELECT name, hash, prefix, created, coalesce((j ->> 'admin')::boolean, false), \
           coalesce(j ->> 'scopes', '*'), j ->> 'expires', (j ->> 'previous_hash')::bytea, j ->> 'previous_until', \
           (j ->> 'first_hash')::bytea \
         FROM _carnet_keys k, LATERAL to_json(k) AS j ORDER BY name";
    let rows = transaction.query(text, &[]).await?;
    rows.iter().map(|row| key_table::key(row, 0)).collect()
}

/// Whether a table is there, in the schema that is looked at.
async fn has_table(transaction: &Transaction<'_>, name: &str) -> Result<bool, Error> {
    let text = "
SELECT EXISTS (SELECT FROM pg_class WHERE relname = $1 AND relkind = 'r'
  AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))";
    transaction.query_one(text, &[&name]).await?.try_get(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_known_by_its_signature_and_its_length() {
        let mut whole = SIGNATURE.to_vec();
        whole.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(header(&whole), None);
        whole.extend_from_slice(b"..rows");
        assert_eq!(header(&whole), Some(21));
        assert_eq!(header(b"PGCOPY"), None);
    }
}
