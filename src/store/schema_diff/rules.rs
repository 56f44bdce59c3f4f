//! The rules of strings against those that a stored table holds: what is new must hold for the stored records.

use super::{Change, Question, SchemaDiff, Stored};
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::store::ident::quote;
use crate::store::rule_checks::{self, About};

/// The rules of a field that the table lacks, and the constraints that it has for others.
pub(in crate::store) fn differing(
    table: &impl Stored,
    field: &Field,
) -> (Vec<rule_checks::RuleCheck>, Vec<String>) {
    let (wanted, stored) = (rule_checks::of(field), table.rules(field.name()));
    let name = |rule: &rule_checks::RuleCheck| table.rule_name(field.name(), rule);
    let names: Vec<String> = wanted.iter().map(name).collect();
    let missing = wanted.into_iter().filter(|rule| !stored.contains(&name(rule))).collect();
    (missing, stored.into_iter().filter(|name| !names.contains(name)).collect())
}

impl<'a, T: Stored, F: Fn(&Collection) -> bool> SchemaDiff<'a, '_, T, F> {
    pub(super) fn rules(&mut self, field: &'a Field) {
        let (missing, stale) = differing(self.table, field);
        if missing.is_empty() && stale.is_empty() {
            return;
        }
        self.differences.changes.push(Change::Rules(field));
        let (name, column) = (self.collection.name(), quote(field.name()));
        for rule in missing {
            let of = format!("the field {} of {name}", field.name());
            let (key, message) = match rule.about {
                About::Format(format) => {
                    ("format", format!("{of} is now {}, and some values are not", format.values()))
                }
                About::Choices => {
                    let choices = field.rules().choices.join(", ");
                    ("choices", format!("{of} is now one of {choices}, and some values are not"))
                }
                About::MaxLength(most) => (
                    "max_length",
                    format!("{of} now has at most {most} characters, and some values have more"),
                ),
            };
            let (condition, unless) = match rule.about {
                About::Format(format) => (format!("{column} IS NOT NULL"), Some((column.clone(), format))),
                About::Choices | About::MaxLength(_) => (format!("NOT ({})", rule.condition), None),
            };
            let remedy = format!("correct those records, or leave `{key}` out");
            let question = Question { condition, unless, message, remedy, remedy_without: None };
            self.differences.questions.push(question);
        }
    }
}
