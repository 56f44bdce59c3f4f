//! Upserts of a group: each becomes an update of the record that has its values, or a create. Since the turn was taken no
//! other node comes in between; where another tool does, the create fails, and the second try finds the record.

use tokio_postgres::Error;

use super::agenda::Agenda;
use super::group::Group;
use super::group_error::GroupError;
use super::kind;
use super::prepared_conn::Parameter;
use super::row;
use crate::record::RecordId;
use crate::record::etag::ETags;
use crate::store::StoreError;
use crate::store::write::{Write, WriteOutcome};

impl Group<'_> {
    /// Does upserts by one rule, each of another record; one that names what was seen is alone.
    pub(super) async fn upsert(
        &self,
        upserts: &[&Write],
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        let found = self.find(upserts).await;
        let found = found.map_err(|error| GroupError::of(&error, false).at(0..upserts.len()))?;
        let writes = upserts.iter().zip(found).map(|(upsert, found)| self.resolved(upsert, found));
        let writes: Vec<Write> = match writes.collect() {
            Ok(writes) => writes,
            Err(error) => {
                outcomes.push(Err(error));
                return Ok(());
            }
        };
        let writes: Vec<&Write> = writes.iter().collect();
        let agenda = Agenda::of_writes(self.catalog, self.statements, &writes);
        Box::pin(self.do_now(Vec::new(), &agenda, outcomes)).await
    }

    /// What an upsert is, once it is known which record has its values. These stay as they are.
    pub(super) fn resolved(&self, upsert: &Write, found: Option<RecordId>) -> Result<Write, StoreError> {
        let Write::Upsert { collection, patch, rule, seen } = upsert else { return Ok(upsert.clone()) };
        let (declared, patch) = (self.catalog.at(*collection), patch.clone());
        let collection = *collection;
        match found {
            Some(id) => {
                let patch = patch.without(&declared.unique()[*rule]);
                Ok(Write::Update { collection, id, patch, seen: seen.clone() })
            }
            None if seen.as_ref().is_some_and(ETags::asks_for_one) => Err(StoreError::NoneToMatch),
            None => Ok(Write::Insert { collection, draft: patch.into_draft(declared), id: None }),
        }
    }

    /// The records that have the values of upserts, locked against others.
    pub(super) async fn find(&self, upserts: &[&Write]) -> Result<Vec<Option<RecordId>>, Error> {
        let mut found = vec![None; upserts.len()];
        let Some(Write::Upsert { collection, rule, .. }) = upserts.first() else { return Ok(found) };
        let fields = self.catalog.at(*collection).fields();
        let values = self.catalog.at(*collection).unique()[*rule].iter().map(|&position| {
            let values = upserts.iter().filter_map(|upsert| match upsert {
                Write::Upsert { patch, .. } => Some(patch.value(position)),
                Write::Insert { .. } | Write::Update { .. } | Write::Delete { .. } => None,
            });
            kind::array(fields[position].kind(), values)
        });
        let values: Vec<_> = values.collect();
        let parameters: Vec<Parameter<'_>> = values.iter().map(|value| &**value as Parameter<'_>).collect();
        for row in self.conn.query(&self.statements[*collection].find[*rule], &parameters).await? {
            let place = usize::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0);
            if let Some(found) = place.checked_sub(1).and_then(|place| found.get_mut(place)) {
                *found = row::id(&row, 1)?;
            }
        }
        Ok(found)
    }
}
