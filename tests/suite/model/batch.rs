//! Batches and upserts, planned at random and done to the model.

use dev::request::Request;
use serde_json::{Value, json};

use super::book::{Book, COLLECTIONS, Cell, Kind, Row};
use super::requests::{Answers, Run};
use crate::support::exchange::id_of;

/// The collections that have a unique rule, and take upserts.
const WITH_RULE: [usize; 2] = [0, 1];
/// An id that nobody is given. One that is free now may be that of a record which the batch creates.
const NOBODY: i64 = 4_000_000_000;
/// A tag that no record has.
const ANOTHER: &str = "\"another\"";

/// One write, of a batch or alone.
pub(super) struct Planned {
    collection: usize,
    deed: Deed,
    /// The fields that refer to the record of an earlier item.
    references: Vec<(usize, usize)>,
    /// Whether it asks for a record that there is not.
    is_guarded: bool,
}

enum Deed {
    /// Fields that are left out have no value.
    Create(Row, Vec<bool>),
    Upsert(Row, Vec<bool>),
    Update(Who, Row, Vec<bool>),
    Delete(Who),
}

#[derive(Clone, Copy)]
enum Who {
    Id(i64),
    Item(usize),
}

/// The record that a write leaves, and whether it is new; or the status of its refusal.
type Outcome = Result<Option<(i64, Row, bool)>, u16>;

impl Planned {
    /// The path, the body, and the method.
    fn request(&self) -> (&'static str, String, Option<String>) {
        let name = COLLECTIONS[self.collection].name;
        let path = |who: Who| match who {
            Who::Id(id) => format!("/{name}/{id}/"),
            Who::Item(item) => format!("/{name}/${item}/"),
        };
        match &self.deed {
            Deed::Create(row, left_out) => ("POST", format!("/{name}/"), Some(self.body(row, left_out))),
            Deed::Upsert(row, left_out) => ("PUT", format!("/{name}/"), Some(self.body(row, left_out))),
            Deed::Update(who, row, kept) => ("PUT", path(*who), Some(self.body(row, kept))),
            Deed::Delete(who) => ("DELETE", path(*who), None),
        }
    }

    fn body(&self, row: &Row, left_out: &[bool]) -> String {
        let mut row = row.clone();
        for (position, item) in &self.references {
            row[*position] = Cell::Text(format!("${item}"));
        }
        let members = COLLECTIONS[self.collection].fields.iter().zip(&row).zip(left_out);
        let members = members.filter(|(_, left_out)| !**left_out);
        let members: Vec<String> =
            members.map(|((field, cell), _)| format!("\"{}\":{}", field.name, cell.json())).collect();
        format!("{{{}}}", members.join(","))
    }

