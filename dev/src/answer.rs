//! An answer, what is promised about every one of them, and how it is written down.

use std::fmt;

use serde_json::Value;

use crate::frame::Frame;

/// The body of every 404.
pub const NOT_FOUND: &str = r#"404 Not Found
    Connection: close

    {"error":"<p>The requested URL was not found on this server.</p>"}"#;

/// Headers that stand in the text of an answer, where the answer has them.
const SHOWN: [&str; 17] = [
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Headers",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
    "Access-Control-Max-Age",
    "Allow",
    "Connection",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Vary",
    "WWW-Authenticate",
];

/// Values of `Vary` that all answers of a kind have, and that only the tests of it show.
const USUAL: [&str; 2] = ["Authorization, X-API-Key", "Accept-Encoding"];

/// One whole answer.
#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub reason: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The answer of HTTP/1 at the start of a buffer and its length, once all of it is there; `is_head` where HEAD
    /// was asked.
    pub fn find(buffer: &[u8], is_head: bool) -> Result<Option<(Answer, usize)>, String> {
        let Some(frame) = Frame::find(buffer, is_head)? else { return Ok(None) };
        let strange = |what: &str| format!("not HTTP/1.1 as expected: {what:?}");
        let head = std::str::from_utf8(&buffer[..frame.head_bytes - 4]).map_err(|_| strange("a head"))?;
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let reason = first.splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| strange(line))?;
            Ok((name.to_owned(), value.trim().to_owned()))
        });
        let headers = headers.collect::<Result<_, String>>()?;
        let answer = Answer { status: frame.status, reason, headers, body: frame.body(buffer) };
        Ok(Some((answer, frame.total_bytes)))
    }

    /// The only value of a header; `None` where the header is absent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(given, _)| given.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        value
    }

    pub fn body_text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_else(|error| panic!("not UTF-8 ({error}): {self:?}"))
    }

    pub fn json(&self) -> Value {
        self.try_json().unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The same for whoever goes on without.
    pub fn try_json(&self) -> Result<Value, String> {
        serde_json::from_slice(&self.body).map_err(|error| format!("not JSON ({error}): {}", self.excerpt()))
    }

    /// So much of the body as fits into a sentence about it.
    pub fn excerpt(&self) -> String {
        String::from_utf8_lossy(&self.body).chars().take(300).collect()
    }

    /// The message of an error.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no error: {self:?}")).to_owned()
    }

    /// The id in `Location`.
    pub fn created_id(&self) -> i64 {
        assert_eq!(self.status, 201, "{self:?}");
        self.location_id().unwrap_or_else(|| panic!("no id: {self:?}"))
    }

    /// The same, where there is one.
    pub fn location_id(&self) -> Option<i64> {
        self.header("Location")?.trim_end_matches('/').rsplit('/').next()?.parse().ok()
    }

    /// All of it but what differs between any two answers, and whether it was given before.
    pub fn lasting(&self) -> String {
        let of_the_moment = ["Date", "X-Request-Id", "RateLimit", "Idempotency-Replayed"];
        let mut text = format!("{} {}\n", self.status, self.reason);
        for (name, value) in &self.headers {
            if !of_the_moment.iter().any(|it| name.eq_ignore_ascii_case(it)) {
                text.push_str(&format!("{name}: {value}\n"));
            }
        }
        text + "\n" + self.body_text()
    }

    /// Panics unless this is the earlier answer once more, byte for byte, and says so.
    #[track_caller]
    pub fn repeats(&self, earlier: &Answer) {
        assert_eq!(self.header("Idempotency-Replayed"), Some("true"), "{self:?}");
        assert_eq!(self.lasting(), earlier.lasting());
    }

    /// The answer of the HTTP library to a head that it cannot read: a status and nothing else.
    pub fn is_bare(&self) -> bool {
        matches!(self.status, 400 | 414 | 431)
            && self.body.is_empty()
            && self.header("Content-Type").is_none()
    }

    /// Whether these bytes are anywhere in it.
    pub fn contains(&self, needle: &[u8]) -> bool {
        let is_in = |bytes: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        is_in(&self.body)
            || self.headers.iter().any(|(name, value)| is_in(name.as_bytes()) || is_in(value.as_bytes()))
    }

    /// The methods in `Allow`, sorted, since their order is not promised.
    pub fn allow(&self) -> Option<String> {
        let mut methods: Vec<&str> = self.header("Allow")?.split(',').map(str::trim).collect();
        methods.sort_unstable();
        Some(methods.join(", "))
    }

    /// The answer as text: status, shown headers, body.
    pub fn text(&self, base_url: &str) -> String {
        let mut text = format!("{} {}\n", self.status, self.reason);
        if let Some(kind) = self.header("Content-Type")
            && kind != "application/json"
        {
            text.push_str(&format!("Content-Type: {kind}\n"));
        }
        if self.body.is_empty()
            && let Some(length) = self.header("Content-Length")
        {
            text.push_str(&format!("Content-Length: {length}\n"));
        }
        for name in SHOWN {
            let value = if name == "Allow" { self.allow() } else { self.header(name).map(str::to_owned) };
            let is_usual = |value: &String| name == "Vary" && USUAL.contains(&value.as_str());
            if let Some(value) = value.filter(|value| !is_usual(value)) {
                text.push_str(&format!("{name}: {}\n", value.replace(base_url, "{base_url}")));
            }
        }
        if !self.body.is_empty() {
            text.push_str(&format!("\n{}", self.body_text()));
        }
        text.trim_end().to_owned()
    }

    /// What holds for every answer, so that every exchange of every test is a test of it.
    #[track_caller]
    pub fn keeps_its_promises(&self, method: &str) {
        if self.status == 204 || self.status == 304 {
            assert!(
                self.body.is_empty() && self.header("Content-Length").is_none_or(|it| it == "0"),
                "{self:?}"
            );
            return;
        }
        let kind = self.header("Content-Type").unwrap_or_else(|| panic!("no Content-Type: {self:?}"));
        let of_the_console = ["text/html", "text/javascript", "text/plain"];
        if of_the_console.iter().any(|console| kind.starts_with(console)) {
            assert!(self.status == 200 && self.header("Content-Security-Policy").is_some(), "{self:?}");
            return;
        }
        let is_file =
            ["text/csv", "application/x-ndjson", "text/vcard"].iter().any(|file| kind.starts_with(file));
        if is_file {
            let disposition = self.header("Content-Disposition").unwrap_or_default();
            assert!(self.status == 200 && disposition.starts_with("attachment; filename="), "{self:?}");
            return;
        }
        if kind.starts_with("application/openmetrics-text") {
            return;
        }
        let is_problem = kind == "application/problem+json" && self.status >= 400;
        assert!(is_problem || kind == "application/json", "{self:?}");
        // An item of a batch says nothing about the path of the batch.
        let is_of_item = self.body.windows(6).any(|window| window == br#""item "#);
        match self.status {
            401 => assert!(self.header("WWW-Authenticate").is_some(), "{self:?}"),
            404 if !is_of_item => assert_eq!(self.header("Connection"), Some("close"), "{self:?}"),
            405 if !is_of_item => assert!(self.header("Allow").is_some(), "{self:?}"),
            429 => {
                let seconds = self.header("Retry-After").and_then(|value| value.parse::<u32>().ok());
                assert!(seconds.is_some_and(|seconds| seconds > 0), "{self:?}");
            }
            _ => {}
        }
        if method == "HEAD" {
            return;
        }
        if is_problem {
            self.is_a_problem();
        } else if self.status >= 400 {
            let error = self.json();
            let members = error.as_object().unwrap_or_else(|| panic!("not an object: {self:?}"));
            assert_eq!(members.keys().collect::<Vec<_>>(), ["error"], "{self:?}");
            assert!(members["error"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
        }
        if !self.body.is_empty() {
            self.json();
            assert!(is_compact(self.body_text()), "spaces between: {self:?}");
        }
    }
}

impl Answer {
    /// What holds for every error as problem details.
    #[track_caller]
    fn is_a_problem(&self) {
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{self:?}");
        for member in ["type", "title", "detail"] {
            assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {self:?}");
        }
        for error in problem["errors"].as_array().into_iter().flatten() {
            let is_placed = error["pointer"].is_string() != error["parameter"].is_string();
            assert!(is_placed && error["detail"].is_string(), "{error}");
        }
    }
}

/// All of it, as far as a person wants to read it.
impl fmt::Debug for Answer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} {}", self.status, self.reason)?;
        for (name, value) in &self.headers {
            writeln!(out, "{name}: {value}")?;
        }
        let body = String::from_utf8_lossy(&self.body);
        write!(out, "\n{}", body.chars().take(2000).collect::<String>())
    }
}

