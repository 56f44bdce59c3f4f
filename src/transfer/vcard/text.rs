//! The texts of a card: escapes, QUOTED-PRINTABLE and the charsets of old programs.

/// The components of a value, as they are written.
pub(super) fn split(value: &[u8]) -> Vec<&[u8]> {
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let is_end = *byte == b';' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    value.split(is_end).collect()
}

/// What a text of 3.0 or 4.0 says. Some programs escape a colon, too; a backslash before anything else is one.
pub(super) fn unescape(text: &str) -> String {
    replace(text, |character| match character {
        'n' | 'N' => Some('\n'),
        ',' | ';' | ':' | '\\' => Some(character),
        _ => None,
    })
}

/// What a text of 2.1 says: there a backslash is one, but before what phones escape.
pub(super) fn unescape_2_1(text: &str) -> String {
    replace(text, |character| match character {
        'n' | 'N' => Some('\n'),
        ',' | ';' => Some(character),
        _ => None,
    })
}

fn replace(text: &str, escaped: impl Fn(char) -> Option<char>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let mut rest = characters.clone();
        let meant = if character == '\\' { rest.next().and_then(&escaped) } else { None };
        match meant {
            Some(meant) => {
                plain.push(meant);
                characters = rest;
            }
            None => plain.push(character),
        }
    }
    plain
}

/// The bytes that QUOTED-PRINTABLE says; soft line breaks are gone by then. An `=` before anything else is one.
pub(super) fn unquote(value: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [first, behind @ ..] = rest {
        let code = match rest {
            [b'=', high, low, ..] => digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &rest[3..] } else { behind };
    }
    // A soft line break with nothing behind it.
    if bytes.last() == Some(&b'=') && value.ends_with(b"=") {
        bytes.pop();
    }
    bytes
}

/// Windows-1252, of which ISO-8859-1 is a part but for control characters that no card has.
pub(super) fn from_windows_1252(bytes: &[u8]) -> String {
    const UPPER: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', //
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let character = |byte: &u8| match byte {
        0x80..=0x9f => UPPER[usize::from(byte - 0x80)],
        _ => char::from(*byte),
    };
    bytes.iter().map(character).collect()
}

/// The words that say something, with a space between them.
pub(super) fn join(words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