    fn item(&self) -> String {
        let (method, path, body) = self.request();
        let body = body.map(|body| format!(r#","body":{body}"#)).unwrap_or_default();
        let guard =
            if self.is_guarded { format!(r#","if_match":{}"#, json!(ANOTHER)) } else { String::new() };
        format!(r#"{{"method":"{method}","path":"{path}"{body}{guard}}}"#)
    }

    /// Does it to the model. `made` are the records of earlier items, `new` is the id of a record that is created.
    fn apply(&self, book: &mut Book, made: &[Option<i64>], new: i64) -> Outcome {
        let collection = self.collection;
        let resolved = |row: &Row| {
            let mut row = row.clone();
            for (position, item) in &self.references {
                row[*position] = Cell::Integer(made[*item].unwrap());
            }
            row
        };
        let id = |who: Who| match who {
            Who::Id(id) => id,
            Who::Item(item) => made[item].unwrap(),
        };
        let (id, given, kept) = match &self.deed {
            Deed::Create(row, _) => (None, resolved(row), None),
            Deed::Upsert(row, left_out) => {
                let row = resolved(row);
                let found = book.found(collection, &row);
                if self.is_guarded {
                    return Err(412);
                }
                (found, row, found.map(|_| left_out))
            }
            Deed::Update(who, row, kept) => (Some(id(*who)), resolved(row), Some(kept)),
            Deed::Delete(who) => {
                let id = id(*who);
                return match (book.rows[collection].contains_key(&id), self.is_guarded) {
                    (false, _) => Err(404),
                    (true, true) => Err(412),
                    (true, false) => {
                        if book.delete(collection, id) {
                            Ok(None)
                        } else {
                            Err(409)
                        }
                    }
                };
            }
        };
        let row = match (id, kept) {
            (Some(id), Some(kept)) => {
                let old = book.rows[collection].get(&id).ok_or(404u16)?;
                let cells = old.iter().zip(given).zip(kept);
                cells.map(|((old, new), is_kept)| if *is_kept { old.clone() } else { new }).collect()
            }
            _ => given,
        };
        if self.is_guarded {
            return Err(412);
        }
        if !book.accepts(collection, id, &row) {
            return Err(400);
        }
        book.insert(collection, id.unwrap_or(new), row.clone());
        Ok(Some((id.unwrap_or(new), row, id.is_none())))
    }

    /// Whether a later item may refer to its record.
    fn makes_one(&self) -> bool {
        matches!(self.deed, Deed::Create(..) | Deed::Upsert(..))
    }
}

impl Run {
    fn living_or_nobody(&mut self, collection: usize) -> i64 {
        let id = self.some_id(collection);
        if self.book.rows[collection].contains_key(&id) { id } else { NOBODY }
    }

    fn plan(&mut self, collection: usize, earlier: &[Planned]) -> Planned {
        let declared = &COLLECTIONS[collection];
        let made: Vec<usize> = (0..earlier.len())
            .filter(|&place| earlier[place].makes_one() && earlier[place].collection == collection)
            .collect();
        let who = if !made.is_empty() && self.dice.once_in(2) {
            Who::Item(*self.dice.pick(&made))
        } else {
            Who::Id(self.living_or_nobody(collection))
        };
        let cells = declared.fields.iter().map(|field| {
            match (self.cell(field.kind, field.is_required), field.kind) {
                (Cell::Integer(_), Kind::Reference(target, _)) => {
                    Cell::Integer(self.living_or_nobody(target))
                }
                (cell, _) => cell,
            }
        });
        let mut row: Row = cells.collect();
        let mut left_out: Vec<bool> = row
            .iter()
            .zip(declared.fields)
            .map(|(cell, field)| *cell == Cell::Null && field.default.is_none() && self.dice.once_in(2))
            .collect();
        let deed = match self.dice.below(6) {
            0..=2 => Deed::Create(row.clone(), left_out.clone()),
            3 if WITH_RULE.contains(&collection) => {
                for &position in declared.unique[0] {
                    row[position] = self.cell(declared.fields[position].kind, true);
                    left_out[position] = false;
                }
                // Mostly one that there is.
                if let Some(stored) = self.book.rows[collection].values().next_back()
                    && declared.unique[0].iter().all(|&position| stored[position] != Cell::Null)
                    && self.dice.once_in(2)
                {
                    for &position in declared.unique[0] {
                        row[position] = stored[position].clone();
                    }
                }
                Deed::Upsert(row.clone(), left_out.clone())
            }
            3 | 4 => {
                left_out = row.iter().map(|_| self.dice.once_in(2)).collect();
                Deed::Update(who, row.clone(), left_out.clone())
            }
            _ => Deed::Delete(who),
        };
        let mut references = Vec::new();
        for (position, field) in declared.fields.iter().enumerate() {
            let Kind::Reference(target, _) = field.kind else { continue };
            let made: Vec<usize> = (0..earlier.len())
                .filter(|&place| earlier[place].makes_one() && earlier[place].collection == target)
                .collect();
            let is_given = !matches!(deed, Deed::Delete(_)) && !left_out[position];
            if is_given && !made.is_empty() && self.dice.once_in(2) {
                references.push((position, *self.dice.pick(&made)));
            }
        }
        let is_guarded = !matches!(deed, Deed::Create(..)) && self.dice.once_in(12);
        Planned { collection, deed, references, is_guarded }
    }

    /// Several writes at once: all of them, or none where one is refused.
    pub(super) fn batch(&mut self, client: &mut impl Answers) {
        let mut plan: Vec<Planned> = Vec::new();
        for _ in 0..1 + self.dice.below(6) {
            let collection = *self.dice.pick(&[0, 0, 1, 1, 1, 2, 3, 4]);
            let item = self.plan(collection, &plan);
            plan.push(item);
        }
        let items: Vec<String> = plan.iter().map(Planned::item).collect();
        let mut request =
            Request::new("POST /_/batch/").json(format!(r#"{{"requests":[{}]}}"#, items.join(",")));
        let shows_records = self.dice.once_in(3);
        if shows_records {
            request = request.header("Prefer", "return=representation");
        }
        // Which ids there will be is not known yet, and does not matter to whether they are taken.
        let (mut after, mut made) = (self.book.clone(), Vec::new());
        for (place, item) in plan.iter().enumerate() {
            let new = after.given[item.collection] + 1;
            match item.apply(&mut after, &made, new) {
                Ok(record) => made.push(record.map(|(id, ..)| id)),
                Err(status) => {
                    let answer = self.write(client, &request, status, None);
                    let error = answer.error();
                    assert!(
                        error.starts_with(&format!("item {place}: ")),
                        "seed {}: {request:?}: {error}",
                        self.seed
                    );
                    return;
                }
            }
        }
        let answer = self.write(client, &request, 200, None);
        let results = answer.json()["results"].as_array().cloned().unwrap_or_default();
        let (mut made, mut expected) = (Vec::new(), Vec::new());
        for (item, result) in plan.iter().zip(results) {
            let new = if result["status"] == 201 { id_of(&result) } else { i64::MAX };
            assert!(new > self.book.given[item.collection], "seed {}: {answer:?}", self.seed);
            let record = item.apply(&mut self.book, &made, new).unwrap();
            expected.push(result_of(item.collection, record.as_ref(), shows_records));
            made.push(record.map(|(id, ..)| id));
        }
        let expected = format!(r#"{{"results":[{}]}}"#, expected.join(","));
        assert_eq!(answer.body_text(), expected, "seed {}: {request:?}", self.seed);
    }

    /// An upsert alone; now and then without a value by which to find it.
    pub(super) fn upsert(&mut self, client: &mut impl Answers) {
        let collection = *self.dice.pick(&WITH_RULE);
        let item = loop {
            let item = self.plan(collection, &[]);
            if matches!(item.deed, Deed::Upsert(..)) {
                break item;
            }
        };
        let (_, path, body) = item.request();
        let mut request = Request::new(&format!("PUT {path}")).json(body.unwrap());
        if item.is_guarded {
            request = request.header("If-Match", ANOTHER);
        }
        let mut after = self.book.clone();
        let new = after.given[collection] + 1;
        match item.apply(&mut after, &[], new) {
            Err(status) => _ = self.write(client, &request, status, None),
            Ok(Some((id, row, false))) => {
                self.write(client, &request, 200, Some(&Book::record(collection, id, &row, None)));
                self.book = after;
            }
            Ok(_) => {
                let id = self.write(client, &request, 201, Some("")).created_id();
                assert!(id > self.book.given[collection], "seed {}: the id {id} was given before", self.seed);
                item.apply(&mut self.book, &[], id).unwrap();
            }
        }
    }
}

fn result_of(collection: usize, record: Option<&(i64, Row, bool)>, shows_records: bool) -> String {
    let Some((id, row, is_new)) = record else { return r#"{"status":200}"#.into() };
    let status = if *is_new { 201 } else { 200 };
    let path = Value::from(format!("/{}/{id}/", COLLECTIONS[collection].name));
    let shown = match shows_records {
        true => format!(r#","record":{}"#, Book::record(collection, *id, row, None)),
        false => String::new(),
    };
    format!(r#"{{"status":{status},"ressource_uri":{path}{shown}}}"#)
}
