//! From what was written to what it means, collecting every problem before answering.
//!
//! Flags and the environment are laid over the file here. A value that one of them replaces is not
//! judged: nobody uses it, and a file made for another place can be tried with `--database`.

use super::collections::collections;
use super::problem::{ConfigError, Problem};
use super::setting::Setting;
use super::syntax::Syntax;
use super::tree::{self, Reader, Table, put};
use super::{Config, Origin, Overrides, backup, keys, log, server};
use crate::catalog::control::Control;
use crate::catalog::declaration::{Declaration, Fault, Remedy};
use crate::catalog::{Catalog, name};
use crate::observe::Level;
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeTable;

/// Makes the configuration that a text and the overrides mean together.
pub(super) fn check(text: &str, origin: Origin, overrides: &Overrides) -> Result<Config, ConfigError> {
    let name = origin.to_string();
    let (tree, errors) = DeTable::parse_recoverable(text);
    let (tree, nothing) = (tree.get_ref(), DeTable::new());
    let syntax = Syntax::check(text, tree, &errors);
    if syntax.is_broken {
        return Err(ConfigError::new(&name, text, syntax.problems, true));
    }
    let mut reader = Reader { text, overrides, problems: syntax.problems, spoiled: Vec::new() };
    let file = Table { path: Vec::new(), keys: keys::FILE, entries: tree, span: 0..0 };
    reader.refuse_unknown_keys(&file);
    let mut config = Config::unset(origin);

    let table = reader.table_or(&file, "server", keys::SERVER, &nothing);
    server::read(&mut reader, &table, &mut config);
    let table = reader.table_or(&file, "access", keys::ACCESS, &nothing);
    let parameter = reader.string(&table, "parameter");
    let unknown = reader.number(&table, "unknown_keys_per_minute", 0..=1_000_000);
    let unknown = unknown.and_then(|unknown| u32::try_from(unknown).ok());
    put(unknown, &mut config.api.unknown_keys_per_minute);
    let table = reader.table_or(&file, "log", keys::LOG, &nothing);
    log(&mut reader, &table, &mut config);
    let table = reader.table_or(&file, "backup", keys::BACKUP, &nothing);
    backup::read(&mut reader, &table, &mut config);

    let declarations = collections(&mut reader, &file);
    let is_parameter = parameter.is_none_or(|parameter| {
        let is_one = access_parameter(&mut reader, &parameter, &declarations);
        config.api.access_parameter = parameter.into_inner();
        is_one
    });
    let parameter = is_parameter.then_some(config.api.access_parameter.as_str());
    match catalog(&mut reader, tree, &declarations, parameter) {
        Some(catalog) if reader.problems.is_empty() => Ok(Config { catalog: Arc::new(catalog), ..config }),
        _ => Err(ConfigError::new(&name, text, reader.problems, false)),
    }
}

fn log<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    let level = reader.setting(table, "level", reader.overrides.log.as_ref());
    put(one_of(reader, level, &log::LEVELS, Level::name), &mut config.log.level);
    let format = reader.setting(table, "format", None);
    put(one_of(reader, format, &log::FORMATS, log::format_name), &mut config.log.format);
}

/// The one of `all` that the setting names.
fn one_of<T: Copy>(
    reader: &mut Reader<'_>,
    setting: Option<Setting>,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Option<T> {
    let setting = setting?;
    let found = all.iter().find(|one| name(**one) == setting.text);
    if found.is_none() {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        reader.problems.push(setting.none_of(&names));
    }
    found.copied()
}

/// Whether a text can be the name of the parameter that carries a key.
fn access_parameter(
    reader: &mut Reader<'_>,
    parameter: &Spanned<String>,
    declarations: &[Declaration],
) -> bool {
    let text = parameter.get_ref();
    let pages = declarations.iter().filter_map(|collection| collection.pagination.as_ref());
    let mut taken = pages.flat_map(|pages| [&pages.offset_key, &pages.count_key]);
    let (message, remedy) = if !name::is_parameter(text) {
        let remedy = "use letters, digits, _ and -, beginning with a letter or _";
        (format!("`{text}` cannot be the name of a query parameter"), remedy)
    } else if text == name::ID {
        ("`id` is already the filter on a record's id".to_owned(), "choose another name")
    } else if Control::is_long(text) {
        (format!("`{text}` already has a meaning in a list"), "choose another name")
    } else if taken.any(|taken| taken == text) {
        let remedy = "choose another name, or another `offset_key` or `count_key`";
        (format!("`{text}` already says which page of a list is wanted"), remedy)
    } else {
        return true;
    };
    reader.problems.push(Problem::at(parameter.span(), message, remedy));
    false
}

fn catalog(
    reader: &mut Reader<'_>,
    tree: &DeTable<'_>,
    declarations: &[Declaration],
    parameter: Option<&str>,
) -> Option<Catalog> {
    let key_parameters = parameter.map_or_else(Vec::new, name::key_parameters);
    let faults = match Catalog::declare(declarations, &key_parameters) {
        Ok(catalog) => return Some(catalog),
        Err(faults) => faults,
    };
    let end = reader.text.trim_end().len();
    let is_spoiled = |fault: &Fault| reader.spoiled.iter().any(|path| fault.path.starts_with(path));
    let problems = faults.into_iter().filter(|fault| !is_spoiled(fault)).map(|fault| {
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
    reader.problems.extend(problems.collect::<Vec<_>>());
    None
}
