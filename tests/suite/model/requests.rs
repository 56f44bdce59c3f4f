//! Random requests to the server and to the model, whose answers are the same.

use dev::answer::Answer;
use dev::client::Client;
use dev::dice::Dice;
use dev::request::Request;

use super::asked::{Asked, Cursor};
use super::book::{Book, COLLECTIONS, Cell, DAYS, Kind, MOMENTS, MOODS, NUMBER, PAGE_SIZE, Row};
use super::texts;
use crate::support::batch::{batch, delete};
use crate::support::exchange::id_of;
use crate::support::home::Home;

const INTEGERS: [i64; 6] = [0, 1, -1, 7, i64::MAX, i64::MIN];
const FLOATS: [f64; 8] = [0.0, 1.0, -0.5, 0.1, 1e21, 5e-324, 1.7976931348623157e308, 3.0];
/// The place of the collection of things.
const THINGS: usize = 4;
/// So many things that lists of them are sorted by an order in memory.
const MANY: i64 = 1_100;
/// Above this a stored answer keeps the tag of a record instead of the record.
const LARGEST_KEPT: usize = 4096;

/// Whoever answers requests as the model does.
pub(super) trait Answers {
    fn send(&mut self, request: &Request) -> Answer;
}

impl Answers for Client {
    #[track_caller]
    fn send(&mut self, request: &Request) -> Answer {
        Client::send(self, request)
    }
}

/// One sequence of requests.
pub(super) struct Run {
    pub(super) seed: u64,
    pub(super) dice: Dice,
    pub(super) book: Book,
    /// The largest ids that were given before this sequence: it does the same wherever ids begin.
    before: [i64; NUMBER],
    pub(super) requests: usize,
    /// Requests that were sent with a key, and what they were answered the first time.
    kept: Vec<(Request, Answer)>,
    /// Cursors that were given, to go on with later.
    pub(super) cursors: Vec<Cursor>,
}

impl Run {
    /// A sequence that begins with these records.
    pub(super) fn new(seed: u64, book: Book) -> Run {
        let before = book.given;
        Run { seed, dice: Dice::new(seed), book, before, requests: 0, kept: Vec::new(), cursors: Vec::new() }
    }

    /// A value that validates; a reference now and then leads nowhere.
    pub(super) fn cell(&mut self, kind: Kind, is_required: bool) -> Cell {
        if !is_required && self.dice.once_in(4) {
            return Cell::Null;
        }
        match kind {
            Kind::Text => Cell::Text(texts::text(&mut self.dice)),
            Kind::Integer => Cell::Integer(*self.dice.pick(&INTEGERS)),
            Kind::Float => Cell::Float(*self.dice.pick(&FLOATS)),
            Kind::Boolean => Cell::Boolean(self.dice.once_in(2)),
            Kind::Day => Cell::Day(DAYS[self.dice.below(DAYS.len())]),
            Kind::Moment => Cell::Moment(self.dice.below(MOMENTS.len())),
            Kind::Mood => Cell::Choice(MOODS[self.dice.below(MOODS.len())]),
            Kind::Reference(target, _) => Cell::Integer(self.some_id(target)),
        }
    }

    /// Mostly an id that lives.
    pub(super) fn some_id(&mut self, collection: usize) -> i64 {
        let living: Vec<i64> = self.book.rows[collection].keys().copied().collect();
        if living.is_empty() || self.dice.once_in(20) {
            let (before, given) = (self.before[collection], self.book.given[collection]);
            return before + 1 + self.dice.below((given - before) as usize + 3) as i64;
        }
        *self.dice.pick(&living)
    }

    fn row(&mut self, collection: usize) -> Row {
        COLLECTIONS[collection].fields.iter().map(|field| self.cell(field.kind, field.is_required)).collect()
    }

