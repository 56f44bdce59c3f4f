//! What the requests are put together from: lists in texts, their parts with ` | ` between them.

/// The parts of a list.
pub(crate) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(" | ")
}

pub(crate) const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"];

/// Paths beside those of collections.
pub(crate) const PATHS: &str = "\
    / | // | /?a=b | /schema/ | /schema | /schema/nothing/ | /openapi.json | /openapi.json/ | /livez | \
    /readyz | /livez/x | /console/ | /console | /console/api/ | /console/0000000000000000/app.js | \
    /console/%2e%2e/ | /favicon.ico | /robots.txt | /nothing/ | /nothing/1/ | /_/ | /_/nothing/ | /%00/ | \
    /%ff/ | /../";

/// What is below a collection.
pub(crate) const BELOW: &str = "\
    / |  | /1/ | /1 | /2/ | /0/ | /-1/ | /01/ | /+1/ | /abc/ | /9223372036854775807/ | /9223372036854775808/ | \
    /1/2/ | /%31/";

/// Header fields that change what is answered, one line of them at a time.
pub(crate) const HEADERS: &str = " | Accept: application/problem+json | Accept: application/problem+json;q=0.5, application/json | \
    Accept: text/html | Accept: */* | Accept: image/png | Accept-Encoding: gzip | Accept-Encoding: zstd | \
    Accept-Encoding: gzip;q=0.5, zstd | Accept-Encoding: *;q=0 | Accept-Encoding: identity;q=0, br | \
    Origin: https://app.example.org | Origin: http://localhost:5173 | Origin: https://evil.example | \
    Origin: null | Sec-Fetch-Site: cross-site | Sec-Fetch-Site: same-origin | \
    Access-Control-Request-Method: PUT\nOrigin: https://app.example.org\nAccess-Control-Request-Headers: x-api-key | \
    Access-Control-Request-Method: GET\nOrigin: https://evil.example | \
    Access-Control-Request-Method: POST\nOrigin: https://app.example.org\nAccess-Control-Request-Private-Network: true | \
    If-Match: * | If-None-Match: * | If-Match: \"nothing\" | If-Match: nothing | \
    If-None-Match: W/\"x\", \"y\" | If-Modified-Since: Mon, 16 Nov 2026 00:21:28 GMT | Range: bytes=0-1 | \
    Prefer: return=representation | Prefer: return=minimal, return=representation | Prefer: respond-async | \
    Idempotency-Key: \"a\" | Idempotency-Key: b | Idempotency-Key:  | \
    Idempotency-Key: \"a\nIdempotency-Key: c | X-Request-Id: mine-1 | X-Request-Id: not one | \
    X-Forwarded-Proto: https\nX-Forwarded-Host: proxy.example:8443\nX-Forwarded-For: 192.0.2.7 | \
    X-Forwarded-Host: a/b | User-Agent: Mozilla/5.0 | Connection: close | \
    Connection: keep-alive, upgrade\nUpgrade: h2c | Expect: 100-continue | Expect: nothing | \
    Content-Type: text/plain | Content-Type: application/json; charset=latin1 | Content-Encoding: gzip";

/// Queries of lists that have no field in them.
pub(crate) const QUERIES: &str = " | ? | ?& | ?&&a | ?offset=0 | ?offset=1 | ?offset=20 | ?offset=40 | ?offset=9223372036854775807 | \
    ?offset=9223372036854775808 | ?offset=-1 | ?offset=x | ?offset= | ?offset | ?offset=1&offset=2 | \
    ?offset=%31 | ?offset=+1 | ?offset=01 | ?count=1 | ?count=3&offset=2 | ?count=0 | ?count=-1 | ?count=20 | \
    ?count=21 | ?count=1000 | ?count=1001 | ?count=x | ?count= | ?first_id=2 | ?limit=2 | ?first_id=x&limit=0 | \
    ?first-id=1&Limit=2 | ?from=1&limit=3 | ?id=1 | ?id=0 | ?id=x | ?id= | ?id=1&id=2 | ?nothing=1 | \
    ?%6eothing=%31 | ?a=%ff | ?a=% | ?a=%zz | ?accesskey=a&accesskey=b";

