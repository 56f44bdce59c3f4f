//! The steps of a group, one after the other: put on their way, or waited for where one of them must look first.

use std::collections::HashSet;
use std::ops::Range;

use tokio_postgres::Error;

use super::agenda::{Agenda, Step};
use super::change_log::MOST_LOGGED;
use super::checked_writes::{CheckedOutcome, CheckedWrite};
use super::group::{Group, Sent, have_steps};
use super::group_batches::{self, GivenIds};
use super::group_error::GroupError;
use crate::store::write::{Write, WriteOutcome};

impl Group<'_> {
    /// Puts all steps on their way, in order; waits where one of them must look first.
    pub(super) async fn carry_out<'f>(
        &'f self,
        sent: &mut Vec<Sent<'f>>,
        agenda: &Agenda<'f>,
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        let mut index = 0;
        while let Some(step) = agenda.steps.get(index) {
            let mut steps = 1;
            match step {
                Step::Inserts(_) | Step::Updates(_) | Step::Deletes(_) => self.start(sent, agenda, index),
                Step::Careful(_) => {
                    self.settle(sent, agenda, outcomes, false).await?;
                    steps = self.deletes_along(agenda, index).max(1);
                    self.run_checked(agenda, index..index + steps, outcomes).await?;
                }
                Step::Upserts(range) => {
                    self.settle(sent, agenda, outcomes, false).await?;
                    let done = self.upsert(&agenda.writes[range.clone()], outcomes).await;
                    done.map_err(|error| error.among(&agenda.places(step).collect::<Vec<_>>()))?;
                }
                Step::Batch(place, batch) => {
                    if have_steps(sent) {
                        self.settle(sent, agenda, outcomes, false).await?;
                    }
                    let creating = group_batches::creating(&agenda.steps[index..]);
                    if creating > 1 && !self.is_careful {
                        steps = creating;
                        let batches = agenda.batches(index..index + steps);
                        outcomes.extend(self.run_batches(sent, &batches).await?);
                    } else {
                        let done = self.run_batch(sent, batch, GivenIds::new()).await;
                        outcomes.push(done.map_err(|error| error.of_batch_at(*place))?);
                    }
                }
            }
            index += steps;
        }
        Ok(())
    }

    /// How many steps, from this one on, are deletes that take others along and that nothing can refuse: then it does not
    /// matter which is first.
    fn deletes_along(&self, agenda: &Agenda<'_>, index: usize) -> usize {
        let mut ids = HashSet::new();
        let mut first = None;
        let is_one = |step: &&Step<'_>| match step {
            Step::Careful(at) => match agenda.writes[*at] {
                Write::Delete { collection, id, seen: None } => {
                    *first.get_or_insert(*collection) == *collection
                        && self.statements[*collection].takes_all_along
                        && ids.insert(*id)
                }
                _ => false,
            },
            _ => false,
        };
        agenda.steps[index..].iter().take_while(is_one).take(MOST_LOGGED).count()
    }

    /// Does writes that must look first: several together where they are deletes for which that is the same, else one
    /// after the other.
    async fn run_checked(
        &self,
        agenda: &Agenda<'_>,
        steps: Range<usize>,
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        let checked = CheckedWrite { group: self };
        let writes = agenda.steps[steps].iter().filter_map(|step| match step {
            Step::Careful(at) => Some((agenda.writes[*at], agenda.places(step))),
            _ => None,
        });
        let (writes, places): (Vec<&Write>, Vec<Range<usize>>) = writes.unzip();
        let (mut done, mut together) = (0, writes.len());
        while done < writes.len() {
            together = together.min(writes.len() - done);
            let place = places[done].start..places[done + together - 1].end;
            let failed = |error: Error| GroupError::of(&error, false).at(place.clone());
            if together > 1 {
                match checked.delete_several(&writes[done..done + together]).await.map_err(failed)? {
                    Some(deleted) => {
                        outcomes.extend(deleted);
                        done += together;
                    }
                    // Half of them may be few enough, or without the one that is refused.
                    None => together /= 2,
                }
                continue;
            }
            match checked.run(writes[done]).await.map_err(failed)? {
                CheckedOutcome::To(outcome) => outcomes.push(outcome),
                CheckedOutcome::TooFar => return Err(GroupError::OneIsLarge(place.start)),
            }
            done += 1;
        }
        Ok(())
    }

    /// Does writes of which nothing else waits for the outcomes, behind what is under way: their statements are made
    /// ready now, and waited for.
    pub(super) async fn do_now<'f>(
        &'f self,
        mut sent: Vec<Sent<'f>>,
        agenda: &Agenda<'f>,
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        if let Err(error) = self.have_all_at_hand(agenda).await {
            // It may be that what was sent before has failed.
            self.settle(&mut sent, agenda, outcomes, false).await?;
            return Err(error);
        }
        Box::pin(self.carry_out(&mut sent, agenda, outcomes)).await?;
        self.settle(&mut sent, agenda, outcomes, false).await
    }

    /// Has every statement of the steps at hand: to prepare one waits, and what waits would be overtaken.
    pub(super) async fn have_all_at_hand(&self, agenda: &Agenda<'_>) -> Result<(), GroupError> {
        for step in &agenda.steps {
            if let Some(text) = self.text(agenda, step) {
                let prepared = self.have_at_hand(text).await;
                prepared.map_err(|error| GroupError::of(&error, false).at(agenda.places(step)))?;
            }
        }
        Ok(())
    }
}
