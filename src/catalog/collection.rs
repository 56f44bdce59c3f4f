//! A collection: its fields, unique rules, pages, verbs, and who may come in.

use super::field::Field;
use super::name::CollectionName;
use super::wording::Wording;

/// What a caller may do with a list or with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// What a list may allow.
    pub const OF_LISTS: [Verb; 3] = [Verb::Get, Verb::Post, Verb::Put];
    /// What a record may allow.
    pub const OF_RECORDS: [Verb; 4] = [Verb::Get, Verb::Put, Verb::Patch, Verb::Delete];

    /// Its name in HTTP and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
            Verb::Put => "PUT",
            Verb::Patch => "PATCH",
            Verb::Delete => "DELETE",
        }
    }
}

/// How a list is cut into pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pagination {
    pub page_size: u64,
    /// The query parameter, and the member of `meta`, that says where a page starts.
    pub offset_key: String,
    /// The query parameter, and the member of `meta`, that says how long a page may be.
    pub count_key: String,
}

/// Who may come in, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Admission {
    /// Everybody, and nobody is asked who they are.
    Open,
    /// Everybody; a caller with a known access key is known by it.
    Identified,
    /// Only a caller with a known access key.
    KnownOnly,
}

/// So many requests of one access key in so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub quota: u64,
    pub interval_seconds: u64,
}

/// One declared collection.
#[derive(Debug)]
pub struct Collection {
    pub(super) position: usize,
    pub(super) name: CollectionName,
    pub(super) shows_id: bool,
    pub(super) fields: Vec<Field>,
    pub(super) unique: Vec<Vec<usize>>,
    pub(super) list_verbs: Vec<Verb>,
    pub(super) unique_verbs: Vec<Verb>,
    pub(super) pagination: Option<Pagination>,
    pub(super) admission: Admission,
    pub(super) rate_limit: Option<RateLimit>,
    pub(super) wording: Wording,
    pub(super) title: Option<String>,
}

impl Collection {
    /// Its place in the order of registration.
    pub fn position(&self) -> usize {
        self.position
    }

    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Whether `id` is a member of the representation.
    pub fn shows_id(&self) -> bool {
        self.shows_id
    }

    /// The fields in declared order, which is their order in every answer.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The position of the field of this name.
    pub fn find_field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name() == name)
    }

    /// Whether a query parameter of this name is a filter, or says which page is wanted.
    pub fn has_parameter(&self, name: &str) -> bool {
        let is_of_pages = |pages: &Pagination| name == pages.offset_key || name == pages.count_key;
        self.pagination.as_ref().is_some_and(is_of_pages) || self.find_field(name).is_some()
    }

    /// The unique rules, each as the positions of its fields.
    pub fn unique(&self) -> &[Vec<usize>] {
        &self.unique
    }

    /// The names of the fields of a unique rule, as `first_name,last_name`.
    pub fn rule_name(&self, rule: &[usize]) -> String {
        let names: Vec<&str> = rule.iter().map(|&position| self.fields[position].name()).collect();
        names.join(",")
    }

    pub fn list_verbs(&self) -> &[Verb] {
        &self.list_verbs
    }

    pub fn unique_verbs(&self) -> &[Verb] {
        &self.unique_verbs
    }

    pub fn pagination(&self) -> Option<&Pagination> {
        self.pagination.as_ref()
    }

    pub fn admission(&self) -> Admission {
        self.admission
    }

    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.rate_limit
    }

    /// What people call it.
    pub fn wording(&self) -> &Wording {
        &self.wording
    }

    /// What people call its records: text, with names of its fields in braces.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }
}
