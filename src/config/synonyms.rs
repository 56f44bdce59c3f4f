//! What other programs call a key, and how it is written here.

use super::keys::{self, Keys};

/// How to write what `name` means elsewhere, for a key that the table does not have; `value` as it was written.
pub(super) fn remedy(table: Keys, name: &str, value: &str) -> Option<String> {
    let is_in = |other: Keys| table.table == other.table;
    // Many write the settings of the server at the top.
    let under = if is_in(keys::FILE) { "under [server], " } else { "" };
    let of_server = match name {
        "port" => {
            let port = value.trim_matches(['"', '\'']).parse::<u16>().unwrap_or(8080);
            format!("{under}write address and port together: `listen = \"127.0.0.1:{port}\"`")
        }
        "host" | "bind" | "address" | "addr" | "ip" | "interface" => {
            format!("{under}write address and port together: `listen = \"127.0.0.1:8080\"`")
        }
        "db" | "dsn" | "url" | "path" | "file" | "storage" | "database_url" => format!(
            "{under}write where the data is: `database = \"sqlite:carnet.db\"`, or \
             `database = \"postgres://USER@HOST/NAME\"`"
        ),
        "tls" | "https" | "ssl" | "cert" | "certificate" | "key" => {
            format!("{under}write both: `tls_cert = \"FILE\"` and `tls_key = \"FILE\"`, in PEM")
        }
        "cors" | "origins" | "allowed_origins" => {
            format!("{under}write `cors_origins = [\"https://app.example.org\"]`")
        }
        "log_level" | "loglevel" | "verbose" | "debug" => "under [log], write `level = \"debug\"`".to_owned(),
        _ => String::new(),
    };
    let of_others = match name {
        "methods" | "verbs" if is_in(keys::COLLECTION) => {
            "write `list_verbs` for the list and `unique_verbs` for one record"
        }
        "columns" | "properties" | "attributes" if is_in(keys::COLLECTION) => {
            "write them under the heading [collection.fields]"
        }
        "auth" if is_in(keys::COLLECTION) => {
            "write `authentication = true` and `authorization = true` under the heading [collection.access]"
        }
        "optional" | "nullable" | "null" if is_in(keys::FIELD) => {
            "leave it out: a field may be absent unless it has `required = true`"
        }
        "kind" if is_in(keys::FIELD) => "write `type`",
        "foreign_key" | "ref" | "belongs_to" | "reference" if is_in(keys::FIELD) => {
            "write `references = \"COLLECTION\"`"
        }
        _ => "",
    };
    let is_of_server = is_in(keys::SERVER) || is_in(keys::FILE);
    let found = if is_of_server { of_server } else { of_others.to_owned() };
    (!found.is_empty()).then_some(found)
}
