//! What PostgreSQL is asked about stored tables. All but the first want the tables by their numbers.

/// Everything that has a name among the tables, with its kind and whether it outlives a crash.
pub(super) const RELATIONS: &str = "
SELECT oid, relname, relkind::text, relpersistence <> 'u' FROM pg_class
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  AND relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'c') ORDER BY relname";

/// Keys, checks and references: the columns, and those of the table that is referred to.
pub(super) const CONSTRAINTS: &str = "
SELECT conrelid, conname, contype::text,
  ARRAY(SELECT attname FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place),
  ARRAY(SELECT attname FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = confrelid AND attnum = number ORDER BY place),
  target.relname, target.relnamespace = constraints.connamespace,
  CASE confdeltype WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE '' END,
  convalidated AND NOT condeferrable
FROM pg_constraint AS constraints LEFT JOIN pg_class AS target ON target.oid = confrelid
WHERE conrelid = ANY ($1) AND contype IN ('p', 'f', 'c') ORDER BY conname";

/// Columns: their type, what they let in, whether a sequence counts the ids, and whether a row must bring a value.
pub(super) const COLUMNS: &str = "
SELECT attrelid, attname, format_type(atttypid, atttypmod), attnotnull, attgenerated <> '',
  coalesce(collname <> 'C', false), attidentity::text,
  attname = 'id' AND (attidentity <> '' OR atthasdef)
    AND pg_get_serial_sequence(attrelid::regclass::text, 'id') IS NOT NULL,
  attnotnull AND NOT atthasdef AND attidentity = '',
  (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum AND attgenerated = '')
FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
WHERE attrelid = ANY ($1) AND attnum > 0 AND NOT attisdropped ORDER BY attrelid, attnum";

/// Indexes: their shape, what they are of, and the columns that cannot go before a constraint goes.
pub(super) const INDEXES: &str = "
SELECT indrelid, relname, amname,
  ARRAY(SELECT coalesce(attname, '') FROM unnest(indkey) WITH ORDINALITY AS key (number, place)
    LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = number AND number <> 0 ORDER BY place),
  indisunique, indisexclusion, indpred IS NOT NULL, indisprimary,
  EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x')),
  indisvalid AND indisready,
  ARRAY(SELECT DISTINCT attname FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
    WHERE indisexclusion AND classid = 'pg_class'::regclass AND objid = indexrelid AND refobjid = indrelid)
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
WHERE indrelid = ANY ($1) ORDER BY relname";

/// The triggers that are switched on.
pub(super) const TRIGGERS: &str = "
SELECT tgrelid, tgname FROM pg_trigger
WHERE tgrelid = ANY ($1) AND NOT tgisinternal AND tgenabled IN ('O', 'A')";
