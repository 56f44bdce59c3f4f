//! Catalog and request → the statements that read and write records. Names come from the catalog, values are bound.

use std::fmt::Write;

use super::change_log::NEWEST;
use super::indexes;
use super::kind::{collation, column_type};
use super::rule_sql;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;
use crate::record::Value;
use crate::record::listing::{Column, Condition, Listing};
use crate::store::cache::scan::Scan;
use crate::store::conditions::{Dialect, of_filters};
use crate::store::extract::Extract;
use crate::store::ident::{columns, literal, quote};

/// The versions from $1 on, with the changes of those after it, $2 of them at the most, and the number of changes to the
/// access keys. Beyond $3 bytes the records are left out. The changes are looked up for each version: to read the whole
/// log instead, which a planner without statistics may do, would take longer the more has happened.
pub(super) const CHANGES: &str = "SELECT (SELECT keys FROM _carnet_version), number, collection, id, \
     CASE WHEN bytes <= $3 THEN before END, CASE WHEN bytes <= $3 THEN after END, bytes > $3 \
     FROM (SELECT n.*, coalesce(sum(octet_length(concat(before, after))) OVER (ORDER BY number, place), 0) AS bytes \
       FROM (SELECT k.number, c.* FROM _carnet_commits k LEFT JOIN LATERAL \
           (SELECT place, collection, id, before::text AS before, after::text AS after FROM _carnet_changes l \
             WHERE k.number > $1 AND l.tx = k.tx AND l.at = k.at ORDER BY l.place LIMIT $2) AS c ON TRUE \
         WHERE k.number >= $1 ORDER BY k.number, c.place LIMIT $2) AS n) AS summed ORDER BY number, place";

/// Which records these are about: the same rows without the states, in the order of commits alone.
pub(super) const CHANGED: &str = "SELECT (SELECT keys FROM _carnet_version), number, collection, id \
     FROM _carnet_commits k LEFT JOIN LATERAL (SELECT collection, id FROM _carnet_changes l \
       WHERE k.number > $1 AND l.tx = k.tx AND l.at = k.at LIMIT $2) AS c ON TRUE \
     WHERE k.number >= $1 ORDER BY k.number LIMIT $2";

/// The commits from version $1 on, and how many creates those after it have whose transactions are $2, if these have
/// nothing else.
pub(super) const COUNTED_COMMITS: &str = "SELECT (SELECT keys FROM _carnet_version), number, tx::text, at, \
     CASE WHEN number > $1 AND tx::text = ANY($2) \
       THEN (SELECT CASE WHEN count(id) = count(*) AND count(before) = 0 THEN count(*) END \
         FROM _carnet_changes l WHERE l.tx = k.tx AND l.at = k.at) END \
     FROM _carnet_commits k WHERE number >= $1 ORDER BY number LIMIT $3";

/// Some records, by their ids $1, and the version they are of.
pub(super) fn records(collection: &Collection) -> String {
    let columns = of_alias(collection, "t");
    let table = quote(collection.name());
    format!(
        "SELECT v.number, t.id{columns} FROM {NEWEST} v LEFT JOIN {table} t ON t.id = ANY($1::bigint[]) \
         ORDER BY t.id"
    )
}

/// How PostgreSQL writes what a list asks for.
const DIALECT: Dialect = Dialect { placeholder: '$', index_hint: indexes::hint };

/// The total and the page of those that match, by counting, in one statement: of one moment.
pub(super) fn page<'a>(collection: &Collection, listing: &'a Listing) -> (String, Vec<&'a Value>) {
    let (condition, values) = DIALECT.conditions(collection, of_filters(&listing.filters), None);
    let (table, columns) = (quote(collection.name()), columns(collection));
    let window = DIALECT.window(listing.window, values.len());
    let fields = of_alias(collection, "p");
    let text = format!(
        "SELECT (SELECT count(*) FROM {table}{condition}), p.id{fields} FROM (SELECT) one LEFT JOIN \
         (SELECT id, {columns} FROM {table}{condition} ORDER BY id{window}) p ON TRUE ORDER BY p.id"
    );
    (text, values)
}

/// The ids of at most `most` that match, in any order, with the version they are of.
pub(super) fn matching<'a>(
    collection: &Collection,
    conditions: impl Iterator<Item = (Column, &'a Condition)>,
    most: usize,
) -> (String, Vec<&'a Value>) {
    let (condition, values) = DIALECT.conditions(collection, conditions, None);
    let table = quote(collection.name());
    let text = format!(
        "SELECT v.number, m.id FROM {NEWEST} v LEFT JOIN \
         (SELECT id FROM {table}{condition} LIMIT {most}) m ON TRUE"
    );
    (text, values)
}