/// Brings the text that a test expects into the form of [`Answer::text`].
pub fn expected(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_start).collect();
    let (first, rest) = lines.split_first().unwrap_or_else(|| panic!("an answer has a first line"));
    match first.find(['{', '[']) {
        Some(at) => format!("{}\n\n{}", first[..at].trim_end(), &first[at..]),
        None => [&[*first], rest].concat().join("\n"),
    }
}

/// Whether JSON has no white space outside its strings.
fn is_compact(json: &str) -> bool {
    let (mut inside, mut escaped) = (false, false);
    json.chars().all(|character| {
        match character {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => return inside || !character.is_ascii_whitespace(),
        }
        true
    })
}

#[test]
fn an_expected_answer_may_stand_on_one_line() {
    assert_eq!(expected(r#"200 OK {"a":[1]}"#), "200 OK\n\n{\"a\":[1]}");
    assert_eq!(expected("204 No Content\n    Allow: GET"), "204 No Content\nAllow: GET");
    assert_eq!(
        expected("404 Not Found\n  Connection: close\n\n  {}"),
        "404 Not Found\nConnection: close\n\n{}"
    );
}

#[test]
fn white_space_counts_only_outside_strings() {
    assert!(is_compact(r#"{"a b":" \" ","c":[1,2]}"#));
    assert!(!is_compact(r#"{"a": 1}"#));
    assert!(!is_compact("[1,\n2]"));
}
