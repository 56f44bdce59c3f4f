//! Which property of a card each field of a collection is.

use crate::catalog::Catalog;
use crate::catalog::card_property::CardProperty;
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::transfer::entry::Target;
use crate::transfer::import::Options;

/// The properties of the fields of one collection.
#[derive(Debug)]
pub struct VcardMapping {
    pub(super) collection: String,
    /// By the positions of the fields.
    pub(super) slots: Vec<Option<Slot>>,
}

/// What of a card a field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slot {
    /// A component of `N`.
    Name(usize),
    /// A property, by its name in capitals.
    Text {
        name: String,
        is_day: bool,
    },
    Address(AddressFields),
}

/// The fields of a collection of addresses, by their positions, in the order of [`PARTS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AddressFields(pub(super) [Option<usize>; 6]);

/// The names of the fields, and the component of `ADR` that each is, from 0; the number stands in that of the street.
pub(super) const PARTS: [(&str, usize); 6] =
    [("street", 2), ("number", 2), ("city", 3), ("region", 4), ("postal_code", 5), ("country", 6)];
/// Where they stand there.
pub(super) const STREET: usize = 0;
pub(super) const NUMBER: usize = 1;
/// How the components of `ADR` are reported; from the eighth on they are those of RFC 9554.
pub(super) const OF_ADDRESSES: [&str; 18] = [
    "box",
    "extended",
    "street",
    "locality",
    "region",
    "code",
    "country",
    "room",
    "apartment",
    "floor",
    "number",
    "name",
    "building",
    "block",
    "subdistrict",
    "district",
    "landmark",
    "direction",
];

impl VcardMapping {
    /// By what is declared, else by the names of the fields. Each property is one field: the first that has its name.
    pub fn of(catalog: &Catalog, collection: &Collection) -> Self {
        let fields = collection.fields();
        let mut slots: Vec<Option<Slot>> = fields
            .iter()
            .map(|field| field.card_property().and_then(|property| slot(catalog, field, property.clone())))
            .collect();
        for (position, field) in fields.iter().enumerate() {
            if field.card_property().is_some() {
                continue;
            }
            let property = match field.reference() {
                Some(_) => Some(CardProperty::Address),
                None => CardProperty::by_name(field.name(), field.kind().is_day()),
            };
            let slot = property.and_then(|property| slot(catalog, field, property));
            let is_taken = |slot: &Slot| slots.iter().flatten().any(|taken| taken.is_like(slot));
            slots[position] = slot.filter(|slot| !is_taken(slot));
        }
        Self { collection: collection.name().to_owned(), slots }
    }

    /// The same with what somebody has said about a file: properties that are other fields, and those that are none.
    pub fn adjusted(mut self, catalog: &Catalog, collection: &Collection, options: &Options) -> Self {
        for (name, target) in &options.map {
            let Target::Field(position) = *target else { continue };
            let property = CardProperty::parse(name);
            let slot = property.and_then(|property| slot(catalog, &collection.fields()[position], property));
            for other in &mut self.slots {
                other.take_if(|other| slot.as_ref().is_some_and(|slot| other.is_like(slot)));
            }
            self.slots[position] = slot;
        }
        for slot in &mut self.slots {
            slot.take_if(|slot| options.ignores(&slot.name()));
            let Some(Slot::Address(AddressFields(fields))) = slot else { continue };
            for (field, (_, component)) in fields.iter_mut().zip(PARTS) {
                field.take_if(|_| options.ignores(&format!("ADR.{}", OF_ADDRESSES[component])));
            }
        }
        self
    }

    /// The properties and their fields, as `N.given` and `first_name`, `ADR.street` and `address.number`.
    pub fn pairs(&self, catalog: &Catalog) -> Vec<(String, String)> {
        let Some(collection) = catalog.find(&self.collection) else { return Vec::new() };
        let mut pairs = Vec::new();
        for (field, slot) in collection.fields().iter().zip(&self.slots) {
            let name = field.name();
            match slot {
                None => {}
                Some(slot @ (Slot::Name(_) | Slot::Text { .. })) => {
                    pairs.push((slot.name(), name.to_owned()))
                }
                Some(Slot::Address(AddressFields(parts))) => {
                    let parts = PARTS.iter().zip(parts).filter(|(_, position)| position.is_some());
                    pairs.extend(parts.map(|((part, component), _)| {
                        (format!("ADR.{}", OF_ADDRESSES[*component]), format!("{name}.{part}"))
                    }));
                }
            }
        }
        pairs
    }

    /// The field that is this component of `N`.
    pub(super) fn name_part(&self, place: usize) -> Option<usize> {
        self.position(|slot| *slot == Slot::Name(place))
    }

    /// The field that is this property.
    pub(super) fn text(&self, name: &str) -> Option<usize> {
        self.position(|slot| matches!(slot, Slot::Text { name: found, .. } if found == name))
    }

    /// The reference that is `ADR`, and the fields of what it names.
    pub(super) fn address(&self) -> Option<(usize, &AddressFields)> {
        let mut slots = self.slots.iter().enumerate();
        slots.find_map(|(position, slot)| match slot {
            Some(Slot::Address(fields)) => Some((position, fields)),
            _ => None,
        })
    }

    /// The position of the reference that is `ADR`: a card has the values of the record that it names.
    pub fn address_reference(&self) -> Option<usize> {
        self.address().map(|(position, _)| position)
    }

    fn position(&self, is_it: impl Fn(&Slot) -> bool) -> Option<usize> {
        self.slots.iter().position(|slot| slot.as_ref().is_some_and(&is_it))
    }
}

impl Slot {
    /// As it is declared, and reported.
    fn name(&self) -> String {
        match self {
            Self::Name(place) => CardProperty::Name(*place).to_string(),
            Self::Text { name, .. } => name.clone(),
            Self::Address(_) => CardProperty::Address.to_string(),
        }
    }

    /// Whether both are the same property.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(one), Self::Name(other)) => one == other,
            (Self::Text { name: one, .. }, Self::Text { name: other, .. }) => one == other,
            (Self::Address(_), Self::Address(_)) => true,
            _ => false,
        }
    }
}

/// `None` for a reference to what is no address.
fn slot(catalog: &Catalog, field: &Field, property: CardProperty) -> Option<Slot> {
    match property {
        CardProperty::Name(place) => Some(Slot::Name(place)),
        CardProperty::Text(name) => Some(Slot::Text { name, is_day: field.kind().is_day() }),
        CardProperty::Address => {
            let target = catalog.at(field.reference()?.target);
            let parts = PARTS.map(|(name, _)| target.find_field(name));
            (target.find_field("street").is_some() || target.find_field("city").is_some())
                .then_some(Slot::Address(AddressFields(parts)))
        }
    }
}
