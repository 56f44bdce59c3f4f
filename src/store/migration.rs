//! What a start would change in the stored data, and what stands against it.

use std::fmt;

use crate::catalog::Catalog;

/// How the stored tables are brought in line with the catalog.
#[derive(Debug, Default)]
pub struct MigrationPlan {
    pub steps: Vec<Step>,
    /// What some steps need besides, once they are done.
    pub builds: Vec<IndexBuild>,
    /// What goes with a table that is built anew, and is made again once all steps are done.
    pub kept: Vec<Kept>,
    pub conflicts: Vec<Conflict>,
    /// What is worth knowing, and changes nothing.
    pub notes: Vec<String>,
}

/// One change, in words and as statements.
#[derive(Debug)]
pub struct Step {
    pub words: String,
    pub statements: Vec<String>,
}

/// An index that is built or dropped while others write, which no transaction can do.
#[derive(Debug)]
pub struct IndexBuild {
    /// As SQL spells its name.
    pub index: String,
    /// The statement that would build it in a transaction; `None` where it only goes.
    pub create: Option<String>,
}

/// What another tool has put on a table.
#[derive(Debug)]
pub struct Kept {
    /// What it is.
    pub words: String,
    /// Makes it.
    pub statement: String,
    /// What must be possible then, or it is left out.
    pub writes: Vec<String>,
}

/// Something in the stored data that contradicts the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What is wrong.
    pub message: String,
    /// The records in the way, the first of them.
    pub ids: Vec<i64>,
    /// How many records are in the way.
    pub count: u64,
    pub remedy: String,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.ids.is_empty() {
            let ids: Vec<String> = self.ids.iter().map(i64::to_string).collect();
            write!(f, " (records {}", ids.join(", "))?;
            match self.count.saturating_sub(self.ids.len() as u64) {
                0 => f.write_str(")")?,
                more => write!(f, " and {more} more)")?,
            }
        }
        write!(f, ". Remedy: {}", self.remedy)
    }
}

/// How many ids a conflict names.
pub(super) const NAMED_IDS: usize = 10;

impl MigrationPlan {
    /// Says of a table that no collection is declared for what becomes of it. `renaming` is a collection without
    /// records that has the same fields, and the statements that make the table its own.
    pub(super) fn note_undeclared(&mut self, table: &str, renaming: Option<(&str, String)>) {
        let mut message = format!("the table {table} is not declared: it is kept as it is, and not served");
        let remedy = renaming.map(|(collection, statements)| {
            format!(
                "if it is now called {collection}, stop the server and run, while {collection} has no records: {statements}"
            )
        });
        match remedy {
            // It may be why something else is in the way, and a refusal tells no notes.
            Some(remedy) if !self.conflicts.is_empty() => {
                self.conflicts.push(Conflict { message, ids: Vec::new(), count: 0, remedy });
            }
            remedy => {
                message.extend(remedy.map(|remedy| format!("; {remedy}")));
                self.notes.push(message);
            }
        }
    }

    /// What would change in tables that are there, in words.
    pub(super) fn except_creations(self, catalog: &Catalog) -> Vec<String> {
        let creations: Vec<String> = catalog.collections().iter().map(words::create).collect();
        self.steps.into_iter().map(|step| step.words).filter(|words| !creations.contains(words)).collect()
    }
}

impl Conflict {
    /// Another tool's table under the name of a collection, without the key that records need.
    pub(super) fn without_key(collection: &str, key: &str, remedy: impl Into<String>) -> Self {
        let message = format!("the stored table {collection} has no column `{key}`");
        Self { message, ids: Vec::new(), count: 0, remedy: remedy.into() }
    }
}

/// What steps are called, whatever the engine does for them.
pub(super) mod words {
    use crate::catalog::collection::Collection;
    use crate::store::ident;

    pub(in crate::store) fn create(collection: &Collection) -> String {
        format!("create the collection {}", collection.name())
    }

    /// A new index over some fields.
    pub(in crate::store) fn index(collection: &Collection, fields: &[usize], is_unique: bool) -> String {
        let (name, fields) = (collection.name(), collection.rule_name(fields));
        match is_unique {
            true => format!("make {name} unique by {fields}"),
            false => format!("index {fields} of {name}"),
        }
    }

    /// An index that is stored and no longer wanted.
    pub(in crate::store) fn drop_index(collection: &Collection, index: &str) -> String {
        let rule = index.strip_prefix(&ident::index_prefix(collection));
        match rule.and_then(|rule| rule.strip_suffix(" unique")) {
            Some(rule) => format!("no longer demand that {} is unique by {rule}", collection.name()),
            None => format!("drop the index {index}"),
        }
    }
}
