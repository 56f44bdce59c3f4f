//! The table of errors: what each is answered with. To change a message, change its line here.

use std::borrow::Cow;

use super::ApiError;
use super::batch::{batch_message, item_message};
use super::query::{listing_message, query_message, rule_message};
use super::status::*;
use crate::api::idempotency::LONGEST_KEY;
use crate::catalog::name::KEY_PARAMETER;
use crate::http::{HeaderName, HeaderValue, Refusal, Response, StatusCode, header, response};
use crate::record::access_key::{LONGEST_GRACE, LONGEST_NAME};
use crate::record::draft::{DEEPEST, DraftError};
use crate::record::fault::not_unique;
use crate::record::representation;
use crate::store::StoreError;

/// How much of a client's own text an error repeats.
const LONGEST_ECHO: usize = 200;
/// In how many seconds to come back after a refusal that passes by itself.
const SOON: u64 = 1;
/// In how many seconds to come back where answers must grow old first.
const LATER: u64 = 60;
const CLOSE: HeaderValue = HeaderValue::from_static("close");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"carnet\"");
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

/// The header fields of an error that are also said where it befalls an item of a batch.
const OF_AN_ITEM: [HeaderName; 2] = [header::RETRY_AFTER, header::WWW_AUTHENTICATE];

/// What an error is answered with, whatever form its message has.
pub(in crate::api) struct Row {
    pub(in crate::api) kind: Kind,
    pub(in crate::api) message: Cow<'static, str>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Kind {
    fn row(self, message: impl Into<Cow<'static, str>>) -> Row {
        Row { kind: self, message: message.into(), headers: Vec::new() }
    }
}

impl Row {
    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn retry_after(self, seconds: u64) -> Self {
        self.with(header::RETRY_AFTER, seconds.into())
    }

    /// The answer in the form that nobody has to ask for.
    pub(in crate::api) fn into_response(self) -> Response {
        let mut body = br#"{"error":"#.to_vec();
        representation::write_text(&mut body, &self.message);
        body.push(b'}');
        self.apply_to(response::json(StatusCode::OK, body))
    }

