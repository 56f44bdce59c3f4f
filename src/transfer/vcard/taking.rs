//! From a card to what it gives, and to the names of what it has besides.

use std::collections::BTreeMap;

use super::address::Address;
use super::day;
use super::mapping::{Slot, VcardMapping};
use super::property::{Property, Unreadable};
use super::reader::Card;
use super::text::join;
use crate::catalog::card_property::CardProperty;
use crate::record::RecordId;
use crate::store::StoreId;
use crate::transfer::entry::{Entry, Fault, Given, Target, UNCLEAR};

/// What a card gives, and what of it nobody takes.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    pub entry: Entry,
    /// How often, by the names that `--ignore` takes: `PHOTO`, `TEL+`, `ADR.code`, `ORG.unit`, `BDAY.unclear`. Of a card at
    /// most 10,000.
    pub not_taken: BTreeMap<String, u64>,
    /// Whether it has a `UID` of another program, which no field takes.
    pub has_foreign_uid: bool,
}

/// What is about the card itself.
const UNREPORTED: [&str; 3] = ["VERSION", "PRODID", "REV"];
/// The components of `N` that RFC 9554 adds.
const MORE_OF_NAMES: [&str; 2] = ["secondary", "generation"];

impl VcardMapping {
    /// What a card gives. A `UID` of this store is an id. A house number that `ADR` does not have is left out: the field
    /// is missing then as any other that an entry does not give.
    pub fn take(&self, card: &Card, store: StoreId) -> Result<Taken, Fault> {
        let mut taking = Taking::new(self, card);
        let words = |why: Unreadable| format!("the card at line {}: {why}", card.line);
        taking.run(store).map_err(|why| Fault::new(card.line, words(why)))?;
        // In the order of the fields, so that faults are told in it.
        taking.taken.entry.given.sort_by_key(|(target, _)| match target {
            Target::Id => (None, 0),
            Target::Field(position) => (Some(*position), 0),
            Target::Part { reference, field } => (Some(*reference), *field),
        });
        Ok(taking.taken)
    }
}

/// One card on its way.
struct Taking<'a> {
    mapping: &'a VcardMapping,
    /// Those that say something, or of which none does; the preferred of a name first, then the first.
    properties: Vec<(String, Property<'a>)>,
    /// The groups of those that are taken.
    groups: Vec<&'a str>,
    taken: Taken,
}