/// Whatever stands where a value should.
pub(crate) const VALUES: &str = "\
    null | true | 1 | 0 | -0 | 1.0 | 1e2 | -1e-2 | 9223372036854775807 | 9223372036854775808 | \
    -9223372036854775809 | 1e308 | 1e400 | \"\" | \"1\" | \"a\\u0000b\" | \"\\ud800\" | [] | {} | 01 | nul | NaN";

/// What is no body at all.
pub(crate) const TEXTS: &str = " | \t | null | [] | [{}] | 1 | \"x\" | true | {} | \t{}\t | { | } | {] | {\"a\" | {\"a\":} | {\"a\":1,} | \
    {} {} | {}x | {\"\":1} | {'a':1} | {\"a\\u0000\":1} | {\"a\":\"\n\"} | // c\n{}";

/// Heads and bodies that are hardly HTTP, with `\n` for both characters of a line's end.
pub(crate) const RAW: &str = "\
    GARBAGE\n\n | GET\n\n | GET /users/\n\n | GET  /users/ HTTP/1.1\nHost: x\n\n | GET /users/ HTTP/9.9\n\n | \
    GET /users/ FTP/1.1\n\n | GET /users/ HTTP/1.1 \nHost: x\n\n | GET /us ers/ HTTP/1.1\nHost: x\n\n | \
    GET users HTTP/1.1\nHost: x\n\n | GET /users/ HTTP/1.0\n\n | \
    GET / HTTP/1.0\nHost: x\nConnection: keep-alive\n\n | GET /users/ HTTP/1.1\n\n | \
    GET /users/ HTTP/1.1\nHost: x\nHost: y\n\n | GET /users/ HTTP/1.1\nHost: a/b\n\n | \
    GET /users/ HTTP/1.1\nHost: \n\n | GET /users/ HTTP/1.1\nHost: user@host\n\n | \
    GET /users/ HTTP/1.1\nHost: x\nno colon here\n\n | GET /users/ HTTP/1.1\nHost: x\nName : value\n\n | \
    GET /users/ HTTP/1.1\nHost: x\n folded: y\n\n | GET /users/ HTTP/1.1\nHost: x\nX: a\0b\n\n | \
    GET /users/ HTTP/1.1\nHost: x\nX: a\u{7f}b\n\n | GET /users/ HTTP/1.1\nHost: x\n: empty\n\n | \
    GET /ä/ HTTP/1.1\nHost: x\n\n | GET /users/#a HTTP/1.1\nHost: x\n\n | \
    GET http://other.test/users/?offset=1 HTTP/1.1\nHost: x\n\n | \
    GET http://a:b@c/users/ HTTP/1.1\nHost: x\n\n | GET ftp://a/users/ HTTP/1.1\nHost: x\n\n | \
    OPTIONS * HTTP/1.1\nHost: x\n\n | GET * HTTP/1.1\nHost: x\n\n | CONNECT a:1 HTTP/1.1\nHost: x\n\n | \
    PRI * HTTP/2.0\n\nSM\n\n | POST /address/ HTTP/1.1\nHost: x\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: -1\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: abc\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: +2\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 3\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 2, 2\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 2\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 99999999999999999999\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 9999999999\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 100\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}GET /livez HTTP/1.1\nHost: x\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nContent-Length: 1\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n2\n{}\n0\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nzz\n{}\n0\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n2\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n2;a=b\n{}\n0\nTrailer: x\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n2\n{}x\n0\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nContent-Length: 2\n\n2\n{}\n0\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n\n2\n{}\n0\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: identity\n\n{} | \
    POST /address/ HTTP/1.1\nHost: x\nTransfer-Encoding: xchunked\n\n2\n{}\n0\n\n | \
    POST /address/ HTTP/1.0\nTransfer-Encoding: chunked\n\n2\n{}\n0\n\n | \
    POST /address/ HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: 2\n\n{} | \
    GET /livez HTTP/1.1\nHost: x\nExpect: 100-continue\n\n | \
    GET /livez HTTP/1.1\nHost: x\n\nGET /readyz HTTP/1.1\nHost: x\n\nHEAD /openapi.json HTTP/1.1\nHost: x\n\n | \
    GET /livez HTTP/1.1\nHost: x\nConnection: close\n\nGET /readyz HTTP/1.1\nHost: x\n\n | \
    GET /livez HTTP/1.1\nHost: x\nContent-Length: 3\n\nabcGET /livez HTTP/1.1\nHost: x\n\n | \
    \n\nGET /livez HTTP/1.1\nHost: x\n\n |";
