//! What a server does that does not group its writes: creates on the same tables with the same settings and
//! the same single writing thread as carnet, but one commit, and so one sync of the disk, for each.

use std::path::Path;
use std::sync::mpsc;

use anyhow::Context;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, LOCATION};
use hyper::{Request, Response, StatusCode};
use rusqlite::Connection;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::bare;

/// As carnet's own writer has it.
const CHECKPOINT_PAGES: i64 = 12_000;

struct Create {
    user: Value,
    reply: oneshot::Sender<rusqlite::Result<i64>>,
}

pub(crate) fn serve(database: &Path) -> anyhow::Result<()> {
    let connection = Connection::open(database)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || write(&connection, &receiver));
    bare::serve(move |request| answer(request, sender.clone()))
}

fn write(connection: &Connection, creates: &mpsc::Receiver<Create>) {
    for Create { user, reply } in creates {
        let inserted = connection
            .prepare_cached("INSERT INTO users (first_name, last_name, address) VALUES (?1, ?2, ?3)")
            .and_then(|mut statement| {
                statement.insert((
                    user["first_name"].as_str(),
                    user["last_name"].as_str(),
                    user["address"].as_i64(),
                ))
            });
        // Nobody waits any more: the client has gone.
        let _ = reply.send(inserted);
    }
}

async fn answer(request: Request<Incoming>, writer: mpsc::Sender<Create>) -> Response<Full<Bytes>> {
    let created = async {
        let body = request.into_body().collect().await?.to_bytes();
        let user = serde_json::from_slice(&body)?;
        let (reply, replied) = oneshot::channel();
        writer.send(Create { user, reply }).ok().context("the writer has gone")?;
        Ok::<_, anyhow::Error>(replied.await??)
    };
    let mut response = Response::new(Full::default());
    match created.await {
        Ok(id) => {
            *response.status_mut() = StatusCode::CREATED;
            let location = format!("http://127.0.0.1/users/{id}/");
            response.headers_mut().extend(location.parse().map(|location| (LOCATION, location)));
            response.headers_mut().insert(CONTENT_TYPE, bare::JSON);
        }
        Err(error) => {
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            *response.body_mut() = Full::new(format!("{error:#}").into());
        }
    }
    response
}