/// The ids of all that match.
pub(super) fn all_matching<'a>(
    collection: &Collection,
    conditions: impl Iterator<Item = (Column, &'a Condition)>,
) -> (String, Vec<&'a Value>) {
    let (condition, values) = DIALECT.conditions(collection, conditions, None);
    (format!("SELECT id FROM {}{condition}", quote(collection.name())), values)
}

/// The ids and some fields of records: of those that meet the conditions, or of the records $1.
pub(super) fn scan<'a>(scan: &Scan<'a>) -> (String, Vec<&'a Value>) {
    DIALECT.scan(scan, "= ANY($1::bigint[])")
}

/// The same in one statement, each row behind the version that all of them are of.
pub(super) fn scan_at_once<'a>(scan: &Scan<'a>) -> (String, Vec<&'a Value>) {
    let (text, values) = self::scan(scan);
    (format!("SELECT v.number, s.* FROM {NEWEST} v LEFT JOIN ({text}) s ON TRUE"), values)
}

/// The records that are extracted.
pub(super) fn extract(extract: &Extract) -> (String, Vec<&Value>) {
    DIALECT.extract(extract, None)
}

/// All ids of a collection, to be copied out.
pub(super) fn all_ids(collection: &Collection) -> String {
    format!("COPY (SELECT id FROM {}) TO STDOUT (FORMAT binary)", quote(collection.name()))
}

/// Lets nobody rewrite the table until the end of the transaction.
pub(super) fn keep_from_rewriting(collection: &Collection) -> String {
    format!("LOCK TABLE {} IN ACCESS SHARE MODE", quote(collection.name()))
}

fn of_alias(collection: &Collection, alias: &str) -> String {
    let names = collection.fields().iter().map(|field| format!(", {alias}.{}", quote(field.name())));
    names.collect()
}

/// What became of a write. The numbers stand in the statements below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowOutcome {
    NoRecord,
    Done,
    /// The field at this position refers to nothing.
    Dangling(usize),
    /// The unique rule at this place is broken.
    Duplicate(usize),
}

const NO_RECORD: i32 = -1;
const DONE: i32 = 0;
const FIRST_FIELD: i32 = 1;
const FIRST_RULE: i32 = 1_000_000;

impl RowOutcome {
    pub(super) fn read(number: i32) -> Self {
        let offset = |first: i32| usize::try_from(number - first).unwrap_or(0);
        match number {
            ..=NO_RECORD => Self::NoRecord,
            DONE => Self::Done,
            FIRST_RULE.. => Self::Duplicate(offset(FIRST_RULE)),
            _ => Self::Dangling(offset(FIRST_FIELD)),
        }
    }
}

/// Creates records from arrays, one for each field and one of ids, which are drawn where it has none. Answers the
/// outcome of each, in order, and the record as it is stored; records that are stored under other ids than they were
/// given come last, without an outcome. Nothing is refused by an error, so that the others of a group stand.
pub(super) fn insert(catalog: &Catalog, collection: &Collection) -> String {
    let fields = collection.fields();
    let (table, columns) = (quote(collection.name()), columns(collection));
    let arrays = arrays_to_create(collection);
    let mut judge = String::new();
    for (position, field) in fields.iter().enumerate() {
        let Some(reference) = field.reference() else { continue };
        let (value, target) =
            (format!("i.{}", quote(field.name())), quote(catalog.at(reference.target).name()));
        dangling(&mut judge, &value, &target, position);
    }
    for (place, rule) in collection.unique().iter().enumerate() {
        let given = |position: usize| {
            let field = &fields[position];
            format!("i.{}{}", quote(field.name()), collation(field.kind()))
        };
        duplicate(&mut judge, place, &rule_sql::exists(collection, rule, given, ""));
    }
    let verdict = if judge.is_empty() { DONE.to_string() } else { format!("CASE{judge} ELSE {DONE} END") };
    let stored = of_alias(collection, "c");
    let name = literal(&table);
    // A full join: a trigger of another tool may leave a record out, or choose another id.
    format!(
        "WITH input AS (SELECT i.*, {verdict} AS _verdict \
           FROM unnest({arrays}) WITH ORDINALITY AS i ({columns}, _given, _place)), \
         judged AS MATERIALIZED (SELECT i.*, CASE WHEN _verdict = {DONE} THEN coalesce(_given, \
             nextval((SELECT pg_get_serial_sequence({name}, 'id')::regclass))) END AS _id \
           FROM (SELECT * FROM input ORDER BY _place OFFSET 0) i), \
         created AS (INSERT INTO {table} (id, {columns}) \
           SELECT _id, {columns} FROM judged WHERE _verdict = {DONE} RETURNING id, {columns}), \
         numbered AS (SELECT row_number() OVER () AS _number, created.* FROM created) \
         SELECT j._verdict, c.id{stored} FROM judged j FULL JOIN numbered c ON c.id = j._id \
           ORDER BY j._place, c._number"
    )
}

