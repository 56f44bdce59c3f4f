//! Whole requests through the real server, over a socket, into a real store in memory.
//!
//! The first byte chooses. Even: the rest is a request line, headers and a body in plain lines, which is sent in
//! good form on a kept connection, with or without an access key. Odd: the rest is sent as it is.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use carnet::api::{self, App};
use carnet::http;
use carnet::observe::{LogSettings, Observer};
use carnet::record::RecordId;
use carnet::record::access_key::{AccessKey, KeyName};
use carnet::record::draft::Draft;
use carnet::record::listing::Listing;
use carnet::record::scope::Scopes;
use carnet::store::audit::Actor;
use carnet::store::keys::{KeyChange, NewKey};
use carnet::store::url::StorageUrl;
use carnet::store::write::{Origin, Work, Write, WriteRequest, Written};
use carnet::store::{OpenSettings, Records, Store};
use dev::answer::Answer;
use dev::client::Client;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::{catalog, is_planted};

/// After so many inputs a new server and a new store: what one input leaves behind does not add up.
const INPUTS: usize = 10_000;
/// What every key begins with; no answer holds it.
const CANARY: &str = "canary-in-the-coal-mine";
const STATUSES: [u16; 20] =
    [200, 201, 204, 303, 304, 400, 401, 403, 404, 405, 406, 409, 411, 412, 413, 414, 415, 422, 429, 431];

pub(crate) fn run(input: &[u8]) {
    answer(input);
}

/// The answer to a request in good form, once it is judged.
pub(crate) fn answer(input: &[u8]) -> Option<Answer> {
    thread_local! {
        static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
    }
    let (choice, input) = input.split_first()?;
    SERVER.with_borrow_mut(|place| {
        if place.as_ref().is_some_and(|server| server.inputs >= INPUTS) {
            place.take();
        }
        let server = place.get_or_insert_with(Server::start);
        server.inputs += 1;
        if choice.is_multiple_of(2) {
            return server.ask(*choice, input);
        }
        server.say(input);
        None
    })
}

struct Server {
    runtime: Option<Runtime>,
    store: Store,
    client: Client,
    stop: Option<oneshot::Sender<()>>,
    inputs: usize,
    /// The store as the last input left it.
    state: Vec<Vec<u8>>,
    _folder: TempDir,
}

impl Server {
    fn start() -> Self {
        let shared_memory = Path::new("/dev/shm");
        let folder = if shared_memory.is_dir() { TempDir::new_in(shared_memory) } else { TempDir::new() };
        let folder = folder.expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let config = catalog::config();
        let catalog = config.catalog;
        let observer = Observer::writing_to(LogSettings::default(), false, Box::new(std::io::sink()));
        let observer = Arc::new(observer.expect("a thread for the log"));
        let url = StorageUrl::Sqlite(folder.path().join("book.db"));
        let open = OpenSettings {
            any_filesystem: true,
            memory: 8 << 20,
            stored_answers: 8 << 20,
            keeps_orders: true,
        };
        let store = runtime.block_on(Store::open(&url, catalog.clone(), open, observer.clone()));
        let store = store.unwrap_or_else(|error| panic!("{error}"));
        // Strangers come in any number here.
        let settings = api::Settings { unknown_keys_per_minute: 0, ..config.api };
        let app = Arc::new(App::new(catalog, store.clone(), observer.clone(), settings));
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(http::serve(listener, None, app, config.http, observer, async {
            let _ = stopped.await;
        }));
        let mut server = Self {
            runtime: Some(runtime),
            store,
            client: Client::new(address),
            stop: Some(stop),
            inputs: 0,
            state: Vec::new(),
            _folder: folder,
        };
        server.fill();
        server.state = server.look();
        server
    }

