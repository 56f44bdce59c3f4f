//! The parameters of a list that name no field: what is searched, and how records are ordered, walked and shown.

use super::collection::Collection;
use super::field::Field;

/// A parameter that names no field.
///
/// Where a field or a parameter of the configuration has its name, that one keeps it. With an underscore before it, the
/// long form, it works everywhere, since no field begins so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// The only one that filters, so that it is one of the filters in a link and in `meta`.
    Search,
    Sort,
    Fields,
    Expand,
    After,
}

impl Control {
    /// Every one there is, in the order in which a link has them.
    pub const ALL: [Control; 5] =
        [Control::Search, Control::Sort, Control::Fields, Control::Expand, Control::After];

    pub fn name(self) -> &'static str {
        &self.long_name()[1..]
    }

    /// The long form.
    pub fn long_name(self) -> &'static str {
        match self {
            Control::Search => "_search",
            Control::Sort => "_sort",
            Control::Fields => "_fields",
            Control::Expand => "_expand",
            Control::After => "_after",
        }
    }

    /// The one of this name, short or long.
    pub fn parse(parameter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|control| [control.name(), control.long_name()].contains(&parameter))
    }

    /// Whether a text is a long form, which nothing else may be called.
    pub fn is_long(parameter: &str) -> bool {
        parameter.starts_with('_') && Self::parse(parameter).is_some()
    }

    /// The shortest name that it goes by in this collection, where some parameters carry an access key.
    pub fn name_in(self, collection: &Collection, key_parameters: &[&str]) -> &'static str {
        let is_taken = collection.has_parameter(self.name()) || key_parameters.contains(&self.name());
        if is_taken { self.long_name() } else { self.name() }
    }

    /// What a parameter means in this collection, where it is no filter and no part of the page.
    pub fn of(collection: &Collection, parameter: &str) -> Option<Self> {
        Self::parse(parameter).filter(|control| {
            control.is_for(collection) && (Self::is_long(parameter) || !collection.has_parameter(parameter))
        })
    }

    /// Whether lists of this collection have it.
    pub fn is_for(self, collection: &Collection) -> bool {
        match self {
            Control::Search => collection.fields().iter().any(Field::is_searchable),
            Control::Sort | Control::Fields | Control::Expand => true,
            Control::After => collection.pagination().is_some(),
        }
    }
}
