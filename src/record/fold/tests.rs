//! The fold against its contract: a list of texts in ten scripts, each step by itself, and every character.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// Script, text and fold on each line, made from the contract by another program.
const GOLDEN: &str = include_str!("../../../tests/golden/fold.tsv");

#[test]
fn texts_in_ten_scripts_fold_as_listed() {
    let mut scripts = HashMap::new();
    for line in GOLDEN.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [script, text, expected] = columns[..] else { panic!("{line}") };
        assert_eq!(fold(text), expected, "{script}: {text}");
        assert_eq!(fold(expected), expected, "{script}: the fold of {text}");
        *scripts.entry(script).or_insert(0) += 1;
    }
    assert_eq!(scripts.len(), 10);
    assert!(scripts.values().all(|count| *count >= 30), "{scripts:?}");
}

#[test]
fn apostrophes_marks_and_spaces_go_where_the_contract_says() {
    for (text, expected) in [
        ("'’‘ʼʻ´`＇｀\u{1fef}", ""),
        ("ŉ 'n", "n n"),
        // Of the blocks of accents only nonspacing marks go: punctuation and enclosing marks stay.
        ("ת\u{5be}א\u{5c0}\u{5c3}\u{5c6}", "ת\u{5be}א\u{5c0}\u{5c3}\u{5c6}"),
        ("1\u{20e3}a\u{1abe}\u{20d7}", "1\u{20e3}a\u{1abe}"),
        ("a\u{34f}\u{301}", "a"),
        // A diaeresis by itself is a space with a mark.
        ("a¨b", "a b"),
        ("¨", ""),
        ("\u{85}a\u{2003}\u{202f}\u{3000}b\u{b}\u{1680}", "a b"),
        // White_Space has neither the zero width space nor the separators of ASCII.
        ("a\u{200b}b\u{1f}c", "a\u{200b}b\u{1f}c"),
        ("\u{1d2d} ẞ Ð ʻĐ", "ae ss d d"),
    ] {
        assert_eq!(fold(text), expected, "{text:?}");
    }
}

#[test]
fn every_character_folds_once_and_to_eighteen_at_the_most() {
    let mut longest = 0;
    for c in '\0'..=char::MAX {
        let folded = fold(c.encode_utf8(&mut [0; 4]));
        assert_eq!(fold(&folded), folded, "{c:?}");
        longest = longest.max(folded.chars().count());
        assert!(!folded.contains(['\'', '’', 'ß', 'ς']), "{c:?}");
    }
    assert_eq!(longest, 18);
}

#[test]
fn words_are_letters_digits_and_marks() {
    for (text, expected) in [
        ("Jean-Pierre O’Neil", &["jean", "pierre", "oneil"][..]),
        ("  , . ", &[]),
        ("", &[]),
        ("a_b+c@d.org", &["a", "b", "c", "d", "org"]),
        // Nd, Nl, No; NFKD makes letters and digits of some, and the slash of a fraction is no digit.
        ("٣ 𐅀 ፲ Ⅻ x² ½", &["٣", "𐅀", "፲", "xii", "x2", "1", "2"]),
        ("नमस्ते दुनिया", &["नमस्ते", "दुनिया"]),
        ("น้ำ-ใจ", &["น้\u{e4d}า", "ใจ"]),
        ("王小明、李", &["王小明", "李"]),
        // A letter in a circle is its letter; one in a filled circle or square is a symbol.
        ("ⓐb🅐c🅰d", &["ab", "c", "d"]),
        ("a\u{20e3}b\u{903}", &["a\u{20e3}b\u{903}"]),
    ] {
        assert_eq!(words(&fold(text)).collect::<Vec<_>>(), expected, "{text}");
    }
    let long = "é".repeat(100);
    assert_eq!(words(&fold(&long)).collect::<Vec<_>>(), ["e".repeat(64)]);
}

/// The steps of the contract, one after the other. At the end marks get the order of NFKD once more, because one that
/// was dropped may have stood between two of them: otherwise the fold of a fold would be another one.
fn step_by_step(text: &str) -> String {
    const APOSTROPHES: [char; 7] = ['\'', '’', '‘', 'ʼ', 'ʻ', '´', '`'];
    let text = text.replace(APOSTROPHES, "").nfkd().collect::<String>().replace(APOSTROPHES, "");
    let text: String = text.chars().filter(|c| !is_accent(*c)).collect();
    let mut text = text.to_lowercase();
    for (from, to) in [("ς", "σ"), ("ß", "ss"), ("æ", "ae"), ("œ", "oe"), ("ø", "o"), ("ł", "l"), ("đ", "d")]
    {
        text = text.replace(from, to);
    }
    for (from, to) in [("ð", "d"), ("þ", "th"), ("ħ", "h"), ("ı", "i")] {
        text = text.replace(from, to);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ").nfkd().collect()
}

/// Letters, spaces, apostrophes and marks that stand in each other's way.
fn some_text() -> impl Strategy<Value = String> {
    let mixed = proptest::sample::select(
        "aZéßÆŁσΣς İıŉ '’´＇｀\u{1fef}\u{a0}\t\u{301}\u{328}\u{34f}\u{c55}\u{93c}\u{3099}\u{5b0}\u{5be}\u{1abe}\u{20dd}각ﷺ"
            .chars()
            .collect::<Vec<char>>(),
    );
    prop_oneof![
        any::<String>(),
        "[ -~]{0,80}",
        proptest::collection::vec(mixed, 0..90).prop_map(String::from_iter)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_fold_is_its_contract_step_by_step(text in some_text()) {
        let folded = fold(&text);
        prop_assert_eq!(&folded, &step_by_step(&text));
        prop_assert_eq!(fold(&folded), folded.clone());
        prop_assert_eq!(sort_key(&text), folded.chars().take(KEY_CHARS).collect::<String>());
        for word in words(&folded) {
            prop_assert!(word.chars().count() <= KEY_CHARS && word.chars().all(is_part_of_word));
            prop_assert_eq!(fold(word), word);
        }
    }
}
