//! Counters of ids that are behind: rows that were written while triggers did not fire have ids that would be given
//! once more.

use tokio_postgres::{Error, Transaction};

use crate::catalog::collection::Collection;
use crate::store::ident::{literal, quote};
use crate::store::migration::Step;

/// Moves the counter of a collection past its largest id, where it is behind.
pub(super) async fn step(
    transaction: &Transaction<'_>,
    collection: &Collection,
) -> Result<Option<Step>, Error> {
    let table = quote(collection.name());
    let name = literal(&table);
    let text = format!(
        "SELECT max(id), coalesce(pg_sequence_last_value(pg_get_serial_sequence({name}, 'id')::regclass), 0) FROM {table}"
    );
    let row = transaction.query_one(&text, &[]).await?;
    let (largest, counted): (Option<i64>, i64) = (row.get(0), row.get(1));
    let behind = largest.filter(|largest| *largest > counted);
    Ok(behind.map(|largest| Step {
        words: format!("count the ids of {} on from {largest}", collection.name()),
        statements: vec![format!("SELECT _carnet_given({name}, max(id)) FROM {table}")],
    }))
}

/// `_carnet_reread` is for whoever has written while triggers did not fire: it moves all counters, and has every node
/// read anew. Nobody waits for it, so it may look for names in the usual way.
pub(super) fn function(schema: &str) -> String {
    let name = literal(schema);
    format!(
        r#"
CREATE OR REPLACE FUNCTION {schema}._carnet_reread() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $carnet$
DECLARE
  collection regclass;
  largest bigint;
BEGIN
  FOR collection IN SELECT tgrelid FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = {name}::regnamespace AND tgname = '_carnet_inserted'
  LOOP
    EXECUTE format('SELECT max(id) FROM %s', collection) INTO largest;
    PERFORM {schema}._carnet_given(collection, largest);
  END LOOP;
  PERFORM {schema}._carnet_raise();
END $carnet$;
"#
    )
}
