//! The indexes that a collection has in PostgreSQL.
//!
//! An entry of a B-tree holds 2,704 bytes and a string may be longer, so an index over strings is several:
//! a B-tree of the short ones, and a hash of the long.

use super::ddl::{self, short};
use super::kind;
use crate::catalog::collection::Collection;
use crate::catalog::field::{Field, FieldKind};
use crate::record::Value;
use crate::store::ident::{index_prefix, quote};

/// The longest string, or the longest strings of a rule together, that a B-tree is asked to hold, in bytes.
pub(super) const LONGEST_SHORT: usize = 2000;
/// How many columns an index may have.
const MOST_COLUMNS: usize = 32;

/// What a collection wants to be indexed: the fields of a unique rule, or a field that can be filtered.
pub(super) struct Index {
    pub(super) fields: Vec<usize>,
    pub(super) is_unique: bool,
    pub(super) parts: Vec<Part>,
}

/// One index as PostgreSQL knows it.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) create: String,
}

/// What is compared of an index. Its name says the rest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) method: String,
    /// Empty where an expression is indexed.
    pub(super) columns: Vec<String>,
    pub(super) is_unique: bool,
    pub(super) is_exclusion: bool,
    pub(super) is_partial: bool,
}

/// All of them: for each unique rule, and for each field, since any can be filtered.
pub(super) fn indexes(collection: &Collection) -> Vec<Index> {
    let rules = collection.unique().iter().map(|rule| rule_index(collection, rule));
    let fields = (0..collection.fields().len()).map(|position| field_index(collection, position));
    rules.chain(fields).filter(|index| !index.parts.is_empty()).collect()
}

/// Whether a stored index has a name that [`indexes`] gives to one of this collection, or once gave.
pub(super) fn is_ours(collection: &Collection, name: &str) -> bool {
    let prefix = index_prefix(collection);
    // Of a shortened name only the beginning is left.
    name.starts_with(&prefix) || ddl::kept_of(name).is_some_and(|kept| prefix.starts_with(kept))
}

/// The index that holds a unique rule.
pub(super) fn rule_index(collection: &Collection, rule: &[usize]) -> Index {
    let maker = Maker { collection, base: format!("{} unique", collection.rule_name(rule)) };
    let fields: Vec<&Field> = rule.iter().map(|&position| &collection.fields()[position]).collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let long = fields.iter().filter(|field| kind::may_be_long(field.kind()));
    let lengths: Vec<String> = long.map(|field| format!("octet_length({})", quote(field.name()))).collect();
    let parts = match (lengths.join(" + ").as_str(), names.len() > MOST_COLUMNS) {
        (_, true) => vec![maker.exclusion(&fields, None)],
        ("", false) => vec![maker.btree("", &names, true, None)],
        (length, false) => vec![
            maker.btree("", &names, true, Some(&format!("{length} <= {LONGEST_SHORT}"))),
            maker.exclusion(&fields, Some(&format!("{length} > {LONGEST_SHORT}"))),
        ],
    };
    Index { fields: rule.to_vec(), is_unique: true, parts }
}

/// The fields of a unique rule by the name of the index that holds it, if it is one of ours and not shortened: a rule
/// that this node does not know has nothing else to tell it by.
pub(super) fn fields_of_rule(table: &str, index: &str) -> Option<Vec<String>> {
    let name = index.strip_suffix(" long").unwrap_or(index);
    let fields = name.strip_prefix(table)?.strip_prefix('.')?.strip_suffix(" unique")?;
    Some(fields.split(',').map(str::to_owned).collect())
}

fn field_index(collection: &Collection, position: usize) -> Index {
    let field = &collection.fields()[position];
    let (name, quoted) = (field.name(), quote(field.name()));
    let maker = Maker { collection, base: name.to_owned() };
    let may_be_long = kind::may_be_long(field.kind());
    // The index of a rule over this field alone finds its values too.
    let is_a_rule_of_its_own = collection.unique().iter().any(|rule| *rule == [position]);
    let mut parts = Vec::new();
    if !is_a_rule_of_its_own && may_be_long {
        let (short, long) = (
            format!("octet_length({quoted}) <= {LONGEST_SHORT}"),
            format!("octet_length({quoted}) > {LONGEST_SHORT}"),
        );
        parts.push(maker.btree("", &[name, "id"], false, Some(&short)));
        parts.push(maker.hash(" long", name, &long));
    } else if !is_a_rule_of_its_own {
        parts.push(maker.btree("", &[name, "id"], false, None));
    }
    if field.kind().is_text() && !field.is_required() {
        let none = format!("{quoted} IS NULL OR {quoted} = ''");
        parts.push(maker.btree(" none", &["id"], false, Some(&none)));
    }
    Index { fields: vec![position], is_unique: false, parts }
}

/// The words by which a value is looked for in the index that has it.
pub(super) fn hint(column: &str, kind: FieldKind, value: &Value) -> Option<String> {
    let side = if value.text_bytes() <= LONGEST_SHORT { "<=" } else { ">" };
    kind::may_be_long(kind).then(|| format!("octet_length({column}) {side} {LONGEST_SHORT}"))
}

/// Makes the parts of one index, whose names begin alike.
struct Maker<'a> {
    collection: &'a Collection,
    base: String,
}

