//! Reading typed values out of the TOML tree, remembering where each one stands.
//!
//! A value of the wrong type becomes a [`Problem`] and counts as not written, so the walk goes on.

use super::keys::{self, Keys};
use super::problem::{self, Problem};
use super::{Overrides, size, synonyms};
use crate::catalog::declaration::Step;
use crate::catalog::field::Literal;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Collects what is wrong while tables are read.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// What is given instead of what is written.
    pub(super) overrides: &'t Overrides,
    pub(super) problems: Vec<Problem>,
    /// Paths whose values are stand-ins, because what was written could not be used. What the catalog
    /// says about them would only confuse.
    pub(super) spoiled: Vec<Vec<Step>>,
}

/// One table of the file.
#[derive(Clone)]
pub(super) struct Table<'t> {
    pub(super) path: Vec<Step>,
    pub(super) keys: Keys,
    pub(super) entries: &'t DeTable<'t>,
    /// Where a problem of the whole table is shown.
    pub(super) span: Range<usize>,
}

impl Table<'_> {
    pub(super) fn path_of(&self, name: &str) -> Vec<Step> {
        let mut path = self.path.clone();
        path.push(Step::Key(name.to_owned()));
        path
    }
}

impl<'t> Reader<'t> {
    /// The value, or `None` after noting what was wrong with it.
    pub(super) fn note<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Complains about every key that the table cannot have.
    pub(super) fn refuse_unknown_keys(&mut self, table: &Table<'t>) {
        for (key, value) in table.entries {
            let (name, keys) = (key.get_ref(), table.keys);
            if keys.names.contains(&name.as_ref()) {
                continue;
            }
            let what = match value.get_ref() {
                DeValue::Table(_) => "table",
                _ => "key",
            };
            let message = format!("{} has no {what} `{name}`", keys.table);
            let remedy = format!("{} has {}", keys.table, problem::enumerate(keys.names, "and"));
            let mut problem = Problem::at(key.span(), message, remedy);
            if let Some(remedy) = synonyms::remedy(keys, name, &self.text[value.span()]) {
                problem.remedy = remedy;
            } else if let Some(near) = problem::nearest(name, keys.names) {
                problem.label = Some(format!("did you mean `{near}`?"));
            } else if let Some(home) = keys::home_of(name) {
                problem.remedy = format!("move it to {home}, where `{name}` belongs");
            }
            self.problems.push(problem);
        }
    }

