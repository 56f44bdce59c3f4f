//! An event as one line: text for people, JSON for machines.
//!
//! Written by hand into bytes, because a line is made for each request. Nothing that came from
//! outside can end a line or steer a terminal: control characters are escaped in both forms. Nor
//! can it make a line long: each text has a bound, counted after escaping.

use std::io::Write;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use super::event::{Event, Level, Part, Value};

/// The most bytes that a text takes in a line. Every name of an access key fits, unless it is of
/// characters that are escaped.
const TEXT_BYTES: usize = 1024;

/// The most bytes of a method or a path: JSON lines hold each of them twice. What we serve is shorter.
const TARGET_BYTES: usize = 256;

/// Stands where the rest of a text was left out.
const ELLIPSIS: &str = "…";

/// How lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Json,
    Plain,
    Colored,
}

/// The moment of a line; remembers the second it wrote last, since most lines share it.
#[derive(Debug, Default)]
pub(super) struct Clock {
    second: u64,
    text: String,
}

impl Clock {
    /// Appends this moment as RFC 3339 with milliseconds.
    fn push(&mut self, moment: SystemTime, out: &mut Vec<u8>) {
        let since_epoch = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let second = since_epoch.as_secs();
        if self.text.is_empty() || second != self.second {
            let timestamp = i64::try_from(second)
                .ok()
                .and_then(|second| jiff::Timestamp::from_second(second).ok())
                .unwrap_or_default();
            self.second = second;
            self.text = timestamp.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        }
        out.extend_from_slice(self.text.as_bytes());
        out.push(b'.');
        push_three_digits(since_epoch.subsec_millis(), out);
        out.push(b'Z');
    }
}

/// Appends the event as one line with its line feed.
pub(super) fn push(
    event: &Event<'_>,
    style: Style,
    moment: SystemTime,
    clock: &mut Clock,
    out: &mut Vec<u8>,
) {
    match style {
        Style::Json => push_json(event, moment, clock, out),
        Style::Plain => push_text(event, false, moment, clock, out),
        Style::Colored => push_text(event, true, moment, clock, out),
    }
    out.push(b'\n');
}

fn push_json(event: &Event<'_>, moment: SystemTime, clock: &mut Clock, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"ts\":\"");
    clock.push(moment, out);
    let (level, name) = event.kind();
    out.extend_from_slice(b"\",\"level\":\"");
    out.extend_from_slice(level.name().as_bytes());
    out.extend_from_slice(b"\",\"event\":\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\",\"message\":\"");
    push_message(event, out);
    out.push(b'"');
    event.parts(|part| {
        let (Part::Said(key, value) | Part::Field(key, value) | Part::Hidden(key, value)) = part else {
            return;
        };
        out.extend_from_slice(b",\"");
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b"\":");
        let is_bare = matches!(value, Value::Number(_) | Value::Milliseconds(_) | Value::Truth(_));
        if is_bare {
            push_value(value, out);
        } else {
            out.push(b'"');
            push_value(value, out);
            out.push(b'"');
        }
    });
    out.push(b'}');
}

fn push_text(event: &Event<'_>, is_colored: bool, moment: SystemTime, clock: &mut Clock, out: &mut Vec<u8>) {
    let (label, color): (&[u8], &[u8]) = match event.level() {
        Level::Error => (b"ERROR", b"\x1b[31m"),
        Level::Warn => (b" WARN", b"\x1b[33m"),
        Level::Info | Level::Off => (b" INFO", b"\x1b[32m"),
        Level::Debug => (b"DEBUG", b"\x1b[34m"),
    };
    let (color, dim, end): (&[u8], &[u8], &[u8]) =
        if is_colored { (color, b"\x1b[2m", b"\x1b[0m") } else { (b"", b"", b"") };
    out.extend_from_slice(dim);
    clock.push(moment, out);
    out.extend_from_slice(end);
    out.push(b' ');
    out.extend_from_slice(color);
    out.extend_from_slice(label);
    out.extend_from_slice(end);
    out.push(b' ');
    push_message(event, out);
    event.parts(|part| {
        let Part::Field(key, value) = part else { return };
        out.push(b' ');
        out.extend_from_slice(dim);
        out.extend_from_slice(key.as_bytes());
        out.push(b'=');
        out.extend_from_slice(end);
        push_value(value, out);
    });
}

fn push_message(event: &Event<'_>, out: &mut Vec<u8>) {
    event.parts(|part| match part {
        Part::Words(value) | Part::Said(_, value) => push_value(value, out),
        Part::Field(..) | Part::Hidden(..) => {}
    });
}

fn push_value(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Own(text) => out.extend_from_slice(text.as_bytes()),
        Value::Text(text) => push_escaped(text, TEXT_BYTES, out),
        Value::Target(text) => push_escaped(text, TARGET_BYTES, out),
        Value::Number(number) => push_number(number, out),
        Value::Truth(truth) => out.extend_from_slice(if truth { b"true" } else { b"false" }),
        Value::Milliseconds(duration) => push_milliseconds(duration, out),
        Value::Client(IpAddr::V4(address)) => {
            // By hand: the standard formatting of an address costs as much as the rest of a line.
            for (index, octet) in address.octets().into_iter().enumerate() {
                if index > 0 {
                    out.push(b'.');
                }
                push_number(octet.into(), out);
            }
        }
        Value::Client(address) => write_to(out, format_args!("{address}")),
        Value::Socket(address) => write_to(out, format_args!("{address}")),
    }
}

fn write_to(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into a vector does not fail.
    let _ = out.write_fmt(text);
}