    /// The answer with this body, with the status and the header fields of the error.
    pub(in crate::api) fn apply_to(self, mut response: Response) -> Response {
        *response.status_mut() =
            StatusCode::from_u16(self.kind.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().extend(self.headers);
        response
    }
}

impl ApiError {
    pub(in crate::api) fn row(&self) -> Row {
        match self {
            Self::NotFound => NOT_FOUND
                .row("<p>The requested URL was not found on this server.</p>")
                .with(header::CONNECTION, CLOSE),
            Self::MethodNotAllowed(allow) => {
                let methods = allow.to_str().unwrap_or_default();
                let message = format!("The method is not allowed for the requested URL. Allowed: {methods}");
                METHOD_NOT_ALLOWED.row(message).with(header::ALLOW, allow.clone())
            }
            // One and the same answer, wherever the key was that is not known.
            Self::Unauthorized { parameter } => UNAUTHORIZED
                .row(format!(
                    "A known access key is needed. Send it as the query parameter {parameter}, or in a \
                     header: Authorization: Bearer <key>, or X-API-Key: <key>"
                ))
                .with(header::CACHE_CONTROL, NO_STORE)
                .with(header::WWW_AUTHENTICATE, BEARER),
            Self::KeyGivenTwice => {
                INVALID_REQUEST.row("The access key is given twice. Send one, in one place")
            }
            Self::Forbidden => FORBIDDEN.row(
                "This access key may not manage access keys. Make one that may: carnet keys create \
                 --admin",
            ),
            Self::MissingScope { collection, right } => {
                let right = right.name();
                FORBIDDEN.row(format!(
                    "This access key may not {right} {collection}: it needs the scope \
                     {collection}:{right}"
                ))
            }
            // Like the 401 in whose place it stands.
            Self::TooManyUnknownKeys { retry_after_seconds } => RATE_LIMITED
                .row(format!(
                    "Too many unknown access keys came from this address. Try again in \
                     {retry_after_seconds} seconds"
                ))
                .with(header::CACHE_CONTROL, NO_STORE)
                .retry_after(*retry_after_seconds),
            Self::KeyExpired(name) => {
                CONFLICT.row(format!("The access key named {name} has expired. Make a new one"))
            }
            Self::KeyNameInUse(name) => CONFLICT.row(format!(
                "There is already an access key named {name}. Choose another name, or revoke that \
                 one first"
            )),
            Self::RateLimited { limit, retry_after_seconds } => RATE_LIMITED
                .row(format!(
                    "The rate limit of {} requests in {} seconds is used up. Try again in \
                     {retry_after_seconds} seconds",
                    limit.quota, limit.interval_seconds
                ))
                .retry_after(*retry_after_seconds),
            Self::UnsupportedMediaType => UNSUPPORTED_BODY
                .row("The body must be JSON in UTF-8. Send it with Content-Type: application/json"),
            Self::EncodedBody => UNSUPPORTED_BODY
                .row("The body must not be compressed. Send it as it is, without Content-Encoding")
                .with(header::ACCEPT_ENCODING, IDENTITY),
            Self::OtherOrigin => PAGE_REFUSED.row(
                "A web page of another origin may not change anything here. List its origin in \
                 cors_origins to let it",
            ),
            Self::UntrustedHost => PAGE_REFUSED.row(
                "This server is for its own machine, and is not known by the name in Host. Set \
                 base_url to the name that browsers use",
            ),
            Self::BadRetryKey => INVALID_REQUEST.row(format!(
                "Idempotency-Key does not validate: it has 1 to {LONGEST_KEY} printable ASCII \
                 characters, bare or in double quotes"
            )),
            Self::RetryKeyGivenTwice => INVALID_REQUEST.row("Idempotency-Key is given twice. Send one"),
            Self::Query(error) => INVALID_QUERY.row(query_message(*error)),
            Self::Draft { collection, error } => INVALID_BODY.row(draft_message(collection, error)),
            Self::Listing { collection, error } => INVALID_QUERY.row(listing_message(collection, error)),
            Self::Rule(error) => INVALID_QUERY.row(rule_message(error)),
            Self::Batch(error) => INVALID_BODY.row(batch_message(error)),
            Self::ItemForm(error) => INVALID_BODY.row(item_message(error)),
            Self::NotAnImport => {
                UNSUPPORTED_BODY.row("An import must be text/csv, application/x-ndjson or text/vcard")
            }
            Self::UnknownImportOption(name) => {
                INVALID_QUERY.row(format!("{} is not an option of an import", echo(name)))
            }
            Self::ImportOptionTwice(name) => INVALID_QUERY.row(format!("{name} is given twice")),
            Self::ImportOption { name, words } => INVALID_QUERY.row(format!("{name}: {}", echo(words))),
            Self::ImportFaults { first, count, number } => {
                let faults = if *count == 1 { "fault" } else { "faults" };
                INVALID_BODY.row(format!(
                    "{first} ({count} {faults} in all). Nothing was stored; all of them: /_/imports/{number}/"
                ))
            }
            Self::ImportUnderWay { collection, number } => {
                CONFLICT.row(format!("An import into {collection} is under way: /_/imports/{number}/"))
            }
            Self::Store(error) => store_row(error),
            Self::Refused(refusal) => refusal_row(*refusal),
            Self::Item { item, error } => {
                let Row { kind, message, mut headers } = error.row();
                // A batch has no query: what one would say stands in its body.
                let kind = if matches!(**error, Self::Rule(_)) { INVALID_BODY } else { kind };
                // The others would say something about the batch.
                headers.retain(|(name, _)| OF_AN_ITEM.contains(name));
                Row { kind, message: format!("item {item}: {message}").into(), headers }
            }
        }
    }
}

pub(in crate::api) fn draft_message(collection: &str, error: &DraftError) -> Cow<'static, str> {
    match error {
        DraftError::Empty => "The body is empty. Send a JSON object".into(),
        DraftError::ByteOrderMark => {
            "The body begins with a byte order mark. Send it as UTF-8 without one".into()
        }
        DraftError::NotUtf8(position) => format!("The body is not UTF-8 at byte {position}").into(),
        DraftError::NotJson(said) => format!("The body is not JSON: {said}").into(),
        DraftError::NotAnObject => "The body is not a JSON object".into(),
        DraftError::TooDeep => format!("The body nests deeper than {DEEPEST} levels").into(),
        DraftError::GivenTwice(name) => format!("{} is given twice", echo(name)).into(),
        DraftError::UnknownField(name) => format!("{} is not a field of {collection}", echo(name)).into(),
        DraftError::AssignedByService(name) => format!("{name} is assigned by the service").into(),
        DraftError::CannotBeChanged(name) => format!("{name} cannot be changed").into(),
        DraftError::Missing(name) => format!("{name} is missing. Cannot create the ressource").into(),
        DraftError::DoesNotValidate(name) => format!("{name} does not validate").into(),
        DraftError::Refused { field, why } => format!("{field} does not validate: {why}").into(),
        DraftError::NoEarlierItem { member, given, target } => format!(
            "{member} does not validate: {} is not an earlier item that creates a record of {target}",
            echo(given)
        )
        .into(),
        DraftError::NoValue { field, rule } => {
            format!("{field} has no value, and records are found by {rule}").into()
        }
        DraftError::NoKeyName => format!(
            "name does not validate: it has 1 to {LONGEST_NAME} characters, none of them a \
             control character, and is not . or .."
        )
        .into(),
        DraftError::NoScopes(error) => format!("scopes does not validate: {error}").into(),
        DraftError::NoMoment(error) => format!("expires does not validate: {error}").into(),
        DraftError::NoGrace => format!(
            "grace does not validate: it is a whole number with s, m, h, d or w, such as 7d, \
             and at most {LONGEST_GRACE} days"
        )
        .into(),
    }
}

