//! The search, written from the contract and not from the program.

use dev::request::Request;
use serde_json::json;
use unicode_normalization::char::is_combining_mark;

use super::book::{Book, COLLECTIONS, CONFIG, Cell, NUMBER, Row};
use super::fold::{SORTED, fold};
use crate::support::server::Server;

/// The fields of each collection whose words are searched.
pub(super) const SEARCHED: [&[usize]; NUMBER] = [&[], &[0, 1], &[], &[2], &[0, 1]];
/// A search has so many words and characters at the most, and forgives typos in words of so many letters.
const MOST_WORDS: usize = 8;
const LONGEST: usize = 200;
const LONG_WORD: usize = 5;

/// How the words of a record must meet those of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum How {
    Begins,
    Typo,
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<String> {
    let is_inside = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let folded = fold(text);
    let words = folded.split(|c| !is_inside(c)).filter(|word| !word.is_empty());
    words.map(|word| word.chars().take(SORTED).collect()).collect()
}

/// Why a text is refused as the search of this name.
pub(super) fn fault(collection: usize, name: &str, text: &str) -> Option<String> {
    if SEARCHED[collection].is_empty() {
        return Some(format!("{name} is not a field of {}", COLLECTIONS[collection].name));
    }
    let is_good = (1..=MOST_WORDS).contains(&words(text).len()) && text.chars().count() <= LONGEST;
    (!is_good).then(|| format!("{name} does not validate: it has 1 to 8 words, and at most 200 characters"))
}

fn words_of(collection: usize, row: &Row) -> Vec<String> {
    let texts = SEARCHED[collection].iter().filter_map(|position| match &row[*position] {
        Cell::Text(text) => Some(words(text)),
        _ => None,
    });
    texts.flatten().collect()
}

/// Whether a record is found.
pub(super) fn finds(collection: usize, asked: &[String], how: How, row: &Row) -> bool {
    let has = words_of(collection, row);
    let meets = |asked: &String, word: &String| match how {
        How::Begins => word.starts_with(asked.as_str()),
        How::Typo => begins_nearly(asked, word),
    };
    asked.iter().all(|asked| has.iter().any(|word| meets(asked, word)))
}

/// Whether every word is a whole one.
pub(super) fn is_whole(collection: usize, asked: &[String], row: &Row) -> bool {
    let has = words_of(collection, row);
    asked.iter().all(|asked| has.contains(asked))
}

impl Book {
    /// Typos are forgiven where nothing else is found.
    pub(super) fn how(&self, collection: usize, asked: &[String]) -> How {
        let is_found = |row: &Row| finds(collection, asked, How::Begins, row);
        if self.rows[collection].values().any(is_found) { How::Begins } else { How::Typo }
    }
}

/// Whether some beginning of the word is at most one step away.
fn begins_nearly(asked: &str, word: &str) -> bool {
    let (asked, word): (Vec<char>, Vec<char>) = (asked.chars().collect(), word.chars().collect());
    if word.starts_with(&asked) {
        return true;
    }
    asked.len() >= LONG_WORD
        && asked.first() == word.first()
        && (0..=word.len()).any(|length| steps(&asked, &word[..length]) <= 1)
}

/// How many inserts, deletes, replacements and swaps of neighbours lead from one to the other.
fn steps(one: &[char], other: &[char]) -> usize {
    if one.len().abs_diff(other.len()) > 1 {
        return usize::MAX;
    }
    let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
    for row in 0..=one.len() {
        for column in 0..=other.len() {
            table[row][column] = if row == 0 || column == 0 {
                row + column
            } else {
                let is_other = usize::from(one[row - 1] != other[column - 1]);
                let mut least = (table[row - 1][column - 1] + is_other)
                    .min(table[row - 1][column] + 1)
                    .min(table[row][column - 1] + 1);
                if row > 1
                    && column > 1
                    && one[row - 1] == other[column - 2]
                    && one[row - 2] == other[column - 1]
                {
                    least = least.min(table[row - 2][column - 2] + 1);
                }
                least
            };
        }
    }
    table[one.len()][other.len()]
}

/// Each text of the golden list is found by its fold, as is whatever else begins so.
#[test]
fn the_texts_of_the_golden_list_are_found() {
    let config =
        format!("[server]\nmemory = \"16MiB\"\n{}", CONFIG.replace("page_size = 10", "page_size = 1000"));
    let server = Server::start(&config);
    let lines = include_str!("../../golden/fold.tsv").lines().filter(|line| !line.starts_with('#'));
    let golden: Vec<[&str; 2]> = lines
        .map(|line| {
            let mut columns = line.split('\t').skip(1);
            [columns.next().unwrap(), columns.next().unwrap()]
        })
        .collect();
    assert!(golden.len() > 300);
    let mut client = server.client();
    for [text, _] in &golden {
        let body = json!({ "label": text }).to_string();
        assert_eq!(client.send(&Request::new("POST /things/").json(body)).status, 201, "{text}");
    }
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let mut searches = 0;
    for [text, folded] in &golden {
        let asked = words(folded);
        if !(1..=MOST_WORDS).contains(&asked.len()) || text.chars().count() > LONGEST {
            continue;
        }
        let begins = |[_, other]: &[&str; 2]| {
            let has = words(other);
            asked.iter().all(|asked| has.iter().any(|word| word.starts_with(asked.as_str())))
        };
        let found = golden.iter().zip(1..).filter(|(other, _)| begins(other)).map(|(_, id)| id);
        let found: Vec<i64> = found.collect();
        for written in [text, folded] {
            let path = format!("/things/?sort=id&count=1000&search={}", encoded(written));
            assert_eq!(server.ids(&path), found, "{written}");
        }
        searches += 1;
    }
    assert!(searches > 300, "{searches}");
}
