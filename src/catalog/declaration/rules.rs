//! The rules of a string in a declaration: each by itself, and whether any text meets all of them. What a field holds
//! where nothing is said must be one of its values.

use super::check::Checker;
use super::{FieldDeclaration, Remedy};
use crate::catalog::field::{FieldKind, Literal};
use crate::catalog::rule::{Format, TextRules};

impl Checker<'_> {
    pub(super) fn rules(&mut self, field: &FieldDeclaration, kind: Option<FieldKind>) -> TextRules {
        let given = [
            ("format", field.format.is_some()),
            ("choices", field.choices.is_some()),
            ("max_length", field.max_length.is_some()),
        ];
        if kind.is_some_and(|kind| !kind.is_text()) {
            for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
                let message = format!("`{}` is no string, and has no `{key}`", field.name);
                self.advise(&["fields", &field.name, key], message, format!("leave `{key}` out"));
            }
            return TextRules::default();
        }
        let format = self.format(field);
        let max_length = self.max_length(field, format);
        let rules = TextRules { choices: Vec::new(), max_length, format };
        let choices = field.choices.as_deref().unwrap_or_default();
        self.choices(field, &rules);
        TextRules { choices: choices.to_vec(), ..rules }
    }

    pub(super) fn default(
        &mut self,
        field: &FieldDeclaration,
        kind: FieldKind,
        rules: &TextRules,
    ) -> Option<Literal> {
        let declared = field.default.as_ref()?;
        let at = ["fields", &field.name, "default"];
        if field.references.is_some() {
            let message = format!("`{}` refers to a record, and cannot have a default", field.name);
            self.advise(&at, message, "leave `default` out");
            return None;
        }
        let default = kind.take(declared);
        let fault = match &default {
            None => Some(format!("the default of `{}` is no {}", field.name, kind.name())),
            Some(Literal::Text(text)) if kind.is_text() => {
                let refused = rules.check(text).err();
                refused.map(|why| format!("`{}` does not take its default: {why}", field.name))
            }
            Some(_) => None,
        };
        if let Some(message) = fault {
            self.advise(&at, message, "write a value that the field takes, or leave `default` out");
        }
        default
    }

    fn format(&mut self, field: &FieldDeclaration) -> Option<Format> {
        let name = field.format.as_deref()?;
        let format = Format::parse(name);
        if format.is_none() {
            let remedy = Remedy::one_of(name, Format::ALL.map(Format::name));
            self.fault(
                &["fields", &field.name, "format"],
                &[],
                format!("there is no format `{name}`"),
                remedy,
            );
        }
        format
    }

    fn max_length(&mut self, field: &FieldDeclaration, format: Option<Format>) -> Option<u64> {
        let most = field.max_length?;
        let least = format.map_or("a", Format::shortest).len() as i64;
        if most < least {
            let message = match format {
                Some(format) => format!("no {} has at most {most} characters", format.name()),
                None => format!("a string of at most {most} characters says nothing"),
            };
            self.advise(&["fields", &field.name, "max_length"], message, format!("use {least} or more"));
        }
        u64::try_from(most).ok()
    }

    /// Each of them must be one that the other rules take.
    fn choices(&mut self, field: &FieldDeclaration, rules: &TextRules) {
        let Some(choices) = &field.choices else { return };
        let at = ["fields", &field.name, "choices"];
        if choices.is_empty() {
            self.advise(&at, "`choices` has none to choose from", "name at least one, or leave it out");
        }
        for (place, choice) in choices.iter().enumerate() {
            let fault = match rules.check(choice) {
                _ if choice.is_empty() => {
                    Some(("`choices` has an empty one".to_owned(), "leave it out: no value is no choice"))
                }
                _ if choice.contains('\0') => {
                    Some(("a choice has the character U+0000".to_owned(), "write it without"))
                }
                _ if choices[..place].contains(choice) => {
                    Some((format!("`{choice}` stands twice in `choices`"), "name each once"))
                }
                Err(mismatch) => Some((
                    format!("`{choice}` is no choice of `{}`: {mismatch}", field.name),
                    "write another",
                )),
                Ok(()) => None,
            };
            if let Some((message, advice)) = fault {
                self.fault(&at, &[place], message, Remedy::Advice(advice.into()));
            }
        }
    }
}