/// The same under the ids that are given, without a look at each record first, which costs a tenth: one that is refused
/// is an error, and nothing is created. Answers the records as they are stored.
pub(super) fn insert_given(collection: &Collection) -> String {
    let (table, columns) = (quote(collection.name()), columns(collection));
    let arrays = arrays_to_create(collection);
    format!(
        "INSERT INTO {table} ({columns}, id) SELECT {columns}, _given FROM unnest({arrays}) AS i ({columns}, _given) \
         RETURNING {DONE}, id, {columns}"
    )
}

/// The arrays that records are created from: one for each field, and one of ids.
fn arrays_to_create(collection: &Collection) -> String {
    let fields = collection.fields();
    let arrays =
        (1..).zip(fields).map(|(place, field)| format!("${place}::{}[], ", column_type(field.kind())));
    format!("{}${}::bigint[]", arrays.collect::<String>(), fields.len() + 1)
}

/// Changes the fields at `positions` of the records $1, all of them others, to the values in the arrays from $2 on.
/// Answers the outcome of each, in order, and the record where it was changed.
pub(super) fn update(catalog: &Catalog, collection: &Collection, positions: &[usize]) -> String {
    let fields = collection.fields();
    let table = quote(collection.name());
    let given = |position: usize| {
        positions.contains(&position).then(|| format!("i.{}", quote(fields[position].name())))
    };
    let mut judge = format!(" WHEN t.id IS NULL THEN {NO_RECORD}");
    for (position, field) in fields.iter().enumerate() {
        let (Some(reference), Some(value)) = (field.reference(), given(position)) else { continue };
        dangling(&mut judge, &value, &quote(catalog.at(reference.target).name()), position);
    }
    for (place, rule) in collection.unique().iter().enumerate() {
        let value = |position: usize| match given(position) {
            Some(given) => format!("{given}{}", collation(fields[position].kind())),
            None => format!("t.{}", quote(fields[position].name())),
        };
        duplicate(&mut judge, place, &rule_sql::exists(collection, rule, value, "o.id <> i._id AND "));
    }
    let columns = of_alias(collection, "t");
    let changed = of_alias(collection, "c");
    let names = || positions.iter().map(|&position| quote(fields[position].name()));
    let arrays: String = (2..)
        .zip(positions)
        .map(|(place, &position)| format!(", ${place}::{}[]", column_type(fields[position].kind())))
        .collect();
    let given: String = names().map(|name| format!("{name}, ")).collect();
    let assignments: Vec<String> = names().map(|name| format!("{name} = j.{name}")).collect();
    // A full join cannot compare each with each, however few are expected.
    format!(
        "WITH judged AS MATERIALIZED (SELECT i.*, CASE{judge} ELSE {DONE} END AS _verdict \
           FROM unnest($1::bigint[]{arrays}) WITH ORDINALITY AS i (_id, {given}_place) \
           LEFT JOIN {table} t ON t.id = i._id), \
         changed AS (UPDATE {table} t SET {} FROM judged j WHERE t.id = j._id AND j._verdict = {DONE} \
           RETURNING t.id{columns}) \
         SELECT j._verdict, c.id{changed} FROM judged j FULL JOIN changed c ON c.id = j._id ORDER BY j._place",
        assignments.join(", ")
    )
}

/// The offset keeps the planner from reading the whole table to look values up in: the table may grow after it was planned.
fn dangling(judge: &mut String, value: &str, target: &str, position: usize) {
    let number = FIRST_FIELD + i32::try_from(position).unwrap_or(0);
    let _ = write!(
        judge,
        " WHEN {value} IS NOT NULL AND NOT EXISTS (SELECT FROM {target} r WHERE r.id = {value} OFFSET 0) \
         THEN {number}"
    );
}

fn duplicate(judge: &mut String, place: usize, exists: &str) {
    let number = FIRST_RULE + i32::try_from(place).unwrap_or(0);
    let _ = write!(judge, " WHEN {exists} THEN {number}");
}

