//! The rules for what people read: a label is a line of a few words, and a title names fields that there are.

use super::Checker;
use crate::catalog::declaration::{Declaration, Remedy};
use crate::catalog::wording::{Wording, fields_in};

const LONGEST_LABEL: usize = 60;
const LONGEST_HELP: usize = 500;
const LONGEST_TITLE: usize = 200;

impl Checker<'_> {
    /// Checks what is said of the collection, or of the field at this path inside it.
    pub(super) fn wording(&mut self, at: &[&str], wording: &Wording) {
        for (key, text, longest) in
            [("label", &wording.label, LONGEST_LABEL), ("help", &wording.help, LONGEST_HELP)]
        {
            if let Some(text) = text {
                self.line(&[at, &[key]].concat(), key, text, longest);
            }
        }
    }

    /// Checks what records of the collection are called.
    pub(super) fn title(&mut self, declared: &Declaration) {
        let Some(title) = &declared.title else { return };
        self.line(&["title"], "title", title, LONGEST_TITLE);
        let Some(names) = fields_in(title) else {
            let message = "a brace in `title` has no partner";
            self.advise(&["title"], message, "write each field as `{name}`");
            return;
        };
        if names.is_empty() && !title.trim().is_empty() {
            let message = "`title` names no field, so all records would be called the same";
            self.advise(&["title"], message, "name fields in braces, such as `{first_name} {last_name}`");
        }
        for name in names {
            if !declared.fields.iter().any(|field| field.name == name) {
                let message = format!("`title` names `{name}`, which is not a field of `{}`", declared.name);
                let names = declared.fields.iter().map(|field| field.name.as_str());
                self.fault(&["title"], &[], message, Remedy::one_of(name, names));
            }
        }
    }

    /// One line that is not empty, nor too long for its place.
    fn line(&mut self, at: &[&str], key: &str, text: &str, longest: usize) {
        let length = text.chars().count();
        if text.trim().is_empty() {
            self.advise(at, format!("`{key}` says nothing"), "leave it out");
        } else if text.contains(char::is_control) {
            self.advise(
                at,
                format!("`{key}` is not one line of text"),
                "write it without line ends and tabs",
            );
        } else if length > longest {
            let message = format!("`{key}` has {length} characters");
            self.advise(at, message, format!("use at most {longest}"));
        }
    }
}
