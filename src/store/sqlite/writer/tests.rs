//! A panic in the writing thread. None can be provoked from outside, so writes that panic are handed in here; what
//! becomes of the process then is the same as after a failed disk, which the suite tries on the real one.

use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;

use super::*;
use crate::catalog::declaration::{Declaration, FieldDeclaration, PaginationDeclaration};
use crate::observe::LogSettings;
use crate::record::RecordId;
use crate::record::draft::{Draft, Patch};
use crate::record::listing::Listing;
use crate::record::listing::{Column, Condition};
use crate::store::cache::list_request::ListRequest;
use crate::store::cache::read_path;
use crate::store::cache::set_key::SetKey;
use crate::store::sqlite::Sqlite;
use crate::store::write::{Batch, Item, Origin, Work, Write, WriteRequest, Written};
use crate::store::{OpenError, OpenSettings, Records};

fn catalog() -> Arc<Catalog> {
    let field = FieldDeclaration {
        name: "text".into(),
        kind: "string".into(),
        required: true,
        ..FieldDeclaration::default()
    };
    let notes = Declaration {
        name: "notes".into(),
        show_id: true,
        fields: vec![field],
        unique: Vec::new(),
        list_verbs: vec!["GET".into()],
        unique_verbs: vec!["GET".into()],
        pagination: Some(PaginationDeclaration {
            page_size: 100,
            offset_key: "offset".into(),
            count_key: "count".into(),
        }),
        authentication: false,
        authorization: false,
        rate_limit: None,
        ..Declaration::default()
    };
    Arc::new(Catalog::declare(&[notes], &[]).unwrap())
}

