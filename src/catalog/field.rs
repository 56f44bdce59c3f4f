//! A field: its kind, whether it must have a value, what it refers to.

use super::name::FieldName;

/// What values a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Any Unicode text except U+0000.
    String,
    /// 64 bits, exact.
    Integer,
    /// Any finite double.
    Float,
    Boolean,
}

impl FieldKind {
    /// What the id of a record is, and so a field that refers to one.
    pub const OF_IDS: FieldKind = FieldKind::Integer;
    /// Every kind there is.
    pub const ALL: [FieldKind; 4] =
        [FieldKind::String, FieldKind::Integer, FieldKind::Float, FieldKind::Boolean];

    /// Its name in the configuration and in `/schema/`.
    pub fn name(self) -> &'static str {
        match self {
            FieldKind::String => "string",
            FieldKind::Integer => "integer",
            FieldKind::Float => "float",
            FieldKind::Boolean => "boolean",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it holds texts: they are compared byte for byte, and may be empty.
    pub fn is_text(self) -> bool {
        match self {
            FieldKind::String => true,
            FieldKind::Integer | FieldKind::Float | FieldKind::Boolean => false,
        }
    }

    /// Whether it makes sense to ask for what stands before or behind a value.
    pub fn has_ranges(self) -> bool {
        match self {
            FieldKind::String | FieldKind::Integer | FieldKind::Float => true,
            FieldKind::Boolean => false,
        }
    }
}

/// What a delete of the record that is referred to does to those that refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// The delete is refused.
    Restrict,
    /// The reference is cleared.
    SetNull,
    /// The referring records are deleted too.
    Cascade,
}

impl OnDelete {
    /// Every rule there is.
    pub const ALL: [OnDelete; 3] = [OnDelete::Restrict, OnDelete::SetNull, OnDelete::Cascade];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            OnDelete::Restrict => "restrict",
            OnDelete::SetNull => "set_null",
            OnDelete::Cascade => "cascade",
        }
    }

    /// The rule of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// A reference to the `id` of a record of a collection declared above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The position of the target in [`super::Catalog::collections`].
    pub target: usize,
    pub on_delete: OnDelete,
    /// Whether records of the target can be fetched, and so be shown with those that refer to them.
    pub is_fetched: bool,
}

/// One declared field.
#[derive(Debug)]
pub struct Field {
    pub(super) name: FieldName,
    pub(super) kind: FieldKind,
    pub(super) required: bool,
    pub(super) reference: Option<Reference>,
    pub(super) target_name: Option<String>,
    pub(super) keeps_order: bool,
    pub(super) is_searchable: bool,
    pub(super) member: String,
}

impl Field {
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    pub fn kind(&self) -> FieldKind {
        self.kind
    }

    pub fn is_required(&self) -> bool {
        self.required
    }

    pub fn reference(&self) -> Option<Reference> {
        self.reference
    }

    /// Whether the record that it refers to can be shown with its own (`expand`).
    pub fn is_expandable(&self) -> bool {
        self.reference.is_some_and(|reference| reference.is_fetched)
    }

    /// The name of the collection that it refers to.
    pub fn target_name(&self) -> Option<&str> {
        self.target_name.as_deref()
    }

    /// Whether records stay sorted by it in memory, from the start and whatever it takes.
    pub fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    /// Whether its words are looked through by a search; it holds texts then.
    pub fn is_searchable(&self) -> bool {
        self.is_searchable
    }

    /// The beginning of its member in JSON, `"name":`, made once.
    pub fn member(&self) -> &str {
        &self.member
    }

    /// A value that it would accept, as text: shown in `/schema/`, in OpenAPI and in the greeting.
    pub fn example(&self) -> &'static str {
        match (self.kind, self.name()) {
            (FieldKind::Integer, _) => "42",
            (FieldKind::Float, _) => "1.5",
            (FieldKind::Boolean, _) => "true",
            // Words that a person would write there, for the names that are met most.
            (FieldKind::String, "first_name") => "Ada",
            (FieldKind::String, "last_name") => "Lovelace",
            (FieldKind::String, "name") => "Ada Lovelace",
            (FieldKind::String, "email") => "ada@example.org",
            (FieldKind::String, "country") => "France",
            (FieldKind::String, "city") => "Paris",
            (FieldKind::String, "street") => "quai de Valmy",
            (FieldKind::String, _) => "text",
        }
    }

    /// The example as JSON writes it.
    pub fn example_json(&self) -> String {
        match self.kind {
            FieldKind::String => format!("\"{}\"", self.example()),
            FieldKind::Integer | FieldKind::Float | FieldKind::Boolean => self.example().to_owned(),
        }
    }
}
