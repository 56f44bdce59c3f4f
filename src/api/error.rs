//! Every way to say no: its status and its words. To change a message, change its line here.

use std::borrow::Cow;

use super::idempotency::LONGEST_KEY;
use crate::catalog::collection::{Collection, RateLimit};
use crate::http::query::QueryError;
use crate::http::{HeaderMap, HeaderValue, Refusal, Response, StatusCode, header, response};
use crate::record::access_key::{LONGEST_GRACE, LONGEST_NAME};
use crate::record::draft::{DEEPEST, DraftError};
use crate::record::listing::ListingError;
use crate::record::representation;
use crate::record::scope::Right;
use crate::store::StoreError;
use crate::store::keys::KeyAdminError;

/// How much of a client's own text an error repeats.
const LONGEST_ECHO: usize = 200;
/// When to come back after a refusal that passes by itself.
const SOON: HeaderValue = HeaderValue::from_static("1");
/// When to come back where answers must grow old first.
const LATER: HeaderValue = HeaderValue::from_static("60");

#[derive(Debug)]
pub(super) enum ApiError {
    /// An unknown path, or an unknown record.
    NotFound,
    MethodNotAllowed(HeaderValue),
    Unauthorized {
        parameter: String,
    },
    KeyGivenTwice,
    /// A known access key that may not manage keys.
    Forbidden,
    /// A known access key without the right to do this with a collection.
    MissingScope {
        collection: String,
        right: Right,
    },
    /// More unknown access keys from one address than are listened to.
    TooManyUnknownKeys {
        retry_after_seconds: u64,
    },
    /// An access key that is over, and cannot be rotated.
    KeyExpired(String),
    /// The name of an access key that there is already.
    KeyNameInUse(String),
    RateLimited {
        limit: RateLimit,
        retry_after_seconds: u64,
    },
    UnsupportedMediaType,
    /// A body in some content coding.
    EncodedBody,
    /// A browser's write from a page that may not.
    OtherOrigin,
    /// A browser's request to this machine by a name that is not ours.
    UntrustedHost,
    /// An `Idempotency-Key` that is none.
    BadRetryKey,
    RetryKeyGivenTwice,
    Query(QueryError),
    Draft {
        collection: String,
        error: DraftError,
    },
    Listing {
        collection: String,
        error: ListingError,
    },
    Store(StoreError),
    Refused(Refusal),
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<KeyAdminError> for ApiError {
    fn from(error: KeyAdminError) -> Self {
        match error {
            KeyAdminError::Unknown(_) => Self::NotFound,
            KeyAdminError::NameInUse(name) => Self::KeyNameInUse(name),
            KeyAdminError::Expired(name) => Self::KeyExpired(name),
            // All of ours are new and random.
            KeyAdminError::KeyInUse(_) => Self::Store(StoreError::Broken(error.to_string())),
            KeyAdminError::Failed(error) => Self::Store(error),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl ApiError {
    pub(super) fn draft(collection: &Collection, error: DraftError) -> Self {
        Self::Draft { collection: collection.name().to_owned(), error }
    }

    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unauthorized { .. } => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::MissingScope { .. } | Self::OtherOrigin | Self::UntrustedHost => {
                StatusCode::FORBIDDEN
            }
            Self::KeyNameInUse(_) | Self::KeyExpired(_) => StatusCode::CONFLICT,
            Self::RateLimited { .. } | Self::TooManyUnknownKeys { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::UnsupportedMediaType | Self::EncodedBody => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::KeyGivenTwice
            | Self::BadRetryKey
            | Self::RetryKeyGivenTwice
            | Self::Query(_)
            | Self::Draft { .. }
            | Self::Listing { .. } => StatusCode::BAD_REQUEST,
            Self::Store(error) => match error {
                StoreError::DanglingReference(_) | StoreError::Duplicate(_) => StatusCode::BAD_REQUEST,
                StoreError::EtagMismatch | StoreError::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
                StoreError::StillReferenced(_)
                | StoreError::UndeclaredRule(_)
                | StoreError::InFlight
                | StoreError::AnswerNotKept => StatusCode::CONFLICT,
                StoreError::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
                StoreError::Busy
                | StoreError::NoRoom
                | StoreError::NoRoomForAnswers
                | StoreError::Unavailable
                | StoreError::OutcomeUnknown
                | StoreError::NotReady(_) => StatusCode::SERVICE_UNAVAILABLE,
                StoreError::Full | StoreError::NoIdLeft => StatusCode::INSUFFICIENT_STORAGE,
                StoreError::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
            },
            Self::Refused(refusal) => match refusal {
                Refusal::UrlTooLong { .. } => StatusCode::URI_TOO_LONG,
                Refusal::BadHost
                | Refusal::BodyBroken
                | Refusal::TwoLengths
                | Refusal::UnknownCoding
                | Refusal::BadTarget { .. }
                | Refusal::NotEncrypted => StatusCode::BAD_REQUEST,
                Refusal::HeadTooLarge { .. } | Refusal::TooManyFields { .. } => {
                    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
                }
                Refusal::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                Refusal::BodyTooSlow | Refusal::HeadTooSlow => StatusCode::REQUEST_TIMEOUT,
                Refusal::TooManyConnections | Refusal::Overloaded | Refusal::NoRoom => {
                    StatusCode::SERVICE_UNAVAILABLE
                }
                Refusal::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            },
        }
    }

    pub(super) fn words(&self) -> Cow<'static, str> {
        match self {
            Self::NotFound => "<p>The requested URL was not found on this server.</p>".into(),
            Self::MethodNotAllowed(allow) => {
                let allow = allow.to_str().unwrap_or_default();
                format!("The method is not allowed for the requested URL. Allowed: {allow}").into()
            }
            Self::Unauthorized { parameter } => format!(
                "A known access key is needed. Send it as the query parameter {parameter}, \
                 or in a header: Authorization: Bearer <key>, or X-API-Key: <key>"
            )
            .into(),
            Self::KeyGivenTwice => "The access key is given twice. Send one, in one place".into(),
            Self::Forbidden => {
                "This access key may not manage access keys. Make one that may: carnet keys create --admin".into()
            }
            Self::MissingScope { collection, right } => {
                let right = right.name();
                format!("This access key may not {right} {collection}: it needs the scope {collection}:{right}").into()
            }
            Self::TooManyUnknownKeys { retry_after_seconds } => format!(
                "Too many unknown access keys came from this address. Try again in {retry_after_seconds} seconds"
            )
            .into(),
            Self::KeyExpired(name) => {
                format!("The access key named {name} has expired. Make a new one").into()
            }
            Self::KeyNameInUse(name) => {
                format!("There is already an access key named {name}. Choose another name, or revoke that one first").into()
            }
            Self::RateLimited { limit, retry_after_seconds } => format!(
                "The rate limit of {} requests in {} seconds is used up. Try again in {retry_after_seconds} seconds",
                limit.quota, limit.interval_seconds
            )
            .into(),
            Self::UnsupportedMediaType => {
                "The body must be JSON in UTF-8. Send it with Content-Type: application/json".into()
            }
            Self::EncodedBody => {
                "The body must not be compressed. Send it as it is, without Content-Encoding".into()
            }
            Self::OtherOrigin => {
                "A web page of another origin may not change anything here. List its origin in cors_origins to let it".into()
            }
            Self::UntrustedHost => {
                "This server is for its own machine, and is not known by the name in Host. Set base_url to the name that browsers use".into()
            }
            Self::BadRetryKey => format!(
                "Idempotency-Key does not validate: it has 1 to {LONGEST_KEY} printable ASCII characters, bare or in double quotes"
            )
            .into(),
            Self::RetryKeyGivenTwice => "Idempotency-Key is given twice. Send one".into(),
            Self::Query(error) => match error {
                QueryError::BadPercent => {
                    "The query has a % that is not followed by two hexadecimal digits. Write %25 for a percent sign".into()
                }
                QueryError::NotUtf8 => "The query is not UTF-8".into(),
                QueryError::TooManyPairs => {
                    format!("The query has more than {} parameters", crate::http::query::MAX_PAIRS).into()
                }
            },
            Self::Draft { collection, error } => draft_words(collection, error),
            Self::Listing { collection, error } => match error {
                ListingError::UnknownParameter(name) => {
                    format!("{} is not a field of {collection}", echo(name)).into()
                }
                ListingError::GivenTwice(name) => format!("{name} is given twice").into(),
                ListingError::DoesNotValidate(name) => format!("{name} does not validate").into(),
                ListingError::CountOutOfRange { name, limit } => {
                    format!("{name} does not validate: it is a number from 1 to {limit}").into()
                }
            },
            Self::Store(error) => store_words(error),
            Self::Refused(refusal) => match refusal {
                Refusal::UrlTooLong { limit } => format!("The URL is longer than {limit} bytes").into(),
                Refusal::HeadTooLarge { limit } => {
                    format!("The request line and the header fields are longer than {limit} bytes together").into()
                }
                Refusal::TooManyFields { limit } => {
                    format!("The request has more than {limit} header fields").into()
                }
                Refusal::BadTarget { byte: b' ' } => {
                    "The URL has a space, which must be percent-encoded: write %20".into()
                }
                Refusal::BadTarget { byte } if byte.is_ascii_graphic() => {
                    let character = char::from(*byte);
                    format!("The URL has a {character} which must be percent-encoded: write %{byte:02X}").into()
                }
                Refusal::BadTarget { byte } => format!(
                    "The URL has the byte %{byte:02X} as it is. Write the URL in UTF-8, and percent-encode it"
                )
                .into(),
                Refusal::BadHost => "The request needs one Host header that names a host".into(),
                Refusal::BodyTooLarge { limit } => {
                    format!("The body is larger than the limit of {limit} bytes").into()
                }
                Refusal::BodyTooSlow => "The body did not arrive in time".into(),
                Refusal::HeadTooSlow => "The request did not arrive in time".into(),
                Refusal::TwoLengths => {
                    "The request has both Content-Length and Transfer-Encoding. Send one of them".into()
                }
                Refusal::UnknownCoding => {
                    "Transfer-Encoding is something else than chunked. Send the body as it is".into()
                }
                Refusal::NotEncrypted => "This port speaks TLS. Ask with https://".into(),
                Refusal::BodyBroken => "The body ended before it was complete".into(),
                Refusal::TooManyConnections => "Too many connections are open. Try again in a moment".into(),
                Refusal::Overloaded => {
                    "Too many requests are being answered. Nothing was changed; try again in a moment".into()
                }
                Refusal::NoRoom => {
                    "Too many answers wait to be taken. Nothing was changed; try again in a moment".into()
                }
                Refusal::Panicked => "The server failed to answer. The failure has been logged".into(),
            },
        }
    }

    /// The cause to log, where the fault is the server's and not the caller's.
    pub(super) fn internal_cause(&self) -> Option<&str> {
        match self {
            Self::Store(StoreError::Broken(cause)) => Some(cause),
            _ => None,
        }
    }

    pub(super) fn into_response(self) -> Response {
        let mut body = br#"{"error":"#.to_vec();
        representation::write_text(&mut body, &self.words());
        body.push(b'}');
        let response = response::json(self.status(), body);
        self.with_headers(response)
    }

    /// The answer with the header fields that this error has, whatever form its words have.
    pub(super) fn with_headers(self, mut response: Response) -> Response {
        self.write_headers(response.headers_mut());
        response
    }

    fn write_headers(self, headers: &mut HeaderMap) {
        match self {
            Self::NotFound => {
                headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Self::MethodNotAllowed(allow) => {
                headers.insert(header::ALLOW, allow);
            }
            Self::Unauthorized { .. } => {
                // One and the same answer, wherever the key was that is not known.
                headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"carnet\""));
            }
            Self::TooManyUnknownKeys { retry_after_seconds } => {
                // Like the 401 in whose place it stands.
                headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
                headers.insert(header::RETRY_AFTER, retry_after_seconds.into());
            }
            Self::EncodedBody => {
                headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
            Self::RateLimited { retry_after_seconds, .. } => {
                headers.insert(header::RETRY_AFTER, retry_after_seconds.into());
            }
            Self::Store(
                StoreError::Busy
                | StoreError::NoRoom
                | StoreError::Unavailable
                | StoreError::OutcomeUnknown
                | StoreError::NotReady(_)
                | StoreError::InFlight,
            )
            | Self::Refused(Refusal::TooManyConnections | Refusal::Overloaded | Refusal::NoRoom) => {
                headers.insert(header::RETRY_AFTER, SOON);
            }
            Self::Store(StoreError::NoRoomForAnswers) => {
                headers.insert(header::RETRY_AFTER, LATER);
            }
            _ => {}
        }
    }
}

pub(super) fn draft_words(collection: &str, error: &DraftError) -> Cow<'static, str> {
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
        DraftError::NoKeyName => format!(
            "name does not validate: it has 1 to {LONGEST_NAME} characters, none of them a control character, \
             and is not . or .."
        )
        .into(),
        DraftError::NoScopes(error) => format!("scopes does not validate: {error}").into(),
        DraftError::NoMoment(error) => format!("expires does not validate: {error}").into(),
        DraftError::NoGrace => format!(
            "grace does not validate: it is a whole number with s, m, h, d or w, such as 7d, and at most {LONGEST_GRACE} days"
        )
        .into(),
    }
}