    /// Some records and two keys.
    fn fill(&self) {
        let records = [
            (0, r#"{"city":"Gent","number":-9223372036854775808}"#),
            (0, r#"{"city":"\u00e9\ud83d\ude00"}"#),
            (1, r#"{"name":"a","size":1,"weight":1.5,"fragile":true,"address":1}"#),
            (1, r#"{"name":"","size":0,"weight":-1e300,"fragile":false,"code":7,"note":"x","spare":2}"#),
            (2, r#"{"first_name":"Ada","address":1}"#),
        ];
        for (collection, body) in records {
            let collection = catalog::catalog().at(collection);
            let draft = Draft::parse(collection, body.as_bytes()).expect("a good body");
            self.write(Write::Insert { collection: collection.position(), draft, id: None });
        }
        for (name, is_admin) in [("reader", false), ("admin", true)] {
            let access_key = AccessKey::parse(&format!("{CANARY}-{name}")).expect("a good key");
            let name = KeyName::parse(name).ok();
            let key = NewKey { name, access_key, is_admin, scopes: Scopes::everything(), expires: None };
            let create = KeyChange::Create(key);
            self.wait(self.store.change_key(create, Actor::command_line())).expect("a new key");
        }
    }

    fn write(&self, write: Write) -> Written {
        let request = WriteRequest { work: Work::One(write), token: None, origin: Origin::default() };
        self.wait(self.store.write(request)).outcome.expect("it is not refused")
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("it runs until it is dropped").block_on(work)
    }

    /// The first page of every collection, with its total.
    fn look(&self) -> Vec<Vec<u8>> {
        let collections = catalog::catalog().collections().iter();
        let page = |collection| {
            let all = Listing::parse(collection, [].iter()).expect("no query is a query");
            let page = self.wait(self.store.list(collection, &all, &mut |_| true));
            let page = page.unwrap_or_else(|error| panic!("{error}"));
            let mut seen = match page.records {
                Records::Joined(records) => records,
                Records::Pieces(pieces) => pieces.into_iter().flat_map(|piece| piece.bytes).collect(),
            };
            seen.extend_from_slice(page.total.to_string().as_bytes());
            seen
        };
        collections.map(page).collect()
    }

    /// Sends a request in good form and judges its answer.
    fn ask(&mut self, choice: u8, input: &[u8]) -> Option<Answer> {
        let request = Asked::parse(choice, input)?;
        let mut answer = self.client.exchange(&request.bytes, &request.method).expect("an answer");
        if is_planted() && request.method == "PATCH" && answer.status == 412 {
            // The planted bug: a precondition of a PATCH that fails is a failure of ours.
            answer.status = 500;
        }
        judge(&answer, request.method == "HEAD");
        assert!(!answer.contains(CANARY.as_bytes()) || contains(input, CANARY.as_bytes()), "{answer:?}");
        let is_write = !matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
        if is_write && answer.status == 200 && request.target.starts_with("/_/keys/") {
            // One is gone, or has another secret; the others need theirs.
            self.inputs = INPUTS;
        }
        // What was answered before is not done again.
        let is_repeated = answer.header("idempotency-replayed").is_some();
        let state = self.look();
        if answer.status >= 300 || !is_write || is_repeated {
            assert!(state == self.state, "{} {} changed something", request.method, answer.status);
        }
        if answer.status == 201 && !is_repeated {
            self.undo(&answer);
            assert!(self.look() == self.state, "created and deleted, and not as before");
        } else {
            self.state = state;
        }
        Some(answer)
    }

    /// Looks at what was created, and takes it away again.
    fn undo(&self, answer: &Answer) {
        let location = answer.header("location").expect("what was created is somewhere");
        let path = location
            .strip_prefix("http")
            .and_then(|rest| rest.split_once("://"))
            .and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        let parts: Vec<&str> = path.unwrap_or_else(|| panic!("{location}")).split('/').collect();
        if let ["", "_", "keys", name, ""] = parts.as_slice() {
            let revoke = KeyChange::Revoke(http::path::decode(name).expect("a name").into_owned());
            self.wait(self.store.change_key(revoke, Actor::command_line())).expect("the key was there");
            return;
        }
        let ["", collection, id, ""] = parts.as_slice() else { panic!("{location}") };
        let collection = catalog::catalog().find(collection).expect("a collection");
        let id = RecordId::parse(id).expect("an id");
        let record = self.wait(self.store.fetch(collection, id)).ok().flatten().expect("it is there");
        if !answer.body.is_empty() && answer.header("content-encoding").is_none() {
            assert_eq!(answer.body, record, "what was answered is what is stored");
        }
        let delete = Write::Delete { collection: collection.position(), id, seen: None };
        assert!(matches!(self.write(delete), Written::Deleted));
    }

    /// Sends bytes as they are and judges whatever comes back.
    fn say(&mut self, input: &[u8]) {
        let (answers, is_whole) = self.client.say(input);
        let mut rest = answers.as_slice();
        while !rest.is_empty() {
            // Which of them answers a HEAD is not known here; the first would tell.
            if contains(input, b"HEAD") {
                assert!(rest.starts_with(b"HTTP/1."));
                break;
            }
            let found = Answer::find(rest, false).unwrap_or_else(|strange| panic!("{strange}"));
            let Some((answer, length)) = found else {
                assert!(!is_whole, "half an answer: {rest:?}");
                break;
            };
            if answer.status != 100 {
                judge(&answer, false);
            }
            rest = &rest[length..];
        }
        self.state = self.look();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        self.store.close();
    }
}

/// A request in good form.
struct Asked {
    method: String,
    target: String,
    bytes: Vec<u8>,
}

impl Asked {
    fn parse(choice: u8, input: &[u8]) -> Option<Self> {
        let mut lines = input.splitn(2, |byte| *byte == b'\n');
        let (first, mut rest) = (lines.next()?, lines.next().unwrap_or_default());
        let (method, target) = std::str::from_utf8(first).ok()?.split_once(' ')?;
        let is_token = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_target = target.starts_with('/') && target.bytes().all(|byte| (0x21..0x7f).contains(&byte));
        // What a CONNECT is answered has rules of its own.
        if !is_token || !is_target || method == "CONNECT" {
            return None;
        }
        let (parameter, header) = match choice / 2 % 6 {
            0 => (String::new(), String::new()),
            1 => (format!("accesskey={CANARY}-reader"), String::new()),
            2 => (String::new(), format!("Authorization: Bearer {CANARY}-reader\r\n")),
            3 => (String::new(), format!("X-API-Key: {CANARY}-admin\r\n")),
            4 => (format!("apikey={CANARY}-stranger"), String::new()),
            _ => (String::new(), format!("Authorization: Bearer {CANARY}-admin\r\n")),
        };
        let joint = match (parameter.is_empty(), target.contains('?')) {
            (true, _) => "",
            (false, true) => "&",
            (false, false) => "?",
        };
        let mut bytes = format!("{method} {target}{joint}{parameter} HTTP/1.1\r\n{header}").into_bytes();
        let mut has_host = false;
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let line = rest[..end].trim_ascii();
            rest = rest.get(end + 1..).unwrap_or_default();
            if line.is_empty() {
                break;
            }
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default().to_ascii_lowercase();
            // The shape of the message is ours here; the other choice is for those.
            let is_ours =
                [&b"content-length"[..], b"transfer-encoding", b"connection", b"upgrade", b"expect"];
            let is_sound = line.contains(&b':') && !line.contains(&b'\r') && !line.contains(&0);
            if is_sound && !is_ours.contains(&name.as_slice()) {
                has_host |= name == b"host";
                bytes.extend_from_slice(line);
                bytes.extend_from_slice(b"\r\n");
            }
        }
        if !has_host {
            bytes.extend_from_slice(b"Host: book.example\r\n");
        }
        bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", rest.len()).as_bytes());
        bytes.extend_from_slice(rest);
        Some(Self { method: method.to_owned(), target: target.to_owned(), bytes })
    }
}

/// What holds for every answer.
fn judge(answer: &Answer, is_head: bool) {
    assert!(STATUSES.contains(&answer.status), "{answer:?}");
    if answer.is_bare() {
        return;
    }
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
    assert!(answer.header("x-request-id").is_some(), "{answer:?}");
    let is_problem = answer.header("content-type") == Some("application/problem+json");
    let is_json = is_problem || answer.header("content-type") == Some("application/json");
    assert!(!is_problem || answer.status >= 400, "{answer:?}");
    if answer.header("content-encoding").is_some() {
        assert!(is_json || answer.status < 400, "{answer:?}");
        return;
    }
    if answer.status >= 400 {
        assert!(is_json, "{answer:?}");
        if !is_head {
            let error: serde_json::Map<String, serde_json::Value> =
                serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
            let words =
                error.get(if is_problem { "title" } else { "error" }).and_then(|words| words.as_str());
            assert!(words.is_some_and(|words| !words.is_empty()), "{answer:?}");
            assert!(is_problem || error.len() == 1, "{answer:?}");
            let status = error.get("status").and_then(|status| status.as_u64());
            assert!(!is_problem || status == Some(answer.status.into()), "{answer:?}");
        }
    } else if is_json && !answer.body.is_empty() {
        let tree: Result<serde_json::Value, _> = serde_json::from_slice(&answer.body);
        assert!(tree.is_ok(), "{answer:?}");
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}
