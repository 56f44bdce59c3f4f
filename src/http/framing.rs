//! Where one HTTP/1 request ends and the next begins, and what is wrong with a head that its parser does not tell.
//!
//! The HTTP library drops one of two lengths of a body before anybody sees it, which is how one request is smuggled
//! inside another past a proxy; and it answers some heads with a status and not a word. What it could not read but we
//! can explain is made readable first, and refused. How long a body is, only the library says: nobody decides it twice.

use std::ops::Range;

use hyper::body::SizeHint;

use super::chunks::Chunks;
use super::head_scan::{LONGEST_BODY, Scan};
use super::limits::{HEAD_BYTES, HEAD_FIELDS};
use super::refusal::Refusal;
use super::response_cache::Asked;
use super::target;

/// What the HTTP library is reading, and what it is to be told of the latest head.
#[derive(Debug)]
pub(super) struct Framing {
    at: At,
    refusal: Option<Refusal>,
    /// What the answer to it would be kept by.
    pub(super) asked: Option<Asked>,
}

#[derive(Debug)]
enum At {
    /// In a head, of which the library has nothing.
    Head(Scan),
    /// In a head that is whole, with so many bytes left to be handed on.
    RestOfHead(usize),
    /// In what the library will refuse, with so many bytes left to be handed on. No request comes of it.
    Unreadable(usize),
    /// Behind a head. What follows is not known before the library has read it.
    Between,
    /// In a body, with so many bytes left.
    Body(u64),
    Chunks(Chunks),
    /// There are no more requests.
    End,
}

impl Default for Framing {
    fn default() -> Self {
        Framing { at: At::Head(Scan::default()), refusal: None, asked: None }
    }
}

impl Framing {
    /// Hears from the HTTP library that it has read a head, and what body it found announced. Answers what is wrong
    /// with that head.
    pub(super) fn request_begins(&mut self, body: SizeHint) -> Option<Refusal> {
        if !matches!(self.at, At::Between) {
            // It has found a request where we have seen none. Nobody knows how; nobody should find out.
            self.at = At::End;
            return Some(Refusal::TwoLengths);
        }
        // The same head may come with another body.
        self.asked = self.asked.filter(|_| body.exact() == Some(0));
        self.at = match body.exact() {
            Some(0) => At::Head(Scan::default()),
            Some(length) => At::Body(length),
            None => At::Chunks(Chunks::START),
        };
        self.refusal.take()
    }

    /// Whether nothing has come of the next head.
    pub(super) fn is_before_head(&self) -> bool {
        matches!(&self.at, At::Head(scan) if scan.is_new())
    }

    /// How many of these bytes, which follow those that were handed on, may be handed on now, where there is room for
    /// so many.
    pub(super) fn portion(&mut self, bytes: &[u8], room: usize) -> Portion {
        let room = room.min(bytes.len());
        let length = match &mut self.at {
            At::Head(scan) => {
                let end = scan.advance(bytes);
                if !scan.is_unreadable(bytes) {
                    return self.head(bytes, end, room);
                }
                // The library refuses it now; nobody waits for an end that will not come.
                self.at = At::Unreadable(bytes.len());
                return self.portion(bytes, room);
            }
            At::RestOfHead(left) => {
                let length = room.min(*left);
                *left -= length;
                if *left == 0 {
                    self.at = At::Between;
                }
                length
            }
            At::Unreadable(left) => {
                let length = room.min(*left);
                *left -= length;
                if *left == 0 {
                    self.at = At::End;
                }
                length
            }
            At::Body(left) => {
                let length = room.min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= length as u64;
                if *left == 0 {
                    self.at = At::Head(Scan::default());
                }
                length
            }
            At::Chunks(chunks) => {
                let length = chunks.follow(&bytes[..room]);
                if *chunks == Chunks::End {
                    self.at = At::Head(Scan::default());
                }
                length
            }
            // The library cannot make a request of a head that is whole for us.
            At::Between | At::End => return Portion::End,
        };
        Portion::These(length)
    }

