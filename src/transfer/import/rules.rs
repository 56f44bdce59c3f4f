//! Unique rules that the entries of a file would break, found before anything is stored.

use std::collections::HashMap;

use super::plan::{Plan, line};
use super::report::Report;
use super::{Import, ImportError};
use crate::record::fault::not_unique;
use crate::store::snapshot::Snapshot;
use crate::transfer::judge::Judged;
use crate::transfer::matching::{Match, Slot};

/// How many entries are remembered that want what another record has. Of a file with more of them the others are counted.
const MOST_CONFLICTS: usize = 100_000;

impl Import<'_> {
    /// Looks whether another entry, or another record, has what an entry gives. Where an entry gives a part of a rule's
    /// fields only, the store judges it with the others.
    pub(super) async fn check_rules(
        &self,
        snapshot: &mut Snapshot<'_>,
        plan: &mut Plan,
        report: &mut Report,
    ) -> Result<(), ImportError> {
        for rule in self.collection.unique() {
            if plan.by.is_by(rule) {
                continue;
            }
            let by = Match::Fields(rule.clone());
            let slots = self.slots(|entry, judged| {
                let found = plan.records.get(entry).unwrap_or_default();
                let (key, is_whole) =
                    by.key(self.collection, &Self::resolve(judged, entry, &mut plan.parts))?;
                (self.is_written(found) && !is_whole).then(|| Slot {
                    key,
                    line: line(judged),
                    ..Slot::default()
                })
            })?;
            let mut joined =
                self.join(snapshot, slots, by.clone(), self.collection.position(), false).await?;
            report.faults.append(joined.faults);
            let (mut conflicts, mut more) = (HashMap::new(), 0);
            self.each(|entry, judged| {
                let other = joined.outcomes.get(entry)?.id;
                if let Some(judged) = judged
                    && other > 0
                    && other != plan.records.get(entry)?.id
                {
                    if conflicts.len() < MOST_CONFLICTS {
                        conflicts.insert(other, (entry, judged.line));
                    } else {
                        more += 1;
                    }
                }
                Ok(())
            })?;
            self.spare_the_settled(rule, &mut conflicts, plan)?;
            let names: Vec<&str> = rule.iter().map(|&field| self.collection.fields()[field].name()).collect();
            for (other, (_, line)) in conflicts {
                let words = format!("{}: record {other} has the same", not_unique(&names));
                report.faults.push(self.judge_of().fault(line, &words));
            }
            report.faults.count += more;
        }
        Ok(())
    }

    /// A record that an entry before gives other values has them no longer when its own are wanted.
    fn spare_the_settled(
        &self,
        rule: &[usize],
        conflicts: &mut HashMap<i64, (u64, u64)>,
        plan: &mut Plan,
    ) -> Result<(), ImportError> {
        if conflicts.is_empty() {
            return Ok(());
        }
        let gives =
            |judged: &Judged| rule.iter().any(|field| judged.values.iter().any(|(given, _)| given == field));
        self.each(|entry, judged| {
            let found = plan.records.get(entry)?;
            let is_before = conflicts.get(&found.id).is_some_and(|(wants, _)| entry < *wants);
            if is_before && self.is_written(found) && judged.is_some_and(gives) {
                conflicts.remove(&found.id);
            }
            Ok(())
        })
    }
}
