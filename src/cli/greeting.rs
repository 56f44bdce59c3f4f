//! What `serve` says to a person: where it listens, where the data is, three lines to paste.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::catalog::field::Field;
use crate::config::Origin;
use crate::http::query;
use crate::record::representation;
use crate::store::url::StorageUrl;

/// The first line of standard output, which programs read too.
pub(super) fn first_line(scheme: &str, address: SocketAddr) -> String {
    format!("carnet listening on {scheme}://{address}\n")
}

/// The rest, for a terminal.
pub(super) fn for_a_person(
    scheme: &str,
    address: SocketAddr,
    origin: &Origin,
    storage: &StorageUrl,
    catalog: &Catalog,
    has_console: bool,
) -> String {
    let mut text = String::new();
    if has_console {
        let _ = writeln!(text, "  console    {scheme}://{}/console/", reachable(address));
    }
    let _ = writeln!(text, "  data in    {}", place(storage));
    let _ = match origin {
        Origin::BuiltIn => {
            writeln!(text, "  serving    the built-in address book (make it your own: carnet init)")
        }
        Origin::File(file) => writeln!(text, "  serving    {}", file.display()),
    };
    if let Some(collection) = easiest(catalog) {
        text.push_str("\nTry:\n");
        for line in requests(scheme, address, collection) {
            let _ = writeln!(text, "  {line}");
        }
        if collection.admission() == Admission::KnownOnly {
            text.push_str("with a key from: carnet keys create\n");
        }
    }
    text.push_str("\nCtrl-C stops it.\n");
    text
}

/// Where the data is, so that it can be found from anywhere.
fn place(storage: &StorageUrl) -> String {
    match storage.absolute() {
        StorageUrl::Sqlite(path) => path.display().to_string(),
        StorageUrl::Postgres(url) => url.to_string(),
    }
}

/// The last collection that can be written to without knowing another record.
fn easiest(catalog: &Catalog) -> Option<&Collection> {
    catalog.collections().iter().rev().find(|collection| {
        let needs_another = |field: &Field| field.is_required() && field.reference().is_some();
        let allows = |verb| collection.list_verbs().contains(&verb);
        !collection.fields().iter().any(needs_another) && allows(Verb::Get) && allows(Verb::Post)
    })
}

/// What to type for an address on this machine: "all of them" is none that a client can ask.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port())
    } else {
        address
    }
}

/// Create one, list all, find it again.
fn requests(scheme: &str, address: SocketAddr, collection: &Collection) -> Vec<String> {
    let url = format!("{scheme}://{}/{}/", reachable(address), collection.name());
    let access = if collection.admission() == Admission::KnownOnly { " -H 'X-API-Key: KEY'" } else { "" };
    let mut fields: Vec<&Field> = collection.fields().iter().filter(|field| field.is_required()).collect();
    if fields.is_empty() {
        fields.extend(collection.fields().iter().find(|field| field.reference().is_none()));
    }
    let members: Vec<String> =
        fields.iter().map(|field| format!("{}{}", field.member(), representation::example(field))).collect();
    // As a shell wants a quote within quotes.
    let body = members.join(",").replace('\'', "'\\''");
    let mut lines = vec![
        format!("curl -i{access} {url} -H 'Content-Type: application/json' -d '{{{body}}}'"),
        format!("curl{access} {url}"),
    ];
    lines.extend(fields.last().map(|field| {
        let mut filter = String::new();
        query::push_pair(&mut filter, field.name(), &field.example());
        format!("curl{access} '{url}?{filter}'")
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(address: &str, has_console: bool) -> String {
        let storage = StorageUrl::Sqlite("carnet.db".into());
        let catalog = Catalog::default();
        for_a_person("http", address.parse().unwrap(), &Origin::BuiltIn, &storage, &catalog, has_console)
    }

    #[test]
    fn a_person_is_told_where_the_console_is() {
        assert!(
            greeting("127.0.0.1:8080", true).starts_with("  console    http://127.0.0.1:8080/console/\n")
        );
        // Nobody can open 0.0.0.0.
        assert!(greeting("0.0.0.0:81", true).starts_with("  console    http://127.0.0.1:81/console/\n"));
        assert!(greeting("[::1]:81", true).starts_with("  console    http://[::1]:81/console/\n"));
        assert!(!greeting("127.0.0.1:8080", false).contains("console"));
    }
}
