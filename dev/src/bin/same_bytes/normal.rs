//! What differs between any two runs of one program, each by its name and its shape; everything else stays as it is.

/// The bytes of an answer, or of several, with these replaced:
///
/// - `date`: the moment of the answer;
/// - `x-request-id`, where the server made it: 8 hexadecimal digits of the start, a dash, those of the request;
/// - `server-timing`: how long each step took;
/// - `ratelimit` and `retry-after`: how many seconds are left;
/// - what a 429 says about these seconds, and so its length;
/// - of `/_/keys/`: new secrets, the first letter of a new one, and moments; whether a key was used already, which is
///   written down some time later, and so the length of the list;
/// - of `/metrics`: the numbers, and so its length; and the order of its lines.
pub(crate) fn answer(target: &str, bytes: &[u8]) -> Vec<u8> {
    // A character for each byte, so that none is lost. One answer right behind another begins a line of its own.
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let text = text.replace("}HTTP/1.1 ", "}\nHTTP/1.1 ");
    let is_keys = target.starts_with("/_/keys");
    let is_metrics = text.contains("\r\ncontent-type: application/openmetrics-text");
    let (mut is_body, mut is_limited) = (false, false);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if line.starts_with("HTTP/1.") {
            (is_body, is_limited) = (false, line.contains(" 429 "));
        }
        lines.push(match is_body {
            false => header(line, is_limited || is_metrics || is_keys),
            true if is_limited => seconds(line),
            true if is_metrics => nameless(line),
            true if is_keys => keys(line),
            true => line.to_owned(),
        });
        is_body |= line == "\r";
    }
    if is_metrics {
        lines.sort();
    }
    lines.join("\n").chars().map(|character| character as u8).collect()
}

fn header(line: &str, is_length_free: bool) -> String {
    let Some((name, value)) = line.split_once(": ") else { return line.to_owned() };
    let value = value.trim_end_matches('\r');
    let is_free = match name {
        "date" => value.len() == 29 && value.ends_with(" GMT"),
        "x-request-id" => is_made(value),
        "retry-after" => value.bytes().all(|byte| byte.is_ascii_digit()),
        "content-length" => is_length_free,
        "ratelimit" => return after(line, ";t=", |byte| byte.is_ascii_digit()),
        "server-timing" => return after(line, ";dur=", |byte| byte.is_ascii_digit() || byte == b'.'),
        _ => false,
    };
    if is_free { format!("{name}: *") } else { line.to_owned() }
}

/// Whether an id of a request is one that the server makes.
fn is_made(id: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.split_once('-')
        .is_some_and(|(start, rest)| start.len() == 8 && rest.len() >= 4 && is_hex(start) && is_hex(rest))
}

/// What a 429 says: `Try again in 7 seconds`, `in 1 second`.
fn seconds(line: &str) -> String {
    after(line, "again in ", |byte| byte.is_ascii_digit()).replace("* seconds", "* second")
}

/// A line of metrics without its number.
fn nameless(line: &str) -> String {
    let is_comment = line.starts_with('#');
    line.rsplit_once(' ').filter(|_| !is_comment).map_or_else(|| line.to_owned(), |(name, _)| name.to_owned())
}

/// What is said about access keys, by the server or by a command.
pub(crate) fn keys(line: &str) -> String {
    let is_secret = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    moments(&after(line, "ck_", is_secret)).replace("\"last_used\":null", "\"last_used\":\"*\"")
}

/// `2026-11-16T00:21:28Z` wherever it stands.
pub(crate) fn moments(line: &str) -> String {
    let shape = "dddd-dd-ddTdd:dd:ddZ";
    let fits = |text: &str| {
        text.len() == shape.len()
            && text.bytes().zip(shape.bytes()).all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                _ => byte == wanted,
            })
    };
    let (mut said, mut rest) = (String::new(), line);
    while let Some(character) = rest.chars().next() {
        if rest.get(..shape.len()).is_some_and(fits) {
            said.push('*');
            rest = &rest[shape.len()..];
        } else {
            said.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    said
}

/// Replaces what stands behind every occurrence of a word, as long as it is made of these.
fn after(line: &str, word: &str, is_part: impl Fn(u8) -> bool) -> String {
    let mut pieces = line.split(word);
    let mut said = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let length = piece.bytes().take_while(|byte| is_part(*byte)).count();
        said.push_str(word);
        said.push('*');
        said.push_str(&piece[length..]);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(target: &str, text: &str) -> String {
        String::from_utf8(answer(target, text.replace('\n', "\r\n").as_bytes())).unwrap().replace('\r', "")
    }

    #[test]
    fn only_what_depends_on_chance_or_clock_is_replaced() {
        let head = "HTTP/1.1 200 OK\ndate: Mon, 16 Nov 2026 00:21:28 GMT\nx-request-id: ff351b59-0001\ncontent-length: 1\n";
        let body = "\n{\"name\":\"ck_1\",\"at\":\"2026-11-16T00:21:28Z\",\"x\":\"again in 7 seconds\"}";
        let expected = "HTTP/1.1 200 OK\ndate: *\nx-request-id: *\ncontent-length: 1\n";
        assert_eq!(said("/users/", &format!("{head}{body}")), format!("{expected}{body}"));
        assert!(
            said("/_/keys/", &format!("{head}{body}"))
                .ends_with("{\"name\":\"ck_*\",\"at\":\"*\",\"x\":\"again in 7 seconds\"}")
        );
    }

    #[test]
    fn what_has_another_shape_stays() {
        for line in ["x-request-id: mine", "date: today", "retry-after: soon", "etag: \"ff351b59-0001\""] {
            assert_eq!(header(line, false), line);
        }
        assert_eq!(header("ratelimit: \"key\";r=2;t=100", false), "ratelimit: \"key\";r=2;t=*");
        assert_eq!(nameless("requests_total{route=\"/ /\"} 7"), "requests_total{route=\"/ /\"}");
        assert_eq!(nameless("# HELP a b c"), "# HELP a b c");
        assert_eq!(seconds("Try again in 1 second"), seconds("Try again in 12 seconds"));
    }
}
