//! From what was written to what it means, collecting every problem before answering.
//!
//! Flags and the environment are laid over the file here. A value that one of them replaces is not
//! judged: nobody uses it, and a file made for another place can be tried with `--database`.

use super::file::{self, Written};
use super::problem::Problem;
use super::setting::Setting;
use super::syntax::Syntax;
use super::{Config, Given, Origin, Overrides, base_url, tree};
use super::{listen, log};
use crate::catalog::declaration::{Fault, Remedy};
use crate::catalog::{Catalog, name};
use crate::observe::{Level, LogSettings};
use crate::store::url::{StorageUrl, Surroundings};
use std::net::SocketAddr;
use toml::de::DeTable;

/// Everything that is wrong, and whether the text was not even TOML.
pub(super) struct Refusal {
    pub(super) problems: Vec<Problem>,
    pub(super) is_unreadable: bool,
}

/// Makes the configuration that a text and the overrides mean together.
pub(super) fn check(text: &str, origin: Origin, overrides: &Overrides) -> Result<Config, Refusal> {
    let (tree, errors) = DeTable::parse_recoverable(text);
    let syntax = Syntax::judge(text, tree.get_ref(), &errors);
    let mut checker = Checker { problems: syntax.problems, end: text.trim_end().len() };
    if syntax.is_broken {
        return Err(checker.refusal(true));
    }
    let mut written = file::read(text, tree.get_ref());
    checker.problems.append(&mut written.problems);

    let server = &written.server;
    let listen = checker.listen(Setting::choose("listen", &overrides.listen, &server.listen));
    let database = Setting::choose("database", &overrides.database, &server.database);
    let storage = checker.storage(database, &overrides.surroundings);
    let base_url = checker.base_url(Setting::choose("base_url", &overrides.base_url, &server.base_url));
    let tls = checker.tls(server);
    let hsts = checker.hsts(server);
    let http = checker.http(server);
    let memory = checker.size("memory", &server.memory);
    let max_stored_answers = checker.size("max_stored_answers", &server.max_stored_answers);
    let cors_origins = checker.origins(server.cors_origins.as_deref());
    let access_parameter = checker.access_parameter(&written);
    let unknown_keys =
        checker.number("unknown_keys_per_minute", &written.unknown_keys_per_minute, 0..=1_000_000);
    let log = checker.log(&written, &overrides.log);
    let catalog = checker.catalog(&written, tree.get_ref(), access_parameter.as_deref());
    match (listen, storage, access_parameter, catalog) {
        (Some(listen), Some(storage), Some(access_parameter), Some(catalog))
            if checker.problems.is_empty() =>
        {
            Ok(Config {
                origin,
                listen,
                storage,
                base_url,
                tls,
                hsts,
                http,
                shows_metrics: written.server.metrics.unwrap_or(true),
                has_console: written.server.console.unwrap_or(true),
                shows_server_timing: written.server.server_timing.unwrap_or(false),
                memory: memory.unwrap_or(Config::DEFAULT_MEMORY),
                max_stored_answers: max_stored_answers.unwrap_or(Config::DEFAULT_STORED_ANSWERS),
                any_filesystem: written.server.any_filesystem.unwrap_or(false),
                cors_origins,
                access_parameter,
                unknown_keys_per_minute: unknown_keys
                    .and_then(|number| u32::try_from(number).ok())
                    .unwrap_or(Config::DEFAULT_UNKNOWN_KEYS),
                log,
                catalog,
            })
        }
        _ => Err(checker.refusal(false)),
    }
}

/// Collects what is wrong while the parts are made.
pub(super) struct Checker {
    pub(super) problems: Vec<Problem>,
    /// Where the text ends, but for empty lines.
    end: usize,
}

impl Checker {
    fn refusal(self, is_unreadable: bool) -> Refusal {
        Refusal { problems: self.problems, is_unreadable }
    }

    /// The value, or `None` after noting what was wrong with it.
    pub(super) fn note<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn listen(&mut self, setting: Option<Setting<'_>>) -> Option<SocketAddr> {
        let Some(setting) = setting else {
            return Some(Config::DEFAULT_LISTEN);
        };
        let parsed = setting.text.parse().map_err(|_| {
            let remedy = "write ADDRESS:PORT with a numeric address: `127.0.0.1:8080` for this machine alone, \
                          `0.0.0.0:8080` for everybody who can reach it";
            let mut problem = setting.problem("is not an address with a port", remedy);
            problem.label = listen::meant(setting.text).map(|meant| format!("did you mean `{meant}`?"));
            // A label needs a place in the file.
            if let (None, Some(label)) = (&problem.span, &problem.label) {
                problem.remedy = format!("{label} {remedy}");
            }
            problem
        });
        self.note(parsed)
    }

