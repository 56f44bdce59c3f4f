//! Tables that are not declared, or no longer, and still refer to one that is: their rows are not ours to
//! change, so a record that they refer to stays.

use tokio_postgres::{Error, Transaction};

use crate::catalog::Catalog;
use crate::store::ident::quote;

/// A foreign key of a table that is not declared that refers to a collection.
pub(super) struct UndeclaredRef {
    /// Its name, with that of its schema where it is another one.
    pub(super) table: String,
    /// The place of the collection in the catalog.
    pub(super) target: usize,
    /// A condition that holds where one of its rows refers to a record, up to the id of that record and a bracket.
    pub(super) holds: String,
}

const FOREIGN_KEYS: &str = "
SELECT stranger.relname, stranger_schema.nspname, stranger_schema.nspname = current_schema(), target.relname,
  ARRAY(SELECT attname FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place),
  ARRAY(SELECT attname FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = confrelid AND attnum = number ORDER BY place)
FROM pg_constraint
  JOIN pg_class AS stranger ON stranger.oid = conrelid
  JOIN pg_namespace AS stranger_schema ON stranger_schema.oid = stranger.relnamespace
  JOIN pg_class AS target ON target.oid = confrelid
  JOIN pg_namespace AS target_schema ON target_schema.oid = target.relnamespace
WHERE contype = 'f' AND conparentid = 0 AND target_schema.nspname = current_schema()
ORDER BY stranger_schema.nspname, stranger.relname, conname";

impl UndeclaredRef {
    /// All of them, at start, of every schema.
    pub(super) async fn find_all(
        transaction: &Transaction<'_>,
        catalog: &Catalog,
    ) -> Result<Vec<Self>, Error> {
        let mut undeclared_refs = Vec::new();
        for row in transaction.query(FOREIGN_KEYS, &[]).await? {
            let (name, schema, is_here): (String, String, bool) = (row.get(0), row.get(1), row.get(2));
            let is_declared = is_here && catalog.find(&name).is_some();
            let Some(target) = catalog.find(row.get(3)).filter(|_| !is_declared) else { continue };
            let table = if is_here { name.clone() } else { format!("{schema}.{name}") };
            let (columns, targets): (Vec<String>, Vec<String>) = (row.get(4), row.get(5));
            let stranger = format!("{}.{}", quote(&schema), quote(&name));
            let holds = holds(&stranger, &columns, target.name(), &targets);
            undeclared_refs.push(Self { table, target: target.position(), holds });
        }
        Ok(undeclared_refs)
    }
}

/// Mostly it is the id that is referred to; but any columns can be that are unique.
fn holds(stranger: &str, columns: &[String], target: &str, targets: &[String]) -> String {
    if let ([column], ["id"]) = (columns, targets.iter().map(String::as_str).collect::<Vec<_>>().as_slice()) {
        return format!("EXISTS (SELECT FROM {stranger} AS stranger WHERE stranger.{} = ", quote(column));
    }
    let pairs = columns.iter().zip(targets);
    let pairs: Vec<String> = pairs
        .map(|(column, target)| format!("stranger.{} = target.{}", quote(column), quote(target)))
        .collect();
    format!(
        "EXISTS (SELECT FROM {stranger} AS stranger JOIN {} AS target ON {} WHERE target.id = ",
        quote(target),
        pairs.join(" AND ")
    )
}
