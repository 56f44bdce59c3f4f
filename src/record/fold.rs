//! Text without case and accents: what sorting, ranges, prefixes and the search compare.
//!
//! In this order: apostrophes are dropped; NFKD; accents are dropped, in the scripts where a mark is one (in Hindi and
//! Thai marks are vowels, and stay); lower case; a few letters that NFKD leaves whole are spelled out; white space is
//! one space inside and none at the ends. Nothing folded is stored, so this may change.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How many characters of a fold are compared by a sort, and how many of a word are kept.
pub const KEY_CHARS: usize = 64;

/// The fold of a text.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    append(text, usize::MAX, &mut folded);
    folded
}

/// What a text is sorted by: the beginning of its fold.
pub fn sort_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len().min(4 * KEY_CHARS));
    append(text, KEY_CHARS, &mut key);
    key
}

/// The words of a folded text: letters, digits and marks, as far as they are kept.
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|c| !is_part_of_word(c))
        .filter(|word| !word.is_empty())
        .map(|word| word.char_indices().nth(KEY_CHARS).map_or(word, |(end, _)| &word[..end]))
}

/// Appends at most `limit` characters of the fold, and reads no more of the text than these need.
fn append(text: &str, limit: usize, out: &mut String) {
    let mut folded = Folded { out, room: limit, is_begun: false, is_space_due: false };
    if text.is_ascii() {
        // Most names. Through NFKD they take several times as long.
        for c in text.chars().filter(|c| !is_apostrophe(*c)) {
            if !folded.push(c.to_ascii_lowercase()) {
                return;
            }
        }
        return;
    }
    let decomposed = text.chars().filter(|c| !is_apostrophe(*c) && *c != GRAPHEME_JOINER).nfkd();
    // NFKD takes an apostrophe out of the Afrikaans letter ŉ.
    let letters = decomposed.filter(|c| !is_apostrophe(*c) && !is_accent(*c));
    for c in letters.flat_map(char::to_lowercase) {
        if !folded.push_spelled_out(c) {
            return;
        }
    }
}

/// Where a fold goes. White space waits for what follows it, since it is dropped at the end.
struct Folded<'a> {
    out: &'a mut String,
    room: usize,
    is_begun: bool,
    is_space_due: bool,
}

impl Folded<'_> {
    /// Says whether there is room for more.
    fn push(&mut self, c: char) -> bool {
        if c.is_whitespace() {
            self.is_space_due = self.is_begun;
            return self.room > 0;
        }
        if self.is_space_due && self.room > 0 {
            self.out.push(' ');
            self.room -= 1;
        }
        if self.room > 0 {
            self.out.push(c);
            self.room -= 1;
        }
        (self.is_begun, self.is_space_due) = (true, false);
        self.room > 0
    }

    /// Spells out a lower-case letter that is more than a letter and an accent, as people type it elsewhere.
    fn push_spelled_out(&mut self, c: char) -> bool {
        match c {
            'ς' => self.push('σ'),
            'ß' => self.push('s') && self.push('s'),
            'æ' => self.push('a') && self.push('e'),
            'œ' => self.push('o') && self.push('e'),
            'ø' => self.push('o'),
            'ł' => self.push('l'),
            'đ' | 'ð' => self.push('d'),
            'þ' => self.push('t') && self.push('h'),
            'ħ' => self.push('h'),
            'ı' => self.push('i'),
            other => self.push(other),
        }
    }
}

/// Also the characters that NFKD turns into nothing but an apostrophe. If they went only after it, two marks around
/// one would stand in another order than in the fold of the fold.
fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '`' | '´' | '‘' | '’' | 'ʻ' | 'ʼ' | '\u{1fef}' | '＇' | '｀')
}

/// An accent that keeps two marks from changing places in NFKD, so it goes before that.
const GRAPHEME_JOINER: char = '\u{34f}';

/// A nonspacing mark (Mn) of the blocks whose marks are accents. The exceptions are enclosing marks (Me).
fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
        && is_combining_mark(c)
        && !matches!(c, '\u{1abe}' | '\u{20dd}'..='\u{20e0}' | '\u{20e2}'..='\u{20e4}')
}

/// A letter (L), a digit (Nd, Nl, No) or a mark (M). `is_alphanumeric` has these but for some marks, and in addition
/// letters in circles and squares, which are symbols (So).
fn is_part_of_word(c: char) -> bool {
    (c.is_alphanumeric() || is_combining_mark(c))
        && !matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}'
            | '\u{1f170}'..='\u{1f189}')
}

#[cfg(test)]
mod tests;
