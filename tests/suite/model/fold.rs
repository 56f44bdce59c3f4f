//! Text without case and accents, written from the contract and not from the program.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use unicode_normalization::UnicodeNormalization;

/// What is dropped between letters: O’Neill is Oneill.
const APOSTROPHES: &str = "'’‘ʼʻ´`";
/// Where marks are dropped.
const MARKS: [(char, char); 9] = [
    ('\u{300}', '\u{36f}'),
    ('\u{591}', '\u{5c7}'),
    ('\u{610}', '\u{61a}'),
    ('\u{64b}', '\u{65f}'),
    ('\u{670}', '\u{670}'),
    ('\u{1ab0}', '\u{1aff}'),
    ('\u{1dc0}', '\u{1dff}'),
    ('\u{20d0}', '\u{20ff}'),
    ('\u{fe20}', '\u{fe2f}'),
];
/// What stands among them and is no nonspacing mark: punctuation of Hebrew, marks that enclose.
const OTHERS: &str =
    "\u{5be}\u{5c0}\u{5c3}\u{5c6}\u{1abe}\u{20dd}\u{20de}\u{20df}\u{20e0}\u{20e2}\u{20e3}\u{20e4}";
/// Letters that no normal form takes apart.
const LETTERS: [(&str, &str); 11] = [
    ("ς", "σ"),
    ("ß", "ss"),
    ("æ", "ae"),
    ("œ", "oe"),
    ("ø", "o"),
    ("ł", "l"),
    ("đ", "d"),
    ("ð", "d"),
    ("þ", "th"),
    ("ħ", "h"),
    ("ı", "i"),
];
/// How much of a fold sorts.
pub(super) const SORTED: usize = 64;

thread_local! {
    /// The same few texts are folded again and again.
    static KNOWN: RefCell<HashMap<String, Rc<str>>> = RefCell::default();
}

/// The fold of a text.
pub(super) fn fold(text: &str) -> Rc<str> {
    if let Some(known) = KNOWN.with_borrow(|known| known.get(text).cloned()) {
        return known;
    }
    let folded: Rc<str> = Rc::from(made(text));
    KNOWN.with_borrow_mut(|known| known.insert(text.to_owned(), Rc::clone(&folded)));
    folded
}

/// As much of the fold as sorts.
pub(super) fn sort_key(text: &str) -> String {
    fold(text).chars().take(SORTED).collect()
}

fn made(text: &str) -> String {
    let is_apostrophe = |character: &char| APOSTROPHES.contains(*character);
    let is_dropped = |character: &char| {
        MARKS.iter().any(|(first, last)| (first..=last).contains(&character)) && !OTHERS.contains(*character)
    };
    let apart: String = text.chars().filter(|character| !is_apostrophe(character)).nfkd().collect();
    let bare: String =
        apart.chars().filter(|character| !is_apostrophe(character) && !is_dropped(character)).collect();
    let mut lower = bare.to_lowercase();
    for (letter, plain) in LETTERS {
        lower = lower.replace(letter, plain);
    }
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_fold_of_the_model_is_that_of_the_contract() {
    for (text, expected) in [
        ("Ólafur", "olafur"),
        ("  O’Neill\u{a0}\t\u{3000}Jr. ", "oneill jr."),
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("STRAẞE", "strasse"),
        ("Łódź Đà İstanbul ı", "lodz da istanbul i"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם־", "שלום־"),
        ("हिन्दी", "हिन्दी"),
        ("ﬁ Ⅷ ŉ ＇", "fi viii n"),
        ("\u{301}´`", ""),
    ] {
        assert_eq!(&*fold(text), expected, "{text:?}");
    }
    assert_eq!(sort_key(&"é".repeat(70)), "e".repeat(64));
}
