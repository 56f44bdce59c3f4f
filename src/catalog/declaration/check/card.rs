//! The rules for `vcard`: a property that can hold the field, and for each property one field.

use super::Checker;
use crate::catalog::card_property::CardProperty;
use crate::catalog::declaration::{Declaration, FieldDeclaration};

impl Checker<'_> {
    /// The property that the field declares, if it is one that it can be.
    pub(super) fn card_property(&mut self, field: &FieldDeclaration) -> Option<CardProperty> {
        let text = field.vcard.as_deref()?;
        let at = ["fields", &field.name, "vcard"];
        let Some(property) = CardProperty::parse(text) else {
            let message = format!("`{text}` is no property of a vCard that a field can be");
            self.advise(&at, message, "name one, such as \"TEL\", \"X-SHOE-SIZE\" or \"N.middle\"");
            return None;
        };
        match (&property, field.references.is_some()) {
            (CardProperty::Address, false) => {
                let message = format!("`{}` is no address: it refers to nothing", field.name);
                self.advise(&at, message, "declare ADR on a field that refers to a collection of addresses");
            }
            (CardProperty::Name(_) | CardProperty::Text(_), true) => {
                let message = format!("`{}` refers to a record, which only ADR can say", field.name);
                self.advise(&at, message, "write \"ADR\", or leave `vcard` out");
            }
            _ => {}
        }
        Some(property)
    }

    /// No property is declared for two fields.
    pub(super) fn card_properties(&mut self, declared: &Declaration) {
        let properties: Vec<(&FieldDeclaration, Option<CardProperty>)> = declared
            .fields
            .iter()
            .map(|field| (field, field.vcard.as_deref().and_then(CardProperty::parse)))
            .collect();
        for (place, (field, property)) in properties.iter().enumerate() {
            let is_given =
                |(_, earlier): &&(_, Option<CardProperty>)| property.is_some() && earlier == property;
            if let Some((earlier, _)) = properties[..place].iter().find(is_given) {
                let message =
                    format!("`{}` and `{}` are the same property of a vCard", earlier.name, field.name);
                self.advise(&["fields", &field.name, "vcard"], message, "name another for one of them");
            }
        }
    }
}