/// Appends text as the inside of a JSON string, with whatever could harm a reader escaped, in at most `limit` bytes.
fn push_escaped(text: &str, limit: usize, out: &mut Vec<u8>) {
    let is_plain = |byte: &u8| matches!(byte, 0x20..=0x7e) && !matches!(byte, b'"' | b'\\');
    if text.len() <= limit && text.as_bytes().iter().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let start = out.len();
    // Where the text is cut should it turn out to be too long: after the last whole character that leaves room.
    let mut cut = start;
    for character in text.chars() {
        if out.len() - start + ELLIPSIS.len() <= limit {
            cut = out.len();
        }
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            harmful if is_harmful(harmful) => {
                write_to(out, format_args!("\\u{:04x}", u32::from(harmful)));
            }
            character => {
                let mut bytes = [0; 4];
                out.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
            }
        }
        if out.len() - start > limit {
            out.truncate(cut);
            out.extend_from_slice(ELLIPSIS.as_bytes());
            return;
        }
    }
}

/// Whether a character could end a line, steer a terminal or turn the direction of reading.
pub(crate) fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn push_milliseconds(duration: Duration, out: &mut Vec<u8>) {
    let millis = u64::from(duration.subsec_millis());
    let whole = duration.as_secs().saturating_mul(1000).saturating_add(millis);
    push_number(whole, out);
    out.push(b'.');
    push_three_digits(duration.subsec_micros() % 1000, out);
}

fn push_three_digits(number: u32, out: &mut Vec<u8>) {
    for divisor in [100, 10, 1] {
        out.push(b'0' + (number / divisor % 10) as u8);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::super::event::{Outcome, RequestReport};
    use super::*;

    fn rendered(event: &Event<'_>, style: Style) -> String {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(1_753_790_096_042);
        let mut line = Vec::new();
        push(event, style, moment, &mut Clock::default(), &mut line);
        String::from_utf8(line).unwrap()
    }

    fn a_request(path: &str) -> Event<'_> {
        Event::Request(RequestReport {
            outcome: Outcome { method: "GET", status: 200, duration: Duration::from_micros(1_042) },
            id: "abc-1",
            path,
            key: None,
            bytes: 110,
            client: Ipv4Addr::new(127, 0, 0, 1).into(),
        })
    }

    #[test]
    fn a_request_reads_on_its_own_and_carries_fields() {
        assert_eq!(
            rendered(&a_request("/users/"), Style::Plain),
            "2025-07-29T11:54:56.042Z DEBUG GET /users/ 200 duration_ms=1.042 bytes=110 \
             client=127.0.0.1 request_id=abc-1\n"
        );
        assert_eq!(
            rendered(&a_request("/users/"), Style::Json),
            "{\"ts\":\"2025-07-29T11:54:56.042Z\",\"level\":\"debug\",\"event\":\"request\",\
             \"message\":\"GET /users/ 200\",\"method\":\"GET\",\"path\":\"/users/\",\"status\":200,\
             \"duration_ms\":1.042,\"bytes\":110,\"client\":\"127.0.0.1\",\"request_id\":\"abc-1\"}\n"
        );
    }

    #[test]
    fn a_line_stays_short_whatever_is_in_it() {
        for hostile in ["a", "\"", "é", "\u{202e}", "\u{1f600}", "\u{1}x"] {
            let hostile = hostile.repeat(9_000);
            let request = RequestReport {
                outcome: Outcome { method: &hostile, status: 404, duration: Duration::MAX },
                id: "abc-1",
                path: &hostile,
                key: Some(&hostile),
                bytes: u64::MAX,
                client: Ipv4Addr::new(127, 0, 0, 1).into(),
            };
            for style in [Style::Json, Style::Plain, Style::Colored] {
                let line = rendered(&Event::Request(request), style);
                assert!(line.len() < 2500, "{}", line.len());
                assert_eq!(line.matches(ELLIPSIS).count(), if style == Style::Json { 5 } else { 3 });
            }
            let line = rendered(&Event::Request(request), Style::Json);
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            for (field, limit) in [("method", TARGET_BYTES), ("path", TARGET_BYTES), ("key", TEXT_BYTES)] {
                let text = value[field].as_str().unwrap().strip_suffix(ELLIPSIS).unwrap();
                assert!(hostile.starts_with(text) && text.len() > limit / 8, "{text}");
            }
        }
        let fitting = "é".repeat(TEXT_BYTES / 2);
        assert!(!rendered(&Event::Warning(&fitting), Style::Plain).contains(ELLIPSIS));
    }

    #[test]
    fn nothing_from_outside_ends_a_line_or_steers_a_terminal() {
        let hostile = "/\n\r\t\0\x1b[31m\x7f\u{9b}2J\u{2028}\u{202e}\u{feff}é\"\\";
        for style in [Style::Json, Style::Plain, Style::Colored] {
            let line = rendered(&Event::Warning(hostile), style);
            let line = line.strip_suffix('\n').unwrap();
            let own_colors = line.matches('\x1b').count();
            assert_eq!(own_colors, if style == Style::Colored { 4 } else { 0 });
            assert!(!line.replace('\x1b', "").chars().any(is_harmful));
            assert!(line.contains('é'));
        }
    }

    #[test]
    fn json_lines_give_back_what_was_said() {
        let hostile = "a\nb\u{1}\u{9b}\"\\ü";
        let line = rendered(&Event::StoreBroken { cause: hostile }, Style::Json);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["cause"], hostile);
        assert_eq!(value["event"], "store_broken");
        assert_eq!(value["level"], "error");
    }
}