impl Maker<'_> {
    fn name(&self, suffix: &str) -> String {
        short(format!("{}{}{suffix}", index_prefix(self.collection), self.base))
    }

    fn btree(&self, suffix: &str, columns: &[&str], is_unique: bool, only: Option<&str>) -> Part {
        let name = self.name(suffix);
        let quoted: Vec<String> = columns.iter().map(|column| quote(column)).collect();
        let create = format!(
            "CREATE {}INDEX {} ON {} ({}){}",
            if is_unique { "UNIQUE " } else { "" },
            quote(&name),
            quote(self.collection.name()),
            quoted.join(", "),
            only.map(|only| format!(" WHERE {only}")).unwrap_or_default()
        );
        let shape = Shape {
            method: "btree".into(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            is_unique,
            is_exclusion: false,
            is_partial: only.is_some(),
        };
        Part { name, shape, create }
    }

    fn hash(&self, suffix: &str, column: &str, only: &str) -> Part {
        let name = self.name(suffix);
        let (index, table, quoted) = (quote(&name), quote(self.collection.name()), quote(column));
        let create = format!("CREATE INDEX {index} ON {table} USING hash ({quoted}) WHERE {only}");
        let (method, columns) = ("hash".into(), vec![column.to_owned()]);
        let shape = Shape { method, columns, is_unique: false, is_exclusion: false, is_partial: true };
        Part { name, shape, create }
    }

    /// Unique by a hash, which PostgreSQL has only as a constraint, and only over one value.
    fn exclusion(&self, fields: &[&Field], only: Option<&str>) -> Part {
        let name = self.name(" long");
        let (what, column) = match fields {
            // Of one field the hash also serves the filter.
            [field] => (quote(field.name()), field.name().to_owned()),
            _ => {
                let values: Vec<String> =
                    fields.iter().map(|field| kind::as_text(field.kind(), &quote(field.name()))).collect();
                (format!("(ARRAY[{}])", values.join(", ")), String::new())
            }
        };
        let set = fields.iter().map(|field| format!("{} IS NOT NULL", quote(field.name())));
        let conditions: Vec<String> = only.map(str::to_owned).into_iter().chain(set).collect();
        let create = ddl::alter(
            self.collection,
            &format!(
                "ADD CONSTRAINT {} EXCLUDE USING hash ({what} WITH =) WHERE ({})",
                quote(&name),
                conditions.join(" AND ")
            ),
        );
        let (method, columns) = ("hash".into(), vec![column]);
        let shape = Shape { method, columns, is_unique: false, is_exclusion: true, is_partial: true };
        Part { name, shape, create }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::declaration::{Declaration, FieldDeclaration};

    fn catalog(unique: &[&[&str]]) -> Catalog {
        let field = |name: &str, kind: &str, required| FieldDeclaration {
            name: name.into(),
            kind: kind.into(),
            required,
            ..FieldDeclaration::default()
        };
        let declaration = Declaration {
            name: "users".into(),
            show_id: true,
            fields: vec![field("name", "string", false), field("size", "float", true)],
            unique: unique.iter().map(|rule| rule.iter().map(|&name| name.into()).collect()).collect(),
            list_verbs: vec!["GET".into()],
            unique_verbs: vec!["GET".into()],
            pagination: None,
            authentication: false,
            authorization: false,
            rate_limit: None,
            ..Declaration::default()
        };
        Catalog::declare(&[declaration], &[]).unwrap()
    }

    fn names(unique: &[&[&str]]) -> Vec<String> {
        let catalog = catalog(unique);
        let indexes = indexes(catalog.at(0)).into_iter();
        indexes.flat_map(|index| index.parts).map(|part| part.name).collect()
    }

    #[test]
    fn a_string_has_an_index_for_the_short_the_long_and_the_absent() {
        assert_eq!(names(&[]), ["users.name", "users.name long", "users.name none", "users.size"]);
    }

    #[test]
    fn a_rule_over_one_field_is_its_index_too() {
        assert_eq!(
            names(&[&["name"], &["size"]]),
            ["users.name unique", "users.name unique long", "users.size unique", "users.name none"]
        );
    }

    #[test]
    fn a_rule_over_long_strings_is_held_by_a_hash_of_them_all() {
        let catalog = catalog(&[&["name", "size"]]);
        let rule = rule_index(catalog.at(0), &[0, 1]);
        assert_eq!(
            rule.parts[1].create,
            "ALTER TABLE \"users\" ADD CONSTRAINT \"users.name,size unique long\" EXCLUDE USING hash \
             ((ARRAY[\"name\", encode(float8send(\"size\" + 0), 'hex')]) WITH =) \
             WHERE (octet_length(\"name\") > 2000 AND \"name\" IS NOT NULL AND \"size\" IS NOT NULL)"
        );
    }

    #[test]
    fn a_rule_is_told_by_the_name_of_its_index() {
        let rule = rule_index(catalog(&[&["name", "size"]]).at(0), &[0, 1]);
        for part in rule.parts {
            assert_eq!(fields_of_rule("users", &part.name).unwrap(), ["name", "size"]);
        }
        assert_eq!(fields_of_rule("users", "users.name"), None);
        assert_eq!(fields_of_rule("users", "users_name_key"), None);
    }

    #[test]
    fn only_names_that_we_give_are_ours() {
        let catalog = catalog(&[]);
        assert!(is_ours(catalog.at(0), "users.name"));
        assert!(!is_ours(catalog.at(0), "users_name") && !is_ours(catalog.at(0), "u~x"));
    }
}