    fn storage(&mut self, setting: Option<Setting<'_>>, surroundings: &Surroundings) -> Option<StorageUrl> {
        let Some(setting) = setting else {
            return Some(StorageUrl::Sqlite(Config::DEFAULT_DATABASE.into()));
        };
        let parsed = StorageUrl::parse(setting.text)
            .and_then(|url| url.within(surroundings))
            .map_err(|error| setting.problem("does not say where the data is", error.to_string()));
        self.note(parsed)
    }

    fn base_url(&mut self, setting: Option<Setting<'_>>) -> Option<String> {
        let setting = setting?;
        let parsed = base_url::parse(setting.text).map_err(|error| {
            let remedy =
                "write the address under which clients reach the server, such as `https://book.example.org`";
            setting.problem(&error.to_string(), remedy)
        });
        self.note(parsed)
    }

    fn access_parameter(&mut self, written: &Written) -> Option<String> {
        let Some(parameter) = &written.access_parameter else {
            return Some(name::KEY_PARAMETER.to_owned());
        };
        let text = parameter.get_ref();
        let pages = written.collections.iter().filter_map(|collection| collection.pagination.as_ref());
        let mut taken = pages.flat_map(|pages| [&pages.offset_key, &pages.count_key]);
        let (message, remedy) = if !name::is_parameter(text) {
            let remedy = "use letters, digits, _ and -, beginning with a letter or _";
            (format!("`{text}` cannot be the name of a query parameter"), remedy)
        } else if text == name::ID {
            ("`id` is already the filter on a record's id".to_owned(), "choose another name")
        } else if taken.any(|taken| taken == text) {
            let remedy = "choose another name, or another `offset_key` or `count_key`";
            (format!("`{text}` already says which page of a list is wanted"), remedy)
        } else {
            return Some(text.clone());
        };
        self.problems.push(Problem::at(parameter.span(), message, remedy));
        None
    }

    fn log(&mut self, written: &Written, given: &Option<Given>) -> LogSettings {
        let default = LogSettings::default();
        let level = Setting::choose("level", given, &written.log_level);
        let format = Setting::choose("format", &None, &written.log_format);
        LogSettings {
            level: self.one_of(level, &log::LEVELS, Level::name).unwrap_or(default.level),
            format: self.one_of(format, &log::FORMATS, log::format_name).unwrap_or(default.format),
            ..default
        }
    }

    /// The one of `all` that the setting names.
    fn one_of<T: Copy>(
        &mut self,
        setting: Option<Setting<'_>>,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let setting = setting?;
        let found = all.iter().find(|one| name(**one) == setting.text);
        if found.is_none() {
            let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
            self.problems.push(setting.none_of(&names));
        }
        found.copied()
    }

    fn catalog(&mut self, written: &Written, tree: &DeTable<'_>, parameter: Option<&str>) -> Option<Catalog> {
        let key_parameters = parameter.map_or_else(Vec::new, name::key_parameters);
        let faults = match Catalog::declare(&written.collections, &key_parameters) {
            Ok(catalog) => return Some(catalog),
            Err(faults) => faults,
        };
        let end = self.end;
        let is_spoiled = |fault: &Fault| written.spoiled.iter().any(|path| fault.path.starts_with(path));
        let faults = faults.into_iter().filter(|fault| !is_spoiled(fault));
        let problems = faults.map(|fault| {
            // What is missing altogether is shown where it would be added.
            let span = tree::locate(tree, &fault.path).unwrap_or(end..end);
            let message = fault.message;
            match &fault.remedy {
                Remedy::Advice(advice) => Problem::at(span, message, advice),
                // Only a reference can have nothing to choose from.
                Remedy::OneOf { given, choices } if choices.is_empty() => {
                    Problem::at(span, message, format!("declare [[collection]] `{given}` above this one"))
                }
                Remedy::OneOf { given, choices } => {
                    Problem::choice(Some(span), message, given, choices.iter().map(String::as_str))
                }
            }
        });
        self.problems.extend(problems);
        None
    }
}