fn open(folder: &Path, catalog: &Arc<Catalog>) -> Sqlite {
    let quiet = Observer::writing_to(LogSettings::default(), false, Box::new(std::io::sink())).unwrap();
    let settings =
        OpenSettings { any_filesystem: true, memory: 1 << 20, stored_answers: 1 << 20, keeps_orders: true };
    let quiet = Arc::new(quiet);
    loop {
        match Sqlite::open(&folder.join("a.db"), catalog.clone(), settings, quiet.clone()) {
            // The threads of the one before are on their way out, and hold the file until they are.
            Err(OpenError::Locked(_)) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}

async fn submit(store: &Sqlite, write: Write) -> WriteReply {
    store
        .writer
        .handle
        .submit(WriteRequest { work: Work::One(write), token: None, origin: Origin::default() })
        .await
}

async fn insert(store: &Sqlite, catalog: &Catalog, text: &str) -> Result<RecordId, StoreError> {
    let draft = Draft::parse(catalog.at(0), format!(r#"{{"text":"{text}"}}"#).as_bytes()).unwrap();
    let told = submit(store, Write::Insert { collection: 0, draft, id: None }).await;
    told.outcome.map(|written| match written {
        Written::Created { id, .. } => id,
        other => panic!("{other:?}"),
    })
}

/// The whole list, and the first record on its own.
async fn read(store: &Sqlite, catalog: &Catalog) -> (Result<String, StoreError>, Result<String, StoreError>) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let notes = catalog.at(0);
    let listing = Listing::parse(notes, std::iter::empty()).unwrap();
    let request = ListRequest { collection: notes, listing: &listing, room: &mut |_| true };
    let list = read_path::list(store, request).await.map(|page| match page.records {
        Records::Joined(records) => text(records),
        Records::Pieces(pieces) => panic!("{pieces:?}"),
    });
    let id = RecordId::new(1).unwrap();
    let first = match store.fetch_known(notes, id) {
        Some(known) => Ok(known),
        None => read_path::fetch(store, notes, id).await,
    };
    (list, first.map(|record| record.map_or(String::new(), |bytes| text(bytes.to_vec()))))
}

fn is_unknown(reply: &WriteReply) -> bool {
    matches!(reply.outcome, Err(StoreError::OutcomeUnknown))
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_a_group_in_which_one_panics_are_told_that_the_outcome_is_unknown() {
    let (folder, catalog) = (tempfile::tempdir().unwrap(), catalog());
    let store = open(folder.path(), &catalog);
    insert(&store, &catalog, "before").await.unwrap();
    let seen = read(&store, &catalog).await;
    // Another tool holds up the first group until all wait.
    let other = Connection::open(folder.path().join("a.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writes = ["one", "two", "three"].map(|text| insert(&store, &catalog, text).boxed());
    // Of a collection that there is not.
    let panicking =
        submit(&store, Write::Delete { collection: 9, id: RecordId::new(1).unwrap(), seen: None });
    let letting_go = async { other.execute_batch("ROLLBACK").unwrap() };
    let (told, panicked, ()) = tokio::join!(join_all(writes), panicking, letting_go);
    assert!(is_unknown(&panicked), "{panicked:?}");
    assert!(told.iter().all(|told| *told == Err(StoreError::OutcomeUnknown)), "{told:?}");
    assert_eq!(store.fatal.tripped().await, "the writing thread panicked");
    assert!(store.ping().is_err() && insert(&store, &catalog, "later").await.is_err());
    assert_eq!(read(&store, &catalog).await, seen);
    store.close();
    drop(store);
    // A new start finds none of it.
    let store = open(folder.path(), &catalog);
    assert_eq!(read(&store, &catalog).await, seen);
    assert_eq!(insert(&store, &catalog, "after").await.map(RecordId::get), Ok(2));
}

/// The change is on disk, who wrote has been told so, and memory is half changed: readers must not see some of it.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_panic_behind_a_commit_nobody_reads_what_is_half_done() {
    let (folder, catalog) = (tempfile::tempdir().unwrap(), catalog());
    let store = open(folder.path(), &catalog);
    insert(&store, &catalog, "old").await.unwrap();
    insert(&store, &catalog, "other").await.unwrap();
    let (list, first) = read(&store, &catalog).await;
    assert!(list.unwrap().contains("old") && first.unwrap().contains("old"));
    let patch = Patch::parse(catalog.at(0), RecordId::new(1).unwrap(), br#"{"text":"new"}"#).unwrap();
    // A set by a field that there is not: memory panics on it, in the middle of its work.
    let unsound = SetKey { conditions: vec![(Column::Field(9), Condition::Absent)], ..SetKey::all_of(0) };
    store.cache.begin_build(unsound).unwrap();
    let update = Write::Update { collection: 0, id: RecordId::new(1).unwrap(), patch, seen: None };
    let told = submit(&store, update).await;
    assert!(matches!(told.outcome, Ok(Written::Updated { .. })), "{told:?}");
    assert_eq!(store.fatal.tripped().await, "the writing thread panicked");
    assert_eq!(read(&store, &catalog).await, (Err(StoreError::Unavailable), Err(StoreError::Unavailable)));
    store.close();
    drop(store);
    let (list, first) = read(&open(folder.path(), &catalog), &catalog).await;
    assert!(list.unwrap().contains("new") && first.unwrap().contains("new"));
}

/// The same, where so much has changed that another thread follows it.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_panic_of_who_follows_nobody_reads_what_is_half_done_or_writes() {
    let (folder, catalog) = (tempfile::tempdir().unwrap(), catalog());
    let store = open(folder.path(), &catalog);
    insert(&store, &catalog, "old").await.unwrap();
    assert!(read(&store, &catalog).await.0.unwrap().contains("old"));
    let unsound = SetKey { conditions: vec![(Column::Field(9), Condition::Absent)], ..SetKey::all_of(0) };
    store.cache.begin_build(unsound).unwrap();
    let item = |number: usize| {
        let body = format!(r#"{{"text":"new{number}"}}"#);
        let draft = Draft::parse(catalog.at(0), body.as_bytes()).unwrap();
        let write = Write::Insert { collection: 0, draft, id: None };
        Item { write, references: Vec::new(), target: None }
    };
    let work = Work::Batch(Batch { items: (0..500).map(item).collect(), shows_records: false });
    let request = WriteRequest { work, token: None, origin: Origin::default() };
    let told = store.writer.handle.submit(request).await;
    assert!(is_unknown(&told), "{told:?}");
    assert_eq!(store.fatal.tripped().await, "the thread that follows commits panicked");
    assert_eq!(read(&store, &catalog).await, (Err(StoreError::Unavailable), Err(StoreError::Unavailable)));
    assert_eq!(insert(&store, &catalog, "later").await, Err(StoreError::OutcomeUnknown));
    store.close();
    drop(store);
    assert!(read(&open(folder.path(), &catalog), &catalog).await.0.unwrap().contains("new98"));
}
