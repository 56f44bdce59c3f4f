//! What was probably meant by words that the command line does not have: a tip for each, beside the refusal.

use std::net::IpAddr;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::config;

/// Options of other servers, and how it is said here. `--port` and `--host` come with a value that is worth repeating.
const OPTIONS: [(&[&str], &str); 5] = [
    (
        &["--db", "--db-url", "--database-url", "--dsn", "--data", "--storage", "-d"],
        "where the data is: --database sqlite:PATH",
    ),
    (&["--configuration", "--config-file", "-c", "-f"], "the configuration file: --config FILE"),
    (
        &["--tls", "--https", "--ssl", "--cert", "--key", "--tls-cert", "--tls-key"],
        "TLS is set in the configuration file: tls_cert and tls_key under [server]",
    ),
    (
        &["--log", "--log-level", "--loglevel", "--verbose", "--debug", "--quiet", "-v", "-q"],
        "the level of the log is a variable: CARNET_LOG=debug, or info, warn, error, off",
    ),
    (&["--url", "--public-url", "--root-url"], "how URLs in answers begin: --base-url URL"),
];

/// Commands of other programs, and those of this one.
const COMMANDS: [(&[&str], &str); 10] = [
    (&["start", "run", "up", "server", "listen"], "to serve: carnet serve"),
    (
        &["new", "setup", "config", "configure", "create"],
        "to write a configuration to start from: carnet init",
    ),
    (&["validate", "lint", "test", "plan"], "to look at the configuration and the store: carnet check"),
    (&["migrate", "migration"], "a start changes tables by itself; what it would change: carnet check"),
    (&["key", "token", "tokens", "apikey", "apikeys"], "to make, list and revoke access keys: carnet keys"),
    (&["log", "history", "trail"], "what was done with keys and tables: carnet audit"),
    (&["move"], "to copy everything into another store: carnet copy --from URL --to URL"),
    (&["dump", "snapshot", "save"], "to make a backup: carnet backup FILE"),
    (&["schema", "swagger", "spec"], "to print the OpenAPI document: carnet openapi"),
    (&["version"], "carnet --version"),
];

/// The same for what can be done with keys.
const KEYS_COMMANDS: [(&[&str], &str); 4] = [
    (&["delete", "remove", "rm", "del", "drop", "forget"], "to take a key away: carnet keys revoke NAME"),
    (&["add", "new", "make", "generate", "gen"], "to make a key: carnet keys create NAME"),
    (&["ls", "show", "get", "all"], "to list the keys: carnet keys list"),
    (
        &["renew", "roll", "regenerate", "reset", "change"],
        "to give a key a new secret: carnet keys rotate NAME",
    ),
];

/// The error, with a tip where there is one; `words` are the arguments that it is about. A password is not repeated.
pub(super) fn with_tip(mut error: Error, words: &[String]) -> Error {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return error,
    };
    let Some(ContextValue::String(word)) = error.get(kind).cloned() else { return error };
    error.insert(kind, ContextValue::String(config::without_passwords(&word)));
    if let Some(tip) = tip(&word, words) {
        error.remove(ContextKind::SuggestedSubcommand);
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn tip(word: &str, words: &[String]) -> Option<String> {
    let is_given = |wanted: &str| words.iter().any(|word| word == wanted);
    let named = |table: &[(&[&str], &str)]| {
        let found = table.iter().find(|(names, _)| names.contains(&word));
        found.map(|(_, tip)| (*tip).to_owned())
    };
    if word.starts_with('-') {
        return address(word, words).or_else(|| named(&OPTIONS));
    }
    if is_given("copy") {
        return Some("the two stores are options: carnet copy --from URL --to URL".into());
    }
    let of_command = if is_given("keys") { named(&KEYS_COMMANDS) } else { named(&COMMANDS) };
    of_command.or_else(|| value(word))
}

/// `--port 9123` and the like.
fn address(option: &str, words: &[String]) -> Option<String> {
    let given = words.iter().zip(words.iter().skip(1)).find(|(word, _)| *word == option);
    let inside = words.iter().filter_map(|word| word.split_once('=')).find(|(name, _)| *name == option);
    let value = inside.map(|(_, value)| value).or(given.map(|(_, value)| value.as_str())).unwrap_or_default();
    let meant = match option {
        "--port" | "-p" | "-P" => format!("127.0.0.1:{}", value.parse::<u16>().unwrap_or(8080)),
        "--host" | "--bind" | "--address" | "--addr" | "--ip" | "-b" | "-l" => {
            match value.parse::<IpAddr>() {
                Ok(ip) => std::net::SocketAddr::new(ip, 8080).to_string(),
                Err(_) => config::address_meant(value).unwrap_or_else(|| "127.0.0.1:8080".into()),
            }
        }
        _ => return None,
    };
    Some(format!("address and port are one option: --listen {meant}"))
}

/// A value without the option that it belongs to.
fn value(word: &str) -> Option<String> {
    let is_url = ["sqlite:", "postgres:", "postgresql:"].iter().any(|scheme| word.starts_with(scheme));
    if is_url {
        return Some(format!("where the data is: --database {}", config::without_passwords(word)));
    }
    if word.ends_with(".toml") {
        return Some(format!("the configuration file: --config {word}"));
    }
    if [".db", ".sqlite", ".sqlite3"].iter().any(|ending| word.ends_with(ending)) {
        return Some(format!("where the data is: --database sqlite:{word}"));
    }
    let is_like_an_address = word.contains(':') || word.parse::<u16>().is_ok();
    let meant = config::address_meant(word).filter(|_| is_like_an_address)?;
    Some(format!("where to listen: --listen {meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tip_for(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let refused = words.iter().map(|word| word.split('=').next().unwrap_or(word));
        let is_known = |word: &&str| ["carnet", "keys", "check", "copy", "serve"].contains(word);
        tip(refused.clone().find(|word| !is_known(word)).unwrap(), &words)
    }

    #[test]
    fn what_was_meant_is_guessed() {
        for (line, meant) in [
            ("carnet --port 9123", "--listen 127.0.0.1:9123"),
            ("carnet --port=9123", "--listen 127.0.0.1:9123"),
            ("carnet -p", "--listen 127.0.0.1:8080"),
            ("carnet --host 0.0.0.0", "--listen 0.0.0.0:8080"),
            ("carnet --bind localhost:9123", "--listen 127.0.0.1:9123"),
            ("carnet localhost:9123", "--listen 127.0.0.1:9123"),
            ("carnet 9123", "--listen 127.0.0.1:9123"),
            ("carnet --db x.db", "--database sqlite:PATH"),
            ("carnet book.db", "--database sqlite:book.db"),
            ("carnet check foo.toml", "--config foo.toml"),
            ("carnet keys delete", "carnet keys revoke NAME"),
            ("carnet delete", ""),
            ("carnet keys add", "carnet keys create NAME"),
            ("carnet keys start", ""),
            ("carnet start", "carnet serve"),
            ("carnet copy a.db b.db", "carnet copy --from URL --to URL"),
            ("carnet serve postgres://ann:secret@h/d", "--database postgres://ann:******@h/d"),
            ("carnet nonsense", ""),
            ("carnet --nonsense", ""),
        ] {
            let tip = tip_for(line).unwrap_or_default();
            let is_as_meant = if meant.is_empty() { tip.is_empty() } else { tip.ends_with(meant) };
            assert!(is_as_meant, "{line}: {tip}");
        }
    }
}