/// Deletes the records $1, all of them others; answers of each, in order, [`NO_RECORD`], [`DONE`], or the place from 1
/// on of the first that still refers to it; and its id where it is gone.
pub(super) fn delete(collection: &Collection, blockers: &[Blocker]) -> String {
    let table = quote(collection.name());
    let mut judge =
        format!(" WHEN NOT EXISTS (SELECT FROM {table} t WHERE t.id = _given._id) THEN {NO_RECORD}");
    for (place, blocker) in blockers.iter().enumerate() {
        let _ = write!(judge, " WHEN {}_given._id) THEN {}", blocker.holds, place + 1);
    }
    format!(
        "WITH judged AS MATERIALIZED (SELECT _given.*, CASE{judge} ELSE {DONE} END AS _verdict \
           FROM unnest($1::bigint[]) WITH ORDINALITY AS _given (_id, _place)), \
         gone AS (DELETE FROM {table} t USING judged j WHERE t.id = j._id AND j._verdict = {DONE} RETURNING t.id) \
         SELECT _verdict, gone.id FROM judged LEFT JOIN gone ON gone.id = judged._id ORDER BY _place"
    )
}

/// Something that may refer to a record and keeps it from being deleted.
#[derive(Debug, Clone)]
pub(super) struct Blocker {
    /// What it is called towards the client.
    pub(super) table: String,
    /// A condition that holds where it refers to a record, up to the id of that record and a bracket.
    pub(super) holds: String,
}

/// The field at `position`, where its rule is to keep what it refers to.
pub(super) fn keeper(referrer: &Collection, position: usize) -> Blocker {
    let (table, column) = (quote(referrer.name()), quote(referrer.fields()[position].name()));
    Blocker {
        table: referrer.name().to_owned(),
        holds: format!("EXISTS (SELECT FROM {table} r WHERE r.{column} = "),
    }
}

/// Whether a record of this collection can be deleted by one statement: all that may refer to it keeps it.
pub(super) fn is_kept_by_all(catalog: &Catalog, collection: &Collection) -> bool {
    catalog.referrers(collection).all(|(referrer, position)| {
        referrer.fields()[position].reference().is_none_or(|it| it.on_delete == OnDelete::Restrict)
    })
}

/// Whether nothing that is declared can keep a record, for each collection: all that refers to it goes along or lets go.
pub(super) fn take_all_along(catalog: &Catalog) -> Vec<bool> {
    let mut take = vec![true; catalog.collections().len()];
    // Those that refer to a collection stand below it.
    for collection in catalog.collections().iter().rev() {
        take[collection.position()] =
            catalog.referrers(collection).all(|(referrer, position)| {
                match referrer.fields()[position].reference().map(|it| it.on_delete) {
                    Some(OnDelete::Cascade) => take[referrer.position()],
                    Some(OnDelete::SetNull) => true,
                    Some(OnDelete::Restrict) | None => false,
                }
            });
    }
    take
}

/// The next $1 ids of a collection, which no other record will have.
pub(super) fn draw_ids(collection: &Collection) -> String {
    let name = literal(&quote(collection.name()));
    format!(
        "SELECT nextval((SELECT pg_get_serial_sequence({name}, 'id')::regclass)) \
         FROM generate_series(1, $1::bigint)"
    )
}

/// Whether there is a record $1.
pub(super) fn is_there(collection: &Collection) -> String {
    format!("SELECT FROM {} WHERE id = $1", quote(collection.name()))
}

/// The record $1, to be changed: nobody else changes it before we are done.
pub(super) fn lock_one(collection: &Collection) -> String {
    format!("SELECT id, {} FROM {} WHERE id = $1 FOR UPDATE", columns(collection), quote(collection.name()))
}

/// Which of the records $1 are there: nobody else changes them before we are done. In one order, whoever locks them.
pub(super) fn lock_some(collection: &Collection) -> String {
    format!("SELECT id FROM {} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE", quote(collection.name()))
}

/// The ids of the records whose field at `position` refers to one of the records $1, in one array, $2 at the most.
pub(super) fn referring(collection: &Collection, position: usize) -> String {
    let field = quote(collection.fields()[position].name());
    format!(
        "SELECT array_agg(id ORDER BY id) FROM \
         (SELECT id FROM {} WHERE {field} = ANY($1::bigint[]) LIMIT $2::bigint) AS found",
        quote(collection.name())
    )
}

/// Takes the value of a field of the records $1 away.
pub(super) fn clear(collection: &Collection, position: usize) -> String {
    let field = quote(collection.fields()[position].name());
    format!("UPDATE {} SET {field} = NULL WHERE id = ANY($1::bigint[])", quote(collection.name()))
}
