//! Stored answers in the database: a group in which some writes may have been sent before, by whichever node.
//!
//! Whoever stores an answer has the turn, so a look after taking it sees all that were ever given. Such a group costs
//! two round trips more than others: one to look, one to learn the outcomes before they are stored.

use std::borrow::Cow;
use std::collections::HashMap;

use tokio_postgres::Error;

use super::agenda::{Agenda, LARGEST_MESSAGE};
use super::columns::Bound;
use super::group::{Group, Part, Sent, WAIT_LONGER};
use super::group_error::GroupError;
use super::prepared_conn::PreparedConn;
use crate::store::write::answer_budget::AnswerBudget;
use crate::store::write::handle::PendingWrite;
use crate::store::write::idempotency::IdempotencyToken;
use crate::store::write::stored_answer::{BYTES_BESIDES, StoredAnswer};
use crate::store::write::{WriteOutcome, WriteReply};

/// The answers that are kept for the identities $1.
pub(super) const LOOK_UP: &str = "SELECT identity, fingerprint, verdict, id, detail FROM _carnet_answers \
     WHERE identity = ANY($1::bytea[]) AND moment > clock_timestamp() - interval '1 day'";

/// Keeps answers, each in place of one that is too old, if there is one.
pub(super) const KEEP: &str = "INSERT INTO _carnet_answers (identity, fingerprint, moment, verdict, id, detail) \
     SELECT i.identity, i.fingerprint, clock_timestamp(), i.verdict, i.id, i.detail \
     FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::bigint[], $5::text[]) \
       AS i (identity, fingerprint, verdict, id, detail) \
     ON CONFLICT (identity) DO UPDATE SET fingerprint = excluded.fingerprint, moment = excluded.moment, \
       verdict = excluded.verdict, id = excluded.id, detail = excluded.detail";

/// Takes away some that are too old to be told again, but none that anybody has in hand: nobody waits for this.
const CLEAR: &str = "DELETE FROM _carnet_answers WHERE identity IN (SELECT identity FROM _carnet_answers \
     WHERE moment <= clock_timestamp() - interval '1 day' ORDER BY moment LIMIT $1 FOR UPDATE SKIP LOCKED) \
     RETURNING 1";
/// How many pages are looked at to see what all of them take: all of few, some of many.
const SAMPLED_PAGES: u64 = 500;
/// How often that is tried in a row.
const TRIES: usize = 3;
/// How many at a time, and how often in a row.
const CLEARED: i64 = 200;
const TIMES: usize = 50;

impl Group<'_> {
    /// Does those of the group that were not done before. The transaction and the turn are asked for already.
    pub(super) async fn run_with_tokens<'f>(
        &'f self,
        mut sent: Vec<Sent<'f>>,
        waiting: &'f [PendingWrite],
    ) -> Result<Vec<WriteReply>, GroupError> {
        let found = look_up(self.conn, waiting).await;
        let began = self.settle(&mut sent, &Agenda::default(), &mut Vec::new(), false).await;
        let mut replies = began.and_then(|()| found.map_err(|error| GroupError::of(&error, false)))?;
        for (pending, reply) in waiting.iter().zip(&mut replies) {
            if pending.token().is_some() && reply.is_none() {
                *reply = self.budget.admit().err().map(|error| WriteReply::first(Err(error)));
            }
        }
        let places: Vec<usize> = (0..waiting.len()).filter(|&place| replies[place].is_none()).collect();
        let works = places.iter().map(|&place| &waiting[place].work);
        let agenda = Agenda::of_group(self.catalog, self.statements, works);
        let mut outcomes = Vec::with_capacity(places.len());
        let carried_out = self.carry_out(&mut sent, &agenda, &mut outcomes).await;
        carried_out.map_err(|error| error.among(&places))?;
        let settled = self.settle(&mut sent, &agenda, &mut outcomes, false).await;
        settled.map_err(|error| error.among(&places))?;
        let explained = self.explain_undone(&agenda, &mut outcomes).await;
        explained.map_err(|error| GroupError::of(&error, false))?;
        if outcomes.len() != places.len() {
            // Stored under the token of another write, an outcome would be repeated to whom it is not about.
            return Err(GroupError::Unreachable);
        }
        let works = places.iter().map(|&place| &waiting[place].work);
        let announced = self.announce(works, &outcomes);
        let tokens = places.iter().map(|&place| waiting[place].token());
        self.keep_and_commit(tokens.zip(&outcomes)).await?;
        if let Some(announced) = announced {
            announced.confirm();
        }
        for (place, outcome) in places.into_iter().zip(outcomes) {
            replies[place] = Some(WriteReply::first(outcome));
        }
        Ok(replies.into_iter().flatten().collect())
    }

    async fn keep_and_commit<'f>(
        &'f self,
        judged: impl Iterator<Item = (Option<&'f IdempotencyToken>, &'f WriteOutcome)>,
    ) -> Result<(), GroupError> {
        let answers = judged.filter_map(|(token, outcome)| {
            let token = token?;
            Some((token, StoredAnswer::of(outcome, token.shows_record)?))
        });
        let (mut sent, mut bytes) = (Vec::new(), 0);
        self.send(&mut sent, Part::Other, self.simply(WAIT_LONGER));
        for parameters in batches(answers.inspect(|(_, answer)| bytes += answer.bytes())) {
            self.send(&mut sent, Part::Other, self.ask(KEEP, parameters));
        }
        self.commit(&mut sent, &Agenda::default(), &mut Vec::new()).await?;
        self.budget.add(bytes);
        Ok(())
    }
}

