//! What a filter asks of a value.

use std::cmp::Ordering;

use super::asked::{cell, compare, key, name, quoted};
use super::book::{COLLECTIONS, Cell, DAYS, Field, Kind, MOMENTS, MOODS, Row};
use super::fold::fold;

/// The characters that `prefix` and `contains` take at the most, counted folded.
const LONGEST: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Equal,
    Ne,
    In,
    Null,
    Lt,
    Lte,
    Gt,
    Gte,
    Folded,
    Prefix,
    Contains,
}

use Operator::{Contains, Equal, Folded, Gt, Gte, In, Lt, Lte, Ne, Null, Prefix};

impl Operator {
    /// What may be asked of a field, `None` standing for `id`.
    pub(super) fn of(field: Option<&Field>) -> Vec<Operator> {
        let mut all = vec![Equal, Ne, In];
        if field.is_some_and(|field| !field.is_required) {
            all.push(Null);
        }
        match field.map_or(Kind::Integer, |field| field.kind) {
            Kind::Boolean => {}
            Kind::Text | Kind::Mood => all.extend([Lt, Lte, Gt, Gte, Folded, Prefix, Contains]),
            Kind::Integer | Kind::Float | Kind::Day | Kind::Moment | Kind::Reference(..) => {
                all.extend([Lt, Lte, Gt, Gte]);
            }
        }
        all
    }

    fn suffix(self) -> &'static str {
        match self {
            Equal => "",
            Ne => ".ne",
            In => ".in",
            Null => ".null",
            Lt => ".lt",
            Lte => ".lte",
            Gt => ".gt",
            Gte => ".gte",
            Folded => ".folded",
            Prefix => ".prefix",
            Contains => ".contains",
        }
    }
}

/// One filter. Only `in` has any number of texts but one.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// `None` stands for `id`.
    pub(super) on: Option<usize>,
    pub(super) operator: Operator,
    pub(super) texts: Vec<String>,
}

impl Filter {
    pub(super) fn name(&self, collection: usize) -> String {
        format!("{}{}", name(collection, self.on), self.operator.suffix())
    }

    pub(super) fn pairs(&self, collection: usize) -> Vec<(String, String)> {
        self.texts.iter().map(|text| (self.name(collection), text.clone())).collect()
    }

    /// As `meta.filters` tells it.
    pub(super) fn echo(&self, collection: usize) -> String {
        format!("{}:{}", quoted(&self.name(collection)), quoted(&self.texts.join(",")))
    }

    /// Which of its texts is refused first, and why. Whoever asks sends values of the right kind, or none.
    pub(super) fn fault(&self, collection: usize) -> Option<(usize, String)> {
        let text = &self.texts[0];
        let kind = self.on.map_or(Kind::Integer, |at| COLLECTIONS[collection].fields[at].kind);
        let is_text = matches!(kind, Kind::Text | Kind::Mood);
        let is_no_mood = |text: &String| !text.is_empty() && !MOODS.contains(&text.as_str());
        let folded = if is_text { fold(text) } else { text.as_str().into() };
        let wrong = self.texts.iter().position(is_no_mood).filter(|_| kind == Kind::Mood);
        let fault = match self.operator {
            Equal | Ne | In if wrong.is_some() => ": it is one of glad, sad, Sad",
            Equal | Ne | In => return None,
            Prefix | Contains if folded.is_empty() || folded.chars().count() > LONGEST => {
                ": it has 1 to 64 characters"
            }
            _ if folded.is_empty() => match kind {
                Kind::Day => ": it is a day such as 1815-12-10",
                Kind::Moment => ": it is a moment such as 2027-01-31T12:00:00Z",
                _ => "",
            },
            _ => return None,
        };
        let place = wrong.filter(|_| self.operator == In).unwrap_or(0);
        Some((place, format!("{} does not validate{fault}", self.name(collection))))
    }

    pub(super) fn matches(&self, id: i64, row: &Row) -> bool {
        let cell = cell(self.on, id, row);
        let text = self.texts[0].as_str();
        let is_ordered = |is: fn(Ordering) -> bool| {
            let bound = match &cell {
                Cell::Null => return false,
                Cell::Text(_) | Cell::Choice(_) => Cell::Text(text.to_owned()),
                Cell::Integer(_) => Cell::Integer(text.parse().unwrap()),
                Cell::Float(_) => Cell::Float(text.parse().unwrap()),
                Cell::Day(_) => Cell::Day(DAYS.iter().find(|day| **day == text).unwrap()),
                Cell::Moment(_) => Cell::Moment(moment(text).unwrap()),
                Cell::Boolean(_) => panic!("{self:?} has no order"),
            };
            is(compare(&key(cell.clone()), &key(bound)))
        };
        let is_text = |is: fn(&str, &str) -> bool| match &cell {
            Cell::Text(stored) => is(&fold(stored), &fold(text)),
            Cell::Choice(stored) => is(&fold(stored), &fold(text)),
            _ => false,
        };
        match self.operator {
            Equal => equals(&cell, text),
            Ne => !equals(&cell, text),
            In => self.texts.iter().any(|text| equals(&cell, text)),
            Null => (cell == Cell::Null) == (text == "true"),
            Lt => is_ordered(Ordering::is_lt),
            Lte => is_ordered(Ordering::is_le),
            Gt => is_ordered(Ordering::is_gt),
            Gte => is_ordered(Ordering::is_ge),
            Folded => is_text(|stored, asked| stored == asked),
            Prefix => is_text(|stored, asked| stored.starts_with(asked)),
            Contains => is_text(|stored, asked| stored.contains(asked)),
        }
    }
}

/// The moment that is written so.
fn moment(text: &str) -> Option<usize> {
    MOMENTS.iter().position(|written| written.contains(&text))
}

/// As a plain filter compares.
fn equals(cell: &Cell, text: &str) -> bool {
    match cell {
        Cell::Null => text.is_empty(),
        // In a field that need not have a value, no text and the empty text are asked for alike.
        Cell::Text(stored) => stored == text,
        Cell::Float(stored) => text.parse() == Ok(*stored),
        Cell::Day(stored) | Cell::Choice(stored) => *stored == text,
        Cell::Moment(stored) => moment(text) == Some(*stored),
        other => other.json() == *text,
    }
}
