//! Which engine this run of the suite is about, and a place in it for the store of one test.

use std::path::Path;
use std::sync::OnceLock;

use dev::file::File;
use dev::schema::Schema;
use dev::store::Store;

/// An engine that the whole suite can run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// Names the engine; SQLite where it is not set.
const ENGINE: &str = "CARNET_TEST_ENGINE";
/// A PostgreSQL server in which the tests may make schemas.
const SERVER: &str = "TEST_DATABASE_URL";
/// How many random sequences are tried, for a campaign that goes on for hours; and the first seed, to replay one.
const SEQUENCES: &str = "CARNET_SEQUENCES";
const FIRST_SEED: &str = "CARNET_SEED";

impl Engine {
    /// The engine that this run of the suite is about.
    pub(crate) fn chosen() -> Engine {
        match variable(ENGINE).as_deref() {
            None | Some("sqlite") => Engine::Sqlite,
            Some("postgres") => Engine::Postgres,
            Some(other) => panic!("{ENGINE} is sqlite or postgres, not {other:?}"),
        }
    }
}

/// The URL of the PostgreSQL server that the tests may use.
fn server() -> String {
    variable(SERVER).unwrap_or_else(|| {
        panic!(
            "{SERVER} is not set. `./test postgres` starts a server and runs the tests on it; to do so by hand: \
             export {SERVER}=$(tests/postgres-cluster start FOLDER) {ENGINE}=postgres"
        )
    })
}

/// The seeds of random sequences: these, or those that whoever started the tests asks for.
pub(crate) fn sequences(first: u64, number: u64) -> std::ops::Range<u64> {
    let said = |name: &str| {
        let number = variable(name)?.parse();
        Some(number.unwrap_or_else(|_| panic!("{name} is a number")))
    };
    match said(FIRST_SEED) {
        Some(first) => first..first + said(SEQUENCES).unwrap_or(1),
        None => first..first + said(SEQUENCES).unwrap_or(number),
    }
}

#[expect(clippy::disallowed_methods, reason = "whoever starts the tests says what they are about")]
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Where the store of one test is.
pub(crate) enum Place {
    File(File),
    /// Made when it is first asked for: some tests never need it.
    Schema(OnceLock<Schema>),
}

impl Place {
    /// A place of its own for a test that lives in this folder.
    pub(crate) fn new(engine: Engine, folder: &Path) -> Place {
        match engine {
            Engine::Sqlite => Place::File(File::new(folder.join("book.db"))),
            Engine::Postgres => Place::Schema(OnceLock::new()),
        }
    }

    /// On a server that one test has for itself.
    pub(crate) fn at(url: &str) -> Place {
        Place::Schema(OnceLock::from(Schema::public(url)))
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            Place::File(_) => Engine::Sqlite,
            Place::Schema(_) => Engine::Postgres,
        }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        match self {
            Place::File(file) => file,
            Place::Schema(schema) => schema.get_or_init(|| Schema::create(&server())),
        }
    }
}
