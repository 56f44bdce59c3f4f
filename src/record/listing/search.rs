//! Search: records whose words begin as those of the query do, in any order; with one typo in each where nothing does.

use super::ListingError;
use crate::record::fold;

/// A search has so many words, and so many characters, at the most.
pub const MOST_WORDS: usize = 8;
pub const LONGEST: usize = 200;
/// Words of so many characters may have a typo.
const LONG_WORD: usize = 5;

/// What the words of a record are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Search {
    /// Folded, as they stand in the query.
    pub words: Vec<String>,
    pub matching: Matching,
}

/// How the words of a query and those of a record must meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matching {
    /// Each word of the query begins one of the record.
    Begins,
    /// Each word of the query is one of the record.
    Whole,
    /// Each begins one, and some is none: what is not whole.
    Partly,
    /// As `Begins`, but long words may differ once.
    Typo,
}

impl Search {
    /// Understands the text of a parameter of this name.
    pub fn parse(name: &str, text: &str) -> Result<Self, ListingError> {
        if text.contains('\0') {
            return Err(ListingError::DoesNotValidate(name.to_owned()));
        }
        let is_long = text.chars().nth(LONGEST).is_some();
        let words: Vec<String> = fold::words(&fold::fold(text)).map(str::to_owned).collect();
        if is_long || !(1..=MOST_WORDS).contains(&words.len()) {
            return Err(ListingError::SearchOutOfRange(name.to_owned()));
        }
        Ok(Self { words, matching: Matching::Begins })
    }

    /// The same words, to be met in another way.
    pub fn met(&self, matching: Matching) -> Self {
        Self { words: self.words.clone(), matching }
    }

    /// Whether the words of a record, folded, are what is looked for.
    pub fn matches(&self, words: &[String]) -> bool {
        let all = |meets: &dyn Fn(&str, &str) -> bool| {
            self.words.iter().all(|asked| words.iter().any(|word| meets(asked, word)))
        };
        let begins = |asked: &str, word: &str| word.starts_with(asked);
        let is = |asked: &str, word: &str| word == asked;
        match self.matching {
            Matching::Begins => all(&begins),
            Matching::Whole => all(&is),
            Matching::Partly => all(&begins) && !all(&is),
            Matching::Typo => all(&begins_nearly),
        }
    }
}

/// Whether a word begins as asked; a long one may differ by one character more, one less, another one, or two that have
/// changed places, but not in the first.
pub fn begins_nearly(asked: &str, word: &str) -> bool {
    if word.starts_with(asked) {
        return true;
    }
    let (asked, word): (Vec<char>, Vec<char>) = (asked.chars().collect(), word.chars().collect());
    if asked.len() < LONG_WORD {
        return false;
    }
    let same = asked.iter().zip(&word).take_while(|(one, other)| one == other).count();
    if same == 0 {
        return false;
    }
    let (asked, word) = (&asked[same..], &word[same..]);
    let one_less = word.starts_with(&asked[1..]);
    let one_more = word.len() > 1 && word[1..].starts_with(asked);
    let another = !word.is_empty() && word[1..].starts_with(&asked[1..]);
    let swapped = asked.len() > 1
        && word.len() > 1
        && (asked[0], asked[1]) == (word[1], word[0])
        && word[2..].starts_with(&asked[2..]);
    one_less || one_more || another || swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_typo_is_forgiven_in_a_long_word_but_not_in_its_first_letter() {
        for (asked, word) in [
            ("mueller", "muller"),
            ("muler", "muller"),
            ("mulelr", "muller"),
            ("muxler", "mullerson"),
            ("lovelaace", "lovelace"),
            ("lovelacx", "lovelac"),
        ] {
            assert!(begins_nearly(asked, word), "{asked} {word}");
        }
        for (asked, word) in [
            ("xuller", "muller"),
            ("umller", "muller"),
            ("mule", "mulle"),
            ("mxxler", "muller"),
            ("lovelace", "love"),
        ] {
            assert!(!begins_nearly(asked, word), "{asked} {word}");
        }
    }

    #[test]
    fn words_are_counted_and_bounded() {
        let words = |text: &str| Search::parse("q", text).map(|search| search.words);
        let out_of_range = || Err(ListingError::SearchOutOfRange("q".into()));
        assert_eq!(words("  Jean-Pierre, d'Été "), Ok(vec!["jean".into(), "pierre".into(), "dete".into()]));
        for text in ["", "-", &"a ".repeat(9), &"a".repeat(201)] {
            assert_eq!(words(text), out_of_range(), "{text}");
        }
        for text in [&"a ".repeat(8), &"a".repeat(200)] {
            assert!(words(text).is_ok(), "{text}");
        }
        assert_eq!(words("a\0"), Err(ListingError::DoesNotValidate("q".into())));
    }
}
