//! A schema of its own in a PostgreSQL database, as another tool sees it; it goes when the test lets go of it.

use std::hash::{BuildHasher, RandomState};

use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::store::Store;

/// Takes the turn of the nodes, for which each of their writes waits.
pub const TAKE_TURN: &str =
    "SELECT pg_advisory_xact_lock((x'6361726e'::bigint << 32) + '_carnet_version'::regclass::oid::bigint)";

/// A schema that one test has for itself.
pub struct Schema {
    name: String,
    server: String,
    goes: bool,
}

impl Schema {
    /// A new, empty one.
    pub fn create(server: &str) -> Schema {
        assert!(!server.contains("options="), "the tests set options themselves; take them out of the URL");
        let name = format!("t_{:016x}", RandomState::new().hash_one(std::process::id()));
        ask(server, async |client| client.batch_execute(&format!("CREATE SCHEMA {name}")).await).unwrap();
        Schema { name, server: server.to_owned(), goes: true }
    }

    /// The one that every database has, on a server that goes itself.
    pub fn public(server: &str) -> Schema {
        Schema { name: "public".into(), server: server.to_owned(), goes: false }
    }

    /// All definitions, then every row with the transaction that wrote it.
    fn inventory(&self) -> Vec<String> {
        let mut lines = self.definitions();
        for table in self.tables() {
            let rows = format!(
                "SELECT '{table} ' || xmin || ' ' || row_to_json(t) FROM \"{table}\" AS t ORDER BY 1"
            );
            lines.extend(self.query(&rows));
        }
        lines
    }
}

impl Store for Schema {
    fn url(&self) -> String {
        let joint = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{joint}options=-c%20search_path%3D{}", self.server, self.name)
    }

    fn exists(&self) -> bool {
        self.query("SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace)")
            == ["t"]
    }

    fn execute(&self, sql: &str) -> Result<(), String> {
        ask(&self.url(), async |client| client.batch_execute(sql).await)
    }

    fn hold_writers(&self, meanwhile: &mut dyn FnMut()) {
        hold(&self.url(), TAKE_TURN, meanwhile);
    }

