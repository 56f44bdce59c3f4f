//! The steps of a group, one after the other: put on their way, or waited for where one of them must look first.

use super::agenda::{Agenda, Step};
use super::checked_writes::{CheckedOutcome, CheckedWrite};
use super::group::{Group, Sent, have_steps};
use super::group_error::GroupError;
use crate::store::write::WriteOutcome;

impl Group<'_> {
    /// Puts all steps on their way, in order; waits where one of them must look first.
    pub(super) async fn carry_out<'f>(
        &'f self,
        sent: &mut Vec<Sent<'f>>,
        agenda: &Agenda<'f>,
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        for (index, step) in agenda.steps.iter().enumerate() {
            match step {
                Step::Inserts(_) | Step::Updates(_) | Step::Deletes(_) => self.start(sent, agenda, index),
                Step::Careful(at) => {
                    let place = agenda.places(step);
                    self.settle(sent, agenda, outcomes, false).await?;
                    match (CheckedWrite { group: self }).run(agenda.writes[*at]).await {
                        Ok(CheckedOutcome::To(outcome)) => outcomes.push(outcome),
                        Ok(CheckedOutcome::TooFar) => return Err(GroupError::OneIsLarge(place.start)),
                        Err(error) => return Err(GroupError::of(&error, false).at(place)),
                    }
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
                    let done = self.run_batch(sent, batch).await;
                    outcomes.push(done.map_err(|error| error.of_batch_at(*place))?);
                }
            }
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
