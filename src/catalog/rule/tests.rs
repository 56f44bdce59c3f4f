//! Which texts have a format, and that its pattern says the same.

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;

use super::*;

/// The pattern of each format.
static PATTERNS: LazyLock<[Validator; 3]> = LazyLock::new(|| {
    Format::ALL
        .map(|format| jsonschema::validator_for(&serde_json::json!({ "pattern": format.pattern() })).unwrap())
});

fn is_matched(format: Format, text: &str) -> bool {
    let (_, pattern) = Format::ALL.iter().zip(&*PATTERNS).find(|(one, _)| **one == format).unwrap();
    pattern.is_valid(&text.into())
}

fn check(format: Format, takes: &[&str], refuses: &[&str]) {
    for text in takes {
        assert!(format.accepts(text), "{text}");
        assert!(is_matched(format, text), "{text}");
    }
    for text in refuses {
        assert!(!format.accepts(text), "{text}");
        assert!(!is_matched(format, text), "{text}");
    }
}

#[test]
fn an_address_is_what_html_calls_valid() {
    let label = "a".repeat(63);
    check(
        Format::Email,
        &["ada@example.org", "a@b", "a.b+c@x-y.z", "!#$%&'*+/=?^_`{|}~-@1", &format!("a@{label}.b"), ".@a"],
        &[
            "",
            "a",
            "@",
            "a@",
            "@a",
            "a@b@c",
            "a b@c",
            "a@b c",
            "a@-b",
            "a@b-",
            "a@b..c",
            "a@.b",
            "a@b.",
            "é@b",
            "a@é",
            "a@b\n",
            "\na@b",
            "<a@b>",
            "a,b@c",
            "a\"b@c",
            "a@b_c",
            "a@[127.0.0.1]",
            " a@b",
            "a@b ",
            &format!("a@{label}a"),
        ],
    );
    let of_length = |length: usize| format!("{}@b", "a".repeat(length - 2));
    assert!(Format::Email.accepts(&of_length(254)));
    assert!(!Format::Email.accepts(&of_length(255)));
}

#[test]
fn a_number_is_written_as_people_do() {
    check(
        Format::Phone,
        &[
            "112",
            "+33 1 23 45 67 89",
            "(0)1/23-45.67",
            "123456789012345",
            "555-0100x12",
            "555 0100 x1",
            " 112 ",
        ],
        &[
            "",
            "11",
            "1234567890123456",
            "+",
            "call me",
            "112x",
            "x112",
            "112x1x2",
            "112 x 1",
            "112X1",
            "1١2٣",
            "112\t",
            "11\n2",
            "112;ext=1",
            "+33a",
        ],
    );
}

#[test]
fn a_url_leads_to_a_host() {
    check(
        Format::Url,
        &[
            "http://a",
            "https://example.org/",
            "https://u:p@example.org:8080/a?b#c",
            "http://[::1]:80/",
            "http://a?b",
            "http://a#b",
            "http://a/@:",
            "http://xn--bcher-kva.example",
        ],
        &[
            "",
            "a",
            "javascript:alert(1)",
            "http:",
            "http://",
            "https://",
            "http:///a",
            "http://?a",
            "http://#a",
            "http://:80",
            "http://u@",
            "http://u@:80",
            "http://a:",
            "http://a:b",
            "http://a:123456",
            "http://[]",
            "http://[::1",
            "http://a b",
            "http://a/é",
            "http://é",
            "HTTP://a",
            "ftp://a",
            "//a",
            " http://a",
            "http://a\n",
            "http://a@b@c",
            "http://<a>",
        ],
    );
    let of_length = |length: usize| format!("http://a/{}", "a".repeat(length - 9));
    assert!(Format::Url.accepts(&of_length(2048)));
    assert!(!Format::Url.accepts(&of_length(2049)));
}

#[test]
fn no_text_of_a_format_is_shorter_than_its_shortest() {
    for format in Format::ALL {
        assert!(format.accepts(format.shortest()) && format.accepts(format.example()), "{format:?}");
        let rules = TextRules { format: Some(format), ..TextRules::default() };
        assert_eq!(rules.example("text"), format.example());
    }
}

#[test]
fn a_length_is_counted_in_characters() {
    let rules = TextRules { max_length: Some(3), ..TextRules::default() };
    assert_eq!((rules.check("éé𝄞"), rules.check("éé𝄞a")), (Ok(()), Err(Mismatch::TooLong(3))));
    assert_eq!(rules.example("text"), "tex");
}

#[test]
fn a_filter_may_ask_for_another_format_but_for_no_other_choice() {
    let formatted = TextRules { format: Some(Format::Email), max_length: Some(9), ..TextRules::default() };
    assert_eq!(formatted.check("a"), Err(Mismatch::Format(Format::Email)));
    assert_eq!(formatted.check_filter("a"), Ok(()));
    assert_eq!(formatted.check_filter("ada@example.org"), Err(Mismatch::TooLong(9)));
    let chosen = TextRules { choices: vec!["home".into(), "work".into()], ..TextRules::default() };
    assert_eq!(chosen.check("work"), Ok(()));
    let refusal = chosen.check_filter("Work").unwrap_err();
    assert_eq!(refusal.to_string(), "it is one of home, work");
}

proptest! {
    /// Texts of few letters, so that many are nearly right.
    #[test]
    fn a_pattern_says_what_a_format_takes(text in "(http://|https://)?[a-b0-1@:/?#x+() .\\[\\]-]{0,12}") {
        for format in Format::ALL {
            prop_assert_eq!(is_matched(format, &text), format.accepts(&text), "{:?}", format);
        }
    }
}