    pub(super) fn string(&mut self, table: &Table<'t>, name: &str) -> Option<Spanned<String>> {
        let value = table.entries.get(name)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Spanned::new(value.span(), text.to_string())),
            _ => self.wrong_type(table, name, value, "a string"),
        }
    }

    pub(super) fn integer(&mut self, table: &Table<'t>, name: &str) -> Option<Spanned<i64>> {
        let value = table.entries.get(name)?;
        let DeValue::Integer(digits) = value.get_ref() else {
            return self.wrong_type(table, name, value, "an integer");
        };
        match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(number) => Some(Spanned::new(value.span(), number)),
            Err(_) => {
                let message = format!("`{name}` does not fit in 64 bits");
                let problem = Problem::at(value.span(), message, "write a smaller number");
                self.problems.push(problem);
                self.spoiled.push(table.path_of(name));
                None
            }
        }
    }

    /// A value that a field might hold.
    pub(super) fn literal(&mut self, table: &Table<'t>, name: &str) -> Option<Literal> {
        let value = table.entries.get(name)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Literal::Text(text.to_string())),
            DeValue::Integer(_) => {
                self.integer(table, name).map(|number| Literal::Integer(number.into_inner()))
            }
            DeValue::Float(number) => {
                // What TOML writes and Rust does not: the underscores are gone already.
                Some(Literal::Float(number.as_str().parse().unwrap_or(f64::NAN)))
            }
            DeValue::Boolean(boolean) => Some(Literal::Boolean(*boolean)),
            DeValue::Datetime(datetime) => Some(Literal::Bare(datetime.to_string())),
            DeValue::Array(_) | DeValue::Table(_) => self.wrong_type(table, name, value, "a value"),
        }
    }

    /// An integer within these bounds.
    pub(super) fn number(
        &mut self,
        table: &Table<'t>,
        name: &str,
        legal: RangeInclusive<i64>,
    ) -> Option<i64> {
        let written = self.integer(table, name)?;
        if legal.contains(written.get_ref()) {
            return Some(written.into_inner());
        }
        let message = format!("`{name}` is {}", written.get_ref());
        let remedy = format!("use {} to {}", legal.start(), legal.end());
        self.problems.push(Problem::at(written.span(), message, remedy));
        None
    }

    /// A size: a number of bytes, or a text with a unit.
    pub(super) fn size(&mut self, table: &Table<'t>, name: &str, least: usize) -> Option<usize> {
        let value = table.entries.get(name)?;
        let text = match value.get_ref() {
            DeValue::Integer(_) => self.integer(table, name)?.get_ref().to_string(),
            DeValue::String(text) => text.to_string(),
            _ => return self.wrong_type(table, name, value, "a size such as \"1MiB\""),
        };
        let parsed = size::parse(&text).filter(|bytes| *bytes >= least).ok_or_else(|| {
            let remedy = format!(
                "write a whole number of bytes from {least}, or one with B, KiB, MiB or GiB: `\"1MiB\"`"
            );
            Problem::at(value.span(), format!("`{name}` is not a size"), remedy)
        });
        self.note(parsed)
    }

    pub(super) fn boolean(&mut self, table: &Table<'t>, name: &str) -> Option<bool> {
        let value = table.entries.get(name)?;
        match value.get_ref() {
            DeValue::Boolean(boolean) => Some(*boolean),
            _ => self.wrong_type(table, name, value, "a boolean"),
        }
    }

    pub(super) fn strings(&mut self, table: &Table<'t>, name: &str) -> Option<Vec<Spanned<String>>> {
        let value = table.entries.get(name)?;
        let strings = Self::all_strings(value);
        strings.or_else(|| self.wrong_type(table, name, value, "an array of strings"))
    }

    pub(super) fn texts(&mut self, table: &Table<'t>, name: &str) -> Option<Vec<String>> {
        let strings = self.strings(table, name)?;
        Some(strings.into_iter().map(Spanned::into_inner).collect())
    }

    /// The strings of an array that holds nothing else.
    pub(super) fn all_strings(value: &Spanned<DeValue<'_>>) -> Option<Vec<Spanned<String>>> {
        let items = value.get_ref().as_array()?.iter();
        items.map(|item| Some(Spanned::new(item.span(), item.get_ref().as_str()?.to_owned()))).collect()
    }

    /// The table under this name, its unknown keys refused.
    pub(super) fn table(&mut self, parent: &Table<'t>, name: &str, keys: Keys) -> Option<Table<'t>> {
        let (key, value) = parent.entries.get_key_value(name)?;
        let DeValue::Table(entries) = value.get_ref() else {
            return self.wrong_type(parent, name, value, "a table");
        };
        let table = Table { path: parent.path_of(name), keys, entries, span: key.span() };
        self.refuse_unknown_keys(&table);
        Some(table)
    }

    /// The table under this name, or one with `nothing` in it.
    pub(super) fn table_or(
        &mut self,
        parent: &Table<'t>,
        name: &str,
        keys: Keys,
        nothing: &'t DeTable<'t>,
    ) -> Table<'t> {
        let found = self.table(parent, name, keys);
        found.unwrap_or_else(|| Table { path: parent.path_of(name), keys, entries: nothing, span: 0..0 })
    }

    /// Says that a key without a default is not there, unless it is there and wrong.
    pub(super) fn demand<T>(
        &mut self,
        found: Option<T>,
        table: &Table<'t>,
        name: &str,
        example: &str,
    ) -> Option<T> {
        if found.is_none() && !table.entries.contains_key(name) {
            let mut written = table.entries.keys().map(|key| key.get_ref());
            // A misspelt one has been complained about.
            if !written.any(|key| problem::nearest(key, table.keys.names) == Some(name)) {
                let message = format!("{} needs the key `{name}`", table.keys.table);
                let remedy = format!("add `{name} = {example}`");
                self.problems.push(Problem::at(table.span.clone(), message, remedy));
            }
            self.spoiled.push(table.path_of(name));
        }
        found
    }

    /// Complains that a value is not `wanted`, such as "a string"; the answer is always `None`.
    pub(super) fn wrong_type<T>(
        &mut self,
        table: &Table<'t>,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        wanted: &str,
    ) -> Option<T> {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) if wanted.starts_with("an array") => "another kind of array",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        let written = &self.text[value.span()];
        let remedy = match (wanted, value.get_ref()) {
            ("a string", _) => format!("write text in quotes: `{name} = \"…\"`"),
            ("an integer", DeValue::String(text)) if text.parse::<i64>().is_ok() => {
                format!("write it without quotes: `{name} = {text}`")
            }
            ("an integer", _) => format!("write a whole number, such as `{name} = 10`"),
            ("a boolean", _) => format!("write `{name} = true` or `{name} = false`"),
            ("an array of strings", DeValue::String(_)) => {
                format!("put it in brackets: `{name} = [{written}]`")
            }
            ("an array of strings", _) => format!("write `{name} = [\"…\", \"…\"]`"),
            ("a table", _) if table.path.is_empty() => format!("write its keys under the heading [{name}]"),
            ("a table", _) => format!("write its keys under the heading [collection.{name}]"),
            _ => format!("write {wanted}"),
        };
        let message = format!("`{name}` is {found}, and should be {wanted}");
        self.problems.push(Problem::at(value.span(), message, remedy));
        self.spoiled.push(table.path_of(name));
        None
    }
}

/// Puts a value in its place; without one, what is there stays.
pub(super) fn put<T>(value: Option<T>, place: &mut T) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Where the key of this path stands; of a path that was not written, its nearest ancestor that was.
pub(super) fn locate(root: &DeTable<'_>, path: &[Step]) -> Option<Range<usize>> {
    let mut found = None;
    let mut here = None;
    for step in path {
        let (span, next) = match (step, here.map(Spanned::get_ref)) {
            (Step::Key(name), None) => entry(root, name)?,
            (Step::Key(name), Some(DeValue::Table(table))) => match entry(table, name) {
                Some(entry) => entry,
                None => break,
            },
            (Step::Index(number), Some(DeValue::Array(items))) => match items.get(*number) {
                Some(item) => (item.span(), item),
                None => break,
            },
            _ => break,
        };
        (found, here) = (Some(span), Some(next));
    }
    found
}

/// A named value, shown at its key where the value is a whole table.
fn entry<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<(Range<usize>, &'a Spanned<DeValue<'i>>)> {
    let (key, value) = table.get_key_value(name)?;
    match value.get_ref() {
        DeValue::Table(_) => Some((key.span(), value)),
        _ => Some((value.span(), value)),
    }
}