    fn head(&mut self, bytes: &[u8], end: Option<usize>, room: usize) -> Portion {
        let At::Head(scan) = &self.at else { return Portion::End };
        let end = end.filter(|end| *end <= HEAD_BYTES);
        let refusal = if scan.fields > HEAD_FIELDS {
            Some(Refusal::TooManyFields { limit: HEAD_FIELDS })
        } else if end.is_none() && bytes.len() >= HEAD_BYTES {
            Some(Refusal::HeadTooLarge { limit: HEAD_BYTES })
        } else {
            None
        };
        if refusal.is_some() {
            let method = method(&bytes[scan.method.clone()]);
            let head = [method, b" / HTTP/1.1\r\nHost: localhost\r\n\r\n"].concat();
            return self.instead(bytes.len(), head, refusal);
        }
        let Some(end) = end else { return Portion::Nothing };
        let target = &bytes[scan.target.clone()];
        if let Some(byte) = target::unreadable(target) {
            let readable = target::encoded(target);
            let is_short = end - target.len() + readable.len() <= HEAD_BYTES;
            let head = spliced(&bytes[..end], &scan.target, if is_short { &readable } else { b"/" });
            return self.instead(end, head, Some(Refusal::BadTarget { byte }));
        }
        let refusal = (scan.lengths > 0 && scan.has_coding).then_some(Refusal::TwoLengths);
        // Beside another length it stays what it is, and the library refuses the two.
        if let (Some(length), 1) = (&scan.endless, scan.lengths) {
            let head = spliced(&bytes[..end], length, LONGEST_BODY);
            return self.instead(end, head, refusal);
        }
        self.refusal = refusal;
        self.at = if end > room { At::RestOfHead(end - room) } else { At::Between };
        Portion::These(end.min(room))
    }

    /// Notes that no more will come; says whether that was in the middle of a head.
    pub(super) fn give_up(&mut self, rest: usize) -> bool {
        let is_in_head = matches!(self.at, At::Head(_));
        self.at = if is_in_head { At::Unreadable(rest) } else { At::End };
        is_in_head
    }

    /// Hands on another head in the place of one that the library cannot read.
    fn instead(&mut self, length: usize, head: Vec<u8>, refusal: Option<Refusal>) -> Portion {
        self.refusal = refusal;
        self.at = At::RestOfHead(head.len());
        Portion::Other { length, head }
    }
}

/// The method of a head that is not read; one without a body in the answer stays what it is.
fn method(given: &[u8]) -> &[u8] {
    let is_token = !given.is_empty() && given.iter().all(u8::is_ascii_uppercase);
    if is_token { given } else { b"GET" }
}

fn spliced(head: &[u8], place: &Range<usize>, text: &[u8]) -> Vec<u8> {
    [&head[..place.start], text, &head[place.end..]].concat()
}

