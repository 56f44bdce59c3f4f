//! Refusal: why the HTTP layer itself says no to a request.

/// Why the HTTP layer itself says no; the status and the words are the answerer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Path and query together are longer than this many bytes (414).
    UrlTooLong { limit: usize },
    /// The head is longer than this many bytes (431).
    HeadTooLarge { limit: usize },
    /// The head has more header fields than this (431).
    TooManyFields { limit: usize },
    /// The URL has a character that must be encoded (400).
    BadTarget { byte: u8 },
    /// No `Host`, more than one, or one that names no host (400).
    BadHost,
    /// The body is longer than this many bytes (413).
    BodyTooLarge { limit: usize },
    /// The body did not arrive in time (408).
    BodyTooSlow,
    /// The head did not arrive in time (408).
    HeadTooSlow,
    /// The body's length is announced twice, by `Content-Length` and by chunks (400).
    TwoLengths,
    /// The body is wrapped in more than chunks (400).
    UnknownCoding,
    /// The client does not speak TLS on a port that does (400).
    NotEncrypted,
    /// The body ended early or its chunks make no sense (400).
    BodyBroken,
    /// As many connections are open as may be (503).
    TooManyConnections,
    /// As many requests, or as many bytes of bodies, are taken on as may be (503).
    Overloaded,
    /// As many bytes of answers are on their way out as may be (503).
    NoRoom,
    /// The answerer panicked (500).
    Panicked,
}
