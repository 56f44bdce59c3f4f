//! The configurations that both programs serve: those of the suite, and those of the pairs that are right.

use std::path::Path;

use dev::configs;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A name for each, and its text.
pub(crate) fn configurations() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = [
        ("built_in", configs::built_in()),
        ("long_pages", configs::long_pages()),
        (
            "cors",
            configs::with_server("cors_origins = [\"https://app.example.org\", \"http://localhost:5173\"]"),
        ),
        ("cors for all", configs::with_server("cors_origins = [\"*\"]")),
        ("base_url", configs::with_server("base_url = \"https://book.example.org/v1/\"")),
        ("proxies", configs::with_server("trusted_proxies = [\"127.0.0.0/8\"]")),
        ("small bodies", configs::with_server("max_body = \"1KiB\"")),
        ("little memory", configs::with_server("memory = \"1KiB\"")),
        ("nothing beside", configs::with_server("metrics = false\nconsole = false")),
        ("server_timing", configs::with_server("server_timing = true")),
        ("unique", configs::unique()),
        ("guarded", configs::patient(&configs::guarded())),
        ("strangers", configs::with_unknown_keys(5, &configs::guarded())),
        ("guarded_by", configs::guarded_by("token")),
        ("identified", configs::identified()),
        ("rate_limited", configs::rate_limited(100, 3600)),
        ("guarded_and_rate_limited", configs::patient(&configs::guarded_and_rate_limited(100))),
        ("renamed", configs::renamed()),
        ("unpaged", configs::unpaged()),
        ("set_null", configs::on_delete("set_null")),
        ("cascade", configs::on_delete("cascade")),
        ("read only", configs::verbs("[\"GET\"]", "[\"GET\"]")),
        ("with PATCH", configs::verbs("[\"GET\", \"POST\"]", "[\"GET\", \"PUT\", \"PATCH\", \"DELETE\"]")),
        ("no verbs", configs::verbs("[]", "[\"PATCH\"]")),
        ("ids_shown_the_other_way", configs::ids_shown_the_other_way()),
        ("kinds", configs::kinds()),
        ("everything", configs::EVERYTHING.to_owned()),
    ]
    .map(|(name, config)| (name.to_owned(), config))
    .into();
    for folder in pairs() {
        let config = std::fs::read_to_string(Path::new(&folder).join("written.toml")).unwrap();
        // Those of TLS need a certificate.
        if Path::new(&folder).join("effective.toml").exists() && !config.contains("tls_cert") {
            all.push((folder.rsplit('/').next().unwrap().to_owned(), config));
        }
    }
    all
}

/// The folders with pairs of configuration files, in order.
pub(crate) fn pairs() -> Vec<String> {
    folder("tests/config_pairs")
}

/// What is in a folder of the repository, in order.
pub(crate) fn folder(name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(name)).unwrap();
    let mut paths: Vec<String> =
        entries.map(|entry| entry.unwrap().path().to_str().unwrap().to_owned()).collect();
    paths.sort();
    paths
}