/// What becomes of bytes that were read.
pub(super) enum Portion {
    /// So many of them are handed on.
    These(usize),
    /// So many of them give way to another head.
    Other { length: usize, head: Vec<u8> },
    /// They are not enough.
    Nothing,
    /// None of them, nor any that follow.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the HTTP library would be handed, one head at a time, and what it would be told of each. Every body is as
    /// long as `body` says.
    fn handed(bytes: &[u8], cut: usize, body: SizeHint) -> (Vec<u8>, Vec<Option<Refusal>>) {
        let mut framing = Framing::default();
        let (mut held, mut handed, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for piece in [&bytes[..cut], &bytes[cut..]] {
            held.extend_from_slice(piece);
            while !held.is_empty() {
                match framing.portion(&held, 7) {
                    Portion::These(length) => handed.extend(held.drain(..length)),
                    Portion::Other { length, head } => drop(held.splice(..length, head)),
                    Portion::Nothing | Portion::End => break,
                }
                if matches!(framing.at, At::Between) {
                    told.push(framing.request_begins(body));
                }
            }
        }
        (handed, told)
    }

    fn judged(text: &str) -> Option<Refusal> {
        let all = (0..=text.len()).map(|cut| handed(text.as_bytes(), cut, SizeHint::with_exact(0)));
        let mut all = all.map(|(handed, told)| (handed, told.first().copied().expect("a head")));
        let first = all.next().expect("a cut");
        assert!(all.all(|other| other == first), "{text:?}");
        first.1
    }

    #[test]
    fn only_a_head_with_both_has_two_lengths() {
        let both = Some(Refusal::TwoLengths);
        assert_eq!(
            judged("POST /a HTTP/1.1\r\nContent-Length: 1\r\nTRANSFER-ENCODING: chunked\r\n\r\n"),
            both
        );
        assert_eq!(judged("\r\n\nPOST /a HTTP/1.1\nTransfer-Encoding: chunked\ncontent-length: 1\n\n"), both);
        assert_eq!(judged("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent: 1\r\n\r\n"), None);
        assert_eq!(judged("POST /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer: chunked\r\n\r\n"), None);
    }

    #[test]
    fn what_the_library_cannot_read_is_made_readable() {
        let head = "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n";
        assert_eq!(judged(head), Some(Refusal::BadTarget { byte: b' ' }));
        let (text, _) = handed(head.as_bytes(), 0, SizeHint::with_exact(0));
        assert_eq!(text, b"GET /a%20b HTTP/1.1\r\nHost: x\r\n\r\n");
        for (length, is_changed) in [
            ("0", false),
            ("9223372036854775807", false),
            ("0000000000000000000000009", false),
            ("9223372036854775808", true),
            ("18446744073709551615", true),
            ("99999999999999999999999", true),
            ("99999999999999999999999x", false),
        ] {
            let head = format!("POST / HTTP/1.1\r\ncontent-length: \t{length} \r\n\r\n");
            let expected =
                if is_changed { head.replace(length, "9223372036854775807") } else { head.clone() };
            let (text, told) = handed(head.as_bytes(), 0, SizeHint::with_exact(0));
            assert_eq!((text, told), (expected.into_bytes(), vec![None]));
        }
    }

    #[test]
    fn a_head_that_is_too_long_is_replaced_by_a_short_one() {
        let long = format!("PUT / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(HEAD_BYTES));
        let many = format!("PUT / HTTP/1.1\r\n{}\r\n", "X: x\r\n".repeat(HEAD_FIELDS + 1));
        for (head, refusal) in [
            (long, Refusal::HeadTooLarge { limit: HEAD_BYTES }),
            (many, Refusal::TooManyFields { limit: HEAD_FIELDS }),
        ] {
            for cut in [0, 3, head.len() / 2, head.len()] {
                let (text, told) = handed(head.as_bytes(), cut, SizeHint::with_exact(0));
                assert_eq!(told.first(), Some(&Some(refusal)));
                assert!(text.starts_with(b"PUT / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
            }
        }
        let most = format!("PUT / HTTP/1.1\r\n{}\r\n", "X: x\r\n".repeat(HEAD_FIELDS));
        assert_eq!(judged(&most), None);
    }

    #[test]
    fn the_next_head_begins_where_the_body_ends_however_it_is_cut() {
        let guilty = "POST /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let chunked =
            format!("POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n{guilty}");
        let sized = format!("POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc{guilty}");
        for (text, body) in [(chunked, SizeHint::default()), (sized, SizeHint::with_exact(3))] {
            for cut in 0..=text.len() {
                let (handed, told) = handed(text.as_bytes(), cut, body);
                assert_eq!(
                    (handed, told),
                    (text.clone().into_bytes(), vec![None, Some(Refusal::TwoLengths)])
                );
            }
        }
    }

    #[test]
    fn what_is_no_http_is_handed_on_at_once_and_no_request_comes_of_it() {
        for text in [
            "\x16\x03\x01\x02",
            "\r\n\x16",
            "SSH-2.0-x\r\n",
            "GET /users/\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ] {
            let mut framing = Framing::default();
            let mut rest = text.as_bytes();
            while !rest.is_empty() {
                let Portion::These(length) = framing.portion(rest, 3) else {
                    panic!("{text:?} is held back")
                };
                rest = &rest[length..];
            }
            assert!(matches!(framing.portion(b"GET / HTTP/1.1\r\n\r\n", 99), Portion::End));
            assert!(framing.request_begins(SizeHint::with_exact(0)).is_some());
        }
    }

    #[test]
    fn two_lengths_are_not_made_alike() {
        let head = "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\nContent-Length: 9223372036854775807\r\n\r\n";
        assert_eq!(handed(head.as_bytes(), 0, SizeHint::with_exact(0)).0, head.as_bytes());
    }

    #[test]
    fn a_target_that_would_be_too_long_encoded_gives_way() {
        let head = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "<".repeat(25_000));
        let (text, told) = handed(head.as_bytes(), 0, SizeHint::with_exact(0));
        assert_eq!(told, [Some(Refusal::BadTarget { byte: b'<' })]);
        assert_eq!(text, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    #[test]
    fn a_request_that_nobody_has_seen_is_refused() {
        assert_eq!(Framing::default().request_begins(SizeHint::with_exact(0)), Some(Refusal::TwoLengths));
    }
}
