//! Names as both engines write them in SQL: identifiers, lists of columns, deletion rules.

use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;

/// A name as an identifier. Names hold no quote (`catalog/name.rs`); index names hold dots and commas.
pub(super) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as a literal of SQL.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The text of a literal, if that is all there is.
pub(super) fn unquote(sql: &str) -> Option<String> {
    let quoted = sql.strip_prefix('\'')?.strip_suffix('\'')?;
    let is_whole = quoted.replace("''", "").find('\'').is_none();
    is_whole.then(|| quoted.replace("''", "'"))
}

/// The names of a collection's columns, without `id`, in the order of the fields.
pub(super) fn columns(collection: &Collection) -> String {
    let names: Vec<String> = collection.fields().iter().map(|field| quote(field.name())).collect();
    names.join(", ")
}

/// The deletion rule as a foreign key spells it.
pub(super) fn on_delete(rule: OnDelete) -> &'static str {
    match rule {
        OnDelete::Restrict => "RESTRICT",
        OnDelete::SetNull => "SET NULL",
        OnDelete::Cascade => "CASCADE",
    }
}

/// What the name of every index of a collection begins with. The dot keeps `a` + `b_c` and `a_b` + `c` apart.
pub(super) fn index_prefix(collection: &Collection) -> String {
    format!("{}.", collection.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_ends_where_it_should() {
        assert_eq!(literal("it's"), "'it''s'");
        assert_eq!(unquote("'it''s'").as_deref(), Some("it's"));
        assert_eq!(unquote("''").as_deref(), Some(""));
        for no in ["'", "", "it", "'a' || 'b'", "now()"] {
            assert_eq!(unquote(no), None, "{no}");
        }
    }
}
