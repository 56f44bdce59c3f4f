//! A request as a test writes it down, and as it goes over the wire.

use std::fmt;

/// One request. `Host` and `Content-Length` are added where they are not given.
#[derive(Clone)]
pub struct Request {
    pub method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Request {
    /// A request from its first line, `GET /users/`.
    pub fn new(line: &str) -> Request {
        let (method, target) = line.split_once(' ').unwrap();
        Request { method: method.into(), target: target.into(), headers: Vec::new(), body: None }
    }

    /// A request from its text; see `exchange.rs` for how it is written.
    pub fn text(text: &str) -> Request {
        let mut lines = text.trim_start().lines().map(str::trim_start);
        let first = lines.next().unwrap_or_else(|| panic!("a request has a first line"));
        let mut parts = first.splitn(3, ' ');
        let line = format!("{} {}", parts.next().unwrap(), parts.next().unwrap());
        let mut request = Request::new(&line);
        let mut body = parts.next().map(str::to_owned);
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("no header: {line:?}"));
            request = request.header(name, value.trim());
        }
        let rest = lines.collect::<Vec<_>>().join("\n");
        if !rest.is_empty() {
            body = Some(rest);
        }
        match body {
            Some(body) if request.has("Content-Type") => request.body(body),
            Some(body) => request.json(body),
            None => request,
        }
    }

    pub fn target(&self) -> &str {
        &self.target
    }

    pub fn header(mut self, name: &str, value: &str) -> Request {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A key by which it may be sent again.
    pub fn key(self, key: &str) -> Request {
        self.header("Idempotency-Key", key)
    }

    /// The key of another request.
    pub fn same_key_as(self, other: &Request) -> Request {
        let key = other.headers.iter().find(|(name, _)| name == "Idempotency-Key");
        self.key(&key.unwrap().1)
    }

    /// A body, and nothing said about it.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Request {
        self.body = Some(body.into());
        self
    }

    /// A body of JSON, and a header that says so.
    pub fn json(self, body: impl Into<Vec<u8>>) -> Request {
        self.header("Content-Type", "application/json").body(body)
    }

    /// The bytes on the wire.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        if !self.has("Host") {
            head.push_str(&format!("Host: {host}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body
            && !self.has("Content-Length")
            && !self.has("Transfer-Encoding")
        {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend(self.body.iter().flatten());
        bytes
    }

    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name))
    }
}

/// As it goes over the wire, as far as a person wants to read it.
impl fmt::Debug for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.bytes("(host)")).replace('\r', "");
        out.write_str(&text.chars().take(2000).collect::<String>())
    }
}

#[test]
fn a_request_is_read_from_its_text() {
    let short = Request::text(r#"POST /users/ {"a": 1}"#).bytes("h");
    let long = Request::text("POST /users/\n    Content-Type: application/json\n\n    {\"a\": 1}").bytes("h");
    let expected = "POST /users/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"a\": 1}";
    assert_eq!(String::from_utf8(short).unwrap(), expected);
    assert_eq!(String::from_utf8(long).unwrap(), expected);
    assert_eq!(Request::text("GET /").bytes("h"), b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
}
