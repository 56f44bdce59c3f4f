//! What other tools have put on a table that is built anew, indexes and triggers: made again where they still can be.

use rusqlite::Connection;

use super::stored::{Table, is_ours};
use crate::catalog::collection::Collection;
use crate::store::migration::Kept;
use crate::store::sqlite::sql::{self, Statements};

/// All of it on one table.
pub(super) fn find(collection: &Collection, table: &Table) -> Vec<Kept> {
    let is_theirs = |(name, text): &&(String, Option<String>)| !is_ours(collection, name, text.as_deref());
    let indexes = table.indexes.iter().filter(is_theirs).map(|made| ("index", made));
    let triggers = table.triggers.iter().map(|made| ("trigger", made));
    // One that belongs to a constraint has no text.
    let texts = indexes.chain(triggers).filter_map(|(kind, (name, text))| Some((kind, name, text.as_ref()?)));
    let kept = texts.map(|(kind, name, text)| Kept {
        words: format!("the {kind} {name} on {}", collection.name()),
        statement: text.clone(),
        writes: writes(collection),
    });
    kept.collect()
}

/// Makes it again, or says that it could not be, in words.
pub(super) fn make(connection: &Connection, kept: &Kept) -> rusqlite::Result<Option<String>> {
    connection.execute_batch("SAVEPOINT kept")?;
    // SQLite takes a trigger whatever it mentions, and refuses every write afterwards.
    let mut writes = kept.writes.iter();
    let made = connection
        .execute_batch(&kept.statement)
        .and_then(|()| writes.try_for_each(|write| connection.prepare(write).map(drop)));
    let lost = made.err().map(|error| {
        let Kept { words, statement, .. } = kept;
        format!("{words} could not be made again: {error}; it was: {statement}")
    });
    if lost.is_some() {
        connection.execute_batch("ROLLBACK TO kept")?;
    }
    connection.execute_batch("RELEASE kept")?;
    Ok(lost)
}

/// How records are written, one statement for each event of a trigger.
fn writes(collection: &Collection) -> Vec<String> {
    let Statements { insert, delete, .. } = Statements::new(collection);
    let positions: Vec<usize> = (0..collection.fields().len()).collect();
    vec![insert, sql::update(collection, &positions), delete]
}
