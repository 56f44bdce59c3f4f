//! Conditions on ids: ranks in the set that the other conditions give, without a set of their own.

use super::ids::Ids;
use crate::record::RecordId;
use crate::record::listing::condition::{Comparison, Condition};

/// Which ids of a set are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct IdFilter {
    /// The smallest and the largest.
    from: i64,
    to: i64,
    except: Option<RecordId>,
    /// Nothing but these, ascending.
    only: Option<Vec<RecordId>>,
}

impl Default for IdFilter {
    fn default() -> Self {
        Self { from: 1, to: i64::MAX, except: None, only: None }
    }
}

impl IdFilter {
    /// What meets these conditions as well.
    pub(super) fn add(&mut self, condition: &Condition) {
        match condition {
            Condition::Compare(comparison, bound) => {
                let bound = bound.id().unwrap_or(0);
                match comparison {
                    Comparison::Less => self.to = self.to.min(bound.saturating_sub(1)),
                    Comparison::LessOrEqual => self.to = self.to.min(bound),
                    // Nothing is larger than the largest.
                    Comparison::Greater if bound == i64::MAX => self.keep(Vec::new()),
                    Comparison::Greater => self.from = self.from.max(bound + 1),
                    Comparison::GreaterOrEqual => self.from = self.from.max(bound),
                }
            }
            Condition::Not(condition) => self.except = id_of(condition).or(self.except),
            Condition::Any(conditions) => self.keep(conditions.iter().filter_map(id_of).collect()),
            _ => self.keep(id_of(condition).into_iter().collect()),
        }
    }

    fn keep(&mut self, mut ids: Vec<RecordId>) {
        ids.sort_unstable();
        ids.dedup();
        match &mut self.only {
            Some(only) => only.retain(|id| ids.contains(id)),
            None => self.only = Some(ids),
        }
    }

    /// The few ids that it names, where it does.
    pub(super) fn named(&self) -> Option<Vec<RecordId>> {
        let only = self.only.as_ref()?;
        Some(only.iter().copied().filter(|id| self.takes(*id)).collect())
    }

    /// Whether an id meets the conditions.
    pub(super) fn takes(&self, id: RecordId) -> bool {
        let is_named = self.only.as_ref().is_none_or(|only| only.contains(&id));
        is_named && (self.from..=self.to).contains(&id.get()) && self.except != Some(id)
    }

    /// Where those in the range begin and end in a set.
    fn ranks(&self, set: &Ids) -> (u64, u64) {
        // Most lists ask for no ids, and none is smaller than 1.
        let start = if self.from > 1 { RecordId::new(self.from).map_or(0, |from| set.rank(from)) } else { 0 };
        let end = match self.to.checked_add(1) {
            None => set.len(),
            Some(after) => RecordId::new(after).map_or(0, |after| set.rank(after)),
        };
        (start, end.max(start))
    }

    /// The rank of the one that is left out, where it would be in.
    fn gap(&self, set: &Ids) -> Option<u64> {
        let id = self.except.filter(|id| (self.from..=self.to).contains(&id.get()))?;
        set.contains(id).then(|| set.rank(id))
    }

    fn listed(&self, set: &Ids) -> Option<Vec<RecordId>> {
        Some(self.named()?.into_iter().filter(|id| set.contains(*id)).collect())
    }

    /// How many ids of a set it takes.
    pub(super) fn len(&self, set: &Ids) -> u64 {
        if let Some(listed) = self.listed(set) {
            return listed.len() as u64;
        }
        let (start, end) = self.ranks(set);
        end - start - u64::from(self.gap(set).is_some())
    }

    /// How many of those it takes are smaller.
    pub(super) fn rank(&self, set: &Ids, id: RecordId) -> u64 {
        if let Some(listed) = self.listed(set) {
            return listed.partition_point(|listed| *listed < id) as u64;
        }
        let (start, end) = self.ranks(set);
        let rank = set.rank(id).clamp(start, end);
        rank - start - u64::from(self.gap(set).is_some_and(|gap| gap < rank))
    }