    fn query(&self, sql: &str) -> Vec<String> {
        query(&self.url(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    fn everything(&self) -> Vec<u8> {
        self.inventory().join("\n").into_bytes()
    }

    fn definitions(&self) -> Vec<String> {
        self.query(&format!(
            "SELECT line FROM (
                 SELECT format('relation %s %s %s', relname, relkind, relpersistence) FROM pg_class WHERE relnamespace = {here}
                 UNION ALL SELECT format('column %s.%s %s %s %s %s %s', relname, attname, format_type(atttypid, atttypmod),
                         attnotnull, attidentity, attcollation, pg_get_expr(adbin, adrelid))
                     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
                     WHERE relnamespace = {here} AND attnum > 0
                 UNION ALL SELECT format('constraint %s %s %s', conname, convalidated, pg_get_constraintdef(oid))
                     FROM pg_constraint WHERE connamespace = {here}
                 UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON oid = indrelid WHERE relnamespace = {here}
                 UNION ALL SELECT format('%s %s', pg_get_triggerdef(pg_trigger.oid), tgenabled)
                     FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = {here} AND NOT tgisinternal
                 UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = {here}
                 UNION ALL SELECT format('sequence %s %s', sequencename, last_value) FROM pg_sequences WHERE schemaname = '{name}'
             ) AS lines (line) ORDER BY line",
            here = "current_schema()::regnamespace",
            name = self.name,
        ))
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = self.query(
            "SELECT format('the constraint %s was never checked', conname) FROM pg_constraint
             WHERE connamespace = current_schema()::regnamespace AND NOT convalidated
             UNION ALL SELECT format('the index %s is not whole', indexrelid::regclass) FROM pg_index JOIN pg_class ON oid = indexrelid
             WHERE relnamespace = current_schema()::regnamespace AND NOT (indisvalid AND indisready)",
        );
        // Each reference by a statement of its own: what the server believes is one thing, what is there another.
        let statements = self.query(
            "SELECT format('SELECT format(''%1$s %%s refers to nothing in %3$s'', coalesce(to_json(one) ->> ''id'', one::text)) FROM %1$s AS one
                     WHERE %2$I IS NOT NULL AND NOT EXISTS (SELECT FROM %3$s AS other WHERE other.%4$I = one.%2$I)',
                 conrelid::regclass, source.attname, confrelid::regclass, target.attname)
             FROM pg_constraint
             JOIN pg_attribute AS source ON source.attrelid = conrelid AND source.attnum = conkey[1]
             JOIN pg_attribute AS target ON target.attrelid = confrelid AND target.attnum = confkey[1]
             WHERE connamespace = current_schema()::regnamespace AND contype = 'f'",
        );
        faults.extend(statements.iter().flat_map(|statement| self.query(statement)));
        faults
    }

    fn tables(&self) -> Vec<String> {
        self.query(&format!(
            "SELECT tablename FROM pg_tables WHERE schemaname = '{}' ORDER BY tablename COLLATE \"C\"",
            self.name
        ))
    }

    fn columns(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT attname || ' ' || CASE atttypid WHEN 'bigint'::regtype THEN 'integer' ELSE format_type(atttypid, atttypmod) END
                 || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
             FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        ))
    }

    fn primary_key(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
             WHERE indrelid = '{table}'::regclass AND indisprimary ORDER BY array_position(indkey, attnum)"
        ))
    }

    fn references(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT format('%s -> %s.%s ON DELETE %s', source.attname, confrelid::regclass, target.attname, CASE confdeltype
                 WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'a' THEN 'NO ACTION' END)
             FROM pg_constraint
             JOIN pg_attribute AS source ON source.attrelid = conrelid AND source.attnum = conkey[1]
             JOIN pg_attribute AS target ON target.attrelid = confrelid AND target.attnum = confkey[1]
             WHERE conrelid = '{table}'::regclass AND contype = 'f' ORDER BY 1"
        ))
    }

    fn indexed(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT DISTINCT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
             WHERE indrelid = '{table}'::regclass AND indisvalid AND NOT indisprimary ORDER BY 1"
        ))
    }

    fn unique(&self, table: &str) -> Vec<String> {
        self.query(&format!(
            "SELECT (SELECT string_agg(attname, ',' ORDER BY place) FROM unnest(indkey) WITH ORDINALITY AS keys (number, place)
                     JOIN pg_attribute ON attrelid = indrelid AND attnum = number)
             FROM pg_index WHERE indrelid = '{table}'::regclass AND indisunique AND NOT indisprimary ORDER BY 1"
        ))
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if !self.goes {
            return;
        }
        let sql = format!("SET client_min_messages = warning; DROP SCHEMA {} CASCADE", self.name);
        let attempt = || ask(&self.server, async |client| client.batch_execute(&sql).await);
        let mut dropped = attempt();
        // A statement of a server that has just ended may still be under way, and takes its locks in another order.
        for _ in 0..3 {
            if dropped.as_ref().is_err_and(|error| error.contains("deadlock detected")) {
                dropped = attempt();
            }
        }
        assert!(dropped.is_ok() || std::thread::panicking(), "{} stays behind: {dropped:?}", self.name);
    }
}

/// The first column of every row, as text; a null is `NULL`.
pub fn query(url: &str, sql: &str) -> Result<Vec<String>, String> {
    let messages = ask(url, async |client| client.simple_query(sql).await)?;
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("NULL").to_owned()),
        _ => None,
    });
    Ok(rows.collect())
}

/// Keeps a transaction open in which this was done, while something else is done; then takes it back.
pub fn hold<T>(url: &str, sql: &str, meanwhile: impl FnOnce() -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let connected = runtime.block_on(tokio_postgres::connect(url, NoTls));
    let (client, connection) =
        connected.unwrap_or_else(|error| panic!("PostgreSQL cannot be reached: {error}"));
    let connection = runtime.spawn(connection);
    let execute = |sql: &str| {
        runtime.block_on(client.batch_execute(sql)).unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    execute(&format!("BEGIN; {sql}"));
    let outcome = meanwhile();
    execute("ROLLBACK");
    drop(client);
    runtime.block_on(connection).unwrap().ok();
    outcome
}

/// Connects, asks, and disconnects.
fn ask<T>(
    url: &str,
    question: impl AsyncFnOnce(&Client) -> Result<T, tokio_postgres::Error>,
) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let connected = tokio_postgres::connect(url, NoTls).await;
        let (client, connection) =
            connected.map_err(|error| format!("PostgreSQL cannot be reached: {error}"))?;
        let connection = tokio::spawn(connection);
        let answer = question(&client).await.map_err(|error| match error.as_db_error() {
            Some(error) => error.to_string(),
            None => error.to_string(),
        });
        drop(client);
        // The server has heard that it is over: whatever comes next does not meet this connection any more.
        connection.await.unwrap().ok();
        answer
    })
}
