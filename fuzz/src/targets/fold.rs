//! Folded texts, their words, and the search for them.

use carnet::record::fold::{KEY_CHARS, fold, sort_key, words};
use carnet::record::listing::search::{LONGEST, MOST_WORDS, Search, begins_nearly};

use crate::is_planted;

/// The most characters that one becomes.
const MOST: usize = 18;
/// Words of so many characters may have a typo.
const LONG_WORD: usize = 5;

pub(crate) fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut folded = fold(text);
    // The planted bug: a letter that keeps an accent.
    if is_planted() && text.contains('ø') {
        folded = folded.replacen('o', "ó", 1);
    }
    assert_eq!(fold(&folded), folded, "a fold folds to itself");
    assert!(folded.chars().count() <= MOST * text.chars().count());
    assert!(!folded.contains("  ") && folded.trim() == folded, "{folded:?}");
    let beginning: String = folded.chars().take(KEY_CHARS).collect();
    assert_eq!(sort_key(text), beginning);
    let found: Vec<String> = words(&folded).map(str::to_owned).collect();
    for word in &found {
        assert!((1..=KEY_CHARS).contains(&word.chars().count()) && folded.contains(word.as_str()));
        nearly(word);
    }
    match Search::parse("search", text) {
        Ok(search) => {
            assert_eq!(search.words, found);
            assert!(search.matches(&found), "a text is found by itself");
            assert_eq!(search.matches(&[]), found.is_empty());
        }
        Err(_) => assert!(
            text.contains('\0') || text.chars().count() > LONGEST || !(1..=MOST_WORDS).contains(&found.len())
        ),
    }
}

/// A word is found with one letter less, but for its first, where it is long.
fn nearly(word: &str) {
    assert!(begins_nearly(word, word));
    let letters: Vec<char> = word.chars().collect();
    for place in 1..letters.len() {
        let typed: String = [&letters[..place], &letters[place + 1..]].concat().iter().collect();
        assert!(letters.len() <= LONG_WORD || begins_nearly(&typed, word), "{typed} {word}");
    }
}
