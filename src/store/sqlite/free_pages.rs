//! Space in the file that nothing takes any more, given back to the file system while there is nothing else to do.
//!
//! Freed pages are used again before the file grows. Those that stay free are taken from its end in small steps, after
//! what stands there was moved into the gaps; each step is a commit of its own, and the next copy of the log into the
//! file makes it shorter.

use rusqlite::Connection;

/// `PRAGMA auto_vacuum`: free pages can be given back one by one.
const INCREMENTAL: i64 = 2;
/// So many free pages stay for the next writes.
const KEPT_PAGES: i64 = 1_024;
/// How many pages one step gives back: who comes to write meanwhile waits for it.
const PAGES_IN_A_STEP: i64 = 256;

/// Makes a new file one that can be cut, before there is anything in it. Others stay as they are: only `VACUUM`, which
/// writes all of a file anew, could change them.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    match ask(connection, "PRAGMA page_count")? {
        0 => connection.pragma_update(None, "auto_vacuum", INCREMENTAL),
        _ => Ok(()),
    }
}

/// Gives back some pages, if there are many that nothing takes; says how many.
pub(super) fn give_back(connection: &Connection) -> rusqlite::Result<i64> {
    if ask(connection, "PRAGMA auto_vacuum")? != INCREMENTAL {
        return Ok(0);
    }
    let pages = (ask(connection, "PRAGMA freelist_count")? - KEPT_PAGES).clamp(0, PAGES_IN_A_STEP);
    if pages > 0 {
        let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
        let mut rows = statement.query([])?;
        // Each row is a page.
        while rows.next()?.is_some() {}
    }
    Ok(pages)
}

fn ask(connection: &Connection, text: &str) -> rusqlite::Result<i64> {
    connection.prepare_cached(text)?.query_row([], |row| row.get(0))
}