    /// Appends those from `offset` on, at most `count` of them.
    pub(super) fn page(&self, set: &Ids, offset: u64, count: usize, out: &mut Vec<RecordId>) {
        if let Some(listed) = self.listed(set) {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            return out.extend(listed.into_iter().skip(offset).take(count));
        }
        let (start, end) = self.ranks(set);
        let Some(first) = start.checked_add(offset).filter(|first| *first < end) else { return };
        let gap = self.gap(set);
        let skipped = u64::from(gap.is_some_and(|gap| gap <= first));
        let first = first + skipped;
        let most = usize::try_from(end.saturating_sub(first)).unwrap_or(usize::MAX);
        // One more, for the one that is left out.
        let more = usize::from(gap.is_some_and(|gap| gap > first));
        let before = out.len();
        set.page(first, count.saturating_add(more).min(most), out);
        if more > 0 {
            out.retain(|id| Some(*id) != self.except);
        }
        out.truncate(before.saturating_add(count));
    }
}

fn id_of(condition: &Condition) -> Option<RecordId> {
    match condition {
        Condition::Equals(value) => value.id().and_then(RecordId::new),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Value;

    fn id(id: i64) -> RecordId {
        RecordId::new(id).unwrap()
    }

    fn equals(id: i64) -> Condition {
        Condition::Equals(Value::from(id))
    }

    /// Every combination of bounds, over every page: the same as filtering one by one.
    #[test]
    fn ranks_are_the_same_as_filtering_one_by_one() {
        let mut set = Ids::default();
        let all: Vec<i64> = vec![1, 2, 5, 9, 10, 65_535, 65_536, 65_537, 200_000, i64::MAX];
        all.iter().for_each(|number| {
            set.insert(id(*number));
        });
        let bounds = [i64::MIN, -1, 0, 1, 5, 6, 65_536, 200_000, i64::MAX];
        let comparisons =
            [Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::GreaterOrEqual];
        let mut tried = Vec::new();
        for bound in bounds {
            tried.extend(
                comparisons.map(|comparison| vec![Condition::Compare(comparison, Value::from(bound))]),
            );
            tried.push(vec![Condition::Not(Box::new(equals(bound)))]);
            tried.push(vec![Condition::Any(vec![equals(bound), equals(9), Condition::Never])]);
            for other in bounds {
                tried.push(vec![
                    Condition::Compare(Comparison::Greater, Value::from(bound)),
                    Condition::Compare(Comparison::LessOrEqual, Value::from(other)),
                    Condition::Not(Box::new(equals(65_536))),
                ]);
                tried.push(vec![
                    Condition::Any(vec![equals(2), equals(other), equals(65_537)]),
                    Condition::Compare(Comparison::Less, Value::from(bound)),
                ]);
            }
        }
        for conditions in tried {
            let mut filter = IdFilter::default();
            conditions.iter().for_each(|condition| filter.add(condition));
            let expected: Vec<RecordId> = all
                .iter()
                .filter(|number| {
                    let value = Value::from(**number);
                    let probe = crate::record::listing::condition::Probe::new(&value);
                    conditions.iter().all(|condition| condition.matches(&probe))
                })
                .map(|number| id(*number))
                .collect();
            assert_eq!(filter.len(&set), expected.len() as u64, "{conditions:?}");
            for offset in 0..=expected.len() {
                for count in 0..4 {
                    let mut page = Vec::new();
                    filter.page(&set, offset as u64, count, &mut page);
                    let wanted: Vec<_> = expected.iter().skip(offset).take(count).copied().collect();
                    assert_eq!(page, wanted, "{conditions:?} {offset} {count}");
                }
            }
            for number in [1, 3, 9, 65_536, 65_538, i64::MAX] {
                let smaller = expected.iter().filter(|listed| listed.get() < number).count() as u64;
                assert_eq!(filter.rank(&set, id(number)), smaller, "{conditions:?} {number}");
            }
        }
    }
}
