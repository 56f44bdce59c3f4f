//! Random lists: conditions, sorts, walks by cursor, some fields, references that are followed; each answer is the
//! model's.

use dev::request::Request;

use super::asked::{ANY_CURSOR, After, Asked, Cursor, Link, Sort, whole};
use super::book::{COLLECTIONS, Kind, PAGE_SIZE};
use super::operators::{Filter, Operator};
use super::requests::{Answers, Run};
use super::search::SEARCHED;
use super::texts;

/// How many cursors are kept for later.
const CURSORS: usize = 20;

impl Run {
    fn filter(&mut self, collection: usize) -> Filter {
        let fields = COLLECTIONS[collection].fields;
        let on = (!self.dice.once_in(8)).then(|| self.dice.below(fields.len()));
        let field = on.map(|position| &fields[position]);
        let kind = field.map_or(Kind::Integer, |field| field.kind);
        let operator = match self.dice.once_in(3) {
            true => Operator::Equal,
            false => *self.dice.pick(&Operator::of(field)),
        };
        let number = if operator == Operator::In { 1 + self.dice.below(4) } else { 1 };
        let value = |run: &mut Run| match operator {
            _ if on.is_none() && run.dice.once_in(12) => String::new(),
            _ if on.is_none() => run.some_id(collection).to_string(),
            Operator::Null => (*run.dice.pick(&["true", "false"])).to_owned(),
            // An empty text may be asked of any field. A URL has a limit.
            Operator::Equal | Operator::Ne | Operator::In => {
                let turn = run.requests;
                match kind {
                    Kind::Moment => run.cell(kind, false).written(turn).trim_matches('"').replace("null", ""),
                    Kind::Mood if run.dice.once_in(12) => "SAD".to_owned(),
                    _ => run.cell(kind, false).query().chars().take(200).collect(),
                }
            }
            _ if matches!(kind, Kind::Text | Kind::Mood) => texts::part(&mut run.dice),
            _ => {
                let is_there = !run.dice.once_in(20);
                let turn = run.requests;
                run.cell(kind, is_there).written(turn).trim_matches('"').replace("null", "")
            }
        };
        Filter { on, operator, texts: (0..number).map(|_| value(self)).collect() }
    }

    /// Words of some record and others, whole or begun, right or nearly so.
    fn search(&mut self, collection: usize) -> String {
        let rows: Vec<i64> = self.book.rows[collection].keys().copied().collect();
        let mut words: Vec<String> = Vec::new();
        for _ in 0..*self.dice.pick(&[0, 1, 1, 1, 1, 1, 2, 2, 3, 9]) {
            let text = match SEARCHED[collection] {
                [_, ..] if !rows.is_empty() && !self.dice.once_in(5) => {
                    let row = &self.book.rows[collection][self.dice.pick(&rows)];
                    row[*self.dice.pick(SEARCHED[collection])].query().chars().take(80).collect()
                }
                _ => texts::part(&mut self.dice),
            };
            let Some(word) = text.split_whitespace().next() else { continue };
            let mut letters: Vec<char> = word.chars().collect();
            let end = letters.len();
            match self.dice.below(6) {
                0 | 1 => letters.truncate(1 + self.dice.below(end)),
                2 => letters.insert(self.dice.below(end + 1), 'x'),
                3 => _ = letters.remove(self.dice.below(end)),
                4 => letters.swap(self.dice.below(end), end / 2),
                _ => {}
            }
            words.push(letters.into_iter().collect());
        }
        words.join(*self.dice.pick(&[" ", "-", " , "])).chars().take(220).collect()
    }

    fn sort(&mut self, collection: usize) -> Sort {
        let mut sort: Sort = Vec::new();
        for _ in 0..*self.dice.pick(&[0, 1, 1, 1, 2, 2, 3]) {
            let fields = COLLECTIONS[collection].fields.len();
            let on = (!self.dice.once_in(6)).then(|| self.dice.below(fields));
            if sort.iter().all(|(named, _)| *named != on) {
                sort.push((on, self.dice.once_in(2)));
            }
        }
        sort
    }