fn store_words(error: &StoreError) -> Cow<'static, str> {
    match error {
        StoreError::DanglingReference(field) => format!("{field} does not validate").into(),
        StoreError::Duplicate(fields) => match fields.as_slice() {
            [field] => format!("{field} must be unique").into(),
            fields => format!("{} must be unique together", fields.join(",")).into(),
        },
        StoreError::EtagMismatch => {
            "The record is not the one that If-Match names. Fetch it again and look before you change it"
                .into()
        }
        StoreError::PreconditionFailed => "The record is one that If-None-Match names. Nothing was changed".into(),
        StoreError::StillReferenced(by) => {
            format!("The record is still referenced by {by}. Delete or change those records first").into()
        }
        StoreError::UndeclaredRule(said) => {
            format!("The database refuses it by a rule that the configuration does not declare: {said}")
                .into()
        }
        StoreError::InFlight => {
            "A request with this Idempotency-Key is still under way. Try again in a moment".into()
        }
        StoreError::AnswerNotKept => {
            "This request was done before. Its answer is not kept, and the record has changed since. Fetch the record".into()
        }
        StoreError::IdempotencyKeyReused => {
            "This Idempotency-Key was used for another request. Use a new one for each request".into()
        }
        StoreError::NoRoomForAnswers => {
            "The answers stored for Idempotency-Key take all the space that they may. Nothing was changed; send the \
             request without the header, try again later, or raise max_stored_answers"
                .into()
        }
        StoreError::NoRoom => ApiError::Refused(Refusal::NoRoom).words(),
        StoreError::Busy => {
            "Too many requests are waiting. Nothing was changed; try again in a moment".into()
        }
        StoreError::Unavailable => {
            "The database cannot be reached right now. Nothing was changed; try again in a moment".into()
        }
        StoreError::Full => "There is no space left to store it. Nothing was changed".into(),
        StoreError::NoIdLeft => "This collection has used up its ids. Nothing was changed".into(),
        StoreError::OutcomeUnknown => {
            "The storage failed, and whether the change was stored is unknown. Look before you try again"
                .into()
        }
        StoreError::NotReady(cause) => format!("The server is not ready: {cause}").into(),
        StoreError::Broken(_) => "The server failed to answer. The failure has been logged".into(),
    }
}

/// A client's own text, cut where it would become the larger part of the answer.
fn echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_ECHO) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}
