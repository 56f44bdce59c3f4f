//! The address of a store: `sqlite:` and `postgres://`, as libpq understands it.

use carnet::store::url::StorageUrl;

use crate::is_planted;
use crate::targets::split_line;

const CANARY: &str = "canary-in-the-coal-mine";

/// Where an address leads, as the driver has it, but for the password, which is never shown.
fn meant(url: &StorageUrl) -> String {
    match url {
        StorageUrl::Sqlite(path) => format!("{path:?}"),
        StorageUrl::Postgres(url) => {
            format!("{:?} {:?}", url.hosts(), url.tls()).replace("password: Some(_)", "password: None")
        }
    }
}

pub(crate) fn run(input: &[u8]) {
    let (one, other) = split_line(input);
    let (Ok(one), Ok(other)) = (std::str::from_utf8(one), std::str::from_utf8(other)) else { return };
    for text in [one.to_owned(), format!("postgres://{one}"), format!("sqlite:{one}")] {
        if let Ok(url) = StorageUrl::parse(&text) {
            let shown = url.to_string();
            let again = StorageUrl::parse(&shown).unwrap_or_else(|error| panic!("{text} → {shown}: {error}"));
            assert_eq!(again.to_string(), shown, "{text}");
            assert_eq!(meant(&again), meant(&url), "{text} → {shown}");
        }
    }
    // A password is shown by nobody, wherever it stands and whatever stands around it.
    let mut texts = vec![
        format!("postgres://{one}:{CANARY}@{other}"),
        format!("postgres://{one}?{other}&password={CANARY}"),
    ];
    if !one.contains('?') {
        texts.push(format!("postgresql://{one}?password={CANARY}&{other}"));
        // The host was forgotten. After a slash it would be the name of a database.
        texts.extend((!one.contains('/')).then(|| format!("postgres://{one}:x{CANARY}")));
    }
    for text in texts {
        let said = match StorageUrl::parse(&text) {
            Ok(url) => {
                // The planted bug: passwords of sockets are shown.
                let hint =
                    if is_planted() && url.to_string().contains("host=/") { text.as_str() } else { "" };
                format!("{url} {url:?} {hint}")
            }
            Err(error) => format!("{error} {error:?}"),
        };
        assert!(!said.contains(CANARY) || one.contains(CANARY) || other.contains(CANARY), "{text}: {said}");
    }
}