fn store_row(error: &StoreError) -> Row {
    match error {
        StoreError::NoRecord => ApiError::NotFound.row(),
        StoreError::Item(_, error) => store_row(error),
        StoreError::NoneToMatch => {
            PRECONDITION_FAILED.row("There is no such record, and If-Match asks for one")
        }
        StoreError::DanglingReference(field) => UNKNOWN_REFERENCE.row(format!("{field} does not validate")),
        StoreError::Duplicate(fields) => NOT_UNIQUE.row(not_unique(fields)),
        StoreError::EtagMismatch => PRECONDITION_FAILED.row(
            "The record is not the one that If-Match names. Fetch it again and look before you \
             change it",
        ),
        StoreError::PreconditionFailed => {
            PRECONDITION_FAILED.row("The record is one that If-None-Match names. Nothing was changed")
        }
        StoreError::StillReferenced(by) => STILL_REFERENCED
            .row(format!("The record is still referenced by {by}. Delete or change those records first")),
        StoreError::UndeclaredRule(said) => UNDECLARED_RULE.row(format!(
            "The database refuses it by a rule that the configuration does not declare: {said}"
        )),
        // Whoever wrote says it with the parameter that is configured.
        StoreError::KeyRevoked => ApiError::Unauthorized { parameter: KEY_PARAMETER.to_owned() }.row(),
        StoreError::InFlight => REQUEST_IN_PROGRESS
            .row("A request with this Idempotency-Key is still under way. Try again in a moment")
            .retry_after(SOON),
        StoreError::AnswerNotKept => ANSWER_NOT_KEPT.row(
            "This request was done before. Its answer is not kept, and the record has changed \
             since. Fetch the record",
        ),
        StoreError::IdempotencyKeyReused => IDEMPOTENCY_KEY_REUSED
            .row("This Idempotency-Key was used for another request. Use a new one for each request"),
        StoreError::NoRoomForAnswers => UNAVAILABLE
            .row(
                "The answers stored for Idempotency-Key take all the space that they may. Nothing \
                 was changed; send the request without the header, try again later, or raise \
                 max_stored_answers",
            )
            .retry_after(LATER),
        StoreError::NoRoom => refusal_row(Refusal::NoRoom),
        StoreError::TooMuchShown(bytes) => ANSWER_TOO_LARGE.row(format!(
            "The records of the answer have more than {} MiB together. Nothing was changed; send fewer \
             items, or send them without Prefer: return=representation",
            bytes >> 20
        )),
        StoreError::Busy => UNAVAILABLE
            .row("Too many requests are waiting. Nothing was changed; try again in a moment")
            .retry_after(SOON),
        StoreError::Unavailable => UNAVAILABLE
            .row("The database cannot be reached right now. Nothing was changed; try again in a moment")
            .retry_after(SOON),
        StoreError::OrderBeingMade { collection, sort } => UNAVAILABLE
            .row(format!("The order of {collection} by {sort} is being made. Try again in a moment"))
            .retry_after(SOON),
        StoreError::NoRoomToSort { collection, sort, bytes } => UNAVAILABLE.row(format!(
            "There is no room to sort {collection} by {sort}: it takes about {} MiB more of [server] memory",
            bytes.div_ceil(1 << 20)
        )),
        StoreError::Full => STORAGE_FULL.row("There is no space left to store it. Nothing was changed"),
        StoreError::NoIdLeft => IDS_USED_UP.row("This collection has used up its ids. Nothing was changed"),
        StoreError::OutcomeUnknown => OUTCOME_UNKNOWN
            .row(
                "The storage failed, and whether the change was stored is unknown. Look before you \
                 try again",
            )
            .retry_after(SOON),
        StoreError::NotReady(cause) => {
            UNAVAILABLE.row(format!("The server is not ready: {cause}")).retry_after(SOON)
        }
        StoreError::Broken(_) => refusal_row(Refusal::Panicked),
    }
}

