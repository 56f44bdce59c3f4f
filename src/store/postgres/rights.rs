//! What the role that connects may not do, and which statement lets it.

use tokio_postgres::{Error, Transaction};

use super::system_tables;
use crate::catalog::Catalog;
use crate::store::OpenError;
use crate::store::ident::quote;

/// A right that is missing: what the role may not do, and the statement that lets it.
pub(super) struct Missing {
    right: String,
    grant: String,
}

/// Which of the tables that a server reads and writes it may not. What is in the audit trail is never changed.
pub(super) async fn to_serve(
    transaction: &Transaction<'_>,
    catalog: &Catalog,
) -> Result<Vec<Missing>, Error> {
    let text = "
SELECT relname::text, current_schema()::text, current_user::text FROM pg_class
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  AND relname = ANY ($1) AND relkind = 'r' AND NOT (
    has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
    AND (relname = '_carnet_audit' OR has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
    AND coalesce((SELECT has_sequence_privilege(pg_get_serial_sequence(pg_class.oid::regclass::text, 'id'), 'USAGE')
      WHERE relname NOT LIKE '\\_%'), true))
ORDER BY relname";
    let rows = transaction.query(text, &[&names(catalog)]).await?;
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let tables: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    let (schema, role) = (quote(first.get(1)), quote(first.get(2)));
    Ok(vec![Missing {
        right: format!("read and write {}", tables.join(", ")),
        grant: format!(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; \
             GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};"
        ),
    }])
}

/// What keeps the role from making or changing tables.
pub(super) async fn to_change(
    transaction: &Transaction<'_>,
    catalog: &Catalog,
) -> Result<Vec<Missing>, Error> {
    let text =
        "SELECT current_schema()::text, current_user::text, has_schema_privilege(current_schema(), 'CREATE')";
    let row = transaction.query_one(text, &[]).await?;
    let (schema, role): (&str, String) = (row.get(0), quote(row.get(1)));
    let mut missing = Vec::new();
    if !row.get::<_, bool>(2) {
        let grant = format!("GRANT CREATE ON SCHEMA {} TO {role};", quote(schema));
        missing.push(Missing { right: format!("create tables in the schema {schema}"), grant });
    }
    let text = "
SELECT string_agg(relname, ', ' ORDER BY relname), array_agg(relname::text ORDER BY relname), rolname::text, rolsuper
FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  AND relname = ANY ($1) AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE')
GROUP BY rolname, rolsuper ORDER BY rolname";
    for row in transaction.query(text, &[&names(catalog)]).await? {
        let (listed, tables): (&str, Vec<&str>) = (row.get(0), row.get(1));
        let (owner, owns_all): (&str, bool) = (row.get(2), row.get(3));
        let right = format!("change the tables of {owner}: {listed}");
        // Nobody should become a superuser for this.
        let grant = match owns_all {
            false => format!("GRANT {} TO {role};", quote(owner)),
            true => {
                let each =
                    tables.iter().map(|table| format!("ALTER TABLE {} OWNER TO {role};", quote(table)));
                each.collect::<Vec<_>>().join(" ")
            }
        };
        missing.push(Missing { right, grant });
    }
    Ok(missing)
}

fn names(catalog: &Catalog) -> Vec<&str> {
    system_tables::TABLES.into_iter().chain(catalog.collections().iter().map(|one| one.name())).collect()
}

/// All that is missing, in one sentence.
pub(super) fn forbidden(place: &str, role: &str, missing: Vec<Missing>) -> OpenError {
    let (rights, grants): (Vec<String>, Vec<String>) =
        missing.into_iter().map(|missing| (missing.right, missing.grant)).unzip();
    let (right, grant) = (rights.join(", nor "), grants.join(" "));
    OpenError::Forbidden { place: place.to_owned(), role: role.to_owned(), right, grant }
}
