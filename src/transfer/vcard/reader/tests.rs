//! Tests of the reader: folding, codings, escapes, parameters, and cards that are broken.

use super::*;

/// Each card as its properties (`group.NAME rank: components`), or what is wrong with it.
fn read(file: impl AsRef<[u8]>) -> Vec<String> {
    let words = |card: io::Result<Result<Card, Fault>>| match card.unwrap() {
        Err(fault) => fault.words,
        Ok(card) => {
            let properties = card.properties().filter(|property| !property.is("VERSION"));
            let words = properties.map(show).collect::<Vec<_>>().join(" ");
            format!("{}: {words:.200}", card.line)
        }
    };
    // A small buffer: what is looked for stands across its ends.
    let input = io::BufReader::with_capacity(3, file.as_ref());
    Cards::new(input).map(words).collect()
}

fn show(property: Property<'_>) -> String {
    let rank = property.preference();
    let rank = if rank == u8::MAX { String::new() } else { format!("#{rank}") };
    let components = property.components().map_or_else(|why| why.to_string(), |all| all.join("|"));
    format!("{}{}{rank}<{components}>", property.group, property.upper_name())
}

/// One card with these lines, of this version.
fn card(version: &str, lines: &str) -> String {
    let all = read(format!("BEGIN:VCARD\r\nVERSION:{version}\r\n{lines}\r\nEND:VCARD\r\n"));
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].strip_prefix("1: ").unwrap_or(&all[0]).to_owned()
}

#[test]
fn lines_are_unfolded_whatever_ends_them() {
    assert_eq!(card("3.0", "NOTE:one \r\n  two\r\n\tthree\r\n\r\nTEL:1"), "NOTE<one  twothree> TEL<1>");
    assert_eq!(read("begin:vcard\nnote:a\n b\nend:vcard "), ["1: NOTE<ab>"]);
    // In the midst of a character, and in the midst of the parameters.
    assert_eq!(read(b"BEGIN:VCARD\nNOTE:caf\xc3\n \xa9\nEND:VCARD"), ["1: NOTE<café>"]);
    assert_eq!(card("2.1", "NOTE;ENCODING=QUOTED-\r\n PRINTABLE:=41=\r\n=42"), "NOTE<AB>");
}

#[test]
fn cards_begin_at_their_lines_and_empty_lines_stand_anywhere() {
    let file = "\n\nBEGIN:VCARD\nFN:A\n\n\nEND:VCARD\nBEGIN:VCARD\nFN:B\nEND:VCARD\n\n \n";
    assert_eq!(read(file), ["3: FN<A>", "8: FN<B>"]);
    assert_eq!(read(""), [""; 0]);
}

#[test]
fn escapes_are_those_of_the_version() {
    let line = r"NOTE:a\nb\Nc\,d\;e\\f\:g\x";
    assert_eq!(card("3.0", line), "NOTE<a\nb\nc,d;e\\f:g\\x>");
    assert_eq!(card("4.0", r"N:a\\;b\;c;d"), "N<a\\|b;c|d>");
    assert_eq!(card("2.1", line), "NOTE<a\nb\nc,d;e\\\\f\\:g\\x>");
    assert_eq!(card("3.0", "NOTE:end\\"), "NOTE<end\\>");
}

#[test]
fn quoted_printable_is_split_before_it_is_decoded() {
    let android = "ADR;HOME;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;=53=C3=9F=3B=31;=46=\n=72;;;";
    assert_eq!(card("2.1", android), "ADR<||Sß;1|Fr|||>");
    let outlook = "LABEL;WORK;PREF;ENCODING=QUOTED-PRINTABLE:1600 Ave NW=0D=0A=\nBox 2=0D=0A=\nwashington";
    assert_eq!(card("2.1", outlook), "LABEL#1<1600 Ave NW\nBox 2\nwashington>");
    // A space behind a soft line break is one of the text; a tab is not.
    assert_eq!(card("2.1", "NOTE;QUOTED-PRINTABLE:a=\n b=\n\tc"), "NOTE<a bc>");
    // A soft line break before an empty line, and at the end of the card.
    assert_eq!(card("2.1", "FN;QUOTED-PRINTABLE:=41=\n\nTEL:1"), "FN<A> TEL<1>");
    assert_eq!(card("2.1", "FN;QUOTED-PRINTABLE:=41="), "FN<A>");
    assert_eq!(card("2.1", "NOTE;ENCODING=QUOTED-PRINTABLE:C:\\new 1=2=3D"), "NOTE<C:\\new 1=2=>");
}

#[test]
fn charsets_are_those_that_old_programs_write() {
    let line = |charset: &str| card("2.1", &format!("N{charset};ENCODING=QUOTED-PRINTABLE:M=FCller=80"));
    assert_eq!(line(";CHARSET=ISO-8859-1"), "N<Müller€>");
    assert_eq!(line(";CHARSET=Windows-1252"), "N<Müller€>");
    let known = "only UTF-8, windows-1252 and ISO-8859-1 are known";
    assert_eq!(line(";CHARSET=KOI8-R"), format!("N<N is in the charset KOI8-R, and {known}>"));
    let unsaid = "N<N is not UTF-8 once it is decoded; its CHARSET must say what it is>";
    assert_eq!([line(""), line(";CHARSET=UTF-8")], [unsaid, unsaid]);
    assert_eq!(card("2.1", "N;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=41"), "N<A>");
    let raw = b"BEGIN:VCARD\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M\xfcller\nEND:VCARD";
    assert_eq!(read(raw), ["1: N<Müller>"]);
}

