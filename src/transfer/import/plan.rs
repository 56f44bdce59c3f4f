//! Which record each entry means, and what only a look at the store shows to be wrong.

use std::collections::BTreeSet;

use super::report::Report;
use super::{Existing, Import, ImportError, Seen};
use crate::catalog::collection::Collection;
use crate::record::value::Cell;
use crate::record::{RecordId, Value};
use crate::store::imports::FileState;
use crate::store::snapshot::Snapshot;
use crate::transfer::entry::{Fault, Faults};
use crate::transfer::judge::Judged;
use crate::transfer::matching::{self, Found, Join, Match, Outcomes, Slot, Slots};
use crate::transfer::remedy::Remedy;

/// What is known once a file is judged and matched.
pub(super) struct Plan {
    pub(super) by: Match,
    /// The records that are referred to by what they hold, each with the position of the reference.
    pub(super) parts: Vec<(usize, Outcomes)>,
    pub(super) records: Outcomes,
}

/// Entries beside the records of a collection.
pub(super) struct Joined {
    pub(super) outcomes: Outcomes,
    pub(super) faults: Faults,
    /// The largest id of a record.
    largest: i64,
}

impl Import<'_> {
    /// Finds the record of each entry, and all faults that only a look at the store shows.
    pub(super) async fn matched(
        &self,
        snapshot: &mut Snapshot<'_>,
        seen: Seen,
        state: FileState,
        report: &mut Report,
    ) -> Result<Option<Plan>, ImportError> {
        let (records, counter) = snapshot.extent(self.collection.position()).await?;
        let by = match self.rule(seen.has_ids, state != FileState::Unknown || records == 0 || counter == 0) {
            Ok(by) => by,
            Err(fault) => {
                report.faults.push(fault);
                return Ok(None);
            }
        };
        self.check_references(snapshot, &seen.references, report).await?;
        let mut found = Vec::new();
        for reference in seen.parts {
            let slots = self.slots(|_, judged| {
                let part = judged.parts.iter().find(|(given, _)| *given == reference)?;
                let (key, line) = (matching::whole(&part.1), line(judged));
                Some(Slot { key, line, is_whole: true, ..Slot::default() })
            })?;
            let Some(target) = self.judge_of().target(reference).map(Collection::position) else { continue };
            let joined = self.join(snapshot, slots, Match::Whole, target, true).await?;
            found.push((reference, joined.outcomes));
        }
        let slots = self.slots(|entry, judged| {
            let resolved = Self::resolve(judged, entry, &mut found);
            let (key, is_whole) = by.key(self.collection, &resolved)?;
            let (mask, given) = matching::given(&resolved);
            Some(Slot { key, given, mask, line: line(judged), is_whole })
        })?;
        let position = self.collection.position();
        let joined = self.join(snapshot, slots, by.clone(), position, false).await?;
        report.faults.append(joined.faults);
        let mut plan = Plan { by, parts: found, records: joined.outcomes };
        // A chunk that was taken back may have used up its ids. Those after the last that was stored are still its own.
        let given = if state == FileState::Begun { joined.largest } else { counter };
        self.check_outcomes(&mut plan, given, report)?;
        self.check_rules(snapshot, &mut plan, report).await?;
        Ok(Some(plan))
    }

    /// How entries are matched where nobody has said it.
    fn rule(&self, has_ids: bool, may_be_ours: bool) -> Result<Match, Fault> {
        let name = self.collection.name();
        if let Some(said) = &self.options.matching {
            return Ok(said.clone());
        }
        if has_ids && !may_be_ours {
            let words = format!("the file has ids, and {name} has records");
            return Err(Fault::new(1, words).with(Remedy::Ids));
        }
        if has_ids {
            return Ok(Match::Id);
        }
        let columns = match self.open() {
            Ok(Ok(source)) => source.fields(),
            _ => None,
        };
        let has_all = |rule: &&Vec<usize>| {
            columns.as_ref().is_none_or(|columns| rule.iter().all(|position| columns.contains(position)))
        };
        Ok(self
            .collection
            .unique()
            .iter()
            .find(has_all)
            .map_or(Match::Whole, |rule| Match::Fields(rule.clone())))
    }

    /// One slot for each entry; entries with faults have an empty one.
    pub(super) fn slots(
        &self,
        mut slot: impl FnMut(u64, &Judged) -> Option<Slot>,
    ) -> Result<Slots, ImportError> {
        let mut slots = Slots::new(&self.options.folder)?;
        self.each(|entry, judged| {
            let slot = judged.and_then(|judged| slot(entry, judged));
            Ok(slots.push(slot.unwrap_or_default())?)
        })?;
        Ok(slots)
    }

    /// Reads the file once more, with the number of each entry; one with faults is none.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(u64, Option<&Judged>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut source = self.open()?.map_err(|_| ImportError::Changed)?;
        let judge = self.judge_of();
        for number in 0.. {
            match source.next() {
                Ok(Some(entry)) => visit(number, judge.judge(entry).ok().as_ref())?,
                Ok(None) => break,
                Err(_) => visit(number, None)?,
            }
        }
        Ok(())
    }

    /// Looks whether the records are there that entries refer to by id.
    async fn check_references(
        &self,
        snapshot: &mut Snapshot<'_>,
        references: &BTreeSet<usize>,
        report: &mut Report,
    ) -> Result<(), ImportError> {
        for &position in references {
            let field = &self.collection.fields()[position];
            let Some(reference) = field.reference() else { continue };
            let id = |judged: &Judged| {
                let (_, value) = judged.values.iter().find(|(given, _)| *given == position)?;
                value.id()
            };
            let slots = self.slots(|_, judged| {
                let key = matching::of_id(id(judged)?);
                Some(Slot { key, line: line(judged), ..Slot::default() })
            })?;
            let mut found = self.join(snapshot, slots, Match::Id, reference.target, true).await?.outcomes;
            self.each(|entry, judged| {
                if let Some(judged) = judged
                    && let Some(id) = id(judged)
                    && found.get(entry)?.id < 0
                {
                    let words = format!("{} does not validate: there is no record {id}", field.name());
                    report.faults.push(Fault::at(judged.line, &words));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Entries beside the records of a collection, which are all read.
    pub(super) async fn join(
        &self,
        snapshot: &mut Snapshot<'_>,
        slots: Slots,
        by: Match,
        position: usize,
        is_shared: bool,
    ) -> Result<Joined, ImportError> {
        let collection = self.catalog.at(position);
        let is_vain = by == Match::None;
        let mut join = Join::new(slots, by, is_shared, &self.options.folder)?;
        let mut largest = 0;
        for part in 0..join.parts() {
            join.begin(part, collection)?;
            if !is_vain {
                let show = |id: RecordId, cells: &[Cell<'_>]| {
                    largest = id.get();
                    join.show(collection, id, cells);
                };
                snapshot.each(position, show).await?;
            }
            join.end()?;
        }
        let (outcomes, faults) = join.finish();
        Ok(Joined { outcomes, faults, largest })
    }

    /// The same entry with the ids of the records that it refers to by what they hold. One that is not there has an id
    /// that no record has, and no other one that is not there.
    pub(super) fn resolve(judged: &Judged, entry: u64, parts: &mut [(usize, Outcomes)]) -> Judged {
        let mut resolved = judged.clone();
        for (reference, outcomes) in parts {
            if judged.parts.iter().all(|(given, _)| given != reference) {
                continue;
            }
            let found = outcomes.get(entry).unwrap_or_default();
            resolved.values.push((*reference, Value::from(found.id)));
        }
        resolved.values.sort_by_key(|(position, _)| *position);
        resolved
    }

    /// Whether an entry that means this record, or none, is written.
    pub(super) fn is_written(&self, found: Found) -> bool {
        found.id <= 0 || (found.tag != 0 && self.options.existing == Existing::Update)
    }

    /// What is wrong with entries once it is known which records they mean.
    fn check_outcomes(&self, plan: &mut Plan, given: i64, report: &mut Report) -> Result<(), ImportError> {
        let judge = self.judge_of();
        let mut largest = given;
        self.each(|entry, judged| {
            let Some(judged) = judged else { return Ok(()) };
            let found = plan.records.get(entry)?;
            if found.id > 0 {
                if self.options.existing == Existing::Refuse {
                    let words = format!("record {} is there already", found.id);
                    report.faults.push(judge.fault(judged.line, &words));
                }
                report.foresee_existing(self.is_written(found));
                return Ok(());
            }
            report.foresee_new();
            for field in judge.missing(judged) {
                report.faults.push(judge.fault(judged.line, &format!("{} is missing", field.name())));
            }
            if plan.by == Match::Id {
                match judged.id.map(RecordId::get) {
                    None => report.faults.push(judge.fault(judged.line, "id is missing")),
                    Some(id) if id <= given => {
                        let words = format!("id {id} was given before and its record is gone");
                        report.faults.push(judge.fault(judged.line, &words));
                    }
                    Some(id) if id <= largest => {
                        let words = format!("id {id} comes after id {largest}: new ids ascend");
                        report.faults.push(judge.fault(judged.line, &words));
                    }
                    Some(id) => largest = id,
                }
            }
            Ok(())
        })
    }
}

/// Where an entry begins, as a slot has it.
pub(super) fn line(judged: &Judged) -> u32 {
    u32::try_from(judged.line).unwrap_or(u32::MAX)
}
