//! When the value of a field matches what a filter asks: pure, the same for memory, reads of all records, and tests.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Ordering;

use super::search::Search;
use crate::record::Value;
use crate::record::fold;

/// When a value matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    Equals(Value),
    /// There is no value.
    Absent,
    /// There is no value, or it is the empty string.
    AbsentOrEmpty,
    /// No record can match.
    Never,
    /// What the other condition does not match.
    Not(Box<Condition>),
    /// What one of them matches.
    Any(Vec<Condition>),
    /// There is a value, and it stands so in the order of `sort`. A text is its [`fold::sort_key`].
    Compare(Comparison, Value),
    /// Text that is this one, case and accents aside.
    Folded(String),
    /// Text that begins so, case and accents aside.
    Prefix(String),
    /// Text that holds this one, case and accents aside.
    Contains(String),
    /// Words of several fields: judged with all of them at hand.
    Search(Search),
}

/// On which side of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Its sign in SQL.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether what compares so with the bound matches.
    fn takes(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// A value that several conditions look at: its fold is made once, when the first of them asks.
pub struct Probe<'a> {
    value: &'a Value,
    folded: OnceCell<String>,
}

impl<'a> Probe<'a> {
    pub fn new(value: &'a Value) -> Self {
        Self { value, folded: OnceCell::new() }
    }

    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// The fold of its text; `None` where it has none.
    pub fn folded(&self) -> Option<&str> {
        let text = self.value.text()?;
        Some(self.folded.get_or_init(|| fold::fold(&text)))
    }

    /// What its text is sorted by; `None` where it has none.
    pub fn sort_key(&self) -> Option<Cow<'_, str>> {
        match self.folded.get() {
            Some(folded) => {
                let end = folded.char_indices().nth(fold::KEY_CHARS).map_or(folded.len(), |(end, _)| end);
                Some(Cow::Borrowed(&folded[..end]))
            }
            // Of a long text not all need be folded.
            None => Some(Cow::Owned(fold::sort_key(&self.value.text()?))),
        }
    }
}

impl Condition {
    pub fn matches(&self, probe: &Probe<'_>) -> bool {
        match self {
            Self::Equals(value) => probe.value == value,
            Self::Absent => *probe.value == Value::Null,
            Self::AbsentOrEmpty => *probe.value == Value::Null || probe.value.is_empty(),
            Self::Never | Self::Search(_) => false,
            Self::Not(condition) => !condition.matches(probe),
            Self::Any(conditions) => conditions.iter().any(|condition| condition.matches(probe)),
            Self::Compare(comparison, bound) => {
                compare(probe, bound).is_some_and(|ordering| comparison.takes(ordering))
            }
            Self::Folded(text) => probe.folded() == Some(text),
            Self::Prefix(text) => probe.folded().is_some_and(|folded| folded.starts_with(text.as_str())),
            Self::Contains(text) => probe.folded().is_some_and(|folded| folded.contains(text.as_str())),
        }
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let beside = match self {
            Self::Equals(value) | Self::Compare(_, value) => value.text_bytes(),
            Self::Not(condition) => condition.bytes(),
            Self::Any(conditions) => conditions.iter().map(Self::bytes).sum(),
            Self::Folded(text) | Self::Prefix(text) | Self::Contains(text) => text.len(),
            Self::Search(search) => search.words.iter().map(String::len).sum(),
            Self::Absent | Self::AbsentOrEmpty | Self::Never => 0,
        };
        size_of::<Self>() + beside
    }

    /// Whether it is about the fold of a text, which no database can tell.
    pub fn is_folded(&self) -> bool {
        match self {
            Self::Compare(_, bound) => bound.text().is_some(),
            Self::Folded(_) | Self::Prefix(_) | Self::Contains(_) | Self::Search(_) => true,
            Self::Not(condition) => condition.is_folded(),
            Self::Equals(_) | Self::Absent | Self::AbsentOrEmpty | Self::Never | Self::Any(_) => false,
        }
    }
}

/// How a value stands to a bound of the same kind; `None` where there is no value.
fn compare(probe: &Probe<'_>, bound: &Value) -> Option<Ordering> {
    match bound.text() {
        Some(bound) => probe.sort_key().map(|key| (*key).cmp(&*bound)),
        None => probe.value.compare(bound),
    }
}