#[test]
fn base64_goes_on_up_to_an_empty_line() {
    assert_eq!(card("2.1", "PHOTO;ENCODING=BASE64;JPEG:\n /9j/\n 4A==\n\nTEL:1"), "PHOTO</9j/4A==> TEL<1>");
    assert_eq!(card("2.1", "PHOTO;BASE64:/9j/\n4A==\nTEL:1"), "PHOTO</9j/4A==> TEL<1>");
    assert_eq!(card("3.0", "PHOTO;ENCODING=b;TYPE=JPEG:/9j/\n 4A=="), "PHOTO</9j/4A==>");
}

#[test]
fn parameters_may_be_quoted_and_groups_named() {
    assert_eq!(card("4.0", r#"item1.ADR;LABEL="a:b;c^'d^n":;;x"#), "item1ADR<||x>");
    assert_eq!(card("4.0", r#"TEL;TYPE="voice,pref":1"#), "TEL#1<1>");
    assert_eq!(card("4.0", "TEL;PREF=7;TYPE=home:1"), "TEL#7<1>");
    assert_eq!(card("4.0", "TEL;PREF=0:1"), "TEL<1>");
    assert_eq!(card("3.0", "tel;type=CELL,Pref:1"), "TEL#1<1>");
    assert_eq!(card("2.1", "TEL;CELL;PREF:1"), "TEL#1<1>");
    // A quote that is never closed hides nothing.
    assert_eq!(card("3.0", "X-Q;A=\"b:c"), "X-Q<c>");
}

#[test]
fn an_indented_line_goes_on_with_a_value_whatever_it_says() {
    for indented in ["BEGIN:VCARD", "END:VCARD", "  end : vcard"] {
        assert_eq!(card("3.0", &format!("NOTE:a\n {indented}")), format!("NOTE<a{indented}>"));
    }
    // Where no value goes on, a card may be indented.
    assert_eq!(read("  BEGIN:VCARD\nFN:A\nEND:VCARD"), ["1: FN<A>"]);
}

#[test]
fn an_agent_in_a_card_is_part_of_it() {
    let lines = "AGENT:\nBEGIN:VCARD\nFN:Inner\nEND:VCARD\nFN:Outer";
    assert_eq!(card("2.1", lines), "AGENT<> AGENT<VCARD> FN<Outer>");
}

#[test]
fn what_is_broken_is_named_and_the_next_card_is_read() {
    let good = "BEGIN:VCARD\nFN:B\nEND:VCARD\n";
    let read = |broken: &str| read(format!("{broken}{good}"));
    assert_eq!(read("BEGIN:VCARD\nFN:A\n"), ["the card at line 1 has no END:VCARD", "3: FN<B>"]);
    let stray = "line 1: a card begins with BEGIN:VCARD, and this is none";
    assert_eq!(read("FN:A\nTEL:1\nEND:VCARD\n"), [stray, "4: FN<B>"]);
    let nameless = "line 3: a line of a card has a name and a colon, as in TEL:112";
    for line in ["no colon", ":value", "two words:x", "é:x"] {
        assert_eq!(
            read(&format!("BEGIN:VCARD\nFN:A\n{line}\nEND:VCARD\n")),
            [nameless, "5: FN<B>"],
            "{line}"
        );
    }
    assert_eq!(super::tests::read("BEGIN:VCARD\nFN:A"), ["the card at line 1 has no END:VCARD"]);
}

#[test]
fn a_byte_that_is_no_utf8_is_named_by_its_place_in_the_file() {
    let words = |line: u64, byte: u64| format!("line {line} is not UTF-8 (byte {byte})");
    assert_eq!(read(b"BEGIN:VCARD\nFN:M\xfcller\nEND:VCARD"), [words(2, 16)]);
    assert_eq!(read(b"BEGIN:VCARD\r\nNOTE:a\r\n b\xff\r\nEND:VCARD"), [words(3, 23)]);
    // Half a character at the end of a folded line, and of the whole.
    assert_eq!(read(b"BEGIN:VCARD\nNOTE:a\xc3\n b\nEND:VCARD"), [words(2, 18)]);
    assert_eq!(read(b"BEGIN:VCARD\nNOTE:a\xc3\nEND:VCARD"), [words(2, 18)]);
    assert_eq!(read(b"BEGIN:VCARD\nNOTE:a\n b\xc3\n c\nEND:VCARD"), [words(3, 21)]);
}

#[test]
fn a_card_is_bounded() {
    let words = "the card at line 1 has more than 4 MiB, or than 10000 lines";
    let good = "BEGIN:VCARD\nFN:B\nEND:VCARD\n";
    let long = format!("BEGIN:VCARD\nNOTE:{}\nEND:VCARD\n{good}", "x".repeat(LONGEST + 9));
    assert_eq!(read(long), [words, "4: FN<B>"]);
    const COUNT: usize = LONGEST / 9 + 1;
    let folded = format!("BEGIN:VCARD\nNOTE:{}\nEND:VCARD\n{good}", "\n xxxxxxxxx".repeat(COUNT));
    assert_eq!(read(folded), [words.to_owned(), format!("{}: FN<B>", 4 + COUNT)]);
    let many = format!("BEGIN:VCARD\n{}END:VCARD\n{good}", "T:\n".repeat(MOST_LINES + 1));
    assert_eq!(read(many), [words, "10004: FN<B>"]);
    let most = format!("BEGIN:VCARD\n{}END:VCARD\n", "T:\n".repeat(MOST_LINES));
    assert!(read(most)[0].starts_with("1: T<>"));
}