    /// Fields that are left out are those without a value, now and then.
    fn body(&mut self, collection: usize, row: &Row, left_out: impl Fn(usize) -> bool) -> String {
        let members = COLLECTIONS[collection].fields.iter().zip(row).enumerate();
        let members = members.filter(|(position, _)| !left_out(*position));
        let members: Vec<String> = members
            .map(|(_, (field, cell))| format!("\"{}\":{}", field.name, cell.written(self.requests)))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    /// Some things to begin with, so that there is something to sort: in one batch, which costs as much as one write.
    pub(super) fn begin(&mut self, client: &mut impl Answers, things: usize) {
        let mut rows: Vec<Row> = (0..things).map(|_| self.row(THINGS)).collect();
        rows.iter_mut().for_each(|row| row[COLLECTIONS[THINGS].fields.len() - 1] = Cell::Null);
        let bodies: Vec<String> = rows.iter().map(|row| self.body(THINGS, row, |_| false)).collect();
        let items =
            bodies.iter().map(|body| format!(r#"{{"method":"POST","path":"/things/","body":{body}}}"#));
        let answer = self.send(client, &batch(&items.collect::<Vec<_>>()), 200, None).json();
        for (row, result) in rows.into_iter().zip(answer["results"].as_array().unwrap()) {
            self.book.insert(THINGS, id_of(result), row);
        }
    }

    /// Many things, by another tool.
    pub(super) fn fill(&mut self, home: &Home) {
        let mut rows = Vec::new();
        for id in 1..=MANY {
            let mut row = self.row(THINGS);
            row[COLLECTIONS[THINGS].fields.len() - 1] = Cell::Null;
            let cells: Vec<String> = row.iter().map(Cell::sql).collect();
            rows.push(format!("({id}, {})", cells.join(", ")));
            self.book.insert(THINGS, id, row);
        }
        let rows = rows.join(", ");
        let names: Vec<&str> = COLLECTIONS[THINGS].fields.iter().map(|field| field.name).collect();
        home.execute(&format!("INSERT INTO things (id, {}) VALUES {rows}", names.join(", ")));
    }

    pub(super) fn step(&mut self, client: &mut impl Answers) {
        // Cards and stamps are few without people, so these come more often. Of many things there is much to ask.
        let collection = match self.book.rows[THINGS].len() {
            ..1_000 => *self.dice.pick(&[0, 1, 1, 1, 2, 2, 3, 4, 4, 4, 4]),
            _ => THINGS,
        };
        self.requests += 1;
        match self.dice.below(31) {
            28 | 29 => self.batch(client),
            30 => self.upsert(client),
            20 | 21 => self.send_again(client, collection),
            0..=5 => self.create(client, collection),
            6..=8 => self.update(client, collection),
            9 | 10 => self.delete(client, collection),
            11..=13 => self.fetch(client, collection),
            14..=17 => self.list(client, THINGS),
            _ => self.list(client, collection),
        }
    }

    #[track_caller]
    pub(super) fn send(
        &self,
        client: &mut impl Answers,
        request: &Request,
        status: u16,
        body: Option<&str>,
    ) -> Answer {
        let answer = client.send(request);
        let is_right = answer.status == status && body.is_none_or(|body| answer.body_text() == body);
        assert!(
            is_right,
            "seed {}, request {}: {request:?}\nexpected: {status} {body:?}\nanswered: {answer:?}",
            self.seed, self.requests
        );
        answer
    }

    /// Sends a write, now and then with a key.
    #[track_caller]
    pub(super) fn write(
        &mut self,
        client: &mut impl Answers,
        request: &Request,
        status: u16,
        body: Option<&str>,
    ) -> Answer {
        if !self.dice.once_in(3) {
            return self.send(client, request, status, body);
        }
        let request = request.clone().key(&format!("{} {}", self.seed, self.kept.len()));
        let answer = self.send(client, &request, status, body);
        assert_eq!(answer.header("Idempotency-Replayed"), None, "seed {}: {request:?}", self.seed);
        self.kept.push((request, answer.clone()));
        answer
    }

    /// A request that was sent with a key gets the same answer, whatever has happened since, and changes nothing; with
    /// the same key any other is refused. Of a large record only the tag is kept: once it is another one, that is said.
    fn send_again(&mut self, client: &mut impl Answers, collection: usize) {
        if self.kept.is_empty() {
            return;
        }
        let place = self.dice.below(self.kept.len());
        let (request, first) = self.kept[place].clone();
        if self.dice.once_in(4) {
            let id = self.some_id(collection);
            let other = Request::new(&format!("DELETE /{}/{id}/", COLLECTIONS[collection].name));
            let other = other.header("Prefer", "another=request").same_key_as(&request);
            self.send(client, &other, 422, None);
            return;
        }
        let answer = client.send(&request);
        let is_same = answer.lasting() == first.lasting();
        let is_said = answer.header("Idempotency-Replayed") == Some("true");
        let is_too_large = first.status < 300 && first.body_text().len() > LARGEST_KEPT;
        let is_told =
            is_too_large && answer.status == 409 && answer.body_text().contains("Its answer is not kept");
        assert!(
            (is_same || is_told) && is_said,
            "seed {}: {request:?}\nat first: {first:?}\nnow: {answer:?}",
            self.seed
        );
    }

    fn create(&mut self, client: &mut impl Answers, collection: usize) {
        let mut row = self.row(collection);
        let leaves_out = self.dice.once_in(2);
        let body = self.body(collection, &row, |position| leaves_out && row[position] == Cell::Null);
        for (field, cell) in COLLECTIONS[collection].fields.iter().zip(&mut row) {
            if leaves_out && *cell == Cell::Null {
                *cell = field.default.map_or(Cell::Null, Cell::Choice);
            }
        }
        let mut request = Request::new(&format!("POST /{}/", COLLECTIONS[collection].name)).json(body);
        if !self.book.accepts(collection, None, &row) {
            self.write(client, &request, 400, None);
            return;
        }
        let shows_record = self.dice.once_in(4);
        if shows_record {
            request = request.header("Prefer", "return=representation");
        }
        let answer = self.write(client, &request, 201, if shows_record { None } else { Some("") });
        let id = answer.created_id();
        if shows_record {
            assert_eq!(answer.body_text(), Book::record(collection, id, &row, None), "seed {}", self.seed);
        }
        assert!(id > self.book.given[collection], "seed {}: the id {id} was given before", self.seed);
        self.book.insert(collection, id, row);
    }

    /// Now and then only on condition that the record is the one that was seen: the request, and whether it is.
    fn on_condition(
        &mut self,
        client: &mut impl Answers,
        collection: usize,
        id: i64,
        request: Request,
    ) -> (Request, bool) {
        if !self.dice.once_in(4) {
            return (request, true);
        }
        let is_seen = self.dice.once_in(2);
        let answer = client.send(&Request::new(&format!("GET /{}/{id}/", COLLECTIONS[collection].name)));
        match answer.header("ETag").filter(|_| is_seen) {
            Some(tag) => (request.header("If-Match", tag), true),
            None => (request.header("If-Match", "\"another\""), false),
        }
    }

    fn update(&mut self, client: &mut impl Answers, collection: usize) {
        let id = self.some_id(collection);
        let new = self.row(collection);
        let kept: Vec<bool> = new.iter().map(|_| self.dice.once_in(2)).collect();
        let body = self.body(collection, &new, |position| kept[position]);
        let request = Request::new(&format!("PUT /{}/{id}/", COLLECTIONS[collection].name)).json(body);
        let (request, is_seen) = self.on_condition(client, collection, id, request);
        let Some(old) = self.book.rows[collection].get(&id) else {
            self.write(client, &request, 404, None);
            return;
        };
        if !is_seen {
            self.write(client, &request, 412, None);
            return;
        }
        let cells = old.iter().zip(new).zip(kept);
        let row: Row = cells.map(|((old, new), is_kept)| if is_kept { old.clone() } else { new }).collect();
        if !self.book.accepts(collection, Some(id), &row) {
            self.write(client, &request, 400, None);
            return;
        }
        self.write(client, &request, 200, Some(&Book::record(collection, id, &row, None)));
        self.book.insert(collection, id, row);
    }

    fn delete(&mut self, client: &mut impl Answers, collection: usize) {
        let id = self.some_id(collection);
        self.delete_one(client, collection, id);
    }

    fn delete_one(&mut self, client: &mut impl Answers, collection: usize, id: i64) {
        let request = Request::new(&format!("DELETE /{}/{id}/", COLLECTIONS[collection].name));
        let (request, is_seen) = self.on_condition(client, collection, id, request);
        if !self.book.rows[collection].contains_key(&id) {
            self.write(client, &request, 404, None);
        } else if !is_seen {
            self.write(client, &request, 412, None);
        } else if self.book.delete(collection, id) {
            self.write(client, &request, 200, Some(""));
        } else {
            self.write(client, &request, 409, None);
        }
    }

    fn fetch(&mut self, client: &mut impl Answers, collection: usize) {
        let id = self.some_id(collection);
        let path = format!("GET /{}/{id}/", COLLECTIONS[collection].name);
        let Some(row) = self.book.rows[collection].get(&id).cloned() else {
            self.send(client, &Request::new(&path), 404, None);
            return;
        };
        let whole =
            self.send(client, &Request::new(&path), 200, Some(&Book::record(collection, id, &row, None)));
        if self.dice.once_in(2) {
            let fields = self.fields(collection);
            let request = Request::new(&format!("{path}?fields={}", fields.join(",")));
            let body = Book::record(collection, id, &row, Some(&fields));
            let part = self.send(client, &request, 200, Some(&body));
            assert_eq!(part.header("ETag"), whole.header("ETag"), "seed {}: {request:?}", self.seed);
        }
        let references = self.references(collection);
        if !references.is_empty() {
            let names: Vec<&str> =
                references.iter().map(|&position| COLLECTIONS[collection].fields[position].name).collect();
            let request = Request::new(&format!("{path}?expand={}", names.join(",")));
            let body = self.book.expanded(collection, id, None, &references);
            self.send(client, &request, 200, Some(&body));
        }
    }

    /// Another tool changes the store of the stopped server.
    pub(super) fn other_tool(&mut self, home: &Home) {
        for _ in 0..1 + self.dice.below(6) {
            let collection = *self.dice.pick(&[0, 1, 1, 2, 3, 4, 4]);
            let declared = &COLLECTIONS[collection];
            let names: Vec<&str> = declared.fields.iter().map(|field| field.name).collect();
            let row = self.row(collection);
            let cells: Vec<String> = row.iter().map(Cell::sql).collect();
            let id = self.some_id(collection);
            let lives = self.book.rows[collection].contains_key(&id);
            match self.dice.below(3) {
                0 if lives && self.book.delete(collection, id) => {
                    home.execute(&format!("DELETE FROM {} WHERE id = {id}", declared.name));
                }
                1 if lives && self.book.accepts(collection, Some(id), &row) => {
                    let sets = names.iter().zip(&cells).map(|(name, cell)| format!("{name} = {cell}"));
                    let sets = sets.collect::<Vec<_>>().join(", ");
                    home.execute(&format!("UPDATE {} SET {sets} WHERE id = {id}", declared.name));
                    self.book.insert(collection, id, row);
                }
                _ if self.book.accepts(collection, None, &row) => {
                    // Not the next one: a gap, now and then a wide one.
                    let gap = if self.dice.once_in(6) { 70_000 } else { 3 };
                    let id = self.book.given[collection] + 1 + self.dice.below(gap) as i64;
                    home.execute(&format!(
                        "INSERT INTO {} (id, {}) VALUES ({id}, {})",
                        declared.name,
                        names.join(", "),
                        cells.join(", ")
                    ));
                    self.book.insert(collection, id, row);
                }
                _ => {}
            }
        }
    }

    /// Answers that are told again are not copied with the records.
    pub(super) fn forget_kept(&mut self) {
        self.kept.clear();
    }

    /// Deletes all that is left, those that refer to others first, in one batch.
    pub(super) fn delete_all(&mut self, client: &mut impl Answers) {
        let mut items = Vec::new();
        for (declared, rows) in COLLECTIONS.iter().zip(&self.book.rows).rev() {
            items.extend(rows.keys().map(|id| delete(&format!("/{}/{id}/", declared.name))));
        }
        let results = vec![r#"{"status":200}"#; items.len()].join(",");
        if !items.is_empty() {
            self.send(client, &batch(&items), 200, Some(&format!(r#"{{"results":[{results}]}}"#)));
        }
        self.book.rows.iter_mut().for_each(|rows| rows.clear());
    }

    /// Every record and every page, once more.
    pub(super) fn compare_all(&mut self, client: &mut impl Answers) {
        for (collection, declared) in COLLECTIONS.iter().enumerate() {
            let pages = self.book.rows[collection].len() / PAGE_SIZE + 1;
            for page in 0..pages {
                let offset = declared.is_paged.then_some(page * PAGE_SIZE);
                self.ask_list(client, collection, &Asked { offset, ..Asked::default() });
            }
        }
    }
}
