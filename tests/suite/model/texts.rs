//! Texts that tell a fold, an order and a limit apart.

use dev::dice::Dice;

/// Ten scripts, combined and composed, and what folds alike.
const TEXTS: [&str; 62] = [
    "a",
    "A",
    "b",
    "B",
    "á",
    "a\u{301}",
    "É",
    "e\u{301}",
    "a b",
    " A\u{a0} b ",
    "",
    " ",
    "\u{301}",
    "y+z&=%",
    "'\"\\\u{1}",
    "ab",
    "aB",
    "zz",
    "Ólafur",
    "olafur",
    "O’Neill",
    "o'neill",
    "ONeill",
    "Straße",
    "STRASSE",
    "Ærø",
    "aero",
    "ﬁn",
    "Łódź",
    "İ",
    "ı",
    "Jean-Pierre",
    "50%_",
    "Σίσυφος",
    "ΣΊΣΥΦΟΣ",
    "σ",
    "Ёлка",
    "елка",
    "Й",
    "И\u{306}",
    "مُحَمَّد",
    "محمد",
    "שָׁלוֹם",
    "שלום",
    "हिन्दी",
    "हिन्द",
    "ไทย",
    "กำ",
    "ก\u{e4d}า",
    "漢字",
    "汉字",
    "カタカナ",
    "ｶﾀｶﾅ",
    "が",
    "か\u{3099}",
    "か",
    "한글",
    "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
    "하",
    "😀",
    "\u{ffff}",
    "a,b",
];
/// What long texts are made of. One of these letters is three of its fold.
const LETTERS: [&str; 5] = ["a", "é", "z", "한", "ก"];

/// A text as a field may hold it.
pub(super) fn text(dice: &mut Dice) -> String {
    match dice.below(60) {
        // Around what sorts: the same but for what stands at its end or behind it.
        0..=5 => {
            let text = dice.pick(&LETTERS).repeat(62 + dice.below(4));
            text + *dice.pick(&["", "a", "b", "B", "\u{301}", " ", " x"])
        }
        // Long ones too: blocks must not depend on how much a record takes.
        6 if dice.once_in(3) => "long ".repeat(dice.below(3_000)),
        6 => dice.pick(&LETTERS).repeat(3_000) + *dice.pick(&["", "needle"]),
        _ => (*dice.pick(&TEXTS)).to_owned(),
    }
}

/// A part of a text, as somebody types it.
pub(super) fn part(dice: &mut Dice) -> String {
    if dice.once_in(12) {
        return "Need".to_owned();
    }
    let whole: Vec<char> = text(dice).chars().take(70).collect();
    if whole.is_empty() || dice.once_in(3) {
        return whole.into_iter().collect();
    }
    let from = if dice.once_in(2) { 0 } else { dice.below(whole.len()) };
    whole[from..].iter().take(1 + dice.below(whole.len())).collect()
}
