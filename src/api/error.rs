//! Every way to say no: the errors. `error/messages.rs` says what each is answered with.

pub(super) mod status;
mod batch;
mod messages;
mod query;

use crate::catalog::collection::{Collection, RateLimit};
use crate::http::query::QueryError;
use crate::http::{HeaderValue, Refusal};
use crate::record::draft::DraftError;
use crate::record::draft::batch::{BatchError, ItemError};
use crate::record::listing::ListingError;
use crate::record::scope::Right;
use crate::record::upsert::RuleError;
use crate::store::StoreError;
use crate::store::keys::KeyAdminError;
pub(super) use messages::{Row, draft_message};
pub use query::listing_message;
pub(super) use query::names_message;

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
    /// An upsert that does not say by which unique rule records are found.
    Rule(RuleError),
    /// A batch that has no items.
    Batch(BatchError),
    /// An item of a batch that is none.
    ItemForm(ItemError),
    /// The body of an import that is none of the formats.
    NotAnImport,
    /// A parameter of an import that there is not.
    UnknownImportOption(String),
    ImportOptionTwice(&'static str),
    /// A parameter of an import that means nothing.
    ImportOption {
        name: &'static str,
        words: String,
    },
    /// What is wrong with a file, of which nothing was stored.
    ImportFaults {
        first: String,
        count: u64,
        number: i64,
    },
    /// There is an import into the collection already.
    ImportUnderWay {
        collection: String,
        number: i64,
    },
    Store(StoreError),
    Refused(Refusal),
    /// The first item of a batch that is refused, and with it all of them.
    Item {
        item: usize,
        error: Box<ApiError>,
    },
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoRecord => Self::NotFound,
            StoreError::Item(item, error) => Self::from(*error).of_item(item),
            error => Self::Store(error),
        }
    }
}

impl From<RuleError> for ApiError {
    fn from(error: RuleError) -> Self {
        Self::Rule(error)
    }
}

impl From<BatchError> for ApiError {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Body(error) => Self::Draft { collection: "batch".into(), error },
            BatchError::Item(item, error) => Self::ItemForm(error).of_item(item),
            error => Self::Batch(error),
        }
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

    pub(super) fn listing(collection: &Collection, error: ListingError) -> Self {
        Self::Listing { collection: collection.name().to_owned(), error }
    }

    /// The same, of an item of a batch.
    pub(super) fn of_item(self, item: usize) -> Self {
        Self::Item { item, error: Box::new(self) }
    }

    /// The cause to log, where the fault is the server's and not the caller's.
    pub(super) fn internal_cause(&self) -> Option<&str> {
        match self {
            Self::Store(StoreError::Broken(cause)) => Some(cause),
            Self::Item { error, .. } => error.internal_cause(),
            _ => None,
        }
    }
}