impl<'a> Taking<'a> {
    fn new(mapping: &'a VcardMapping, card: &'a Card) -> Self {
        let all = card.properties().map(|property| (property.upper_name(), property));
        let mut properties: Vec<(String, Property<'a>)> =
            all.filter(|(name, _)| !UNREPORTED.contains(&name.as_str())).collect();
        // Stable: what is as good stays in the order of the card.
        properties.sort_by(|(one_name, one), (other_name, other)| {
            let key = |property: &Property<'_>| (property.is_empty(), property.preference());
            one_name.cmp(other_name).then(key(one).cmp(&key(other)))
        });
        let entry = Entry { line: card.line, given: Vec::new() };
        let taken = Taken { entry, not_taken: BTreeMap::new(), has_foreign_uid: false };
        Self { mapping, properties, groups: Vec::new(), taken }
    }

    fn run(&mut self, store: StoreId) -> Result<(), Unreadable> {
        let properties = std::mem::take(&mut self.properties);
        let has =
            |wanted: &str| properties.iter().any(|(name, property)| name == wanted && !property.is_empty());
        let (has_n, has_fn) = (has("N"), has("FN"));
        let mut labels = Vec::new();
        let mut last = None;
        for (name, property) in &properties {
            let is_first = last != Some(name);
            last = Some(name);
            if property.is_empty() && !is_first {
                continue;
            }
            let is_taken = match name.as_str() {
                "X-ABLABEL" if self.mapping.text(name).is_none() => {
                    labels.push(property);
                    continue;
                }
                "FN" if has_n && self.mapping.text(name).is_none() => continue,
                "N" if is_first => self.name(property, has_fn)?,
                "N" => true,
                "ADR" if self.mapping.address().is_none() => false,
                "ADR" => !is_first || self.address(property)?,
                "UID" if is_first => self.uid(property, store)?,
                _ => self.text(name, property, is_first)?,
            };
            match (is_taken, is_first) {
                (true, true) => self.groups.push(property.group),
                (true, false) => self.report(&format!("{name}+")),
                (false, _) if property.is_empty() => {}
                (false, _) => self.report(name),
            }
        }
        for label in labels {
            if label.group.is_empty() || !self.groups.contains(&label.group) {
                self.report("X-ABLABEL");
            }
        }
        Ok(())
    }

    fn report(&mut self, name: &str) {
        *self.taken.not_taken.entry(name.to_owned()).or_default() += 1;
    }

    fn give(&mut self, target: Target, text: String) {
        let given = if text.is_empty() { Given::Nothing } else { Given::Text(text) };
        self.taken.entry.given.push((target, given));
    }

    /// `N`, by its components; without `FN` it also says the whole name.
    fn name(&mut self, property: &Property<'_>, has_full: bool) -> Result<bool, Unreadable> {
        let mut components = property.components()?;
        components.resize(components.len().max(CardProperty::OF_NAMES.len()), String::new());
        let full = self.mapping.text("FN").filter(|_| !has_full && !property.is_empty());
        if let Some(position) = full {
            let parts = [CardProperty::GIVEN, CardProperty::FAMILY].map(|place| components[place].as_str());
            self.give(Target::Field(position), join(&parts));
        }
        let names = CardProperty::OF_NAMES.iter().chain(&MORE_OF_NAMES).chain(std::iter::repeat(&"other"));
        for (place, (component, name)) in components.into_iter().zip(names).enumerate() {
            let is_of_full = full.is_some() && place <= CardProperty::GIVEN;
            match self.mapping.name_part(place) {
                Some(position) => self.give(Target::Field(position), component),
                None if component.is_empty() || is_of_full => {}
                None => self.report(&format!("N.{name}")),
            }
        }
        Ok(true)
    }

    fn address(&mut self, property: &Property<'_>) -> Result<bool, Unreadable> {
        let Some((reference, fields)) = self.mapping.address() else { return Ok(false) };
        let address = Address::read(property.components()?, fields);
        for (field, text) in address.given {
            self.give(Target::Part { reference, field }, text);
        }
        for component in address.not_taken {
            self.report(&format!("ADR.{component}"));
        }
        Ok(true)
    }

    fn uid(&mut self, property: &Property<'_>, store: StoreId) -> Result<bool, Unreadable> {
        let text = property.text()?;
        let own = text.strip_suffix(&store.to_string()).and_then(|own| own.strip_suffix('@'));
        let id = own.and_then(|own| own.strip_prefix(&self.mapping.collection)?.strip_prefix('-'));
        if let Some(id) = id.and_then(RecordId::parse) {
            self.taken.entry.given.push((Target::Id, Given::Text(id.to_string())));
        } else if let Some(position) = self.mapping.text("UID") {
            self.give(Target::Field(position), text);
        } else {
            self.taken.has_foreign_uid = !text.is_empty();
        }
        Ok(true)
    }

    /// A property that is a field as a whole; `false` where it is none.
    fn text(&mut self, name: &str, property: &Property<'_>, is_first: bool) -> Result<bool, Unreadable> {
        let Some(position) = self.mapping.text(name) else { return Ok(false) };
        if !is_first {
            return Ok(true);
        }
        let is_day = matches!(self.mapping.slots[position], Some(Slot::Text { is_day: true, .. }));
        let text = if name == "ORG" {
            let mut components = property.components()?.into_iter();
            let organization = components.next().unwrap_or_default();
            components.filter(|unit| !unit.is_empty()).for_each(|_| self.report("ORG.unit"));
            organization
        } else if is_day {
            match day::read(property)? {
                Some(day) => day,
                None => {
                    self.report(&format!("{name}.{UNCLEAR}"));
                    return Ok(true);
                }
            }
        } else {
            let text = property.text()?;
            match text.strip_prefix("tel:") {
                Some(number) if property.has("VALUE", "uri") => number.to_owned(),
                _ => text,
            }
        };
        self.give(Target::Field(position), text);
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
