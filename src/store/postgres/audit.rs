//! The trail in the database.

use tokio_postgres::{Error, GenericClient, Transaction};

use crate::store::audit::{Actor, Deed, Head, Row, Trail};

/// Adds a row; part of the caller's transaction, which has the turn: nobody else adds meanwhile.
pub(super) async fn append(transaction: &Transaction<'_>, deed: Deed, by: &Actor) -> Result<(), Error> {
    let row = head(transaction).await?.next(deed, by);
    let text = "INSERT INTO _carnet_audit (number, at, event, subject, details, actor, address, request_id, hash) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let Row { number, at, event, subject, details, by, address, request_id, hash } = &row;
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 9] =
        [number, at, event, subject, details, by, address, request_id, hash];
    transaction.execute(text, &values).await?;
    transaction.execute("UPDATE _carnet_audit_head SET number = $1, hash = $2", &[number, hash]).await?;
    Ok(())
}

pub(super) async fn head(client: &impl GenericClient) -> Result<Head, Error> {
    let row = client.query_one("SELECT number, hash FROM _carnet_audit_head", &[]).await?;
    Ok(Head { number: row.try_get(0)?, hash: row.try_get(1)? })
}

/// One statement: rows and head are of one moment.
pub(super) async fn read(client: &impl GenericClient) -> Result<Trail, Error> {
    let text = "SELECT h.number, h.hash, a.number, at, event, subject, details, actor, address, request_id, a.hash \
         FROM _carnet_audit_head h LEFT JOIN _carnet_audit a ON TRUE ORDER BY a.number";
    let found = client.query(text, &[]).await?;
    let mut trail = Trail { rows: Vec::new(), head: Head::beginning() };
    for row in &found {
        trail.head = Head { number: row.try_get(0)?, hash: row.try_get(1)? };
        let Some(number) = row.try_get(2)? else { continue };
        trail.rows.push(Row {
            number,
            at: row.try_get(3)?,
            event: row.try_get(4)?,
            subject: row.try_get(5)?,
            details: row.try_get(6)?,
            by: row.try_get(7)?,
            address: row.try_get(8)?,
            request_id: row.try_get(9)?,
            hash: row.try_get(10)?,
        });
    }
    Ok(trail)
}
