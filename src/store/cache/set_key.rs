//! Which records a set holds, as something to look up by.

use std::cell::OnceCell;

use super::term::Term;
use crate::catalog::collection::Collection;
use crate::record::fold;
use crate::record::listing::condition::{Condition, Probe};
use crate::record::listing::search::{Matching, Search};
use crate::record::listing::{Column, Filter, Operator};
use crate::record::{RecordId, Value};

/// Which records a set holds: those of a collection whose fields meet the terms and the conditions. Without any: all.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::store) struct SetKey {
    pub(in crate::store) collection: usize,
    /// The positions of those with a term, ascending.
    pub(in crate::store) fields: Vec<usize>,
    /// One for each of these fields.
    pub(in crate::store) terms: Vec<Term>,
    /// What no term can say, by column and operator.
    pub(in crate::store) conditions: Vec<(Column, Condition)>,
}

/// A record that several conditions look at.
pub(in crate::store) struct Probes<'a> {
    id: RecordId,
    fields: Vec<Probe<'a>>,
    words: OnceCell<Vec<String>>,
}

impl<'a> Probes<'a> {
    /// A record with these values, in the order of the fields.
    pub(in crate::store) fn new(id: RecordId, values: &'a [Value]) -> Self {
        Self { id, fields: values.iter().map(Probe::new).collect(), words: OnceCell::new() }
    }

    pub(super) fn field(&self, position: usize) -> &Probe<'a> {
        &self.fields[position]
    }

    /// The words of its searchable fields, folded, each once.
    pub(super) fn words(&self, collection: &Collection) -> &[String] {
        self.words.get_or_init(|| {
            let folds = searchable(collection).filter_map(|position| self.fields[position].folded());
            let mut words: Vec<String> = folds.flat_map(fold::words).map(str::to_owned).collect();
            words.sort_unstable();
            words.dedup();
            words
        })
    }
}

impl SetKey {
    /// The key of all ids of a collection.
    pub(in crate::store) fn all_of(collection: usize) -> Self {
        Self { collection, fields: Vec::new(), terms: Vec::new(), conditions: Vec::new() }
    }

    /// The key of what meets all these filters; `None` where no record can.
    pub(in crate::store) fn of<'a>(
        collection: &Collection,
        filters: impl Iterator<Item = &'a Filter>,
    ) -> Option<Self> {
        let mut key = Self::all_of(collection.position());
        let mut operators: Vec<Operator> = Vec::new();
        for Filter { on, operator, condition, .. } in filters {
            match (on, Term::asked(condition)) {
                _ if *condition == Condition::Never => return None,
                (Column::Field(position), Some(term)) if *operator == Operator::Equals => {
                    let place = key.fields.partition_point(|earlier| earlier < position);
                    key.fields.insert(place, *position);
                    key.terms.insert(place, term);
                }
                _ => {
                    let earlier = key.conditions.iter().zip(&operators);
                    let place = earlier.filter(|((of, _), by)| (of, *by) < (on, operator)).count();
                    key.conditions.insert(place, (*on, condition.clone()));
                    operators.insert(place, *operator);
                }
            }
        }
        Some(key)
    }

    /// Whether it is all of the collection.
    pub(in crate::store) fn is_all(&self) -> bool {
        self.fields.is_empty() && self.conditions.is_empty()
    }

    /// Whether it has a condition that no database can tell.
    pub(in crate::store) fn is_folded(&self) -> bool {
        self.conditions.iter().any(|(_, condition)| condition.is_folded())
    }

    /// What its records meet.
    pub(in crate::store) fn conditions(&self, collection: &Collection) -> Vec<(Column, Condition)> {
        let fields = self.fields.iter().zip(&self.terms);
        let of_terms = fields.map(|(&position, term)| {
            (Column::Field(position), term.condition(&collection.fields()[position]))
        });
        of_terms.chain(self.conditions.iter().cloned()).collect()
    }

    /// What its conditions ask for that a database can tell; `None` where that is all of them.
    pub(super) fn without_folded(&self) -> Option<Self> {
        let mut rest = self.clone();
        rest.conditions.retain(|(_, condition)| !condition.is_folded());
        (rest.conditions.len() < self.conditions.len()).then_some(rest)
    }

    /// The keys of the sets that it is the intersection of, in the order of its conditions.
    pub(super) fn parts(&self) -> Vec<Self> {
        let none = Self::all_of(self.collection);
        let of_terms = self.fields.iter().zip(&self.terms).map(|(&position, term)| Self {
            fields: vec![position],
            terms: vec![term.clone()],
            ..none.clone()
        });
        let of_conditions = self
            .conditions
            .iter()
            .map(|condition| Self { conditions: vec![condition.clone()], ..none.clone() });
        of_terms.chain(of_conditions).collect()
    }

    /// The positions of the fields that must be read to tell whether a record belongs to it.
    pub(in crate::store) fn positions(&self, collection: &Collection) -> impl Iterator<Item = usize> {
        let of_conditions = self.conditions.iter().flat_map(|(on, _)| {
            let field = if let Column::Field(position) = on { Some(*position) } else { None };
            let words = (*on == Column::Words).then(|| searchable(collection));
            field.into_iter().chain(words.into_iter().flatten())
        });
        self.fields.iter().copied().chain(of_conditions)
    }

    /// The search among its conditions.
    pub(super) fn search(&self) -> Option<&Search> {
        self.conditions.iter().find_map(|(_, condition)| match condition {
            Condition::Search(search) => Some(search),
            _ => None,
        })
    }

    /// The same, its words to be met in another way.
    pub(super) fn searched(&self, matching: Matching) -> Self {
        let mut other = self.clone();
        for (_, condition) in &mut other.conditions {
            if let Condition::Search(search) = condition {
                search.matching = matching;
            }
        }
        other
    }

    /// Whether a record belongs to it.
    pub(in crate::store) fn holds(&self, collection: &Collection, record: &Probes<'_>) -> bool {
        let meets_term = |(&position, term): (&usize, &Term)| {
            *term == Term::met(&collection.fields()[position], record.field(position).value())
        };
        let meets = |(on, condition): &(Column, Condition)| match on {
            Column::Field(position) => condition.matches(record.field(*position)),
            Column::Id => condition.matches(&Probe::new(&Value::from(record.id.get()))),
            Column::Words => {
                matches!(condition, Condition::Search(search) if search.matches(record.words(collection)))
            }
        };
        self.fields.iter().zip(&self.terms).all(meets_term) && self.conditions.iter().all(meets)
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let terms: usize = self.terms.iter().map(Term::bytes).sum();
        let conditions: usize = self.conditions.iter().map(|(_, condition)| condition.bytes()).sum();
        terms + conditions
    }
}

/// The positions of the fields whose words are searched.
pub(super) fn searchable(collection: &Collection) -> impl Iterator<Item = usize> {
    let fields = collection.fields().iter().enumerate();
    fields.filter(|(_, field)| field.is_searchable()).map(|(position, _)| position)
}