    /// Some fields in any order, with `id` and `ressource_uri` now and then.
    pub(super) fn fields(&mut self, collection: usize) -> Vec<&'static str> {
        let mut named: Vec<&str> = COLLECTIONS[collection].fields.iter().map(|field| field.name).collect();
        named.extend(["id", "ressource_uri"]);
        self.dice.shuffle(&mut named);
        named.truncate(1 + self.dice.below(named.len()));
        named
    }

    /// Some of the fields that refer to others, in any order.
    pub(super) fn references(&mut self, collection: usize) -> Vec<usize> {
        let fields = COLLECTIONS[collection].fields.iter().enumerate();
        let references = fields.filter(|(_, field)| matches!(field.kind, Kind::Reference(..)));
        let mut named: Vec<usize> = references.map(|(position, _)| position).collect();
        self.dice.shuffle(&mut named);
        named.truncate(self.dice.below(named.len() + 1));
        named
    }

    /// The sort of a cursor, as whoever goes on with it may name it.
    fn named_again(&mut self, cursor: &Cursor) -> Sort {
        let mut sort = cursor.sort.clone();
        if let [rest @ .., (None, is_descending)] = cursor.sort.as_slice() {
            let is_implied = rest.last().map_or(!is_descending, |(_, last)| last == is_descending);
            if sort.len() > 3 || (is_implied && self.dice.once_in(2)) {
                sort.pop();
            }
        }
        sort
    }

    pub(super) fn list(&mut self, client: &mut impl Answers, collection: usize) {
        let mut asked = Asked { is_long: self.dice.once_in(8), ..Asked::default() };
        for _ in 0..*self.dice.pick(&[0, 0, 1, 1, 1, 2, 3]) {
            let filter = self.filter(collection);
            if asked.filters.iter().all(|other| other.name(collection) != filter.name(collection)) {
                asked.filters.push(filter);
            }
        }
        asked.search = self.dice.once_in(4).then(|| self.search(collection));
        asked.sort = self.sort(collection);
        asked.fields = self.dice.once_in(4).then(|| self.fields(collection));
        asked.is_interleaved = self.dice.once_in(2);
        if self.dice.once_in(3) {
            asked.expand = self.references(collection);
        }
        let mut at = collection;
        if COLLECTIONS[collection].is_paged {
            let living = self.book.rows[collection].len();
            let longest = *self.dice.pick(&[3, 3, 5, PAGE_SIZE]);
            asked.count = (!self.dice.once_in(4)).then(|| 1 + self.dice.below(longest));
            match self.dice.below(6) {
                0 | 1 => asked.offset = Some(self.dice.below(living + 3)),
                2 | 3 if !self.cursors.is_empty() => {
                    let cursor = self.dice.pick(&self.cursors.clone()).clone();
                    // Of another list now and then, which is refused.
                    if self.dice.once_in(10)
                        && (cursor.sort != whole(&asked.sort) || cursor.words != asked.sorting_words())
                    {
                        asked.filters.retain(|filter| filter.fault(collection).is_none());
                    } else {
                        at = cursor.collection;
                        asked.sort = self.named_again(&cursor);
                        if at != collection {
                            (asked.filters, asked.fields, asked.search) = (Vec::new(), None, None);
                            asked.expand.clear();
                        }
                        if let Some(words) = &cursor.words {
                            (asked.sort, asked.search) = (Vec::new(), Some(words.join("-")));
                        } else if asked.sort.is_empty() {
                            asked.search = None;
                        }
                    }
                    asked.after = Some(After::Cursor(cursor));
                }
                // There is something to walk through where not much is asked.
                2..=4 => {
                    asked.filters.truncate(self.dice.below(2));
                    asked.after = Some(After::Start);
                }
                _ => {}
            }
        }
        // A walk goes on for a while; what is left of it later, with whatever is written meanwhile.
        for _ in 0..1 + self.dice.below(4) {
            let Some(cursor) = self.ask_list(client, at, &asked) else { return };
            asked.after = Some(After::Cursor(cursor));
            self.requests += 1;
        }
    }

    /// Asks for a list, compares the whole answer, and gives the cursor that leads on.
    pub(super) fn ask_list(
        &mut self,
        client: &mut impl Answers,
        collection: usize,
        asked: &Asked,
    ) -> Option<Cursor> {
        let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let pairs = asked.pairs(collection);
        let pairs: Vec<String> =
            pairs.iter().map(|(name, text)| format!("{name}={}", encoded(text))).collect();
        let request = Request::new(&format!("GET /{}/?{}", COLLECTIONS[collection].name, pairs.join("&")));
        if let Some(fault) = asked.fault(collection) {
            let body = format!("{{\"error\":\"{fault}\"}}");
            self.send(client, &request, 400, Some(&body));
            return None;
        }
        let expected = self.book.list(collection, asked);
        let answer = self.send(client, &request, 200, Some(&expected.body));
        let (links, text) = links(answer.header("Link").unwrap_or_default(), COLLECTIONS[collection].name);
        assert_eq!(links, expected.links, "seed {}: {asked:?}: {answer:?}", self.seed);
        let cursor = Cursor { text, ..expected.cursor? };
        if self.cursors.len() >= CURSORS {
            self.cursors.swap_remove(self.dice.below(CURSORS));
        }
        self.cursors.push(cursor.clone());
        Some(cursor)
    }
}

/// The links of an answer, their parameters decoded, and the cursor that one of them has.
fn links(header: &str, collection: &str) -> (Vec<Link>, String) {
    let (mut links, mut cursor) = (Vec::new(), String::new());
    for link in header.split(", <").filter(|link| !link.is_empty()) {
        let (url, relation) = link.trim_start_matches('<').split_once(">; rel=").unwrap();
        let (path, query) = url.split_once('?').unwrap();
        assert!(path.ends_with(&format!("/{collection}/")), "{header}");
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in query.split('&') {
            let (name, text) = pair.split_once('=').unwrap();
            let mut text = decoded(text);
            if name.trim_start_matches('_') == "after" {
                cursor = std::mem::replace(&mut text, ANY_CURSOR.into());
            }
            pairs.push((decoded(name), text));
        }
        links.push((relation.trim_matches('"').to_owned(), pairs));
    }
    (links, cursor)
}

fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first == b'%' {
            let (digits, behind) = rest.split_at(2);
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap());
            rest = behind;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).unwrap()
}