fn refusal_row(refusal: Refusal) -> Row {
    match refusal {
        Refusal::UrlTooLong { limit } => URL_TOO_LONG.row(format!("The URL is longer than {limit} bytes")),
        Refusal::HeadTooLarge { limit } => HEAD_TOO_LARGE
            .row(format!("The request line and the header fields are longer than {limit} bytes together")),
        Refusal::TooManyFields { limit } => {
            HEAD_TOO_LARGE.row(format!("The request has more than {limit} header fields"))
        }
        Refusal::BadTarget { byte: b' ' } => {
            INVALID_REQUEST.row("The URL has a space, which must be percent-encoded: write %20")
        }
        Refusal::BadTarget { byte } if byte.is_ascii_graphic() => {
            let character = char::from(byte);
            INVALID_REQUEST
                .row(format!("The URL has a {character} which must be percent-encoded: write %{byte:02X}"))
        }
        Refusal::BadTarget { byte } => INVALID_REQUEST.row(format!(
            "The URL has the byte %{byte:02X} as it is. Write the URL in UTF-8, and \
             percent-encode it"
        )),
        Refusal::BadHost => INVALID_REQUEST.row("The request needs one Host header that names a host"),
        Refusal::BodyTooLarge { limit } => {
            BODY_TOO_LARGE.row(format!("The body is larger than the limit of {limit} bytes"))
        }
        Refusal::BodyTooSlow => TIMEOUT.row("The body did not arrive in time"),
        Refusal::HeadTooSlow => TIMEOUT.row("The request did not arrive in time"),
        Refusal::TwoLengths => {
            INVALID_REQUEST.row("The request has both Content-Length and Transfer-Encoding. Send one of them")
        }
        Refusal::UnknownCoding => {
            INVALID_REQUEST.row("Transfer-Encoding is something else than chunked. Send the body as it is")
        }
        Refusal::NotEncrypted => INVALID_REQUEST.row("This port speaks TLS. Ask with https://"),
        Refusal::BodyBroken => INVALID_REQUEST.row("The body ended before it was complete"),
        Refusal::TooManyConnections => {
            UNAVAILABLE.row("Too many connections are open. Try again in a moment").retry_after(SOON)
        }
        Refusal::Overloaded => UNAVAILABLE
            .row("Too many requests are being answered. Nothing was changed; try again in a moment")
            .retry_after(SOON),
        Refusal::NoRoom => UNAVAILABLE
            .row("Too many answers wait to be taken. Nothing was changed; try again in a moment")
            .retry_after(SOON),
        Refusal::Panicked => INTERNAL_ERROR.row("The server failed to answer. The failure has been logged"),
    }
}

/// A client's own text, cut where it would become the larger part of the answer.
pub(super) fn echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_ECHO) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}