/// What each of the group was told before.
async fn look_up(conn: &PreparedConn, waiting: &[PendingWrite]) -> Result<Vec<Option<WriteReply>>, Error> {
    let tokens = waiting.iter().enumerate();
    let tokens: HashMap<&[u8], (usize, &IdempotencyToken)> = tokens
        .filter_map(|(place, pending)| pending.token().map(|token| (&token.identity[..], (place, token))))
        .collect();
    let identities: Vec<&[u8]> = tokens.keys().copied().collect();
    let mut replies: Vec<Option<WriteReply>> = waiting.iter().map(|_| None).collect();
    for row in conn.query(LOOK_UP, &[&identities]).await? {
        if let Some((place, token)) = tokens.get(row.try_get::<_, &[u8]>(0)?) {
            let detail: Option<&str> = row.try_get(4)?;
            let detail = detail.map(Into::into);
            let answer = StoredAnswer { verdict: row.try_get(2)?, id: row.try_get(3)?, detail };
            replies[*place] =
                Some(token.replay(row.try_get(1)?, answer, waiting[*place].record().map(|(_, id)| id)));
        }
    }
    Ok(replies)
}

/// What [`KEEP`] takes, in as many parts as it needs so that no message outgrows the protocol.
fn batches<'f>(
    answers: impl Iterator<Item = (&'f IdempotencyToken, StoredAnswer<'f>)>,
) -> Vec<Vec<Bound<'f>>> {
    let (mut batches, mut batch, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (token, answer) in answers {
        bytes += answer.detail.as_ref().map_or(0, |detail| detail.len());
        if bytes > LARGEST_MESSAGE && !batch.is_empty() {
            batches.push(bound(std::mem::take(&mut batch)));
            bytes = answer.detail.as_ref().map_or(0, |detail| detail.len());
        }
        batch.push((token, answer));
    }
    if !batch.is_empty() {
        batches.push(bound(batch));
    }
    batches
}

fn bound<'f>(batch: Vec<(&'f IdempotencyToken, StoredAnswer<'f>)>) -> Vec<Bound<'f>> {
    let identities: Vec<&[u8]> = batch.iter().map(|(token, _)| &token.identity[..]).collect();
    let fingerprints: Vec<&[u8]> = batch.iter().map(|(token, _)| &token.fingerprint[..]).collect();
    let outcomes: Vec<&str> = batch.iter().map(|(_, answer)| answer.verdict).collect();
    let ids: Vec<Option<i64>> = batch.iter().map(|(_, answer)| answer.id).collect();
    let details: Vec<Option<Cow<'f, str>>> = batch.into_iter().map(|(_, answer)| answer.detail).collect();
    vec![Box::new(identities), Box::new(fingerprints), Box::new(outcomes), Box::new(ids), Box::new(details)]
}

/// Takes away what is too old, in small parts, so that others who use the connection come in between.
pub(super) async fn clear(conn: &PreparedConn) -> Result<(), Error> {
    for _ in 0..TIMES {
        if (conn.query(CLEAR, &[&CLEARED]).await?.len() as i64) < CLEARED {
            break;
        }
    }
    Ok(())
}

/// Sees what all of them take, whoever stored them. Of a large table some pages stand for all: no node has to be told
/// of what others do, and nobody waits for a row that all would change.
pub(super) async fn measure(conn: &PreparedConn, budget: &AnswerBudget) -> Result<(), Error> {
    for tried in 1.. {
        let before = budget.bytes();
        let row = conn.query(&measurement(), &[]).await?;
        let bytes: i64 = row.first().map_or(Ok(0), |row| row.try_get(0))?;
        // What was stored meanwhile may or may not be in it. Where that does not end, it is counted twice until the
        // next time.
        if budget.bytes() == before || tried == TRIES {
            budget.correct(before, bytes.unsigned_abs());
            break;
        }
    }
    Ok(())
}

/// What is too old does not count: it goes by itself.
fn measurement() -> String {
    let pages = "greatest(1, pg_relation_size('_carnet_answers') / current_setting('block_size')::bigint)";
    let share = format!("least(1.0, {SAMPLED_PAGES}.0 / {pages})");
    format!(
        "SELECT (coalesce(sum({BYTES_BESIDES} + coalesce(octet_length(detail), 0)), 0) / {share})::bigint \
         FROM _carnet_answers TABLESAMPLE SYSTEM (100 * {share}) \
         WHERE moment > clock_timestamp() - interval '1 day'"
    )
}
