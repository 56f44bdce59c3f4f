//! Which record has the values of a unique rule, in SQL that the indexes of the rule serve. Names come from the catalog,
//! values are bound.

use super::indexes::LONGEST_SHORT;
use super::kind::{self, as_text, collation, column_type};
use crate::catalog::collection::Collection;
use crate::store::ident::quote;

/// Whether a record has the values `given` in the fields of a rule. The offset keeps the planner from reading the whole
/// table to look values up in: the table may grow after it was planned.
pub(super) fn exists(
    collection: &Collection,
    rule: &[usize],
    given: impl Fn(usize) -> String,
    but: &str,
) -> String {
    let table = quote(collection.name());
    let conditions = conditions(collection, rule, given);
    let exists = conditions
        .iter()
        .map(|condition| format!("EXISTS (SELECT FROM {table} o WHERE {but}{condition} OFFSET 0)"));
    exists.collect::<Vec<_>>().join(" OR ")
}

/// The records that have the values of a rule, which are arrays, one for each of its fields: the place from 1 on, and
/// the id of each that is there. Nobody else changes them before we are done. One that another tool has just given other
/// values is none of them: the lock is had by then, and the values are compared once more.
pub(super) fn find(collection: &Collection, rule: &[usize]) -> String {
    let fields = collection.fields();
    let table = quote(collection.name());
    let given = |position: usize| {
        let field = &fields[position];
        format!("i.{}{}", quote(field.name()), collation(field.kind()))
    };
    let arrays = (1..)
        .zip(rule)
        .map(|(place, &position)| format!("${place}::{}[]", column_type(fields[position].kind())));
    let arrays = arrays.collect::<Vec<_>>().join(", ");
    let names = rule.iter().map(|&position| quote(fields[position].name())).collect::<Vec<_>>().join(", ");
    let conditions = conditions(collection, rule, given);
    let ids = conditions.iter().map(|condition| format!("(SELECT o.id FROM {table} o WHERE {condition})"));
    let ids = ids.collect::<Vec<_>>().join(", ");
    let equal = equal(collection, rule, "t", given);
    format!(
        "SELECT i._place, t.id FROM unnest({arrays}) WITH ORDINALITY AS i ({names}, _place) \
         JOIN {table} t ON t.id = coalesce({ids}) AND {equal} FOR UPDATE OF t"
    )
}

/// When a record `o` has the values `given`: the short ones and the long ones are in an index each.
fn conditions(collection: &Collection, rule: &[usize], given: impl Fn(usize) -> String) -> Vec<String> {
    let fields = collection.fields();
    let mine = |position: usize| format!("o.{}", quote(fields[position].name()));
    let equal = equal(collection, rule, "o", &given);
    let may_be_long = |position: &&usize| kind::may_be_long(fields[**position].kind());
    let lengths: Vec<String> = rule
        .iter()
        .filter(may_be_long)
        .map(|&position| format!("octet_length({})", mine(position)))
        .collect();
    if lengths.is_empty() {
        return vec![equal];
    }
    // One field is indexed as it is, several as one array of texts.
    let long = if rule.len() == 1 {
        equal.clone()
    } else {
        let array = |value: &dyn Fn(usize) -> String| {
            let texts: Vec<String> =
                rule.iter().map(|&position| as_text(fields[position].kind(), &value(position))).collect();
            format!("ARRAY[{}]", texts.join(", "))
        };
        format!("{} = {}", array(&mine), array(&given))
    };
    let set: Vec<String> = rule.iter().map(|&position| format!("{} IS NOT NULL", mine(position))).collect();
    let (length, set) = (lengths.join(" + "), set.join(" AND "));
    vec![
        format!("{equal} AND {length} <= {LONGEST_SHORT}"),
        format!("{long} AND {length} > {LONGEST_SHORT} AND {set}"),
    ]
}

fn equal(collection: &Collection, rule: &[usize], alias: &str, given: impl Fn(usize) -> String) -> String {
    let fields = collection.fields();
    let equal = rule
        .iter()
        .map(|&position| format!("{alias}.{} = {}", quote(fields[position].name()), given(position)));
    equal.collect::<Vec<_>>().join(" AND ")
}
